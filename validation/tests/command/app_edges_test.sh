#!/usr/bin/env bash
# Edges of files and quotes: modes that are kept, names that look like URIs, disks with hardly any
# room, and volatilities whose tables would take gigabytes.
. validation/tests/test.sh
mounted=
trap '[[ -z $mounted ]] || umount "$mounted"; rm -rf "$there"' EXIT

# A file keeps the mode of the one that it replaces; a name that begins with file: is a name.
for form in csv json; do
    : >"$there/kept.$form"
    chmod 0654 "$there/kept.$form"
    "$pricer" --quiet --paths=1024 --check=none --output="$there/kept.$form" inputs/first.cfg
    [[ -s $there/kept.$form && $(stat -c %a "$there/kept.$form") == 654 ]] ||
        fail "$form: mode $(stat -c %a "$there/kept.$form"), not 654"
done
book=$PWD/inputs/first.cfg
(cd "$there" && "$pricer" --quiet --paths=1024 --check=none --output='file:x?mode=memory&.db' "$book") ||
    fail "file: in a name: exit status $?"
[[ -s $there/'file:x?mode=memory&.db' ]] || fail "file: in a name: no such file"

# A disk with hardly any room is called full, whatever a database was at when it met the end.
if [[ $(id -u) == 0 ]] && mkdir "$there/disk" && mount -t tmpfs -o size=256k tmpfs "$there/disk" 2>/dev/null; then
    mounted=$there/disk
    for room in 230000 240000 250000; do
        head -c "$room" /dev/zero >"$there/disk/filler"
        "$pricer" --quiet --paths=1024 --check=none --output="$there/disk/x.db" inputs/book.cfg 2>"$there/err" && fail "$room bytes: a full disk is no error"
        grep -Eq 'No space left on device|disk is full' "$there/err" || fail "$room bytes: $(<"$there/err")"
        rm -f "$there"/disk/*
    done
fi

# Quotes so unlike each other that the tables of local volatility would take gigabytes are refused.
for low in 1e-9 1e-10; do
    code=0
    timeout 20 "$pricer" --paths=1024 --check=none - >"$there/err" 2>&1 <<BOOK || code=$?
market = { currencies = ( { name = "EUR"; rate = 0.02; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; model = "local_vol"; volatility = { times = [0.5, 1.0];
    strikes = [80.0, 100.0, 120.0]; vols = ( [$low, 0.2, 0.2], [$low, 0.2, 0.2] ); }; } ); };
book = { trades = ( { id = "a"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic";
  strike_type = "fixed"; strike = 100.0; fixings = 12; expiry = 1.0; } ); };
BOOK
    [[ $code == [12] ]] && grep -q 'vol' "$there/err" || fail "volatility $low: exit status $code, $(<"$there/err")"
done

# Paid at the hit where the rate is negative and half of the wave that pays lies between the barriers:
# what is far below is of no matter. Where no wave is 1 on both, by a hair, the trade is refused.
printf '%s\n' 'market = { currencies = ( { name = "EUR"; rate = -0.0075; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0;
  volatility = 0.02; dividend_yield = -0.0075; } ); }; book = { trades = (' >"$there/wave.cfg"
for lower in 20 40 60 61 62; do
    printf '{ id = "t%s"; type = "touch"; asset = "A"; touch = "one"; lower = %s; upper = 102; pay_at = "hit"; cash = 100; expiry = 1.0;
      monitoring = "continuous"; },\n' "$lower" "$lower"
done | sed '$s/,$/ ); };/' >>"$there/wave.cfg"
code=0
"$pricer" --quiet --engine=cpu --paths=65536 --output="$there/wave.csv" "$there/wave.cfg" 2>"$there/err" || code=$?
[[ $code == 1 && $(<"$there/err") == "$there/wave.cfg:9: trade 't61' failed: the rate is such that paying at the hit has no formula" ]] ||
    fail "waves: exit status $code, $(<"$there/err")"
[[ $(grep -c ',ok,' "$there/wave.csv") == 4 && $(grep -c ',32.0179' "$there/wave.csv") == 4 ]] || fail "waves: $(<"$there/wave.csv")"

# Numbers at the edge of what a double holds: refused with one line, or right within the time that
# others take, in the pricer and in its reference.
extreme() { # REFUSED-OR-OK WORDS KEYS
    local code=0 want=0
    [[ $1 == ok ]] || want=2
    timeout -k 1 20 "$pricer" --engine=cpu --paths=16384 - >"$there/err" 2>&1 <<BOOK || code=$?
market = { currencies = ( { name = "EUR"; rate = 0.025; } ); assets = (
  { name = "A"; currency = "EUR"; spot = 100.0; dividend_yield = 0.028; volatility = 0.18; },
  { name = "D"; currency = "EUR"; spot = 100.0; cash_dividends = ( { time = 0.5; amount = 120.0; } ); volatility = 0.18; } ); };
book = { trades = (
  { id = "x"; $3 expiry = 1.5; } ); };
BOOK
    [[ $code == "$want" && $(grep -c "$2" "$there/err") == 1 ]] || fail "$3: exit status $code, not $want: $(<"$there/err")"
}
cliquet='type = "cliquet"; asset = "A"; reset_times = [0.005, 0.5, 1.0]; notional = 100.0;'
barrier='option = "call"; strike = 100.0; monitoring = 6;'
american='type = "american"; asset = "D"; strike = 100.0; exercise = "american"; option ='
for level in 1e-307 5e-324; do
    least="must be 0 or at least 1e-100 in size, got $level"
    [[ $level == 1e-307 ]] || least='must be 0 or at least 1e-100 in size, got 4.94'
    extreme refused "trade 'x': level $least" "$cliquet past = { level = $level; };"
    extreme refused "trade 'x': barrier $least" "type = \"barrier\"; asset = \"A\"; $barrier barrier = $level; direction = \"down\"; knock = \"in\";"
    extreme refused "trade 'x': lower $least" "type = \"double_barrier\"; asset = \"A\"; $barrier lower = $level; upper = 150.0; knock = \"out\";"
done
extreme refused "trade 'x': past.level 1e-90 must be within 1e+09 times the spot, 100" "$cliquet past = { level = 1e-90; };"
extreme refused "trade 'x': past.level 1e+90 must be within 1e+09 times the spot, 100" "$cliquet past = { level = 1e90; };"
extreme ok '^x .* ok$' "$cliquet past = { level = 2e-7; };"
extreme ok '^x .* ok$' "$cliquet local_cap = 0.1; global_cap = 0.2; past = { level = 2e-7; };"
extreme ok '^x .* ok$' "type = \"barrier\"; asset = \"A\"; $barrier barrier = 1e-100; direction = \"down\"; knock = \"out\";"
extreme ok '^x .* ok$' "type = \"double_barrier\"; asset = \"A\"; $barrier lower = 1e-30; upper = 1e30; knock = \"out\";"
for option in put call; do extreme ok '^x .* ok$' "$american \"$option\";"; done

end_test "modes, names, full disks and extreme quotes are taken well"
