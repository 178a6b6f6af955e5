#!/usr/bin/env bash
# Assets converted to another currency at the rate of the day: prices on them are those of the same
# payoffs on paths of both, which scripts make of the two in the other currency's measure.
. validation/tests/test.sh
cd "$there" || exit 1

cat >european.pay <<'PAY'
product european_on_both(assets of; number made[of], rate[of]; date expiry)
  at expiry: pay max(product(a(expiry) ^ made[a] for a in of) - 5400, 0) * product(a(expiry) ^ rate[a] for a in of)
PAY
cat >asian.pay <<'PAY'
product asian_on_both(assets of; number made[of], rate[of]; dates looks; date expiry)
  number seen = 0
  each t in looks: seen = seen + product(a(t) ^ made[a] for a in of)
  at expiry: pay max(seen / 4 - 5400, 0) * product(a(expiry) ^ rate[a] for a in of)
PAY
cat >barrier.pay <<'PAY'
product barrier_on_both(assets of; number made[of], rate[of]; dates looks; date expiry)
  each t in looks
    if product(a(t) ^ made[a] for a in of) >= 6500: stop
  at expiry: pay max(product(a(expiry) ^ made[a] for a in of) - 5200, 0) * product(a(expiry) ^ rate[a] for a in of)
PAY
cat >american.pay <<'PAY'
product american_on_both(assets of; number made[of], rate[of]; dates looks; date expiry)
  each t in looks: exercise holder pays max(5600 - product(a(t) ^ made[a] for a in of), 0) * product(a(t) ^ rate[a] for a in of)
PAY
cat >best.pay <<'PAY'
product best(asset s; dates looks; date expiry)
  at expiry: pay max(s(t) for t in looks)
PAY
cat >best_on_both.pay <<'PAY'
product best_on_both(assets of; number made[of], rate[of]; dates looks; date expiry)
  at expiry: pay max(product(a(t) ^ made[a] for a in of) for t in looks) * product(a(expiry) ^ rate[a] for a in of)
PAY
cat >worst.pay <<'PAY'
product worst_on_both(assets of; number one[of], two[of], three[of], rate[of]; dates looks; date expiry)
  each t in looks
    worst = min(product((a(t) / spot(a)) ^ one[a] for a in of), product((a(t) / spot(a)) ^ two[a] for a in of),
                product((a(t) / spot(a)) ^ three[a] for a in of))
    if worst >= 1: pay 104 * product(a(t) ^ rate[a] for a in of); stop
  at expiry
    least = min(product((a(expiry) / spot(a)) ^ one[a] for a in of), product((a(expiry) / spot(a)) ^ two[a] for a in of),
                product((a(expiry) / spot(a)) ^ three[a] for a in of))
    pay (100 if least >= 0.7 else 100 * least) * product(a(expiry) ^ rate[a] for a in of)
PAY

# book TRADES SCENARIOS
book() {
    cat <<BOOK
valuation_date = "2026-11-20";
settings = { paths = 65536; sampler = "sobol"; };
market = {
  currencies = ( { name = "EUR"; rate = 0.02; },
    { name = "USD"; curve = { times = [0.5, 2]; zero_rates = [0.045, 0.04]; }; },
    { name = "JPY"; rate = 0.005; } );
  assets = (
    { name = "SX5E"; currency = "EUR"; spot = 5000.0; dividend_yield = 0.03; volatility = 0.18; },
    { name = "SPX"; currency = "USD"; spot = 6000.0; dividend_yield = 0.013; proportional_dividends = ( { time = 0.3; fraction = 0.01; } );
      volatility = { times = [0.5, 2]; vols = [0.16, 0.18]; }; },
    { name = "NDX"; currency = "USD"; spot = 20000.0; forwards = { times = [1]; prices = [20600]; }; volatility = 0.23; },
    { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; volatility = { times = [1, 2]; vols = [0.1, 0.11]; }; },
    { name = "USDEUR"; currency = "EUR"; foreign_currency = "USD"; spot = 0.909090909090909091;
      volatility = { times = [1, 2]; vols = [0.1, 0.11]; }; },
    { name = "USDJPY"; currency = "JPY"; foreign_currency = "USD"; spot = 150.0; volatility = 0.12; },
    { name = "SPX_EUR"; currency = "EUR"; cross = { of = ["SPX", "EURUSD"]; correlation = -0.3; }; },
    { name = "TURNED"; currency = "EUR"; cross = { of = ["USDEUR", "SPX"]; correlation = 0.3; }; },
    { name = "NDX_EUR"; currency = "EUR"; cross = { of = ["EURUSD", "NDX"]; correlation = -0.2; }; },
    { name = "SPX_JPY"; currency = "JPY"; cross = { of = ["SPX", "USDJPY"]; correlation = 0.25; }; } );
  correlations = ( { assets = ["SX5E", "SPX"]; value = 0.7; }, { assets = ["SX5E", "NDX"]; value = 0.6; },
    { assets = ["SPX", "NDX"]; value = 0.85; }, { assets = ["SX5E", "EURUSD"]; value = 0.2; } );
};
book = { trades = ( $1 ); };
risk = { paths = 65536; scenarios = ( $2 ); };
BOOK
}

