#!/usr/bin/env bash
# The command as a person or a night's batch meets it: exit statuses, complaints of one line,
# engines and kernels, signals, and what standard output and standard error carry.
. validation/tests/test.sh

# expect STATUS LINES_ON_STDERR ARGUMENTS...
expect() {
    run "$1" "${@:3}"
    [[ $(wc -l <"$there/err") == "$2" ]] || fail "pricer ${*:3}: not $2 lines on stderr"
}

market='market = {
  currencies = ( { name = "EUR"; rate = 0.025; } );
  assets = ( { name = "SX5E"; currency = "EUR"; spot = 4850; dividend_yield = 0.028; volatility = 0.18; }
  ); };'
wild='{ name = "WILD"; currency = "EUR"; spot = 100; volatility = 9.0; },'
call='type = "european"; asset = "SX5E"; option = "call"; strike = 4900; expiry = 1.0;'
asian='type = "asian"; asset = "SX5E"; option = "put"; averaging = "arithmetic"; strike_type = "fixed";
  strike = 4900; expiry = 1.0; fixings = 12;'

# A book with two good trades, one with a trade that no path can be walked for, and one with three
# errors.
good=$there/good.cfg
printf '%s\nbook = { name = "two"; trades = ( { id = "A"; %s }, { id = "B"; %s } ); };\n' \
    "$market" "$call" "$asian" >"$good"
part=$there/part.cfg
printf '%s\nbook = { trades = ( { id = "A"; %s },\n  { id = "W"; %s },\n  { id = "B"; %s } ); };\n' \
    "${market/assets = (/assets = ( $wild}" "$call" "${call//SX5E/WILD} expiry = 60.0;" "$asian" | sed 's/expiry = 1.0; expiry/expiry/' >"$part"
bad=$there/bad.cfg
printf '%s\nbook = { trades = ( { id = "A"; %s },\n { id = "A"; %s }, { id = "C"; colour = 1; } ); };\n' \
    "$market" "${call/4900/-5}" "$call" >"$bad"
cpu=(--engine=cpu --paths=16384)

# ---- exit statuses, and one line for each complaint

expect 0 0 "${cpu[@]}" "$good"
shows '2 trades: 2 ok; 16384 paths;'
expect 1 2 "${cpu[@]}" "$part"
says "asset 'WILD': note: volatility 9 is 900 %"
says "trade 'W': note: strike 4900 is 49 times the spot"
shows '3 trades: 2 ok, 1 failed, 2 notes;'
shows "part.cfg:6: trade 'W' failed: the spot may leave the range of a double"
run 2 "${cpu[@]}" "$bad"
says "bad.cfg:5: trade 'A'"
says "trade 'C'"
[[ ! -s $there/out ]] || fail "a book with errors shows something on stdout"
expect 2 1 "$there/none.cfg"
says 'none.cfg'
expect 2 1
expect 2 1 --colour "$good"
says '--help'
expect 2 1 --paths=many "$good"
expect 2 1 --engine=abacus "$good"
expect 2 1 --set settings.engine='"abacus"' "$good"
expect 2 1 "${cpu[@]}" --kernel=fastest "$good"
says 'auto, optimized, baseline, plain'
expect 2 1 --plan --output="$there/x.db" "$good"
says 'a database has no place for it'
expect 2 1 --output="$there/x.txt" "$good"
expect 3 1 "${cpu[@]}" --output="$there/no/such/place.csv" "$good"
says 'place.csv'

# ---- engines and kernels

expect 0 0 --version
shows 'pricer '
shows 'commit'
shows 'cpu'
expect 0 0 --help
expect 0 0 --list-kernels
shows 'cuda'
shows 'baseline'
if grep -q '^cuda: cannot run here' "$there/out"; then
    expect 3 1 --engine=cuda "$good"
    expect 0 1 --paths=16384 "$good"
    says 'pricer: GPU not used: '
    # A build with CUDA on a machine without a driver says that, not that its driver is old.
    [[ $("$pricer" --list-kernels) != *'  fused '* || $(/sbin/ldconfig -p) == *libcuda.so* ]] || says 'GPU not used: no NVIDIA driver'
    expect 0 0 --paths=16384 --quiet "$good"
