#!/usr/bin/env bash
# pricer diff: what it finds, and what it calls noise. Its explanation by Greeks is held against an own
# computation by database_explain_test.sh.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
night=$there/night.db

# write_book NAME DATE SPOT VOLATILITY RATE TRADES
write_book() {
    cat >"$there/$1.cfg" <<END
valuation_date = "$2";
market = { correlation_default = 0;
  currencies = ( { name = "EUR"; rate = $5; } );
  assets = ( { name = "ACME"; currency = "EUR"; spot = $3; volatility = $4; },
             { name = "SX5E"; currency = "EUR"; spot = 5000.0; volatility = 0.2; } );
  correlations = ( { assets = [ "ACME", "SX5E" ]; value = 0.5; } ); };
book = { trades = ( $6 ); };
END
}

# european ID ASSET STRIKE [MORE]
european() {
    echo "{ id = \"$1\"; type = \"european\"; asset = \"$2\"; option = \"call\"; strike = $3; expiry = \"2027-11-19\"; ${4-} }"
}

# price NAME OPTIONS...: adds a run of the book.
price() {
    "$pricer" --engine=cpu --paths=65536 --quiet --output="$night" "${@:2}" "$there/$1.cfg" || fail "$1 cannot be priced"
}

# compare STATUS ARGUMENTS...
compare() { run "$1" diff --output="$there/change.csv" "${@:2}"; }

hides() { ! grep -qF -- "$1" "$there/out" || fail "diff shows '$1': $(cat "$there/out")"; }

# theta: what is said to come of time, in the currency of the trades.
theta() {
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $2 == "total" && $4 == "false" && $3 == "" { print $at["theta"] }' "$there/change.csv"
}

both="$(european A ACME 100.0), $(european S SX5E 5000.0)"
write_book first 2026-11-20 100.0 0.2 0.02 "$both, $(european gone ACME 90.0)"
write_book second 2026-11-21 110.0 0.21 0.021 "$both, $(european new ACME 95.0 'quantity = 3.0;')"
write_book closer 2026-11-20 100.0 0.2 0.02 "$both"
sed -i 's/value = 0.5/value = 0.6/' "$there/closer.cfg"
write_book third 2026-11-21 110.0 0.21 0.021 "$(european A ACME 101.0), $(european S SX5E 5000.0 'quantity = 2.0;'), $(european new ACME 95.0 'quantity = 3.0;')"
price first
price second
price third
price third --seed=2
price closer
price third --seed=2

# ---- a night against itself, and against another seed: noise

compare 0 "$night:1" "$night:1"
shows 'nothing changed'
shows 'no difference beyond noise'
compare 0 "$night:3" "$night:4"
hides 'Both draw the same'
[[ $(grep -c '  none' "$there/out") == 2 ]] || fail "noise: $(cat "$there/out")"

# ---- the market moved: what moved, which prices, which trades

compare 1 "$night:1" "$night:2"
shows 'Both draw the same random numbers'
shows '  ACME spot 100 -> 110 (+10 %)'
shows '  ACME volatility 0.2 -> 0.21 (+5 %)'
shows '  EUR rate 0.02 -> 0.021 (+5 %)'
hides 'SX5E spot'
grep -q '^  A  *EUR .*+' "$there/out" || fail "the price of A: $(cat "$there/out")"
hides '  S  '
shows "  added 'new': european on ACME, EUR, price "
shows "  removed 'gone': european on ACME"
hides 'changed '"'"
compare 1 "$night:2" "$night:3"
shows "  changed 'A': strike 100 -> 101"
shows "  changed 'S': quantity 1.0 -> 2.0"
ask "$night" "UPDATE prices SET verdict = 'disagrees', message = 'far off' WHERE run = 4 AND trade = 0"
compare 1 "$night:3" "$night:4"
shows "  'A': ok -> disagrees: far off"
compare 1 "$night" # its last two
shows "run 5 of $night"
shows "run 6 of $night"

compare 1 "$night:1" "$night:5"
shows '  ACME correlation SX5E 0.5 -> 0.6 (+20 %)'

# ---- an expiry in years is the same every night, and comes no nearer; a date is the same date

night=$there/years.db
years="{ id = \"Y\"; type = \"european\"; asset = \"ACME\"; option = \"call\"; strike = 100.0; expiry = 1.0; },
  { id = \"F\"; type = \"forward_start\"; asset = \"ACME\"; option = \"call\"; strike_ratio = 1.0; start = 0.25; expiry = 1.0; },
  $(european D ACME 100.0)"
write_book years 2026-11-20 100.0 0.2 0.02 "$years"
sed -i '$ a risk = { greeks = [ "theta" ]; };' "$there/years.cfg"
sed 's/"2026-11-20"/"2026-11-21"/' "$there/years.cfg" >"$there/later.cfg"
price years
price later
compare 0 "$night"
hides 'changed '"'"
shows 'no difference beyond noise'
[[ $(theta) == -* ]] || fail "theta of a date: $(theta)"
sed -i 's/expiry = 1.0; },/expiry = 1.5; },/; s/2027-11-19/2027-11-22/' "$there/later.cfg"
price later
compare 1 "$night"
shows "  changed 'Y': expiry 1 -> 1.5"
shows "  changed 'D': expiry 2027-11-19 -> 2027-11-22"
sed 's/expiry = "2027-11-19"; *}/expiry = 1.0; }/' "$there/years.cfg" >"$there/all.cfg"
price all
sed 's/"2026-11-20"/"2026-11-27"/' "$there/all.cfg" >"$there/week.cfg"
price week
compare 0 "$night"
[[ $(theta) == 0 ]] || fail "theta of years: $(theta)"
night=$there/night.db

# ---- what cannot be compared

for arguments in '' "a b c" "$there/none.db" "$night:9" "$night $night:0" "$there/first.cfg" "$night:x"; do
    # shellcheck disable=SC2086
    compare 2 $arguments
    [[ $(wc -l <"$there/err") == 1 && ! -s $there/out ]] || fail "diff $arguments: $(cat "$there/err")"
done
"$pricer" --engine=cpu --paths=1024 --quiet --output="$there/one.db" "$there/first.cfg"
compare 2 "$there/one.db"
grep -q 'no two' "$there/err" || fail "one run: $(cat "$there/err")"
compare 1 "$there/one.db" "$night:2"

end_test "database_diff_test: all well"
