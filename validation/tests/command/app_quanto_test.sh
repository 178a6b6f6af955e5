#!/usr/bin/env bash
# Assets of three currencies that are paid in one: a list of exchange rates, each asset through its own.
. validation/tests/test.sh

cat >"$there/market.cfg" <<'BOOK'
market = { currencies = ( { name = "EUR"; rate = 0.025; }, { name = "USD"; rate = 0.04; }, { name = "JPY"; rate = 0.005; } );
  assets = ( { name = "SX5E"; currency = "EUR"; spot = 100.0; dividend_yield = 0.028; volatility = 0.18; },
    { name = "SPX"; currency = "USD"; spot = 100.0; dividend_yield = 0.013; volatility = 0.16; },
    { name = "NKY"; currency = "JPY"; spot = 100.0; dividend_yield = 0.017; volatility = 0.22; },
    { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; volatility = 0.12; },
    { name = "EURJPY"; currency = "JPY"; foreign_currency = "EUR"; spot = 160.0; volatility = 0.15; } );
  correlations = ( { assets = ["SX5E", "SPX"]; value = 0.6; }, { assets = ["SX5E", "NKY"]; value = 0.5; }, { assets = ["SPX", "NKY"]; value = 0.4; },
    { assets = ["SPX", "EURUSD"]; value = -0.3; }, { assets = ["NKY", "EURJPY"]; value = 0.5; } ); };
BOOK
cat >"$there/trades.csv" <<'CSV'
id,type,assets,kind,option,strike,expiry,observation_times,call_level,coupon,coupon_level,memory,protection_level,notional,quanto.fx
WO,autocallable,SX5E;SPX;NKY,,,,3.0,1.0;2.0;3.0,1.0,0.09,0.8,true,0.7,100.0,EURUSD;EURJPY
BA,basket,SX5E;SPX;NKY,average,call,100.0,2.0,,,,,,,,EURJPY;EURUSD
BO,basket,SX5E;SPX;NKY,best_of,call,100.0,2.0,,,,,,,,EURUSD;EURJPY
GE,basket,SX5E;SPX;NKY,geometric,put,100.0,2.0,,,,,,,,EURUSD;EURJPY
SP,spread,SPX;NKY,,call,0.0,2.0,,,,,,,,EURUSD;EURJPY
CSV
cat >"$there/book.cfg" <<'BOOK'
settings = { paths = 131072; greeks = ["delta", "vega", "theta", "correlation"]; };
@include "market.cfg"
book = { trades_file = "trades.csv"; };
risk = { scenarios = ( { name = "vol"; shocks = ( { asset = "EURJPY"; volatility = 0.02; } ); },
                       { name = "spot"; shocks = ( { asset = "EURJPY"; spot = 0.1; } ); } ); };
BOOK
"$pricer" --engine=cpu --output="$there/o/" --report="$there/o.html" "$there/book.cfg" >"$there/out" 2>"$there/err" ||
    fail "exit status $?: $(cat "$there/out" "$there/err")"

# ---- prices: of another simulation of 2,000,000 paths, and of Margrabe's formula with drifts less the covariance

awk -F, 'NR > 1 { print $1, $5, $7, $8, $15 == "" ? "-" : $16 }' "$there/o/prices.csv" >"$there/prices"
while read -r id wanted error; do
    awk -v id="$id" -v wanted="$wanted" -v error="$error" '
        $1 == id { z = ($3 - wanted) / sqrt($4 * $4 + error * error); found = $2 == "EUR" && $5 == "ok" && z * z < 16 }
        END { exit !found }' "$there/prices" || fail "$id is not $wanted: $(grep "^$id" "$there/prices")"
done <<'PRICES'
WO 94.7478 0.0179
BA 8.9561 0.0101
BO 20.7247 0.0166
GE 8.0437 0.0074
SP 13.45183 0
PRICES

# ---- Greeks: volatilities of both rates, each asset's correlation with its own alone; and they are checked

