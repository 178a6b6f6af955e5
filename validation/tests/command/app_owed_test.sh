#!/usr/bin/env bash
# Money on its way: what expires, is called or is touched is worth its discounted payment until that
# settles, and nothing after; in prices, Greeks and scenarios. Trades without a path: parity with
# options, closed forms, a hedge without delta.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

python3 - "$pricer" "$there" <<'END'
import csv, json, math, subprocess, sys
pricer, there = sys.argv[1:]
failures = 0
def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED:", text, file=sys.stderr)
def near(a, b, what, error=1e-9):
    check(a is not None and abs(a - b) <= error * (1 + abs(b)), f"{what}: {a}, not {b}")
def run(text, *options):
    open(there + "/book.cfg", "w").write(text)
    done = subprocess.run([pricer, "--engine=cpu", "--quiet", "--output=" + there + "/r.json", "--output=" + there + "/r.csv", *options, there + "/book.cfg"],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"exit {done.returncode}: {done.stdout[-900:]} {done.stderr[-900:]}")
    found = json.load(open(there + "/r.json"))
    number = lambda text: float(text) if text and text.lstrip("-")[0].isdigit() else text
    with open(there + "/r.csv") as file:
        return found, {t["trade_id"]: {k: number(v) for k, v in t.items()} for t in csv.DictReader(file)}

# ---- owed: nothing is known of 2026-11-19 but its close; two business days to a settlement
open(there + "/closes.csv", "w").write("date,A,B\n2026-11-17,101,50\n2026-11-18,104,52\n2026-11-19,99,51\n")
last = 'expiry = "2026-11-18"; '
trades = {
    "call": ('type = "european"; asset = "A"; option = "call"; strike = 100; quantity = 10; ' + last, 40),
    "put": ('type = "european"; asset = "A"; option = "put"; strike = 100; ' + last, 0),
    "digital": ('type = "digital"; asset = "A"; option = "call"; strike = 100; payout = "cash"; cash = 7; ' + last, 7),
    "forward": ('type = "forward"; asset = "A"; strike = 110; ' + last, -6),
    "asian": ('type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 90; fixing_times = ["2026-11-17", "2026-11-18"]; ' + last, 12.5),
    "lookback": ('type = "lookback"; asset = "A"; option = "put"; strike_type = "floating"; monitoring = ["2026-11-17", "2026-11-18"]; extreme = 110; ' + last, None),
    "out": ('type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 103; direction = "up"; knock = "out"; rebate = 3; rebate_at = "expiry"; monitoring = ["2026-11-17", "2026-11-18"]; ' + last, 3),
    "in": ('type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 103; direction = "up"; knock = "in"; monitoring = ["2026-11-17", "2026-11-18"]; ' + last, 4),
    "basket": ('type = "basket"; assets = ["A", "B"]; kind = "average"; weights = [1.0, 2.0]; option = "call"; strike = 200; ' + last, 8),
    "spread": ('type = "spread"; assets = ["A", "B"]; option = "call"; strike = 50; ' + last, 2),
    "cliquet": ('type = "cliquet"; asset = "A"; reset_times = ["2026-11-17"]; local_cap = 0.02; notional = 1000; ' + last, 20),
    "american": ('type = "american"; asset = "A"; option = "call"; strike = 101; exercise = "american"; ' + last, 3),
    "bermudan": ('type = "american"; asset = "A"; option = "call"; strike = 101; exercise_times = ["2026-11-17"]; ' + last, 0),
    "swap": ('type = "variance_swap"; asset = "A"; strike_volatility = 0.2; notional = 1000; fixing_times = ["2026-11-18"]; past = { years = 0.5; variance = 0.06; level = 104; }; ' + last, 20),
    "fixed": ('type = "variance_swap"; asset = "A"; strike_volatility = 0.2; notional = 1000; fixing_times = ["2026-11-17"]; past = { years = 0.5; variance = 0.06; level = 101; }; ' + last, 20),
    "convertible": ('type = "convertible"; asset = "A"; coupons = ["2026-11-18"]; conversions = ["2026-11-18"]; calls = []; shares = 0.9; coupon = 0.02; notional = 100; ' + last, 102),
    "converted": ('type = "convertible"; asset = "A"; coupons = []; conversions = ["2026-11-18"]; calls = ["2026-11-18"]; shares = 1.1; coupon = 0.02; notional = 100; ' + last, 114.4),
    "soft": ('type = "soft_call"; asset = "A"; watched = ["2026-11-17"]; coupons = []; calls = ["2026-11-18"]; trigger = 1.0; initial = 80; notional = 100; ' + last, 100),
    "compound": ('type = "compound"; asset = "A"; decided_on = "2026-11-18"; price = 3; strike = 102; ' + last, 0),
    "bought": ('type = "compound"; asset = "A"; decided_on = "2026-11-18"; price = 1; strike = 102; ' + last, 1),
    "both": ('asset = "A"; script = "product both(asset s; date expiry)\\n  at expiry\\n    pay 1\\n    exercise issuer pays 5\\n    pay 2\\n    exercise holder pays 6\\n    pay 3\\n"; ' + last, 6),
    "start": ('type = "forward_start"; asset = "A"; option = "call"; start = "2026-11-17"; strike_ratio = 1.0; ' + last, 3),
    "note": ('type = "autocallable"; assets = ["A"]; observation_times = ["2026-11-18", "2027-11-18"]; initial = [100]; call_level = 1; coupon = 0.06; protection_level = 0.6; notional = 1000; expiry = "2027-11-18"; ', 1060),
    "end": ('type = "autocallable"; assets = ["A"]; observation_times = ["2026-11-17", "2026-11-18"]; initial = [200]; call_level = 1; coupon = 0.06; protection_level = 0.6; notional = 1000; ' + last, 520),
    "hit": ('type = "touch"; asset = "A"; touch = "one"; pay_at = "hit"; barrier = 103; direction = "up"; monitoring = ["2026-11-18", "2027-11-18"]; cash = 5; expiry = "2027-11-18"; ', 5),
}
def owed(today):
    listed = ", ".join(f'{{ id = "{name}"; {terms} }}' for name, (terms, _) in trades.items() if trades[name][1] is not None)
    return f'''valuation_date = "{today}"; fixings = "closes.csv"; settings = {{ paths = 2048; greeks = ["delta", "rho", "theta"]; }};
market = {{ currencies = ( {{ name = "EUR"; rate = 0.03; }} ); assets = (
  {{ name = "A"; currency = "EUR"; spot = 97; volatility = 0.2; settlement_days = 2; calendar = "TARGET"; }},
  {{ name = "B"; currency = "EUR"; spot = 53; volatility = 0.3; settlement_days = 2; calendar = "TARGET"; }} );
  correlations = ( {{ assets = ["A", "B"]; value = 0.5; }} ); }};
book = {{ trades = ( {listed} ); }};
risk = {{ scenarios = ( {{ name = "rates"; shocks = ( {{ currency = "EUR"; rate = 0.01; }} ); }} ); }};'''
for today, days in (("2026-11-19", 1), ("2026-11-20", 0)):
    found, rows = run(owed(today))
    discount = math.exp(-0.03 * days / 365)
    for name, (_, amount) in trades.items():
        if amount is None: continue
        row = rows[name]
        near(row["price"], amount * discount, f"{today} {name}")
        check(row["status"] == ("ok" if name == "hit" else "expired"), f"{today} {name} is {row['status']}")
        check(row["std_error"] == 0 and row["currency"] == "EUR", f"{today} {name}: {row['std_error']} {row['currency']}")
        if amount and name != "hit":
            near(row["rho:EUR"], -days / 365 * amount * discount, f"{today} rho of {name}", 1e-7)
