#!/usr/bin/env bash
# Payments that come later, and coupons for the years of their periods. Under one rate for all times each is worth exp(-rate * lag) of what it
# would be at once, whatever the trade; under a curve every trade agrees with its reference.
. validation/tests/test.sh

trades='
{ id = "EUR"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = "2027-11-19"; },
{ id = "FWF"; type = "forward"; asset = "A"; strike = 90; expiry = "2027-11-19"; },
{ id = "DIG"; type = "digital"; asset = "A"; option = "put"; strike = 95; payout = "cash"; cash = 10; expiry = "2027-11-19"; },
{ id = "ASN"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixings = 12; expiry = "2027-11-19"; },
{ id = "OUT"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 85; direction = "down"; knock = "out"; monitoring = "continuous"; rebate = 5; expiry = "2027-11-19"; },
{ id = "IN"; type = "barrier"; asset = "A"; option = "put"; strike = 100; barrier = 85; direction = "down"; knock = "in"; monitoring = 12; rebate = 5; expiry = "2027-11-19"; },
{ id = "TWO"; type = "double_barrier"; asset = "A"; option = "call"; strike = 100; lower = 80; upper = 130; knock = "out"; monitoring = "continuous"; expiry = "2027-11-19"; },
{ id = "HIT"; type = "touch"; asset = "A"; touch = "one"; barrier = 115; direction = "up"; pay_at = "hit"; cash = 10; monitoring = "continuous"; expiry = "2027-11-19"; },
{ id = "HITS"; type = "touch"; asset = "A"; touch = "one"; lower = 85; upper = 120; pay_at = "hit"; cash = 10; monitoring = 12; expiry = "2027-11-19"; },
{ id = "NOW"; type = "touch"; asset = "A"; touch = "one"; barrier = 100; direction = "up"; pay_at = "hit"; cash = 10; monitoring = "continuous"; expiry = "2027-11-19"; },
{ id = "NOW2"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 100; direction = "down"; knock = "out"; monitoring = [0, 0.5]; rebate = 5; rebate_at = "hit"; expiry = "2027-11-19"; },
{ id = "LOW"; type = "lookback"; asset = "A"; option = "call"; strike_type = "floating"; monitoring = 12; expiry = "2027-11-19"; },
{ id = "FWD"; type = "forward_start"; asset = "A"; option = "call"; start = 0.5; strike_ratio = 1.05; expiry = "2027-11-19"; },
{ id = "BSK"; type = "basket"; assets = ["A", "B"]; kind = "worst_of"; option = "put"; strike = 90; expiry = "2027-11-19"; },
{ id = "CLQ"; type = "cliquet"; asset = "A"; reset_times = [0, 0.25, 0.5, 0.75]; local_floor = -0.02; local_cap = 0.03; notional = 1000; expiry = "2027-11-19"; },
{ id = "VAR"; type = "variance_swap"; asset = "A"; strike_volatility = 0.22; fixings = 12; notional = 10000; expiry = "2027-11-19"; },
{ id = "AUT"; type = "autocallable"; asset = "A"; assets = ["A", "B"]; observation_times = { from = "2026-11-20"; every = "3M"; }; call_level = 1; coupon = 0.03; coupon_level = 0.7; memory = true; protection_level = 0.6; notional = 100; expiry = "2027-11-19"; },
{ id = "AUT1"; type = "autocallable"; assets = ["A"]; observation_times = { from = "2026-11-20"; every = "3M"; }; call_level = 1; coupon = 0.03; protection_level = 0.6; notional = 100; expiry = "2027-11-19"; },
{ id = "AME"; type = "american"; asset = "A"; option = "put"; strike = 105; exercise = "american"; expiry = "2027-11-19"; },
{ id = "AME2"; type = "american"; assets = ["A", "B"]; kind = "best_of"; option = "call"; strike = 100; exercise = 4; expiry = "2027-11-19"; },
{ id = "QTO"; type = "european"; asset = "A"; option = "call"; strike = 100; quanto = { fx = "EURUSD"; }; expiry = "2027-11-19"; },
{ id = "QTA"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixings = 12; quanto = { fx = "EURUSD"; }; expiry = "2027-11-19"; }'
trades=${trades//asset = \"A\"; assets/assets}

# Writes a book with the rate of both currencies and the days of settlement. 2027-11-19 is a Friday:
# 44 business days later is 62 days later.
book() {
    cat <<CFG
valuation_date = "2026-11-20";
market = { correlation_default = 0;
  currencies = ( { name = "EUR"; $1 }, { name = "USD"; $1 } );
  assets = (
    { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; dividend_yield = 0.02; settlement_days = $2; },
    { name = "B"; currency = "EUR"; spot = 100; volatility = 0.25; settlement_days = $2; },
    { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; volatility = 0.1; } );
  correlations = ( { assets = ["A", "B"]; value = 0.5; }, { assets = ["A", "EURUSD"]; value = -0.3; } );
};
book = { trades = ( $trades ); };
CFG
}
price() { # BOOK CHECK
    "$pricer" --engine=cpu --quiet --paths=32768 --check="$2" --output="$there/$1.csv" "$there/$1.cfg"
}

book 'rate = 0.1;' 0 >"$there/at-once.cfg"
book 'rate = 0.1;' 44 >"$there/later.cfg"
price at-once none >"$there/table"
# A number of dates until a dated expiry moves from night to night, and says so.
"$pricer" --plan "$there/at-once.cfg" 2>&1 |
    grep "note: fixings = 12 spreads dates from the valuation date of every night" >"$there/note" ||
    { echo "a number of dates until a dated expiry has no note"; exit 1; }
price later none >"$there/table"
awk -F, 'BEGIN { wanted = exp(-0.1 * 62 / 365) }
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "price") column = i; next }
    FNR == NR { price[$1] = $column; next }
    { ratio = $column / price[$1]; n++
      if (ratio < wanted * (1 - 1e-9) || ratio > wanted * (1 + 1e-9)) {
          printf "%s: %.17g of its price at once, not %.17g\n", $1, ratio, wanted; bad = 1 } }
    END { if (n != 22) { print "only " n " trades were compared"; bad = 1 } exit bad }' \
    "$there/at-once.csv" "$there/later.csv"

