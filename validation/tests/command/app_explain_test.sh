#!/usr/bin/env bash
# --explain: how a trade is priced, whatever it is; who asks for none that is there gets one line.
. validation/tests/test.sh

# explained STATUS BOOK TRADE: what is said of the trade, in out.
explained() { run "$1" --engine=cpu --check=none --explain="$3" "$2"; }

# has LINE...: lines of out, in this order, others between them.
has() {
    local at=0 line
    for line; do
        at=$(awk -v from="$at" -v line="$line" 'NR > from && $0 == line { print NR; exit }' "$there/out")
        [[ $at ]] || { fail "no '$line'"; return; }
    done
}

# One trade of each product: what it observes, and a group that has it.
for book in inputs/gallery/*.cfg; do
    id=$(awk -F'"' '/{ id = "/ { print $2; exit }' "$book")
    explained 0 "$book" "$id"
    grep -q '^group [0-9]' "$there/out" || fail "$book: no group"
    ! grep -nE '\(null\)|nan' "$there/out" || fail "$book"
done
explained 0 inputs/gallery/double_barrier.cfg continuous
has 'trade continuous: double_barrier' 'observes on each path:' '  spot of EURUSD at 0.5 years' \
    '  survival of EURUSD above 1.05 below 1.27 at any moment to 0.5 years'
explained 0 inputs/gallery/cliquet.cfg cliquet
has '  sum of clipped returns of ACME on 4 dates, 0 years to 0.75 years'

# Of a script its text, its dates and its program: as many instructions as the program says.
explained 0 inputs/gallery/convertible.cfg convertible
has 'trade convertible: convertible' '   7      pay notional * coupon' 'to come, by date:' '  2027-11-20  pays 20 (line 7)'
grep -q '^  2028-11-20 .*may pay (line 11); the issuer may exercise (line 9).*; the holder may exercise (line 11)' "$there/out" || fail "decisions"
count=$(sed -n 's/^program: \([0-9]*\) instructions.*/\1/p' "$there/out")
[[ $(grep -cE '^  (r[0-9]+ =|output|value) ' "$there/out") == "$count" ]] || fail "not $count instructions"
[[ $(sed -n 's/^ *[0-9]*  //p' "$there/out" | head -n 13) == "$(cat models/payoffs/convertible.pay)" ]] || fail "the text is another"

# The report has the text as text, and the dates.
"$pricer" --engine=cpu --quiet --check=none --paths=1024 --set risk.greeks='[]' --report="$there/page.html" inputs/gallery/convertible.cfg >"$there/log" 2>"$there/err" || fail "a report"
sed -n '/<h3>Script/,/<\/pre>/p' "$there/page.html" >"$there/out"
has '   9      if share(t) &gt;= trigger: exercise issuer pays max(notional, shares * share(t))' 'to come, by date:' '  2027-11-20  pays 20 (line 7)'

# Under control variates a trade is in the groups of those; what is exact, expired or refused says so.
cat >"$there/book.cfg" <<'BOOK'
valuation_date = "2026-11-20";
settings = { paths = 32768; control_variates = true; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = (
  { id = "asian"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0; expiry = 1.0; fixings = 12; },
  { id = "forward"; type = "forward"; asset = "A"; strike = 100.0; expiry = 1.0; },
  { id = "expired"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = "2025-11-20"; },
  { id = "wrong"; asset = "A"; expiry = 1.0; script = "product wrong(asset s; date expiry)\n  at expiry\n    pay max(s(expiri), 0)\n"; } ); };
BOOK
explained 1 "$there/book.cfg" asian
grep -q '^  trades: .*asian' "$there/out" || fail "no group of a trade with controls"
explained 1 "$there/book.cfg" forward
has 'trade forward: forward' 'exact, without paths'
explained 2 "$there/book.cfg" expired
grep -q "expired 2025-11-20" "$there/err" || fail "an expired trade"
explained 2 "$there/book.cfg" wrong
[[ $(grep -c "trade 'wrong': script:3:15: nothing is called 'expiri'; did you mean 'expiry'?" "$there/err") == 1 ]] || fail "a wrong script"
explained 2 "$there/book.cfg" asain
[[ $(tail -n 1 "$there/err") == "pricer: no trade 'asain' of this book is priced; did you mean 'asian'?" ]] || fail "the nearest identifier"

end_test "a trade of each product is explained"
