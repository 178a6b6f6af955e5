#!/usr/bin/env bash
# Scripts in books: built-in products that are written as scripts have the prices of the built-in
# ones on the same paths, while they live, when dates have passed, and of what they are owed in the
# end; from a file, from a text, from the library, from a CSV file and with --set; each mistake is
# one line that names it.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

cat >"$there/option.pay" <<'END'
# A call or a put.
product option_by_script(asset s; date expiry; number strike; choice option(call | put); flag doubled = false)
  at expiry
    gain = max(s(expiry) - strike if option == call else strike - s(expiry), 0)
    pay gain * (2 if doubled else 1)
END
cat >"$there/note.pay" <<'END'
product note(assets basket; dates observations; date expiry; number call, coupon[observations], coupon_at, floor;
             flag memory = false; money notional; number initial[basket] = spot)
  number missed = 0
  each t in observations
    worst = min(a(t) / initial[a] for a in basket)
    if worst >= coupon_at: pay notional * coupon[t] * (1 + missed); missed = 0
    else: missed = missed + 1 if memory else 0
    if worst >= call: pay notional; stop
  at expiry
    worst = min(a(expiry) / initial[a] for a in basket)
    pay notional * (worst if worst < floor else 1)
END
cat >"$there/late.pay" <<'END'
product late(assets basket; dates observations; date expiry, payment[observations]; number call, coupon, coupon_at, floor;
             money notional; number initial[basket] = spot)
  each t in observations
    worst = min(a(t) / initial[a] for a in basket)
    if worst >= coupon_at: pay notional * coupon at payment[t]
    if worst >= call: pay notional at payment[t]; stop
    if last(t): pay notional * (worst if worst < floor else 1) at payment[t]
END

cp models/payoffs/tarf.pay "$there"
python3 - "$there" <<'END'
import datetime, math, random, sys
there = sys.argv[1]
random.seed(11)
day, today = datetime.date(2026, 1, 1), datetime.date(2026, 11, 20)
closes, spots = {}, [100.0, 40.0]
while day < today:
    closes[day] = tuple(round(s, 4) for s in spots)
    spots = [s * math.exp(0.01 * random.gauss(0, 1)) for s in spots]
    day += datetime.timedelta(1)
with open(there + "/closes.csv", "w") as out:
    out.write("date,A,B\n")
    for d, (a, b) in closes.items(): out.write(f"{d},{a},{b}\n")
dates = lambda months: "[" + ", ".join('"%s"' % m for m in months) + "]"
later = ["2027-02-19", "2027-05-20", "2027-08-20", "2027-11-19"]
lived = ["2026-05-20", "2026-08-20", "2026-11-20"] + later[:2]  # one of them is today
over = ["2026-02-20", "2026-05-20", "2026-08-20", "2026-11-18"]  # which settles today
first = closes[datetime.date(2026, 2, 20)]
initial = "[%.17g, %.17g]" % first
asian = '''"""
product mean_option(asset s; dates fixings; date expiry; number strike)
  number total = 0
  each t in fixings: total = total + s(t)
  at expiry: pay max(total / size(fixings) - strike, 0)
"""'''
pairs = []  # id, the built-in trade, the script, what both have
def pair(id, own, script, both): pairs.append((id, own, script, both))
european = 'type = "european";', 'script = "option.pay";'
pair("call", *european, 'asset = "A"; option = "call"; strike = 101.0; expiry = "2027-11-19";')
pair("put", *european, 'asset = "B"; option = "put"; strike = 41.0; expiry = 1.5; quantity = -3;')
pair("lag", *european, 'asset = "A"; option = "call"; strike = 99.0; expiry = "2027-11-19"; settlement_days = 200;')
pair("today", *european, 'asset = "A"; option = "put"; strike = 150; expiry = "2026-11-20"; settlement_days = 2;')
pair("over", *european, 'asset = "A"; option = "put"; strike = 150; expiry = "2026-11-19"; settlement_days = 2;')
def averages(id, times, terms=""):
    pair(id, f'type = "asian"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; fixing_times = {dates(times)};',
         f'script = {asian}; fixings = {dates(times)};', f'asset = "A"; strike = 98.0; expiry = "{times[-1]}"; {terms}')