_, rows = run(owed("2026-11-23"))
check(all(rows[n]["price"] == 0 for n in rows), "what has settled is worth something")

# ---- time that passes brings nearer what today fixes and pays later, and moves no lag behind a hit
late = '''valuation_date = "2026-11-18"; settings = { paths = 8192; greeks = ["theta"]; };
market = { currencies = ( { name = "EUR"; rate = 0.1; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "note"; type = "autocallable"; assets = ["A"]; observation_times = ["2026-11-18", "2027-11-18"]; initial = [90]; call_level = 1; coupon = 0.06; protection_level = 0.6; notional = 1000; settlement_days = 2; expiry = "2027-11-18"; },
  { id = "hit"; type = "touch"; asset = "A"; touch = "one"; pay_at = "hit"; barrier = 99; direction = "up"; monitoring = ["2026-11-18", "2027-11-18"]; cash = 5; hit = false; settlement_days = 2; expiry = "2027-11-18"; },
  { id = "script"; asset = "A"; script = "product known(asset s; dates seen; date expiry)\\n  each t in seen: pay s(t)\\n"; seen = ["2026-11-18"]; settlement_days = 2; expiry = "2027-11-18"; },
  { id = "soon"; type = "touch"; asset = "A"; touch = "one"; pay_at = "hit"; barrier = 90; direction = "down"; monitoring = "continuous"; cash = 100; settlement_days = 0; expiry = "2027-11-18"; },
  { id = "late"; type = "touch"; asset = "A"; touch = "one"; pay_at = "hit"; barrier = 90; direction = "down"; monitoring = "continuous"; cash = 100; settlement_days = 40; expiry = "2027-11-18"; } ); };'''
_, rows = run(late)
for name in ("note", "hit", "script"):
    near(rows[name]["theta"], 0.1 * rows[name]["price"], f"theta of {name}", 1e-7)