both='assets = ["SPX", "EURUSD"]; made = [1, -1]; rate = [0, 1];'
book '
  { id = "european"; type = "european"; asset = "SPX_EUR"; option = "call"; strike = 5400.0; expiry = 1.5; },
  { id = "european on both"; script = "european.pay"; '"$both"' expiry = 1.5; },
  { id = "asian"; type = "asian"; asset = "SPX_EUR"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 5400.0;
    fixing_times = [0.25, 0.5, 0.75, 1]; expiry = 1.5; },
  { id = "asian on both"; script = "asian.pay"; '"$both"' looks = [0.25, 0.5, 0.75, 1]; expiry = 1.5; },
  { id = "barrier"; type = "barrier"; asset = "SPX_EUR"; option = "call"; strike = 5200.0; barrier = 6500; direction = "up";
    knock = "out"; monitoring = 4; expiry = 1.0; },
  { id = "barrier on both"; script = "barrier.pay"; '"$both"' looks = [0.25, 0.5, 0.75, 1]; expiry = 1.0; },
  { id = "american"; type = "american"; asset = "SPX_EUR"; option = "put"; strike = 5600.0; exercise = 6; expiry = 1.2; },
  { id = "american on both"; script = "american.pay"; '"$both"' looks = [0.2, 0.4, 0.6, 0.8, 1, 1.2]; expiry = 1.2; },
  { id = "script"; script = "best.pay"; asset = "SPX_EUR"; looks = [0.5, 1]; expiry = 1.0; },
  { id = "script on both"; script = "best_on_both.pay"; '"$both"' looks = [0.5, 1]; expiry = 1.0; },
  { id = "yen"; script = "best.pay"; asset = "SPX_JPY"; looks = [0.5, 1]; expiry = 1.0; },
  { id = "worst"; type = "autocallable"; assets = ["SPX_EUR", "NDX_EUR", "SX5E"]; observation_times = [0.5, 1, 1.5, 2];
    call_level = 1.0; coupon = 0.04; protection_level = 0.7; notional = 100.0; expiry = 2.0; },
  { id = "worst on both"; script = "worst.pay"; assets = ["SPX", "NDX", "SX5E", "EURUSD"]; one = [1, 0, 0, -1]; two = [0, 1, 0, -1];
    three = [0, 0, 1, 0]; rate = [0, 0, 0, 1]; looks = [0.5, 1, 1.5, 2]; expiry = 2.0; quanto = { fx = "EURUSD"; }; }' '' >book.cfg
run 0 --quiet --engine=cpu --output="$there/prices.csv" "$there/book.cfg"
python3 - prices.csv <<'PY' || fail "prices on both"
import csv, math, sys
rows = {row["trade_id"]: row for row in csv.DictReader(open(sys.argv[1]))}
bad = [id for id, row in rows.items() if row["status"] != "ok"]
for id in [id for id in rows if id + " on both" in rows]:
    made, both = rows[id], rows[id + " on both"]
    error = math.hypot(float(made["std_error"]), float(both["std_error"]) / 1.1)
    off = float(made["price"]) - float(both["price"]) / 1.1
    # The policy of a script on two assets, and correlations of a year in the place of those of each date
    if abs(off) > 4 * error + float(made["price"]) * {"american": 0.002, "worst": 0.0005}.get(id, 0):
        print(id, made["price"], "off by", off, "+-", error)
        bad.append(id)
sys.exit(f"BAD: {bad}" if bad else 0)
PY

# Whichever way round the rate is quoted; prices, Greeks by the converted asset and scenarios of its
# legs are those of the closed form.
call='type = "european"; option = "call"; strike = 5400.0; expiry = 0.5;'
book '{ id = "call"; asset = "SPX_EUR"; '"$call"' }, { id = "turned"; asset = "TURNED"; '"$call"' }' '
  { name = "index"; shocks = ( { asset = "SPX"; spot = 0.1; } ); },
  { name = "rate"; shocks = ( { asset = "EURUSD"; spot = 0.1; } ); },
  { name = "turned"; shocks = ( { asset = "USDEUR"; spot = 0.1; } ); },
  { name = "all"; shocks = ( { asset = "*"; spot = 0.1; } ); },
  { name = "calm"; shocks = ( { asset = "SPX"; volatility = -0.01; } ); },
  { name = "dollar"; shocks = ( { currency = "USD"; rate = 0.01; } ); }' >book.cfg
