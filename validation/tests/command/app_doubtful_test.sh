#!/usr/bin/env bash
# Numbers that are perhaps per cent get a note; a price that few paths support is trouble where it
# is far from its reference, and none where it is merely far out of the money, whatever the seed.
. validation/tests/test.sh

folder=$there always=(--engine=cpu)

# book SETTINGS RATE ASSETS TRADES RISK
book() {
    printf 'valuation_date = "2026-11-20"; settings = { paths = 16384; %s };\nmarket = { correlation_default = 0; currencies = ( { name = "USD"; rate = %s; },
  { name = "EUR"; rate = 0.02; } );\nassets = (\n%s\n); };\nbook = { trades = (\n%s\n); };\nrisk = { %s };\n' "$@"
}
share='{ name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }'
call='type = "european"; asset = "A"; option = "call"; strike = 100;'

# notes WANTED: exactly these lines on standard error, each beginning with "book.cfg:"
notes() {
    diff <(printf "$1") "$there/err" >"$there/differences" || fail "notes: $(cat "$there/differences")"
}

# ---- notes

book '' 0.04 "$share" "{ id = \"T\"; $call expiry = 1; }" '' >"$there/book.cfg"
run 0 book.cfg
notes ''
book '' 4.3 '{ name = "A"; currency = "USD"; spot = 100; volatility = { times = [1, 2]; vols = [18, 19]; };
  dividend_yield = -0.6; }' "{ id = \"T\"; $call expiry = 1; }" '' | sed 's/18, 19/8.5, 9/' >"$there/book.cfg"
run 1 --quiet book.cfg || true
run 1 book.cfg
says "book.cfg:2: currency 'USD': note: rate 4.3 is 430 %: 4.3 % is written 0.043"
says "asset 'A': note: vols 8.5 is 850 %: 8.5 % is written 0.085"
says "asset 'A': note: dividend_yield -0.6 is -60 %: -0.6 % is written -0.006"
[[ $(grep -c 'note: vols' "$there/err") == 1 ]] || fail 'one note a list'
book '' 0.04 "$share" "{ id = \"T\"; $call expiry = 1; }" '' |
    sed 's/rate = 0.04;/curve = { times = [1.0, 2.0]; discount_factors = [98.5, 96.2]; };/' >"$there/book.cfg"
run 0 book.cfg
notes "book.cfg:2: currency 'USD': note: discount_factors 98.5 is 9850 %%: 98.5 %% is written 0.985\n"
book '' 0.04 '{ name = "A"; currency = "USD"; spot = 100; model = "heston";
  heston = { v0 = 20; kappa = 50; theta = 0.04; xi = 0.3; rho = 0; }; },
{ name = "B"; currency = "USD"; spot = 100; volatility = 0.2; }' \
    '{ id = "S"; type = "european"; asset = "B"; option = "call"; strike = 100; expiry = "2027-06-19"; },
{ id = "M"; type = "european"; asset = "B"; option = "call"; strike = 100; expiry = "2027-06-21"; },
{ id = "V"; type = "variance_swap"; asset = "B"; strike_volatility = 5; fixings = 12; notional = 1; expiry = 1; },
{ id = "C"; type = "autocallable"; assets = ["B"]; observation_times = [1.0]; call_level = 100; coupon = 8; protection_level = 0.6;
  notional = 1; expiry = 1; }' 'scenarios = ( { name = "up"; shocks = ( { asset = "B"; spot = 10; } ); } );' >"$there/book.cfg"
run 0 book.cfg
notes "book.cfg:6: asset 'A': note: v0 20 is a variance, whose volatility is 447.2 %%: one of 20 %% is written 0.04
book.cfg:10: trade 'S': note: expiry 2027-06-19 is a Saturday: perhaps the Friday before, or the Monday after
book.cfg:12: trade 'V': note: strike_volatility 5 is 500 %%: 5 %% is written 0.05
book.cfg:13: trade 'C': note: call_level 100 is 10000 %%: 100 %% is written 1
book.cfg:13: trade 'C': note: coupon 8 is 800 %%: 8 %% is written 0.08
book.cfg:16: scenario 'up': note: spot 10 is 1000 %%: 10 %% is written 0.1\n"