averages("asian", later)
averages("asian-lived", lived)
averages("asian-over", over, "settlement_days = 2;")
def notes(id, times, call, coupon_at, memory, initial, terms=""):
    pair(id, f'type = "autocallable"; observation_times = {dates(times)}; call_level = {call}; coupon = 0.03; coupon_level = {coupon_at}; protection_level = 0.8;',
         f'script = "note.pay"; observations = {dates(times)}; call = {call}; coupon = 0.03; coupon_at = {coupon_at}; floor = 0.8;',
         f'assets = ["A", "B"]; expiry = "{times[-1]}"; memory = {memory}; notional = 1000; {initial} {terms}')
known = f"initial = {initial};"
notes("note", later, 1.02, 0.9, "false", "")
notes("note-memory", later, 1.05, 0.97, "true", "")
notes("note-lived", lived, 2.5, 0.99, "true", known)
notes("note-called", over[:3] + later, 0.2, 0.9, "false", known, "settlement_days = 250;")
notes("note-over", over, 2.5, 0.5, "true", known, "settlement_days = 2;")
def late(id, times, initial):  # five business days are a week, whose dates a script may list
    paid = [str(datetime.date.fromisoformat(t) + datetime.timedelta(7)) for t in times]
    pair(id, f'type = "autocallable"; observation_times = {dates(times)}; call_level = 1.02; coupon = 0.03; coupon_level = 0.9; protection_level = 0.8; settlement_days = 5; expiry = "{times[-1]}";',
         f'script = "late.pay"; observations = {dates(times)}; payment = {dates(paid)}; call = 1.02; coupon = 0.03; coupon_at = 0.9; floor = 0.8; expiry = "{paid[-1]}";',
         f'assets = ["A", "B"]; notional = 1000; {initial}')
late("late", later, "")
below = tuple(close / 0.95 for close in closes[datetime.date(2026, 11, 18)])  # a coupon, which is owed, and no call
late("late-lived", ["2026-11-18"] + later, "initial = [%.17g, %.17g];" % below)
pair("library", 'type = "tarf";', 'script = "tarf.pay";', f'asset = "A"; fixings = {dates(later)}; strike = 98; target = 9; gearing = 2; at_target = "full"; expiry = "{later[-1]}";')
head = '''valuation_date = "2026-11-20"; fixings = "closes.csv"; settings = { paths = 16384; greeks = %s; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "EUR"; spot = 40; volatility = 0.3; } );
  correlations = ( { assets = ["A", "B"]; value = 0.4; } ); };
'''
with open(there + "/book.cfg", "w") as out:
    out.write(head % '["delta", "gamma", "vega"]'  + "book = { trades = (\n")
    rows = [f'{{ id = "{id}{end}"; {terms} {both} }}' for id, own, script, both in pairs for end, terms in (("", own), (":script", script))]
    out.write(",\n".join(rows) + ' );\n};\nrisk = { scenarios = ( { name = "crash"; shocks = ( { asset = "*"; spot = -0.2; volatility = 0.1; } ); } ); };\n')
with open(there + "/list.csv", "w") as out:
    out.write("id,type,script,asset,assets,expiry,option,strike,observations.every,observations.from,call,coupon,coupon_at,floor,notional,memory,initial,averaging\n")
    out.write("call,,option.pay,A,,2027-11-19,call,101,,,,,,,,,,\n")
    out.write("note,,note.pay,,A;B,2027-11-19,,,3M,2026-11-20,1.02,0.03;0.03;0.03;0.03,0.9,0.8,1000,false,100;40,\n")
    out.write("plain,european,,A,,2027-11-19,call,101,,,,,,,,,,\n")
    out.write("other,,note.pay,,A;B,2027-11-19,,,3M,2026-11-20,1.02,0.03,0.9,0.8,1000,,,\n")
with open(there + "/list.cfg", "w") as out:
    out.write(head % "[]" + 'book = { trades_file = "list.csv"; };\n')
END