near(rows["late"]["theta"] / rows["soon"]["theta"], rows["late"]["price"] / rows["soon"]["price"], "theta of a late hit", 1e-9)

# ---- without paths: call - put = forward on the same paths' law, exact Greeks, a hedge
book = '''valuation_date = "2026-11-20"; settings = { paths = 65536; greeks = ["delta", "gamma", "vega", "rho", "theta"]; };
market = { currencies = ( { name = "EUR"; rate = 0.025; }, { name = "USD"; rate = 0.04; } ); assets = (
  { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; dividend_yield = 0.01; cash_dividends = ( { time = 0.5; amount = 2.0; } ); },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; volatility = 0.1; } ); };
book = { %s };
risk = { currency = "EUR"; scenarios = ( { name = "fall"; shocks = ( { asset = "A"; spot = -0.1; } ); },
  { name = "dollar"; shocks = ( { asset = "EURUSD"; spot = 0.1; } ); } ); };'''
linear = '''trades = ( { id = "F"; type = "forward"; asset = "A"; strike = 95; expiry = 1.0; quantity = 3; },
  { id = "U"; type = "future"; asset = "A"; strike = 95; expiry = 1.0; }, { id = "P"; type = "position"; asset = "A"; quantity = -7; },
  { id = "C"; type = "cash"; currency = "USD"; amount = 1100; }, { id = "R"; type = "premium"; currency = "EUR"; amount = -50; pay_date = 2.0; },
  { id = "E"; type = "fee"; currency = "EUR"; amount = -1; tags = { desk = "x"; }; } );'''
found, rows = run(book % linear)
r, q = 0.025, 0.01
forward = 100 * math.exp(r - q) - 2 * math.exp(0.5 * (r - q))
near(rows["F"]["price"], 3 * math.exp(-r) * (forward - 95), "forward")
near(rows["U"]["price"], forward - 95, "future")
near(rows["P"]["price"], -700, "position")
near(rows["C"]["price"], 1100, "cash")
near(rows["R"]["price"], -50 * math.exp(-2 * r), "premium")
greek = lambda name, which: rows[name][which]
near(greek("F", "delta:A"), 3 * math.exp(-q), "delta of a forward")
near(greek("P", "delta:A"), -7, "delta of a position")
for name in "FUP":
    check(greek(name, "gamma:A") == 0 and greek(name, "vega:A") == 0, f"gamma, vega of {name}")
near(greek("R", "rho:EUR"), 2 * 50 * math.exp(-2 * r), "rho of a premium", 1e-7)
near(greek("R", "theta"), -50 * r * math.exp(-2 * r), "theta of a premium", 1e-7)
near(greek("F", "rho:EUR"), 3 * (math.exp(-r) * (100 * math.exp(r - q) - 2 * 0.5 * math.exp(0.5 * (r - q)) - forward + 95)), "rho of a forward", 1e-7)
check(all(t["status"] == "ok" and t["std_error"] == 0 for t in rows.values()), "a book of linear trades is ok")
total = {a["of"]: a for a in found["aggregates"] if a["by"] == "total"}["total"]
near(total["value"]["value"] if isinstance(total["value"], dict) else total["value"],
     sum(rows[n]["price"] for n in "FUPRE") + 1000, "total")
open(there + "/t.csv", "w").write('''id,type,asset,strike,expiry,quantity,currency,amount,pay_date,tag.desk
F,forward,A,95,1.0,3,,,,
U,future,A,95,1.0,,,,,
P,position,A,,,-7,,,,
C,cash,,,,,USD,1100,,
R,premium,,,,,EUR,-50,2.0,
E,fee,,,,,EUR,-1,,x
''')
_, same = run(book % 'trades_file = "t.csv";')
check(all(same[n]["price"] == rows[n]["price"] for n in rows), "CSV and book differ")
parity = '''trades = ( { id = "c"; type = "european"; asset = "A"; option = "call"; strike = 95; expiry = 1.0; },
  { id = "p"; type = "european"; asset = "A"; option = "put"; strike = 95; expiry = 1.0; quantity = -1; },
  { id = "f"; type = "forward"; asset = "A"; strike = 95; expiry = 1.0; quantity = -1; } );'''
found, rows = run(book % parity, "--check=none")
spread = sum(rows[n]["price"] for n in rows) / math.hypot(*[rows[n]["std_error"] for n in "cp"])
check(abs(spread) < 4, f"parity is off by {spread} errors")
for which in ("delta:A", "rho:EUR"):
    delta = sum(greek(n, which) for n in "cpf")
    size = abs(greek("f", which))
    check(abs(delta) < 0.03 * size, f"parity of {which}: {delta}")
print("app_owed_test:", "failed" if failures else "money on its way, and trades without a path")
sys.exit(bool(failures))
END
