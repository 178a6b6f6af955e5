#!/usr/bin/env bash
# Fixings: trades whose dates lie in the past and a file of closes give the bits of the same trades
# with a past that is stated, computed here; called notes expire; what is missing is said.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

python3 - "$there" <<'END'
import datetime, math, random, sys
there = sys.argv[1]
random.seed(5)
day, today = datetime.date(2026, 1, 1), datetime.date(2026, 11, 20)
closes, spots = {}, [100.0, 40.0]
while day < datetime.date(2026, 12, 10): # later than today: not looked at
    closes[day] = tuple(round(s, 4) for s in spots)
    spots = [s * math.exp(0.01 * random.gauss(0, 1)) for s in spots]
    day += datetime.timedelta(1)
with open(there + "/closes.csv", "w") as out:
    out.write("date,OTHER,A,B\n")
    for d, (a, b) in closes.items(): out.write(f"{d},,{a},{b}\n")

def add_months(d, n):
    m = d.month - 1 + n
    return datetime.date(d.year + m // 12, m % 12 + 1, d.day)
def ends(start, last, months):
    out, n = [], months
    while add_months(start, n) <= last: out.append(add_months(start, n)); n += months
    return out
start, expiry = datetime.date(2026, 2, 20), datetime.date(2027, 2, 20)
monthly, quarterly = ends(start, expiry, 1), ends(start, expiry, 3)
a = lambda d: closes[d][0]
past = [d for d in monthly if d < today]
assert len(past) == 8 and today in monthly # today's own fixing is today's spot
level = [a(d) for d in past]
text = lambda ds: "[" + ", ".join(f'"{d}"' for d in ds) + "]"
rule = f'{{ from = "{start}"; every = "1M"; roll = "none"; calendar = "weekends"; }}'
number = lambda x: "%.17g" % x
option = f'expiry = "{expiry}"; option = "call";'

trades = []  # id, terms of both, of the one with fixings, of the one with its past stated
def trade(id, both, live, stated=""): trades.append((id, both, live, stated))
trade("asian", f'type = "asian"; asset = "A"; {option} averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0; fixing_times = {rule};', "",
      f"past = {{ count = 8; average = {number(sum(level) / 8)}; }};")
geometric = math.exp(sum(math.log(x) for x in level) / 8)
trade("listed", f'type = "asian"; asset = "A"; {option} averaging = "geometric"; strike_type = "floating";', f"fixing_times = {text(monthly)};",
      f"fixing_times = {text([d for d in monthly if d >= today])}; past = {{ count = 8; average = {number(geometric)}; }};")
for name, terms, extreme in (("high", 'option = "call"; strike_type = "fixed"; strike = 101.0;', max(level)), ("low", 'option = "call"; strike_type = "floating";', min(level)),
                             ("put-low", 'option = "put"; strike_type = "fixed"; strike = 101.0;', min(level)), ("put-high", 'option = "put"; strike_type = "floating";', max(level))):
    trade(name, f'type = "lookback"; asset = "A"; expiry = "{expiry}"; {terms} monitoring = {rule};', "", f"extreme = {number(extreme)};")
for name, barrier, direction in (("hit", min(level) + 0.01, "down"), ("not-hit", min(level) - 0.01, "down"), ("hit-up", max(level), "up"), ("not-hit-up", max(level) * 1.01, "up")):
    trade(name, f'type = "barrier"; asset = "A"; {option} strike = 100.0; barrier = {number(barrier)}; direction = "{direction}"; knock = "in"; monitoring = {rule};', "",
          f'hit = {"false" if name.startswith("not") else "true"};')
trade("double", f'type = "double_barrier"; asset = "A"; {option} strike = 100.0; lower = 20.0; upper = {number(max(level) - 0.01)}; knock = "in"; monitoring = {rule};', "", "hit = true;")
trade("touch", f'type = "touch"; asset = "A"; touch = "one"; barrier = {number(min(level) + 0.01)}; direction = "down"; pay_at = "expiry"; cash = 10.0; expiry = "{expiry}"; monitoring = {rule};',
      "", "hit = true;")
trade("forward", f'type = "forward_start"; asset = "A"; {option} start = "{past[2]}"; strike_ratio = 1.02;', "", f"past = {{ level = {number(level[2])}; }};")
resets = [start] + [d for d in quarterly if d < expiry]
gone = [a(d) for d in resets if d < today]
returns = 0.0
for x, y in zip(gone, gone[1:]): returns += min(max(y / x - 1.0, -0.02), 0.03)
assert len(gone) == 3
trade("cliquet", f'type = "cliquet"; asset = "A"; expiry = "{expiry}"; local_floor = -0.02; local_cap = 0.03; global_floor = 0.0; notional = 1000.0;'
      f' reset_times = {rule.replace("1M", "3M")};', "", f"past = {{ level = {number(gone[-1])}; returns = {number(returns)}; }};")
years = (today - start).days / 365.0
walk = [a(start)] + level
total = 0.0
for x, y in zip(walk, walk[1:]): total += math.log(y / x) ** 2
trade("variance", f'type = "variance_swap"; asset = "A"; strike_volatility = 0.15; expiry = "{expiry}"; notional = 10000.0; fixing_times = {rule};', "",
      f"past = {{ years = {number(years)}; variance = {number(total / years)}; level = {number(level[-1])}; }};")
young = datetime.date(2026, 11, 10)
trade("variance-young", f'type = "variance_swap"; asset = "A"; strike_volatility = 0.15; expiry = "{add_months(young, 12)}"; notional = 10000.0;'
      f' fixing_times = {{ from = "{young}"; every = "1M"; roll = "none"; calendar = "weekends"; }};', "",
      f"past = {{ years = {number(10 / 365.0)}; variance = 0.0; level = {number(a(young))}; }};")
initial = [a(start), closes[start][1]]
seen = [d for d in quarterly if d < today]
worst = [min(a(d) / initial[0], closes[d][1] / initial[1]) for d in seen]
def note(call, coupon): # missed coupons, or the day that called it
    missed = 0
    for d, w in zip(seen, worst):
        if w >= call: return d, missed
        missed = missed + 1 if w < coupon else 0
    return None, missed
terms = lambda call, coupon: (f'type = "autocallable"; assets = ["A", "B"]; initial = [{number(initial[0])}, {number(initial[1])}]; expiry = "{expiry}"; call_level = {number(call)};'
    f' coupon = 0.05; coupon_level = {number(coupon)}; memory = true; protection_level = 0.6; notional = 100.0; observation_times = {rule.replace("1M", "3M")};')
call, coupon = max(worst) + 0.01, sorted(worst)[1] + 1e-9
missed = note(call, coupon)[1]
trade("note", terms(call, coupon), "", f"past = {{ observations = {len(seen)}; missed = {missed}; }};")
trade("coupons", terms(call, max(worst) + 0.005), "", f"past = {{ observations = {len(seen)}; missed = {len(seen)}; }};")
called, _ = note(min(worst), 0.1)
market = f'''valuation_date = "{today}";
settings = {{ paths = 16384; check = "none"; }};
market = {{ correlation_default = 0; currencies = ( {{ name = "EUR"; rate = 0.03; }} );
assets = ( {{ name = "A"; currency = "EUR"; spot = {closes[today][0] * 1.01}; volatility = 0.2; }}, {{ name = "B"; currency = "EUR"; spot = {closes[today][1]}; volatility = 0.25; }} ); }};
'''
def book(name, more, rows):
    with open(f"{there}/{name}.cfg", "w") as out:
        out.write(market + more + "book = { trades = (\n" + ",\n".join(f'  {{ id = "{id}"; {terms} }}' for id, terms in rows) + " ); };\n")
book("stated", "", [(id, f"{both} {stated}") for id, both, live, stated in trades])
book("live", 'fixings = "closes.csv";\n', [(id, f"{both} {live}") for id, both, live, stated in trades])
book("bare", "", [(id, f"{both} {live}") for id, both, live, stated in trades])
# What is stated wins over what the fixings say.
book("both", 'fixings = "closes.csv";\n', [("asian", trades[0][1] + " past = { count = 8; average = 90.0; };")])
book("other", "", [("asian", trades[0][1] + " past = { count = 8; average = 90.0; };")])
# What is stated and the closes make as well has no note; each of the others has one.
by_rule = {id: (both, stated) for id, both, live, stated in trades if not live}
book("agree", 'fixings = "closes.csv";\n', [(id, both + stated) for id, (both, stated) in by_rule.items()])
def wrong(id, stated): return id, by_rule[id][0] + stated
book("wrong", 'fixings = "closes.csv";\n', [
    wrong("hit", "hit = false;"), wrong("not-hit", "hit = true;"),
    wrong("cliquet", f"past = {{ level = {number(gone[-1])}; returns = {number(returns + 0.02)}; }};"),
    wrong("variance", f"past = {{ years = {number(2 * years)}; variance = {number(total / years)}; level = {number(level[-1])}; }};"),
    wrong("variance-young", f"past = {{ years = {number(10 / 365.0)}; variance = 0.01; level = {number(a(young))}; }};"),
    wrong("note", f"past = {{ observations = {len(seen)}; missed = {missed - 1}; }};"),
    ("over", terms(min(worst), 0.1) + f"past = {{ observations = {len(seen)}; }};")])
fine = ("fine", f'type = "european"; asset = "A"; {option} strike = 100.0;')
book("called", 'fixings = "closes.csv";\n', [fine, ("over", terms(min(worst), 0.1))])
book("faults", 'fixings = "short.csv";\n', [fine, ("asian", trades[0][1]), ("swap", trades[0][1].replace("asian", "variance_swap") if False else
    f'type = "variance_swap"; asset = "A"; strike_volatility = 0.15; expiry = "{expiry}"; notional = 10000.0; fixing_times = {text(monthly)};')])
with open(there + "/short.csv", "w") as out:
    out.write("date,A\n")
    for d, (x, _) in closes.items():
        if d != past[3]: out.write(f"{d},{x}\n")
touched = next(d for d in past if a(d) <= min(level) + 0.01)
open(there + "/facts", "w").write(f"{called} {past[3]} {touched} {a(touched):.10g}\n")
END
read -r called missing touched by <"$there/facts"

for name in stated live both other; do
    "$pricer" --engine=cpu -q -o "$there/$name.csv" "$there/$name.cfg" || fail "$name: $?"
    sed -i "s|$there/$name.cfg:[0-9]*:||g" "$there/$name.csv" # where notes are from
done

# A barrier that has been touched says when and by what, or that it was before today.
for name in hit touch; do
    [[ $name == hit ]] && became="knocked in" || became=touched
    grep -q "^$name,.*,unchecked,$became on $touched by a close of $by," "$there/live.csv" || fail "what a close touched: $(grep "^$name," "$there/live.csv")"
    grep -q "^$name,.*,unchecked,$became before the valuation date," "$there/stated.csv" || fail "what is stated: $(grep "^$name," "$there/stated.csv")"
done
[[ $(grep -cE 'knocked|touched' "$there/live.csv") == 4 ]] || fail "touched: $(grep -E 'knocked|touched' "$there/live.csv")"
"$pricer" --engine=cpu --check=none --set 'book.trades[hit].knock="out"' --explain=hit "$there/live.cfg" >"$there/out" 2>"$there/err"
grep -qx "knocked out on $touched by a close of $by" "$there/out" || fail "--explain of a knock-out: $(<"$there/out")"
undated='s/ (on [0-9-]+ by a close of [0-9.]+|before the valuation date),/,/'
sed -Ei "$undated" "$there/live.csv" "$there/stated.csv"
cmp -s "$there/stated.csv" "$there/live.csv" || fail "fixings give other bits than the past that they make: $(diff "$there/stated.csv" "$there/live.csv")"
cmp -s <(cut -d, -f 1-16 "$there/both.csv") <(cut -d, -f 1-16 "$there/other.csv") || fail "fixings go before what is stated"
grep -q ' note: .* that closes of ' "$there/both.csv" || fail "no note that fixings contradict what is stated"
run 0 -q --strict "$there/agree.cfg"
run 0 "$there/wrong.cfg"
sed -n "s|$there/closes.csv|FILE|; s/.* trade '\(.*\)': note: /\1: /; s/[0-9.-]* is not the .* that/is not what/; /FILE/p" "$there/err" >"$there/notes"
diff - "$there/notes" >&2 <<END || fail "a past that is stated and wrong"
hit: hit is false, and a past close of FILE touches
not-hit: hit is true, and no past close of FILE touches
cliquet: returns is not what closes of FILE make
variance: years is not what closes of FILE make
variance-young: variance is not what closes of FILE make
note: missed is not what closes of FILE make
over: observations called nothing, and a close of FILE on $called does
END
[[ $(wc -l <"$there/live.csv") == 19 ]] || fail "$(wc -l <"$there/live.csv") rows"
mkdir "$there/elsewhere"
cp "$there/closes.csv" "$there/elsewhere/past.csv"
(cd "$there/elsewhere" && "$pricer" --engine=cpu -q --fixings=past.csv -o "$there/option.csv" "$there/bare.cfg") || fail "--fixings: $?"
sed -Ei "s|$there/bare.cfg:[0-9]*:||g; $undated" "$there/option.csv"
cmp -s "$there/stated.csv" "$there/option.csv" || fail "--fixings=FILE is not the key fixings"

"$pricer" --engine=cpu -q -o "$there/called.csv" "$there/called.cfg" || fail "a called note: $?"
grep -q "^over,autocallable,.*,expired,expired: it was called on $called,"  "$there/called.csv" || fail "a called note: $(grep '^over' "$there/called.csv")"

# ---- what is missing or wrong

run 1 --engine=cpu -q -o "$there/faults.csv" "$there/faults.cfg"
cat >"$there/wanted" <<END
$there/faults.cfg:8: trade 'asian': $there/short.csv has no fixing of 'A' on $missing, a Saturday: add it, or state the past
$there/faults.cfg:9: trade 'swap': fixings cannot tell when the swap began: write fixing_times as a rule with from, or state the past
END
cmp "$there/err" "$there/wanted" || fail "faults: $(<"$there/err")"
grep -q '^fine,.*,unchecked,' "$there/faults.csv" || fail "another trade suffered"
closes_refused() { # LINE CLOSES...
    printf '%s\n' "${@:2}" >"$there/short.csv"
    refused 2 "$there/short.csv:$1" -q "$there/faults.cfg"
}
closes_refused "1: the first line must be date,ASSET,... of at most 4096 columns, got 'day'" day,A
closes_refused "1: column 'A' is given twice: leave one out" date,A,A
closes_refused "2: the close of 'A' must be a number > 0 or empty, got '-1'" date,A 2026-10-01,-1
closes_refused "2: date must be as 2027-06-18, got '1.10.2026'" date,A 1.10.2026,1
closes_refused "3: dates must increase, got 2026-10-01 after a day that is not before it" date,A 2026-10-01,1 2026-10-01,1
closes_refused "2: the row has 3 fields, the first line 2: each row must have as many" date,A 2026-10-01,1,1
# A file that is given is not asked for again where something else is wrong; a column of no asset may hold anything.
sed 's/"none"; }/"none"; path = 1; }/' "$there/live.cfg" >"$there/unknown.cfg"
refused 2 "$there/unknown.cfg:2: unknown key 'path' in settings; did you mean 'paths'?" -q "$there/unknown.cfg"
sed 's/,,/,n.a.,/' "$there/closes.csv" >"$there/short.csv"
run 1 -q "$there/faults.cfg"
! grep 'short.csv' "$there/err" || fail "a column of no asset is read"
closes_refused "2: the close of 'A' must be a number > 0 or empty, got 'n.a.'" date,A 2026-10-01,n.a.
cat >"$there/order.cfg" <<'END'
valuation_date = "2026-11-20"; fixings = "short.csv";
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = ( { id = "T"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0;
  fixing_times = ["2026-10-15", "2026-10-01", "2027-01-15"]; expiry = "2027-01-15"; } ); };
END
printf '%s\n' date,A 2026-10-01,99 2026-10-15,101 >"$there/short.csv"
refused 2 "$there/order.cfg:4: trade 'T': fixing_times must increase, got 2026-10-01 after 2026-10-15" -q "$there/order.cfg"
refused 2 "--fixings=$there/none.csv: fixings \"$there/none.csv\" cannot be read: No such file or directory" -q --fixings="$there/none.csv" "$there/bare.cfg"
refused 2 "--set fixings=none.csv: fixings \"none.csv\" cannot be read: No such file or directory" -q --set=fixings=none.csv "$there/bare.cfg"
refused 2 "pricer: --fixings must be a file that ends in .csv, got 'x.txt'" -q --fixings=x.txt "$there/bare.cfg"

end_test "fixings: what has passed of every product is derived to the bit"