# Parameters of a script by their kind, `fraction`: above what a key of their name may have, else 2; of a list the first
# one. A parameter may be called fraction, and one of kind `number` be anything.
book '' 0.04 "$share" '{ id = "R"; type = "range_accrual"; asset = "A"; fixings = [0.5, 1.0]; payments = [1.0]; coupon = 0.6; notional = 1; expiry = 1; },
{ id = "P"; type = "phoenix"; assets = ["A"]; observations = [0.5, 1.0]; watched = [1.0]; call = 100; coupon = 0.5; coupon_at = 2; knock_in = -2.5;
  notional = 1; expiry = 1; },
{ id = "D"; type = "step_down_autocallable"; assets = ["A"]; observations = [0.5, 1.0]; watched = [1.0]; call = [1.0, 95]; coupon_at = 80; coupon = 0.01; knock_in = 0.6;
  notional = 1; expiry = 1; },
{ id = "O"; script = "product own(asset s; date expiry; number fraction, most; fraction part)\n  at expiry\n    pay fraction * most * part * s(expiry)\n"; asset = "A";
  fraction = 50; most = 100; part = 20; expiry = 1; }' '' >"$there/book.cfg"
run 0 --check=none book.cfg
notes "book.cfg:8: trade 'R': note: coupon 0.6 is 60 %%: 0.6 %% is written 0.006
book.cfg:9: trade 'P': note: call 100 is 10000 %%: 100 %% is written 1
book.cfg:9: trade 'P': note: knock_in -2.5 is -250 %%: -2.5 %% is written -0.025
book.cfg:11: trade 'D': note: call 95 is 9500 %%: 95 %% is written 0.95
book.cfg:11: trade 'D': note: coupon_at 80 is 8000 %%: 80 %% is written 0.8
book.cfg:14: trade 'O': note: part 20 is 2000 %%: 20 %% is written 0.2\n"
run 2 --strict --check=none book.cfg

# A parameter that no line of a script reads, as of a formula with a number in its place; the expiry need not be read.
book '' 0.04 "$share" '{ id = "U"; script = "product own(asset s; dates seen, unseen; date expiry; number strike, top = 1; number call[seen])\n  at expiry\n    pay max(s(expiry) - 100, 0)\n";
  asset = "A"; seen = [0.5]; unseen = [0.5];
  strike = 90; call = 1; expiry = 1; }' '' >"$there/book.cfg"
run 0 --check=none book.cfg
notes "book.cfg:8: trade 'U': note: top is read by no line of its script
book.cfg:9: trade 'U': note: unseen is read by no line of its script
book.cfg:10: trade 'U': note: strike is read by no line of its script
book.cfg:10: trade 'U': note: call is read by no line of its script\n"
run 2 --strict --check=none book.cfg

# ---- a price of 0 that no path pays: its error of 0 is none, but where a barrier has ended the trade

book '' 0.02 "$share" '{ id = "far"; type = "european"; asset = "A"; option = "call"; strike = 300; expiry = 0.5; },
{ id = "over"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 90; direction = "down"; knock = "out"; monitoring = "continuous"; hit = true; expiry = 0.5; }' '' >"$there/book.cfg"
unseen="no path pays: how far the price is off is not known"
run 0 --check=none --output="$there/unseen.csv" book.cfg
[[ $(column "$there/unseen.csv" message) == "$unseen"* ]] || fail "message: $(column "$there/unseen.csv" message)"
[[ $(grep -c "$unseen" "$there/unseen.csv") == 1 ]] || fail "$(cat "$there/unseen.csv")"
grep -q "^trade 'far': $unseen\$" "$there/out" || fail 'not in the table'
run 0 book.cfg # a reference says that none should
! grep -q "$unseen" "$there/out" || fail 'said of a price that is checked'

# ---- a price beside a reference three times larger: trouble by whatever name

book '' 0.04 '{ name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.09; volatility = 7.5; }' \
    '{ id = "FX"; type = "european"; asset = "EURUSD"; option = "call"; strike = 1.1; expiry = 0.45; }' '' >"$there/book.cfg"