fi
expect 0 1 "${cpu[@]}" --gpus=9 "$good"
says 'pricer: GPUs not used: the engine is cpu'
expect 0 0 "${cpu[@]}" --kernel=baseline "$good"
shows 'cpu baseline; digest'

# ---- --plan runs nothing, --quiet says nothing, --check=none checks nothing

expect 0 2 --engine=cpu --plan --paths=1000000000 "$part"
shows 'chunks of 1024'
shows 'kernel: '
shows "trade 'W' cannot be priced"
expect 1 1 "${cpu[@]}" --quiet "$part"
says "trade 'W' failed"
[[ ! -s $there/out ]] || fail "--quiet shows something"
expect 0 0 "${cpu[@]}" --check=none "$good"
shows '2 trades: 2 unchecked;'
expect 0 0 "${cpu[@]}" --check=sample "$good"
shows '2 trades: 2 ok;' # each product at least once

# ---- where checking takes longer than pricing, the last line says what a sample of the checks would take

slow=$there/slow.cfg
cat >"$slow" <<'BOOK'
settings = { paths = 1024; };
market = { currencies = ( { name = "EUR"; rate = 0.025; } ); assets = ( { name = "H"; currency = "EUR"; spot = 100;
  model = "historical"; history = { returns = [0.01, -0.02, 0.005, 0.004, -0.01]; }; } ); };
book = { trades = (
  { id = "a"; type = "asian"; asset = "H"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixings = 4; expiry = 0.5; },
  { id = "b"; type = "asian"; asset = "H"; option = "put"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixings = 4; expiry = 0.5; } ); };
BOOK
expect 0 0 "${cpu[@]}" --check=all "$slow"
tail -1 "$there/out" | awk '{ all = sample = 0
        for (i = 1; i < NF; i++) { if ($(i + 1) == "s" && $(i + 2) ~ /^checking/) all = $i; if ($i == "(about") sample = $(i + 1) } }
    END { exit !(all > 0 && sample > 0.2 * all && sample < 0.8 * all) }' ||
    fail "the last line does not say what --check=sample would take: $(tail -1 "$there/out")"
for check in sample none; do
    expect 0 0 "${cpu[@]}" --check=$check "$slow"
    ! grep -q 'with --check=sample' "$there/out" || fail "--check=$check tells of --check=sample"
done

# ---- short options, whole numbers as 1e4, values by name, a book from standard input

expect 0 0 --engine=cpu -n 1.6e4 -o "$there/short.csv" "$good"
"$pricer" --engine=cpu -q --paths=16000 -o "$there/long.csv" "$good"
cmp -s "$there/short.csv" "$there/long.csv" || fail "-n 1.6e4 -o FILE is not --paths=16000 --output=FILE"
"$pricer" --engine=cpu -q -n 16000 -o "$there/stdin.csv" - <"$good"
cmp -s "$there/stdin.csv" "$there/long.csv" || fail "a book from standard input has other results"
sed 's/spot = 4850/spot = "x"/' "$good" >"$there/wrong.cfg"
refused 2 'stdin:3: asset '"'SX5E'"': spot must be a number, got "x"' -q - <"$there/wrong.cfg"
mkdir -p "$there/in/market"
head -4 "$good" >"$there/in/market/one.cfg"
{ echo '@include "market/one.cfg"'; tail -n +5 "$good"; } | (cd "$there/in" && "$pricer" --engine=cpu -q -n 16000 -o "$there/stdin.csv" -)
cmp -s "$there/stdin.csv" "$there/long.csv" || fail "a book from standard input that includes a file"
sed 's/SX5E/EURUSD=X.a/g' "$good" >"$there/name.cfg"
sed 's/spot = 4850/spot = 4800.5/; s/"B"; \(.*\)strike = 4900/"B"; \1strike = 4900/' "$there/name.cfg" >"$there/moved.cfg"
"$pricer" --engine=cpu -q -n 4096 --set 'market.assets[EURUSD=X.a].spot=4800.5' --set 'book.trades[B].quantity=1' -o "$there/set.csv" "$there/name.cfg"
"$pricer" --engine=cpu -q -n 4096 -o "$there/moved.csv" "$there/moved.cfg"
cmp -s "$there/set.csv" "$there/moved.csv" || fail "--set by name: $(diff "$there/set.csv" "$there/moved.csv")"
"$pricer" --engine=cpu -q -n 4096 --set 'market.assets.[0].spot=4800.5' -o "$there/set.csv" "$there/name.cfg"
cmp -s "$there/set.csv" "$there/moved.csv" || fail "--set by number"
sed 's/volatility = [0-9.]*/volatility = { times = [1.0]; vols = [0.3]; }/' "$there/moved.cfg" >"$there/curve.cfg"
"$pricer" --engine=cpu -q -n 4096 --set 'market.assets[0].volatility=0.18' -o "$there/set.csv" "$there/curve.cfg"
cmp -s "$there/set.csv" "$there/moved.csv" || fail "--set of a number in place of a group"
expect 2 1 --set 'market.assets[SX5].spot=1' "$good"
says "the book has no '[SX5]' there"
sed '1i settings = { paths = 1e4; seed = 2.0; };' "$good" >"$there/whole.cfg"
expect 0 0 --engine=cpu "$there/whole.cfg"
shows "10240 paths"
expect 2 1 --set settings.paths=1.5 "$there/whole.cfg"
says "paths must be a whole number, got 1.5"