rows() {
    awk -F, -v id="$1" -v greek="$2" '$1 == id && $2 == greek { print $3 ($4 == "" ? "" : ":" $4) }' "$there/o/greeks.csv" | sort | tr '\n' ' '
}
[[ $(rows WO vega) == 'EURJPY EURUSD NKY SPX SX5E ' ]] || fail "vegas: $(rows WO vega)"
[[ $(rows WO delta) == 'NKY SPX SX5E ' ]] || fail "deltas: $(rows WO delta)"
[[ $(rows WO correlation) == 'NKY:EURJPY SPX:EURUSD SPX:NKY SX5E:NKY SX5E:SPX ' ]] || fail "correlations: $(rows WO correlation)"
[[ $(awk -F, '$1 == "SP" && $13 != "" && $13 * $13 < 16' "$there/o/greeks.csv" | wc -l) == 10 ]] ||
    fail "Greeks of the spread: $(grep ^SP "$there/o/greeks.csv")"

# Of the worst-of by hand: the difference of two prices on the same paths.
bumped() {
    "$pricer" --engine=cpu --check=none --paths=1048576 --set 'settings.greeks=[]' --set "$1" --output="$there/b.csv" "$there/book.cfg" >"$there/out" 2>&1 ||
        fail "$1: $(cat "$there/out")"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "price") at = i } $1 == "WO" || $2 == "WO" { print $at; exit }' "$there/b.csv"
}
by_hand() {
    awk -F, -v greek="$1" -v of="$2" -v up="$(bumped "$3=$4")" -v down="$(bumped "$3=$5")" -v size="$6" '
        $1 == "WO" && $2 == greek && $3 ":" $4 == of { hand = (up - down) / size; z = (hand - $6) / $7; found = z * z < 16 }
        END { if (!found) print greek, of, hand }' "$there/o/greeks.csv"
}
[[ -z $(by_hand vega EURJPY: 'market.assets[EURJPY].volatility' 0.16 0.14 0.02) ]] || fail "vega of EURJPY"
[[ -z $(by_hand vega EURUSD: 'market.assets[EURUSD].volatility' 0.13 0.11 0.02) ]] || fail "vega of EURUSD"
[[ -z $(by_hand correlation NKY:EURJPY 'market.correlations[4].value' 0.52 0.48 0.04) ]] || fail "correlation with EURJPY"

# ---- where rates are named

"$pricer" --engine=cpu --plan "$there/book.cfg" 2>&1 | grep -q '; quanto EURUSD, EURJPY: 4 trades' || fail "the plan"
"$pricer" --engine=cpu --explain=WO "$there/book.cfg" 2>&1 | grep -q '; quanto EURUSD, EURJPY' || fail "the explanation"
grep -q 'quanto.fx<dd>EURUSD, EURJPY' "$there/o.html" || fail "the report"
awk -F, '$2 == "vol" && $5 * $5 > 0 { moved = 1 } $2 == "spot" && $5 * $5 > 0 { wrong = 1 } END { exit !moved || wrong }' "$there/o/totals.csv" "$there/o/pnl.csv" ||
    fail "scenarios: $(cat "$there/o/pnl.csv")"

# ---- the same to the last bit: one rate; a second, of the same numbers; both turned round