unchecked=0
for seed in $(seq 1 40); do
    code=0
    "$pricer" --engine=cpu --seed="$seed" --output="$there/fx.csv" "$there/book.cfg" >"$there/out" 2>"$there/err" || code=$?
    status=$(column "$there/fx.csv" status)
    [[ $code == 1 || $status == ok ]] || fail "seed $seed: $status ends with $code"
    [[ $status == ok ]] || grep -qE "^$there/book.cfg:8: trade 'FX' (unchecked: too few paths pay .* too many are missing|disagrees: )" \
        "$there/out" || fail "FX is not named: $(cat "$there/out")"
    [[ $status != unchecked ]] || unchecked=$((unchecked + 1))
done
[[ $unchecked -gt 3 ]] || fail "only $unchecked of 40 prices were unchecked: this test tests nothing"

# ---- far out of the money there is nothing to say, and no trouble

trades=''
for strike in 130 150 160 170 180 200 250; do
    trades+="{ id = \"C$strike\"; type = \"european\"; asset = \"A\"; option = \"call\"; strike = $strike; expiry = 0.5; },
{ id = \"D$strike\"; type = \"digital\"; asset = \"A\"; option = \"call\"; payout = \"cash\"; cash = 10; strike = $strike; expiry = 0.5; },
{ id = \"E$strike\"; type = \"digital\"; asset = \"A\"; option = \"call\"; payout = \"asset\"; strike = $strike; expiry = 0.5; },
{ id = \"T$strike\"; type = \"touch\"; asset = \"A\"; touch = \"one\"; pay_at = \"hit\"; barrier = $strike; direction = \"up\";
  monitoring = 4; expiry = 0.5; },"
done
book '' 0.04 "$share" "$trades" '' >"$there/book.cfg"
unchecked=0
for seed in $(seq 1 30); do
    run 0 --paths=1024 --seed="$seed" --quiet --output=far.csv book.cfg
    unchecked=$((unchecked + $(awk -F, '$16 == "unchecked" && ($15 > 5 || $15 < -5 || $15 == "")' "$there/far.csv" | wc -l)))
done
[[ $unchecked -gt 100 ]] || fail "only $unchecked prices that few paths support: this test tests nothing"

# ---- nor of early exercise, both of whose ends few paths make

trades=''
for strike in $(seq 168 4 208); do
    trades+="{ id = \"A$strike\"; type = \"american\"; asset = \"A\"; option = \"call\"; strike = $strike; exercise_times = [0.2, 0.5]; expiry = 0.5; },
{ id = \"S$strike\"; type = \"american\"; asset = \"A\"; option = \"call\"; strike = $strike; exercise = \"american\"; expiry = 0.5; quantity = -2; },"
done
book '' 0.02 '{ name = "A"; currency = "USD"; spot = 100; volatility = 0.2; dividend_yield = 0.03; }' "$trades" '' >"$there/book.cfg"
for seed in $(seq 1 10); do run 0 --seed="$seed" --quiet book.cfg; done

# ---- nor where next to all paths pay the same: what hardly a path does is no fault of the others

trades=''
for percent in $(seq -15 15); do
    level=$(awk "BEGIN { print 1 + $percent / 100 }") return=$(awk "BEGIN { print $percent / 100 }")
    trades+="{ id = \"N$percent\"; type = \"autocallable\"; assets = [\"A\"]; observation_times = [0.01]; call_level = $level; coupon = 0.04;
  protection_level = 0.9; notional = 100; expiry = 0.01; },
{ id = \"F$percent\"; type = \"cliquet\"; asset = \"A\"; reset_times = [0.0]; global_floor = $return; notional = 100; expiry = 0.01; },
{ id = \"C$percent\"; type = \"cliquet\"; asset = \"A\"; reset_times = [0.0]; local_cap = $return; notional = 100; expiry = 0.01; quantity = -3; },
{ id = \"P$percent\"; type = \"cliquet\"; asset = \"A\"; reset_times = []; past = { level = 95; returns = 0.1; }; global_floor = $return;
  global_cap = 0.5; notional = 100; expiry = 0.01; },"
done
unchecked=0
for rate in -0.03 0.03; do
    book '' $rate "$share" "$trades" '' >"$there/book.cfg"
    for seed in $(seq 1 10); do
        run 0 --seed="$seed" --quiet --output=same.csv book.cfg
        unchecked=$((unchecked + $(awk -F, '$16 == "unchecked"' "$there/same.csv" | wc -l)))
    done
done
[[ $unchecked -gt 100 ]] || fail "only $unchecked prices of next to one payment: this test tests nothing"

exit $((failures > 0))