# price NAME OPTION...: a book on the CPU; its rows are in $there/NAME.csv.
price() {
    "$pricer" --engine=cpu --check=none --output="$there/$1.csv" "${@:2}" >"$there/$1" 2>"$there/err" || fail "$*"
}
# value NAME TRADE COLUMN
value() { cell "$there/$1.csv" "$2" "$3"; }
# near A B TOLERANCE WHAT: two numbers, of which neither is missing or 0.
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b; exit !(a != "" && b != "" && s > 0 && d <= t * s) }' ||
        fail "$4: $1, not $2"
}

price book "$there/book.cfg"
n=0
for id in $(awk -F, 'NR > 1 && $1 !~ /:script$/ { print $1 }' "$there/book.csv"); do
    near "$(value book "$id:script" price)" "$(value book "$id" price)" 1e-9 "price of $id"
    [[ $(value book "$id:script" status) == "$(value book "$id" status)" ]] || fail "status of $id"
    [[ $(value book "$id" status) == expired ]] ||
        near "$(value book "$id:script" pnl:crash)" "$(value book "$id" pnl:crash)" 1e-9 "scenario of $id"
    n=$((n + 1))
done
[[ $n == 16 ]] || fail "$n pairs of trades"
[[ $(value book note-called:script message) == "expired: it stopped on 2026-02-20: owes 1030 on 2027-02-05" ]] ||
    fail "$(value book note-called:script message)"
"$pricer" --explain=late-lived:script "$there/book.cfg" 2>/dev/null | grep -q '^  2026-11-25  pays 30 (line 5)$' || fail "what is owed"
for greek in delta:A gamma:A vega:A; do
    for id in call asian asian-lived note-lived; do
        near "$(value book $id:script $greek)" "$(value book $id $greek)" 1e-7 "$greek of $id"
    done
done

# ---- a file of rows, --set, what a database keeps

price rows "$there/list.cfg"
near "$(value rows call price)" "$(value rows plain price)" 1e-9 "a row"
near "$(value rows note price)" "$(value rows other price)" 1e-9 "a row with a rule for its dates"
price set --set 'book.trades[call].strike=120' --set 'book.trades[call:script].strike=120' "$there/book.cfg"
near "$(value set call:script price)" "$(value set call price)" 1e-9 "--set"
! [[ $(value set call price) == "$(value book call price)" ]] || fail "--set does nothing"
price lagged --set 'market.assets[A].settlement_days=9' "$there/book.cfg"
[[ $(value lagged late:script price) == $(value book late:script price) ]] || fail "days of settlement behind a date of payment"
! [[ $(value lagged note:script price) == $(value book note:script price) ]] || fail "no days of settlement"
sed 's/list.csv/late-list.csv/' "$there/list.cfg" >"$there/late-rows.cfg"
cat >"$there/late-list.csv" <<'END'
id,script,assets,observations,payment,expiry,call,coupon,coupon_at,floor,notional
late,late.pay,A;B,2027-02-19;2027-05-20,2027-02-26;2027-05-27,2027-05-27,1.02,0.03,0.9,0.8,1000
once,late.pay,A;B,2027-02-19;2027-05-20,2027-05-27,2027-05-27,1.02,0.03,0.9,0.8,1000
END
sed '/^book/,$d' "$there/list.cfg" >"$there/late.cfg"
late='script = "late.pay"; assets = ["A", "B"]; observations = ["2027-02-19", "2027-05-20"]; expiry = "2027-05-27"; call = 1.02; coupon = 0.03; coupon_at = 0.9; floor = 0.8; notional = 1000;'
cat >>"$there/late.cfg" <<END
book = { trades = ( { id = "late"; $late payment = ["2027-02-26", "2027-05-27"]; },
  { id = "once"; $late payment = "2027-05-27"; } ); };
END
price late "$there/late.cfg"
price late-rows "$there/late-rows.cfg"
for id in late once; do near "$(value late-rows $id price)" "$(value late $id price)" 1e-9 "a row with dates of payment"; done
awk -v a="$(value late late price)" -v b="$(value late once price)" 'BEGIN { exit !(a > b) }' || fail "paid later it is worth more"
if command -v sqlite3 >/dev/null; then
    price kept --output="$there/kept.db" "$there/book.cfg"
    terms=$(sqlite3 "$there/kept.db" "SELECT product || terms FROM trades WHERE id = 'note-memory:script'")
    [[ $terms == 'note{"script": "'*'"observations": 4, "call": 1.05, "coupon": [0.03, 0.03, 0.03, 0.03]'*'"memory": 1'*'"ahead": 4}' ]] ||
        fail "terms: $terms"
    sqlite3 "$there/kept.db" 'DROP TABLE scripts' # as a file from before there were scripts
    price kept --output="$there/kept.db" "$there/book.cfg"
    text=$(sqlite3 "$there/kept.db" "SELECT text FROM trades JOIN scripts USING (run) WHERE id = 'note-memory:script' AND digest = json_extract(terms, '$.script')")
    [[ $text == "$(cat "$there/note.pay")" ]] || fail "the text of a script in the database: $text"