# Coupons a year that are sure: 8 % of 100 for 185, 182, 182 and 182 days over 360 and the notional,
# at 3 % a year; settled on the day.
cat >"$there/coupons.cfg" <<'CFG'
valuation_date = "2026-11-20";
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; calendar = "TARGET"; },
             { name = "B"; currency = "EUR"; spot = 100; volatility = 0.3; } ); };
book = { trades = (
  { id = "SURE"; type = "autocallable"; assets = ["A"]; observation_times = { from = "2026-05-22"; every = "6M"; };
    call_level = 9; coupon = 0.08; coupon_day_count = "ACT/360"; coupon_level = 0; protection_level = 0; notional = 100;
    expiry = "2028-05-22"; },
  { id = "ONE"; type = "autocallable"; assets = ["A"]; observation_times = { from = "2026-05-22"; every = "6M"; };
    call_level = 1; coupon = 0.08; coupon_day_count = "ACT/360"; coupon_level = 0.8; protection_level = 0.6; notional = 100;
    expiry = "2028-05-22"; },
  { id = "TWO"; type = "autocallable"; assets = ["A", "B"]; initial = [101, 98];
    observation_times = { from = "2026-08-20"; every = "3M"; }; past = { observations = 1; };
    call_level = 1; coupon = 0.08; coupon_day_count = "ACT/ACT"; coupon_level = 0.8; protection_level = 0.6; notional = 100;
    expiry = "2028-05-22"; } ); };
CFG
price coupons all >"$there/table" || { cat "$there/table"; exit 1; }
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) { if ($i == "price") column = i; if ($i == "status") status = i }; next }
    $status != "ok" { print $1 " is " $status; bad = 1 }
    $1 == "SURE" { split("185 182 182 182", days, " "); split("3 185 367 549", at, " ")
        for (i = 1; i <= 4; i++) wanted += 8 * days[i] / 360 * exp(-0.03 * at[i] / 365)
        wanted += 100 * exp(-0.03 * 549 / 365)
        if ($column < wanted - 1e-9 || $column > wanted + 1e-9) { print "sure coupons: " $column ", not " wanted; bad = 1 } }
    END { exit bad }' "$there/coupons.csv"

# A curve that rises steeply just behind the expiry, and falls before it.
book 'curve = { times = [0.3, 0.9, 1.1, 2.0]; zero_rates = [0.06, 0.02, 0.08, 0.10]; };' 44 >"$there/curve.cfg"
price curve all >"$there/table" || { cat "$there/table"; exit 1; }
grep -q ',unchecked,\|,disagrees,' "$there/curve.csv" && { cat "$there/table"; exit 1; }
echo "22 trades of settlement 62 days after their expiry: as at once, but for the discount; on a curve as their references"