# ---- --max-time, and a run that is begun and gone on with by one and the same command

limited=(--engine=cpu -q --resume="$there/limited.db" "$good")
expect 124 2 --max-time=0.3s -n 1e10 "${limited[@]}"
says "the time of --max-time is over"
says "the same command with --resume=$there/limited.db again goes on"
expect 2 1 -n 16384 "${limited[@]}"
says "is of another book, other settings"
rm -f "$there"/limited.db*
expect 0 0 -n 16384 "${limited[@]}"
expect 0 0 -n 16384 "${limited[@]}"
expect 0 0 --max-time=10m -n 16384 "$good" -q --engine=cpu

# ---- a table keeps to the terminal

if script -qec true /dev/null >/dev/null 2>&1; then
    sed 's/SX5E/AN-ASSET-WITH-A-NAME/g; s/"A";/"A-TRADE-OF-A-LONG-NAME";/' "$good" >"$there/wide.cfg"
    for columns in 60 80 200; do
        COLUMNS=$columns NO_COLOR=1 script -qec "$pricer ${cpu[*]} $there/wide.cfg" /dev/null </dev/null | tr -d '\r' |
            sed -n '/^id /,/trades:/p' | grep -v 'trades:' >"$there/out"
        widest=$(awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }' "$there/out")
        [[ $widest -gt 30 && $widest -le $columns ]] || fail "a table of $widest columns on a terminal of $columns"
        [[ $columns != 200 ]] || grep -q '^id .* type .* status$' "$there/out" || fail "a wide terminal lacks columns: $(<"$there/out")"
        [[ $columns != 80 ]] || ! grep -q 'type' "$there/out" || fail "80 columns have room for the type"
        grep -q 'status$' "$there/out" && grep -q 'ok$' "$there/out" || fail "$columns columns lack the status"
    done
fi

# ---- colour only on a terminal without NO_COLOR

if script -qec true /dev/null >/dev/null 2>&1; then # where a pseudo-terminal can be had
    escape=$'\033'
    line="$pricer ${cpu[*]} $good"
    TERM=xterm NO_COLOR='' script -qec "$line" /dev/null >"$there/out" </dev/null
    grep -q "$escape" "$there/out" || fail "no colour on a terminal"
    TERM=xterm NO_COLOR=1 script -qec "$line" /dev/null >"$there/out" </dev/null
    ! grep -q "$escape" "$there/out" || fail "colour in spite of NO_COLOR"
    TERM=xterm script -qec "$pricer --engine=cpu --paths=67108864 $good >/dev/null" /dev/null >"$there/out" </dev/null
    grep -q 'pricing .*%.* left' "$there/out" || fail "no progress on a terminal: $(cat -v "$there/out")"
    TERM=xterm script -qec "$pricer --engine=cpu --quiet --paths=33554432 $good" /dev/null >"$there/out" </dev/null
    [[ ! -s $there/out ]] || fail "--quiet says something on a terminal"
fi
expect 0 0 "${cpu[@]}" "$good"
! grep -q $'\033' "$there/out" || fail "colour in a file"

end_test "app_command_test: all well"