fi

# ---- a date on which the market is closed, and trades of a book without a date

sed '/^book/,$d; s/^valuation_date.*closes.csv"; //' "$there/list.cfg" >"$there/undated.cfg"
cat >>"$there/undated.cfg" <<END
book = { trades = ( { id = "now"; script = "option.pay"; asset = "A"; expiry = 0; strike = 90.0; option = "call"; },
  { id = "past"; script = "option.pay"; asset = "A"; expiry = -1.0; strike = 90.0; option = "call"; },
  { id = "later"; script = "option.pay"; asset = "A"; expiry = 1.0; strike = 90.0; option = "call"; } ); };
END
price undated "$there/undated.cfg"
[[ $(value undated now price),$(value undated past price),$(value undated past status) == 10,0,expired ]] ||
    fail "undated: $(value undated now price), $(value undated past price)"
sed '/^book/,$d' "$there/list.cfg" >"$there/closed.cfg"
echo 'book = { trades = ( { id = "C"; type = "tarf"; asset = "A"; expiry = "2027-11-19"; strike = 99; target = 5;
  fixings = ["2027-02-20", "2027-11-19"]; } ); };' >>"$there/closed.cfg"
"$pricer" --engine=cpu --check=none --set 'market.assets[A].calendar=TARGET' "$there/closed.cfg" >/dev/null 2>"$there/err"
grep -q "trade 'C': note: fixings 2027-02-20 is a Saturday: perhaps 2027-02-19 before, or 2027-02-22 after" "$there/err" || fail "no note"

# ---- ranks where assets are level: each takes one place

cat >"$there/level.cfg" <<'END'
settings = { paths = 16384; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; }, { name = "B"; currency = "EUR"; spot = 100.0; volatility = 0.2; } );
  correlations = ( { assets = ["A", "B"]; value = 1.0; } ); };
book = { trades = ( { id = "basket"; type = "basket"; assets = ["A", "B"]; kind = "best_of"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "today"; type = "himalaya"; assets = ["A", "B"]; fixings = [0.0, 1.0]; notional = 200.0; expiry = 1.0; },
  { id = "rainbow"; type = "rainbow"; assets = ["A", "B"]; weight = [0.7, 0.3]; notional = 100.0; expiry = 1.0; },
  { id = "atlas"; type = "atlas"; assets = ["A", "B"]; highest_out = 0; notional = 100.0; expiry = 1.0; } ); };
END
"$pricer" -q --engine=cpu --check=none -o "$there/level.csv" "$there/level.cfg" || fail "level assets"
python3 - "$there/level.csv" <<'END' || fail "level assets"
import csv, sys
prices = {t["trade_id"]: float(t["price"]) for t in csv.DictReader(open(sys.argv[1]))}
assert all(abs(p - prices["basket"]) < 1e-9 * p for p in prices.values()), prices
END

# ---- an extreme that is read on many dates is looked at once, and windows of any number are carried

sed '/^book/,$d' "$there/level.cfg" >"$there/extremes.cfg"
cat >>"$there/extremes.cfg" <<'END'
book = { trades = (
  { id = "once"; asset = "A"; expiry = 1.0; seen = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]; script = """product p(asset s; dates seen; date expiry)
  number total = 0
  each t in seen
    total = total + s(t)
  at expiry
    pay max(highest(s, expiry) - lowest(s, expiry), 1 + 0 * total)"""; },
  { id = "often"; asset = "A"; expiry = 1.0; seen = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]; script = """product p(asset s; dates seen; date expiry)
  number range = 0
  each t in seen
    range = highest(s, t) - lowest(s, t)
  at expiry
    pay max(range, highest(s, expiry) - lowest(s, expiry), 1)"""; } ); };
