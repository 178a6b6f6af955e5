#!/usr/bin/env bash
# Totals over trades in euros, dollars and yen: one currency everywhere, which every number names.
. validation/tests/test.sh

awk 'BEGIN {
    print "date,E,U,J"
    for (day = 1; day <= 28; day++) printf "2026-10-%02d,%d,%d,%d\n", day, 100 + day * 7 % 11, 50 + day * 5 % 7, 15000 + 100 * (day * 3 % 13)
}' >"$there/past.csv"
cat >"$there/book.cfg" <<'BOOK'
settings = { paths = 8192; check = "none"; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; }, { name = "JPY"; rate = 0.005; }, { name = "CHF"; rate = 0.01; } );
assets = ( { name = "E"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "U"; currency = "USD"; spot = 50.0; volatility = 0.3; },
  { name = "J"; currency = "JPY"; spot = 15000.0; volatility = 0.25; },
  { name = "C"; currency = "CHF"; spot = 10.0; volatility = 0.25; },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.25; volatility = 0.08; },
  { name = "USDJPY"; currency = "JPY"; foreign_currency = "USD"; spot = 160.0; volatility = 0.1; } ); };
book = { trades = (
  { id = "e"; type = "european"; asset = "E"; option = "call"; strike = 100.0; expiry = 1.0; quantity = 10; },
  { id = "u"; type = "european"; asset = "U"; option = "put"; strike = 50.0; expiry = 1.0; quantity = 30; },
  { id = "j"; type = "european"; asset = "J"; option = "call"; strike = 15000.0; expiry = 1.0; },
  { id = "c"; type = "european"; asset = "C"; option = "call"; strike = 10.0; expiry = 1.0; },
  { id = "q"; type = "european"; asset = "E"; option = "call"; strike = 100.0; expiry = 1.0; quanto = { fx = "EURUSD"; }; } ); };
risk = { currency = "EUR"; greeks = [ "delta", "theta", "rho" ];
  scenarios = ( { name = "down"; shocks = ( { asset = "?"; spot = -0.1; } ); } );
  historical = { file = "past.csv"; confidence = [0.9]; }; };
BOOK

run() {
    "$pricer" --engine=cpu --output="$there/o.csv" --output="$there/o.json" --output="$there/o.db" --report="$there/o.html" "$@" "$there/book.cfg" \
        >"$there/out" 2>"$there/err" || fail "exit status $?: $(cat "$there/err")"
}
rm -f "$there"/o.*
run

# sum COLUMN: of the CSV file, in euros.
sum() {
    awk -F, -v column="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; for (i = 1; i <= NF; i++) if ($i == "currency") in_ = i; next }
        $in_ == "EUR" { sum += $at } $in_ == "USD" { sum += $at / 1.25 } $in_ == "JPY" { sum += $at / 160 / 1.25 }
        END { printf "%.6g\n", sum }' "$there/o.csv"
}

# ---- the terminal

# The currency of each trade stands in the table, where there are several.
[[ $(awk '$4 == "in" && !n { n = NR } n && NR > n && NR <= n + 5 { printf "%s ", $4 }' "$there/out") == 'EUR USD JPY CHF USD ' ]] ||
    fail "currencies of the trades: $(head -7 "$there/out")"
sed -e '/id = "[ujcq]"/d' -e 's/quantity = 10; },/quantity = 10; } ); };/' -e '/^risk/,$d' "$there/book.cfg" >"$there/euros.cfg"
[[ $("$pricer" --engine=cpu "$there/euros.cfg" | head -1) =~ ^id\ +type\ +assets\ +price\ +std\ error\ +reference\ +z\ +status$ ]] ||
    fail "a book in euros alone"

for greek in theta delta:E rho:USD; do
    line=$(grep "^  $greek  " "$there/out")
    [[ $line == *" $(sum "$greek") EUR  of "* ]] || fail "$greek: '$line', not $(sum "$greek") EUR"
done
[[ $(grep '^  theta' "$there/out") == *'of 4 trades, without 1 that no FX rate leads from' ]] || fail "theta: trades in francs"
grep -q '^Profit and loss of the book, EUR' "$there/out" || fail "scenarios"
grep -q 'expected shortfall .*, EUR)' "$there/out" || fail "losses"

# ---- the report: one row a Greek; trades ranked in euros; charts on one axis are in one currency

# rows TABLE: its cells, a row a line, separated by |.
rows() {
    tr -d '\n' <"$there/o.html" | sed "s/<table/\n<table/g" | grep "<table id=\"$1\"" | sed 's/<tr/\n<tr/g; s/<\/table.*//' |
        sed 's/<\/t[dh]>/|/g; s/<[^>]*>//g; s/,//g'
}
totals=$(rows greek-totals)
[[ $(grep -c '^theta|' <<<"$totals") == 1 ]] || fail "theta has $(grep -c '^theta|' <<<"$totals") totals"
[[ $(sed 1,2d <<<"$totals" | cut -d '|' -f 2 | sort -u) == EUR ]] || fail "Greeks in $(sed 1,2d <<<"$totals" | cut -d '|' -f 2 | sort -u | xargs)"
ranked=$(rows trade-tails | sed 1,2d)
[[ $(cut -d '|' -f 2 <<<"$ranked" | sort -u) == EUR ]] || fail "losses in $(cut -d '|' -f 2 <<<"$ranked" | sort -u | xargs)"
cut -d '|' -f 4 <<<"$ranked" | sort -c -g -r || fail "losses are not in their order"
[[ $(head -n 1 <<<"$ranked") != j\|* ]] || fail "yen count as euros: $ranked"
grep -q 'not in the totals: no FX rate leads from the currency to EUR' "$there/o.html" || fail "trades in francs"
[[ $(rows worth | tail -n 1) == all\ in\ EUR\|4\|* ]] || fail "the value of all: $(rows worth | tail -n 1)"
drawn=$(sed -n '/<figure id="chart-greeks"/,/<\/figure>/p' "$there/o.html" | grep -o '[A-Z]* per [^<]*</text>' | cut -d ' ' -f 1 | sort -u)
[[ $drawn == EUR ]] || fail "charts of Greeks in $drawn"

# ---- files

grep -q '"trade_id": "u", "name": "theta", "currency": "USD"' "$there/o.json" || fail "the currency of a Greek"
grep -q '"total": "total", "currency": "EUR"' "$there/o.json" || fail "the currency of a total's loss"
grep -q '"by": "asset", "of": "C", "value": null, "std_error": null' "$there/o.json" || fail "a total of trades in francs alone"
if command -v sqlite3 >/dev/null; then
    [[ $(sqlite3 "$there/o.db" 'SELECT currency FROM runs') == EUR ]] || fail "the currency of a run"
fi

# ---- another currency, and the first of the market where the book names none

run --set risk.currency=USD
line=$(grep '^  theta  ' "$there/out")
[[ $line == *" USD  of "* ]] || fail "in dollars: $line"
sed -i '/^risk/,$d' "$there/book.cfg"
run
[[ $(rows worth | tail -n 1) == all\ in\ EUR\|4\|* ]] || fail "the value of all, without risk: $(rows worth | tail -n 1)"

end_test "currencies: all well"