# same RATES CURRENCY OF CORRELATION: the digest of trades paid in euros through RATES, on assets in dollars and
# in a CURRENCY of the same interest. OF says what X is the price of, and in what; Y likewise of yen.
same() {
    cat >"$there/same.cfg" <<BOOK
settings = { paths = 8192; check = "none"; };
market = { correlation_default = 0;
  currencies = ( { name = "EUR"; curve = { times = [1.0, 2.0]; zero_rates = [0.02, 0.03]; }; }, { name = "USD"; rate = 0.04; }, { name = "JPY"; rate = 0.04; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
    { name = "B"; currency = "USD"; spot = 100.0; volatility = 0.25; },
    { name = "H"; currency = "$2"; spot = 100.0; model = "heston"; heston = { v0 = 0.03; kappa = 1.5; theta = 0.03; xi = 0.2; rho = -0.7; }; },
    { name = "L"; currency = "$2"; spot = 100.0; model = "local_vol";
      volatility = { times = [0.5, 2.0]; strikes = [70, 100, 130]; vols = ( [0.26, 0.22, 0.2], [0.24, 0.21, 0.2] ); }; },
    { name = "X"; $3 spot = 1.0; volatility = 0.12; },
    { name = "Y"; ${3//USD/JPY} spot = 1.0; volatility = 0.12; } );
  correlations = ( { assets = ["X", "Y"]; value = 0.9; }, { assets = ["B", "X"]; value = $4; }, { assets = ["H", "X"]; value = $4; },
    { assets = ["H", "Y"]; value = $4; }, { assets = ["L", "X"]; value = $4; }, { assets = ["L", "Y"]; value = $4; } ); };
book = { trades = (
  { id = "note"; type = "autocallable"; assets = ["A", "B", "H"]; expiry = 2.0; observation_times = [0.5, 1.0, 2.0]; call_level = 1.0;
    coupon = 0.05; coupon_level = 0.8; protection_level = 0.7; notional = 100.0; quanto = { fx = $1; }; },
  { id = "worst"; type = "basket"; assets = ["A", "B", "L"]; kind = "worst_of"; option = "put"; strike = 100.0; expiry = 2.0; quanto = { fx = $1; }; },
  { id = "script"; type = "himalaya"; assets = ["A", "B", "L"]; notional = 100.0; fixings = [0.5, 1.0]; expiry = 1.0; quanto = { fx = $1; }; } ); };
BOOK
    "$pricer" --engine=cpu "$there/same.cfg" >"$there/out" 2>"$there/err" || fail "$*: $(cat "$there/out" "$there/err")"
    digest_of "$there/out"
}
one=$(same '"X"' USD 'currency = "EUR"; foreign_currency = "USD";' 0.3)
two=$(same '["X", "Y"]' JPY 'currency = "EUR"; foreign_currency = "USD";' 0.3)
turned=$(same '["Y", "X"]' JPY 'currency = "USD"; foreign_currency = "EUR";' -0.3)
[[ $one && $one == "$two" && $one == "$turned" ]] || fail "digests: one rate $one, two $two, turned round $turned"

# ---- a rate that converts nothing moves nothing

cat >"$there/idle.cfg" <<'BOOK'
settings = { paths = 8192; };
@include "market.cfg"
book = { trades = (
  { id = "through"; type = "touch"; asset = "NKY"; touch = "one"; barrier = 120.0; direction = "up"; pay_at = "hit"; cash = 1.0;
    monitoring = "continuous"; expiry = 1.0; quanto = { fx = "EURJPY"; }; },
  { id = "without"; type = "touch"; asset = "NKY"; touch = "one"; barrier = 120.0; direction = "up"; pay_at = "hit"; cash = 1.0;
    monitoring = "continuous"; expiry = 1.0; } ); };
BOOK
"$pricer" --engine=cpu --output="$there/idle/" "$there/idle.cfg" >"$there/out" 2>&1 || fail "idle: $(cat "$there/out")"
[[ $(awk -F, 'NR > 1 { print $7, $8 }' "$there/idle/prices.csv" | sort -u | wc -l) == 1 ]] || fail "idle: $(cat "$there/idle/prices.csv")"

# ---- a note on its issuer's curve: a rate of 1 between two curves of one money

cat >"$there/issuer.cfg" <<'BOOK'
settings = { paths = 8192; };
market = { currencies = ( { name = "EUR"; rate = 0.02; }, { name = "EURBANK"; rate = 0.03; } ); correlation_default = 0;
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
    { name = "issuer"; currency = "EURBANK"; foreign_currency = "EUR"; spot = 1.0; volatility = 0.001; } ); };
book = { trades = (
  { id = "riskless"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "issued"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; quanto = { fx = "issuer"; }; } ); };
BOOK
"$pricer" --engine=cpu --output="$there/issuer/" "$there/issuer.cfg" >"$there/out" 2>&1 || fail "issuer: $(cat "$there/out")"
awk -F, 'NR > 1 { price[$1] = $7 } END { off = price["issued"] / price["riskless"] / exp(-0.01) - 1; exit !(off * off < 1e-20) }' \
    "$there/issuer/prices.csv" || fail "issuer: $(cat "$there/issuer/prices.csv")"
end_test "quantos through one rate and through several"