END
price extremes "$there/extremes.cfg"
[[ -n $(value extremes once price) && $(value extremes once price) == "$(value extremes often price)" ]] ||
    fail "extremes on many dates: $(value extremes once price), $(value extremes often price)"
looks=$("$pricer" --engine=cpu --plan "$there/extremes.cfg" | sed -nE 's/.*bridge_high ([0-9]+).*/\1/p')
[[ $looks -gt 400 && $looks -lt 900 ]] || fail "extremes on many dates: $looks looks at the highest" # 400 of each trade

# ---- decisions know what is watched from before them on, and spots that are read later

cat >"$there/watched.cfg" <<'END'
settings = { paths = 131072; };
market = { currencies = ( { name = "USD"; rate = 0.04; } );
  assets = ( { name = "A"; currency = "USD"; spot = 100.0; dividend_yield = 0.01; volatility = 0.25; },
             { name = "B"; currency = "USD"; spot = 100.0; dividend_yield = 0.01; volatility = 0.35; } ); };
book = { trades = (
  { id = "lookback"; asset = "A"; d = 0.5; expiry = 1.0; script = """product p(asset s; date d, expiry)
  at d
    exercise holder pays 18
  at expiry
    pay max(highest(s, expiry) - 100, 0)"""; },
  { id = "bonus"; asset = "B"; d = 0.5; expiry = 1.0; script = """product p(asset s; date d, expiry)
  at d
    exercise issuer pays 6
  at expiry
    pay 10 * survives(s, lower = 85, until = expiry)"""; },
  { id = "begun"; asset = "B"; start = 0.4; d = 0.7; expiry = 1.0; script = """product p(asset s; date start, d, expiry)
  at d
    exercise holder pays 10
  at expiry
    pay max(s(expiry) - s(start), 0)"""; } ); };
END
price watched "$there/watched.cfg" # by the law of the spot and its extreme on d, and closed forms from there: 26.350, 2.467, 15.054
near "$(value watched lookback price)" 26.35 0.004 "a lookback that may be sold"
near "$(value watched bonus price)" 2.467 0.015 "a bonus that may be called"
near "$(value watched begun price)" 15.054 0.01 "a strike of a date before"
sed '/^book/,$d' "$there/watched.cfg" >"$there/crowded.cfg"
cat >>"$there/crowded.cfg" <<'END'
book = { trades = ( { id = "many"; asset = "A"; d = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]; expiry = 1.0; script = """product p(asset s; dates d; date expiry)
  number seen[d] = 0
  each t in d
    seen[t] = s(t)
    exercise holder pays 5
  at expiry
    pay max(max(seen[t] for t in d) - 100, 0)"""; } ); };
END
price crowded "$there/crowded.cfg"
grep -q "trade 'many': note: line 5 of its script decides by 8 numbers, and has more that tell" "$there/err" || fail "crowded: $(<"$there/err")"

# Seven states and a spot are eight numbers, and leave no room for the variance.
cat >"$there/variance.cfg" <<'END'
settings = { paths = 4096; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "H"; currency = "EUR"; spot = 100.0;
  model = "heston"; heston = { v0 = 0.09; kappa = 1.0; theta = 0.06; xi = 0.3; rho = -0.2; }; } ); };
book = { trades = ( { id = "seven"; asset = "H"; d = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]; t = 0.8; expiry = 1.0; script = """product p(asset s; dates d; date t, expiry)
  number seen[d] = 0
  each u in d
    seen[u] = s(u)
  at t
    exercise holder pays 5
  at expiry
    pay max(max(seen[u] for u in d) - s(expiry), 0)"""; } ); };
END
price variance "$there/variance.cfg"
grep -q "trade 'seven': note: line 6 of its script decides by 8 numbers, and has more that tell" "$there/err" || fail "no room for a variance: $(<"$there/err")"
sed -i 's/, 0\.7\]/]/' "$there/variance.cfg"
price variance "$there/variance.cfg"
! grep -q note "$there/err" || fail "room for a variance: $(<"$there/err")"

# ---- mistakes that need files: those of a script once, then a line for each trade that has it