run 0 --quiet --engine=cpu --set 'risk.greeks=["delta","gamma","vega","rho","yield"]' --output="$there/night.csv" "$there/book.cfg"
python3 - <<'PY' || fail "the rate turned round, Greeks and scenarios"
import csv, math, statistics, sys
rows = {row["trade_id"]: row for row in csv.DictReader(open("night.csv"))}
cdf, T = statistics.NormalDist().cdf, 0.5
def price(S=6000.0, X=1 / 1.1, s=0.16, r=0.02, q=0.013, v=0.0, K=5400.0):
    v += math.sqrt(s * s + 0.01 + 2 * 0.3 * s * 0.1)
    F, w = 0.99 * S * X * math.exp((r - q) * T), v * math.sqrt(T)
    d = math.log(F / K) / w + w / 2
    return math.exp(-r * T) * (F * cdf(d) - K * cdf(d - w))
def slope(h, **at): return (price(**{k: v + h for k, v in at.items()}) - price(**{k: v - h for k, v in at.items()})) / (2 * h)
wanted = {"price": price(), "delta": 1.1 * slope(0.1, S=6000.0), "vega": slope(1e-4, v=0.0), "rho": slope(1e-4, r=0.02), "yield": slope(1e-4, q=0.013),
          "gamma": 1.21 * (price(6001.0) - 2 * price() + price(5999.0)), "pnl:index": price(6600.0) - price(), "pnl:rate": price(X=1 / 1.21) - price(),
          "pnl:turned": price(X=1 / 1.1 * 1.1) - price(), "pnl:all": 0.0, "pnl:calm": price(s=0.15) - price(), "pnl:dollar": 0.0}
bad = 0
for id, asset in ("call", "SPX_EUR"), ("turned", "TURNED"):
    for what, number in wanted.items():
        of = {"price": "", "rho": ":EUR"}.get(what, "" if ":" in what else ":" + asset)
        error = "std_error" if what == "price" else what.split(":")[0] + "_se" + (":" + what[4:] if ":" in what else of)
        got, error = float(rows[id][what + of]), float(rows[id][error])
        if abs(got - number) > 4 * error + 1e-9: print(id, what, got, "+-", error, "to be", number); bad += 1
sys.exit(bad)
PY

# What has passed is of the closes of both, where the file has none of its own.
asian='type = "asian"; asset = "SPX_EUR"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 5400.0;'
book '{ id = "closes"; '"$asian"' fixing_times = ["2026-10-01", "2026-11-02", "2027-11-02"]; expiry = "2027-11-02"; }' '' >book.cfg
printf 'date,SPX,EURUSD\n2026-10-01,5940,1.08\n2026-11-02,6160,1.12\n' >closes.csv
printf 'date,SPX,EURUSD,SPX_EUR\n2026-10-01,5940,1.08,5400\n2026-11-02,6160,1.12,5600\n' >own.csv
book '{ id = "closes"; '"$asian"' fixing_times = ["2027-11-02"]; past = { count = 2; average = 5500.0; }; expiry = "2027-11-02"; }' '' >stated.cfg
run 0 --quiet --engine=cpu --fixings="$there/closes.csv" --output="$there/closes.out.csv" "$there/book.cfg"
run 0 --quiet --engine=cpu --fixings="$there/own.csv" --output="$there/own.out.csv" "$there/book.cfg"
run 0 --quiet --engine=cpu --output="$there/stated.csv" "$there/stated.cfg"
prices=$(for file in closes.out own.out stated; do cell "$there/$file.csv" closes price; done | sort -u)
[[ $(wc -l <<<"$prices") == 1 ]] || fail "fixings of both: $prices"
printf 'date,SPX,EURUSD\n2026-10-01,5940,1.08\n2026-11-02,,1.12\n' >closes.csv
refused 2 "$there/book.cfg:23: trade 'closes': $there/closes.csv has no fixing of 'SPX_EUR' on 2026-11-02: add it, or state the past" \
    --quiet --engine=cpu --fixings="$there/closes.csv" "$there/book.cfg"

# A correlation that is missing is one of a leg.
book '{ id = "worst"; type = "basket"; assets = ["TURNED", "SX5E"]; kind = "worst_of"; weights = [1, 1]; option = "put"; strike = 5000;
  expiry = 1.0; }' '' >book.cfg
refused 2 "$there/book.cfg:23: trade 'worst': the correlation of 'TURNED' and 'SX5E' is missing: write { assets = ?\"USDEUR\", \"SX5E\"?;*" \
    --quiet --engine=cpu "$there/book.cfg"

end_test "prices on assets converted at a rate are those on paths of both"