# refused COMPLAINT...: what is said of the book refused.cfg, line by line.
refused() {
    "$pricer" --engine=cpu --check=none "$there/refused.cfg" >/dev/null 2>"$there/err" && fail "not refused"
    cmp -s <(printf "$there/refused.cfg:%s\n" "$@") "$there/err" || fail "complaints"
}
sed 's/a(t)/a(unknown)/; s/worst >= call/worst >= coll/' "$there/note.pay" >"$there/wrong.pay"
both='assets = ["A", "B"]; expiry = 1.0;'
sed '/^book/,$d' "$there/list.cfg" >"$there/refused.cfg"
cat >>"$there/refused.cfg" <<END
book = { trades = ( { id = "W1"; script = "wrong.pay"; $both },
  { id = "W2"; script = "wrong.pay"; $both },
  { id = "P"; script = "tarf.pay"; asset = "A"; expiry = 1.0; strike = 99; target = 5; fixings = ["2026-02-21", "2025-11-20"]; },
  { id = "Q"; script = "tarf.pay"; asset = "A"; expiry = 1.0; strike = 99; target = 5; fixings = ["2025-11-20", "2026-02-21"]; } ); };
END
line=$(grep -n '^book' "$there/refused.cfg" | cut -d: -f1)
refused "$line: trade 'W1': script wrong.pay:5:19: nothing is called 'unknown'" \
    "$line: trade 'W1': script wrong.pay:8:17: nothing is called 'coll'; did you mean 'call'?" \
    "$((line + 1)): trade 'W2': script wrong.pay has the errors told before: this trade has it too" \
    "$((line + 2)): trade 'P': fixings must increase, got \"2025-11-20\" after \"2026-02-21\"" \
    "$((line + 3)): trade 'Q': $there/closes.csv has no fixing of 'A' on 2025-11-20, a date of fixings: add it"
sed '/^book/,$d' "$there/list.cfg" >"$there/refused.cfg"
cat >>"$there/refused.cfg" <<END
book = { trades = ( { id = "R"; type = "touch_before"; asset = "A"; expiry = "2027-05-10"; lower = 50; upper = 150; wanted = "up"; cash = 1; watched = ["2026-10-30", "2027-05-10"]; },
  { id = "I"; type = "everest"; assets = ["A", "B"]; expiry = 1.0; floor = 0.9; initial = [100.0, -40.0]; notional = 1; } ); };
END
refused "$line: trade 'R': script touch_before.pay: line 8: what the path did between dates before today is not known; leave out the dates that have passed" \
    "$((line + 1)): trade 'I': initial must be > 0, got -40"

sed '/^book/,$d' "$there/list.cfg" >"$there/refused.cfg"
cat >>"$there/refused.cfg" <<END
book = { trades = ( { id = "S"; $late payment = ["2027-02-26"]; },
  { id = "T"; $late payment = ["2027-02-26", "2027-05-19"]; },
  { id = "U"; $late payment = ["2027-02-26", "2027-05-28"]; } ); };
END
refused "$line: trade 'S': payment must be one for all or as many as observations: got 1 for 2 dates" \
    "$((line + 1)): trade 'T': script late.pay: line 5: it pays at a date before the one it stands on: date 2 of payment" \
    "$((line + 2)): trade 'U': payment must not go beyond expiry \"2027-05-27\", got \"2027-05-28\""

# ---- a life too long for its looks: the key that makes them fewer, which does

sed '/^book/,$d' "$there/list.cfg" >"$there/long.cfg"
cat >>"$there/long.cfg" <<END
book = { trades = ( { id = "L"; type = "touch_before"; asset = "A"; expiry = 30.0; lower = 50; upper = 150; wanted = "up"; cash = 1; watched = [$(seq -s ", " 29)]; } ); };
END
"$pricer" --engine=cpu --check=none "$there/long.cfg" >"$there/out" 2>"$there/err" && fail "a life of 30 years"
grep -q "trade 'L' failed: .* survives, need fewer, and so does a longer max_step$" "$there/out" || fail "a life of 30 years: $(<"$there/out")"
price long --set settings.max_step=0.1 "$there/long.cfg"

end_test "$n products are the scripts that state them"
