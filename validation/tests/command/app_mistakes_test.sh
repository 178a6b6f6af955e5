#!/usr/bin/env bash
# Mistakes that a book may make and that are no errors: they stand in the table, in CSV, JSON and
# database and first in the report, and --strict refuses them. Those that no number can be right for
# are refused in any case: pairs without a correlation, exchange rates that do not say so,
# volatilities of a surface that no market has.
. validation/tests/test.sh

folder=$there always=(--engine=cpu --paths=4096)

# ---- notes, in every output

cat >"$there/notes.cfg" <<'BOOK'
market = { currencies = ( { name = "USD"; rate = 0.03; }, { name = "EUR"; rate = 0.7; } ); assets = (
  { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "EUR"; spot = 100; volatility = 2.2; } ); };
book = { trades = (
  { id = "far"; type = "european"; asset = "A"; option = "call"; strike = 2001; expiry = 1; },
  { id = "out"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 90; direction = "up"; knock = "out"; monitoring = "continuous"; rebate = 5; expiry = 1; },
  { id = "in"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 90; direction = "up"; knock = "in"; monitoring = "continuous"; expiry = 1; },
  { id = "two"; type = "double_barrier"; asset = "A"; option = "call"; strike = 100; lower = 110; upper = 120; knock = "out"; monitoring = "continuous"; expiry = 1; },
  { id = "touch"; type = "touch"; asset = "A"; touch = "no"; barrier = 110; direction = "down"; monitoring = "continuous"; expiry = 1; },
  { id = "dates"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 110; direction = "down"; knock = "out"; monitoring = 12; expiry = 1; },
  { id = "hit"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 90; direction = "up"; knock = "in"; monitoring = "continuous"; hit = true; expiry = 1; },
  { id = "foreign"; type = "european"; asset = "B"; option = "call"; strike = 100; expiry = 1; },
  { id = "good"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 90; direction = "down"; knock = "out"; monitoring = "continuous"; expiry = 1; } ); };
BOOK
run 0 --output=o.csv --output=o.json --output=o.db --report=o.html notes.cfg
run 0 notes.cfg
cat >"$there/wanted" <<'WANTED'
notes.cfg:1: currency 'EUR': note: rate 0.7 is 70 %: 0.7 % is written 0.007
notes.cfg:2: asset 'B': note: volatility 2.2 is 220 %: 2.2 % is written 0.022
notes.cfg:4: trade 'far': note: strike 2001 is 20.01 times the spot, 100
notes.cfg:5: trade 'out': note: barrier 90 is below the spot 100 with direction = "up": it is knocked out already, and priced as that; write hit = true where it was touched, or the other direction
notes.cfg:6: trade 'in': note: barrier 90 is below the spot 100 with direction = "up": it is knocked in already, and priced as the option that it has become; write hit = true where it was touched, or the other direction
notes.cfg:7: trade 'two': note: lower 110 is above the spot 100: it is knocked out already, and priced as that; write hit = true where it was touched
notes.cfg:8: trade 'touch': note: barrier 110 is above the spot 100 with direction = "down": it has been touched, and the trade is priced as that; write hit = true where it was touched, or the other direction
notes.cfg:9: trade 'dates': note: barrier 110 is above the spot 100 with direction = "down": the first date that sees the spot there touches it; write hit = true where it was touched, or the other direction
WANTED
grep ' note: ' "$there/out" | diff "$there/wanted" - >&2 || fail "the table"
diff "$there/wanted" "$there/err" >&2 || fail "standard error"
grep -q '^9 trades: 9 ok, 8 notes; ' "$there/out" || fail "the last line: $(tail -n 1 "$there/out")"
python3 - "$there" <<'CHECK' || fail "the files"
import csv, html, json, sqlite3, sys
there = sys.argv[1]
wanted = open(there + "/wanted").read().splitlines()
own = {"far": wanted[2], "out": wanted[3], "in": wanted[4], "two": wanted[5], "touch": wanted[6], "dates": wanted[7],
       "hit": "", "good": "", "foreign": "; ".join(wanted[:2])}
rows = {row["trade_id"]: row for row in csv.DictReader(open(there + "/o.csv"))}
assert {i: row["note"] for i, row in rows.items()} == own, rows
assert {t["trade_id"]: t["note"] for t in json.load(open(there + "/o.json"))["trades"]} == own
base = sqlite3.connect(there + "/o.db")
assert {i: n or "" for i, n in base.execute("SELECT id, note FROM trades JOIN prices USING (run, trade)")} == own
page = html.unescape(open(there + "/o.html").read())
at = page.index('id="attention"')
places = [page.index(line, at) for line in wanted]
assert places == sorted(places) and places[-1] < page.index("Every trade was priced", at)
assert "8 notes on the book" in page[:at]
assert float(rows["out"]["price"]) == 5 and float(rows["two"]["price"]) == 0 and float(rows["touch"]["price"]) == 0
assert rows["in"]["price"] == rows["hit"]["price"]
CHECK

# ---- --strict: trades are refused one by one, a market that is doubtful stops the book

run 2 --strict notes.cfg
says "notes.cfg:1: currency 'EUR': rate 0.7 is 70 %: 0.7 % is written 0.007"
sed 's/rate = 0.7/rate = 0.07/; s/volatility = 2.2/volatility = 0.22/' "$there/notes.cfg" >"$there/market.cfg"
run 1 --strict market.cfg
grep -q '^9 trades: 3 ok, 6 refused; ' "$there/out" || fail "strict: $(tail -n 1 "$there/out")"
says "market.cfg:4: trade 'far': strike 2001 is 20.01 times the spot, 100"
run 1 --set settings.strict=true market.cfg

# ---- spots of the past that are far off, stated or of the closes

cat >"$there/past.cfg" <<'BOOK'
valuation_date = "2026-11-20"; fixings = "closes.csv";
market = { correlation_default = 0; currencies = ( { name = "USD"; rate = 0.03; } ); assets = (
  { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "USD"; spot = 50; volatility = 0.2; } ); };
book = { trades = (
  { id = "initial"; type = "autocallable"; assets = ["A", "B"]; initial = [95, 5000]; observation_times = [1]; call_level = 1; coupon = 0.1; protection_level = 0.7; notional = 100; expiry = 1; },
  { id = "extreme"; type = "lookback"; asset = "A"; option = "call"; strike_type = "fixed"; strike = 95; extreme = 9000; monitoring = 4; expiry = 1; },
  { id = "level"; type = "forward_start"; asset = "A"; option = "call"; strike_ratio = 1; past = { level = 1; }; expiry = 1; },
  { id = "closes"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 95; fixing_times = ["2026-11-17", "2026-11-18", "2026-11-19", "2027-11-19"]; expiry = "2027-11-19"; },
  { id = "good"; type = "lookback"; asset = "A"; option = "call"; strike_type = "fixed"; strike = 95; extreme = 900; monitoring = 4; expiry = 1; } ); };
BOOK
printf 'date,A\n2026-11-17,101\n2026-11-18,3000\n2026-11-19,5000\n' >"$there/closes.csv"
run 0 past.cfg
says "past.cfg:5: trade 'initial': note: initial 5000 is 100 times the spot, 50"
says "past.cfg:6: trade 'extreme': note: extreme 9000 is 90 times the spot, 100"
says "past.cfg:7: trade 'level': note: past.level 1 is 0.01 times the spot, 100"
says "past.cfg:8: trade 'closes': note: a past close 3000 is 30 times the spot, 100"
grep -q '^5 trades: .* 4 notes; ' "$there/out" || fail "the past: $(tail -n 1 "$there/out")"

# ---- a history with a decimal point in the wrong place, one that is not over, and an old one

cat >"$there/history.cfg" <<'BOOK'
valuation_date = "2026-11-20";
market = { correlation_default = 0; currencies = ( { name = "USD"; rate = 0.03; } ); assets = (
  { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "USD"; spot = 50; volatility = 0.2; } ); };
book = { trades = ( { id = "call"; type = "european"; asset = "B"; option = "call"; strike = 50; expiry = 1; } ); };
risk = { paths = 256;
  historical = { file = "history.csv"; confidence = [0.6]; }; };
BOOK
printf 'date,A,B\n2026-11-16,99,50\n2026-11-17,101,50\n2026-11-18,1002,51\n2026-11-19,101,52\n2026-11-20,1020,52\n2026-11-21,103,51\n' \
    >"$there/history.csv"
run 0 --check=none history.cfg
diff - "$there/err" >&2 <<'WANTED' || fail "a history that is perhaps wrong"
history.cfg:6: note: the past ends on 2026-11-21, after the valuation date 2026-11-20
history.cfg:6: note: the spot of 'A' moves by +892.1 % up to 2026-11-18
WANTED
run 2 --strict history.cfg
printf 'date,A\n2026-10-19,99\n2026-10-20,101\n2026-10-21,290\n' >"$there/history.csv"
run 0 --check=none --strict history.cfg
[[ ! -s $there/err ]] || fail "a past that ended 30 days ago: $(<"$there/err")"
sed -i 's/2026-10-21/2026-10-20/; s/2026-10-20,101/2026-10-18,101/; s/2026-10-19/2026-10-17/' "$there/history.csv"
run 0 --check=none --strict history.cfg
[[ $(<"$there/err") == "history.cfg:6: note: the past ends on 2026-10-20, more than 30 days before the valuation date 2026-11-20" ]] ||
    fail "a past that ended 31 days ago: $(<"$there/err")"

# ---- a past that nothing says, and a swap that is yet to begin

cat >"$there/begun.cfg" <<'BOOK'
valuation_date = "2026-11-20";
market = { currencies = ( { name = "USD"; rate = 0.03; } ); assets = ( { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "hit"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 120; direction = "up"; knock = "out"; monitoring = { from = "2026-09-20"; every = "1M"; }; hit = false; expiry = "2027-05-20"; },
  { id = "unhit"; type = "touch"; asset = "A"; touch = "one"; pay_at = "hit"; barrier = 120; direction = "up"; monitoring = { from = "2026-09-20"; every = "1M"; }; expiry = "2027-05-20"; },
  { id = "ahead"; type = "variance_swap"; asset = "A"; strike_volatility = 0.2; fixing_times = { from = "2026-12-20"; every = "1M"; }; notional = 100; expiry = "2027-05-20"; },
  { id = "begun"; type = "variance_swap"; asset = "A"; strike_volatility = 0.2; fixing_times = { from = "2026-11-19"; every = "1M"; }; notional = 100; expiry = "2027-05-19"; },
  { id = "today"; type = "variance_swap"; asset = "A"; strike_volatility = 0.2; fixing_times = { from = "2026-11-20"; every = "1M"; }; notional = 100; expiry = "2027-05-20"; } ); };
BOOK
run 1 begun.cfg
diff - "$there/err" >&2 <<'WANTED' || fail "what has begun"
begun.cfg:7: trade 'begun': fixing_times begins before the valuation date 2026-11-20: past = { ... } must say what was seen, or fixings = "FILE.csv"; at the book's outermost level
begun.cfg:5: trade 'unhit': note: monitoring has dates before the valuation date 2026-11-20, which are taken to have touched nothing: write hit = false where that is so, or fixings
begun.cfg:6: trade 'ahead': note: from = "2026-12-20" is still to come, and a variance_swap counts from today's spot: a corridor_variance_swap has a start
WANTED
printf 'date,A\n2026-09-20,99\n2026-10-20,99\n2026-11-19,99\n' >"$there/closes.csv"
run 0 --fixings="$there/closes.csv" --set 'book.trades[unhit].monitoring.from="2026-10-20"' begun.cfg
grep -q '^5 trades: 5 ok, 1 note; ' "$there/out" || fail "begun: $(tail -n 1 "$there/out")"

# ---- a past that the closes contradict, and one that cannot be

printf 'date,A\n2026-10-20,110\n2026-11-19,120\n' >"$there/closes.csv"
cat >"$there/stated.cfg" <<'BOOK'
valuation_date = "2026-11-20"; fixings = "closes.csv";
market = { currencies = ( { name = "USD"; rate = 0.03; } ); assets = ( { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "extreme"; type = "lookback"; asset = "A"; option = "call"; strike_type = "fixed"; strike = 100; monitoring = ["2026-10-20", "2026-11-19", "2027-11-19"]; extreme = 105; expiry = "2027-11-19"; },
  { id = "hit"; type = "barrier"; asset = "A"; option = "call"; strike = 100; barrier = 115; direction = "up"; knock = "out"; monitoring = ["2026-10-20", "2026-11-19", "2027-11-19"]; hit = false; expiry = "2027-11-19"; },
  { id = "average"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixing_times = ["2026-10-20", "2026-11-19", "2027-11-19"]; past = { count = 2; average = 77; }; expiry = "2027-11-19"; },
  { id = "level"; type = "forward_start"; asset = "A"; option = "call"; start = "2026-10-20"; strike_ratio = 1; past = { level = 50; }; expiry = "2027-11-19"; },
  { id = "further"; type = "lookback"; asset = "A"; option = "call"; strike_type = "fixed"; strike = 100; monitoring = ["2026-10-20", "2026-11-19", "2027-11-19"]; extreme = 125; expiry = "2027-11-19"; },
  { id = "same"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100; fixing_times = ["2026-10-20", "2026-11-19", "2027-11-19"]; past = { count = 2; average = 115; }; expiry = "2027-11-19"; },
  { id = "reset"; type = "cliquet"; asset = "A"; reset_times = ["2026-11-19", "2027-05-19"]; past = { level = 120; returns = 0.1; }; notional = 1; expiry = "2027-11-19"; },
  { id = "put"; type = "lookback"; asset = "A"; option = "put"; strike_type = "fixed"; strike = 100; monitoring = "continuous"; extreme = 130; expiry = 1.0; },
  { id = "returns"; type = "cliquet"; asset = "A"; reset_times = [0.5]; past = { level = 95; returns = 5; }; notional = 1; expiry = 1.0; },
  { id = "variance"; type = "variance_swap"; asset = "A"; strike_volatility = 0.2; fixings = 12; notional = 1; past = { years = 0.5; variance = 20; }; expiry = 1.0; },
  { id = "nothing"; type = "barrier"; asset = "A"; option = "call"; strike = 130; barrier = 120; direction = "up"; knock = "out"; monitoring = "continuous"; expiry = 1.0; },
  { id = "neither"; type = "double_barrier"; asset = "A"; option = "put"; strike = 80; lower = 80; upper = 120; knock = "out"; monitoring = 4; expiry = 1.0; },
  { id = "something"; type = "barrier"; asset = "A"; option = "call"; strike = 90; barrier = 120; direction = "up"; knock = "out"; monitoring = "continuous"; expiry = 1.0; } ); };
BOOK
run 0 --check=none stated.cfg
diff - "$there/err" >&2 <<'WANTED' || fail "pasts that are stated"
stated.cfg:4: trade 'extreme': note: extreme 105 is not the 120 that closes of closes.csv make
stated.cfg:5: trade 'hit': note: hit is false, and a past close of closes.csv touches
stated.cfg:6: trade 'average': note: average 77 is not the 115 that closes of closes.csv make
stated.cfg:7: trade 'level': note: level 50 is not the 110 that closes of closes.csv make
stated.cfg:11: trade 'put': note: extreme 130 is above the spot, 100, and the trade takes the lowest so far
stated.cfg:12: trade 'returns': note: returns 5 is 500 %: 5 % is written 0.05
stated.cfg:13: trade 'variance': note: past.variance 20 is a variance, whose volatility is 447.2 %: one of 20 % is written 0.04
stated.cfg:14: trade 'nothing': note: strike 130 is beyond barrier 120: wherever the option would pay it is knocked out
stated.cfg:15: trade 'neither': note: strike 80 is beyond lower 80: wherever the option would pay it is knocked out
WANTED

# The same by rules for dates, whose closes are all known but where one is missing
printf 'date,A,B\n2026-08-19,100,50\n2026-09-19,90,50\n2026-10-19,110,\n2026-11-19,120,\n' >"$there/closes.csv"
watched='monitoring = { from = "2026-08-19"; every = "1M"; };'
observed='observation_times = { from = "2026-08-19"; every = "1M"; }; call_level = 1; coupon = 0.02; coupon_level = 0.9; memory = true; protection_level = 0.6; notional = 100;'
resets='reset_times = { from = "2026-08-19"; every = "1M"; }; local_floor = -0.05; local_cap = 0.05; notional = 100;'
fixed='strike_volatility = 0.2; fixing_times = { from = "2026-08-19"; every = "1M"; }; notional = 100;'
touched="option = \"put\"; strike = 100; direction = \"down\"; knock = \"out\"; hit = true; $watched"
cat >"$there/ruled.cfg" <<BOOK
valuation_date = "2026-11-20"; fixings = "closes.csv";
market = { correlation_default = 0; currencies = ( { name = "USD"; rate = 0.03; } ); assets = (
  { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "USD"; spot = 50; volatility = 0.2; } ); };
book = { trades = (
  { id = "called"; type = "autocallable"; assets = ["A"]; initial = [105]; $observed past = { observations = 3; }; expiry = "2027-05-19"; },
  { id = "missed"; type = "autocallable"; assets = ["A"]; initial = [140]; $observed past = { observations = 3; missed = 1; }; expiry = "2027-05-19"; },
  { id = "returns"; type = "cliquet"; asset = "A"; $resets past = { level = 120; }; expiry = "2027-05-19"; },
  { id = "variance"; type = "variance_swap"; asset = "A"; $fixed past = { years = 0.5; variance = 0.04; level = 120; }; expiry = "2027-05-19"; },
  { id = "out"; type = "barrier"; asset = "A"; $touched barrier = 80; expiry = "2027-05-19"; },
  { id = "touched"; type = "barrier"; asset = "A"; $touched barrier = 90; expiry = "2027-05-19"; },
  { id = "today"; type = "barrier"; asset = "A"; $touched barrier = 100; expiry = "2027-05-19"; },
  { id = "unknown"; type = "barrier"; asset = "B"; $touched barrier = 40; expiry = "2027-05-19"; },
  { id = "closes"; type = "autocallable"; assets = ["B"]; initial = [60]; $observed past = { observations = 3; }; expiry = "2027-05-19"; },
  { id = "ahead"; type = "autocallable"; assets = ["A"]; initial = [140]; observation_times = ["2027-05-19"]; ${observed#*; \};} past = { observations = 9; missed = 2; }; expiry = "2027-05-19"; },
  { id = "right"; type = "autocallable"; assets = ["A"]; initial = [140]; $observed past = { observations = 3; missed = 3; }; expiry = "2027-05-19"; } ); };
BOOK
run 0 --check=none ruled.cfg
diff - "$there/err" >&2 <<'WANTED' || fail "pasts that are stated, by rules"
ruled.cfg:5: trade 'called': note: observations called nothing, and a close of closes.csv on 2026-10-19 does
ruled.cfg:6: trade 'missed': note: missed 1 is not the 3 that closes of closes.csv make
ruled.cfg:7: trade 'returns': note: returns 0 is not the 0.05 that closes of closes.csv make
ruled.cfg:8: trade 'variance': note: years 0.5 is not the 0.2547945205 that closes of closes.csv make
ruled.cfg:8: trade 'variance': note: variance 0.04 is not the 0.2313257988 that closes of closes.csv make
ruled.cfg:9: trade 'out': note: hit is true, and no past close of closes.csv touches
WANTED
run 1 --check=none --strict ruled.cfg

# ---- levels and closes of scripts

printf 'date,A\n2026-10-20,9800\n' >"$there/closes.csv"
cat >"$there/scripts.cfg" <<'BOOK'
valuation_date = "2026-11-20"; fixings = "closes.csv";
market = { currencies = ( { name = "USD"; rate = 0.03; } ); assets = ( { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; } ); };
book = { trades = (
  { id = "closes"; type = "tarf"; asset = "A"; fixings = ["2026-10-20", "2026-12-21"]; strike = 100; target = 50; expiry = "2026-12-21"; },
  { id = "strike"; type = "tarf"; asset = "A"; fixings = ["2026-12-21"]; strike = 1; target = 50; expiry = "2026-12-21"; },
  { id = "lower"; type = "range_accrual"; asset = "A"; fixings = [0.5, 1.0]; payments = [1.0]; lower = 0.9; coupon = 0.1; notional = 1; expiry = 1; },
  { id = "good"; type = "tarf"; asset = "A"; fixings = ["2026-12-21"]; strike = 95; target = 5000; expiry = "2026-12-21"; } ); };
BOOK
run 0 --check=none scripts.cfg
diff - "$there/err" >&2 <<'WANTED' || fail "levels of scripts"
scripts.cfg:4: trade 'closes': note: a past close 9800 is 98 times the spot, 100
scripts.cfg:5: trade 'strike': note: strike 1 is 0.01 times the spot, 100
scripts.cfg:6: trade 'lower': note: lower 0.9 is 0.009 times the spot, 100
WANTED

# ---- correlations that are missing

cat >"$there/pairs.cfg" <<'BOOK'
market = { currencies = ( { name = "USD"; rate = 0.03; }, { name = "EUR"; rate = 0.02; } ); assets = (
  { name = "A"; currency = "USD"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "USD"; spot = 100; volatility = 0.2; },
  { name = "E"; currency = "EUR"; spot = 100; volatility = 0.2; }, { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; volatility = 0.1; } ); };
book = { trades = (
  { id = "one"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1; },
  { id = "pair"; type = "basket"; assets = ["A", "B"]; kind = "worst_of"; option = "call"; strike = 100; expiry = 1; },
  { id = "paid"; type = "european"; asset = "E"; option = "call"; strike = 100; expiry = 1; quanto = { fx = "EURUSD"; }; },
  { id = "own"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1; quanto = { fx = "EURUSD"; }; } ); };
BOOK
run 1 pairs.cfg
says "pairs.cfg:6: trade 'pair': the correlation of 'A' and 'B' is missing: write { assets = [\"A\", \"B\"]; value = ...; } in market.correlations"
says "pairs.cfg:7: trade 'paid': the correlation of 'E' and 'EURUSD' is missing"
says "pairs.cfg:8: trade 'own': note: fx 'EURUSD' pays in USD, the currency of 'A', and so converts nothing: what is paid in EUR takes a rate that is the price of USD in EUR"
grep -q '^4 trades: 2 ok, 2 refused, 1 note; ' "$there/out" || fail "pairs: $(tail -n 1 "$there/out")"
run 0 --set market.correlation_default=0 pairs.cfg
zero=$(grep '^pair' "$there/out")
run 0 --set market.correlation_default=0.5 pairs.cfg
[[ $(grep '^pair' "$there/out") != "$zero" ]] || fail "the default is not used"

# ---- exchange rates that do not say so

for name in EURUSD EUR/USD USD-EUR; do
    sed "s|\"A\"; currency|\"$name\"; currency|; s/asset = \"A\"/asset = \"B\"/" "$there/market.cfg" >"$there/fx.cfg"
    run 2 fx.cfg
    says "fx.cfg:2: asset '$name': foreign_currency is missing: '$name' is named as the price of one ${name:0:3} in ${name: -3}"
done

# ---- volatilities of a surface

for volatility in 1e-13 1e-30 0.00099 5.01; do
    for quotes in "strikes = [80, 100, 120]; vols = ( [0.2, $volatility, 0.2], [0.2, 0.2, 0.2] )" \
        "atm = [0.2, $volatility]; rr25 = [0, 0]; bf25 = [0, 0]; delta = \"spot\"; premium_adjusted = false; butterfly = \"smile\""; do
        cat >"$there/surface.cfg" <<BOOK
market = { currencies = ( { name = "USD"; rate = 0.03; }, { name = "EUR"; rate = 0.02; } ); assets = ( { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 100;
  model = "local_vol"; volatility = { times = [0.5, 1]; $quotes; }; } ); };
book = { trades = ( { id = "T"; type = "european"; asset = "EURUSD"; option = "call"; strike = 100; expiry = 1; } ); };
BOOK
        run 2 surface.cfg
        says 'must be >= 0.001 and at most 5, got'
    done
done
sed 's/atm = .*bf25 = \[0, 0\]/atm = [0.2, 0.2]; rr25 = [0, 0.399]; bf25 = [0, 0]/' "$there/surface.cfg" >"$there/wing.cfg"
run 2 wing.cfg
says 'the quotes make a volatility that is below 0.001'

# ---- markets that are perhaps mistaken

# noted WANTED ASSETS [TRADES]: a note on these assets, or trades, has this in it; empty: there is none
noted() {
    cat >"$there/noted.cfg" <<BOOK
valuation_date = "2026-11-20"; market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.04; }, { name = "JPY"; rate = 0.01; } );
assets = (
$2 ); };
book = { trades = (
${3-} { id = "cash"; type = "cash"; currency = "EUR"; amount = 1; pay_date = 1.5; } ); };
BOOK
    run 0 --check=none noted.cfg
    if [[ $1 ]]; then says "$1"; else [[ ! -s $there/err ]] || fail "a note: $(cat "$there/err")"; fi
}
share='{ name = "A"; currency = "EUR"; spot = 100; '

moved="model = \"local_vol\"; volatility = { times = [1.0]; strikes = [80, 90, 100, 110, 120];"
noted "asset 'A': note: butterfly arbitrage: the volatility at 1 years and strike 90 is taken as 0.206 in place of 0.2" \
    "$share $moved vols = ( [0.25, 0.20, 0.21, 0.19, 0.20] ); }; }"
noted '' "$share $moved vols = ( [0.25, 0.22, 0.21, 0.20, 0.20] ); }; }"

historical='model = "historical"; history = { returns = ['
noted "asset 'A': note: returns make a volatility of 396.9 %: one of 1 % is written 0.01, and interval is" \
    "$share $historical 0.25, -0.25, 0.25, -0.25]; }; }"
noted '' "$share $historical 0.025, -0.025, 0.025, -0.025]; }; }"

pair='foreign_currency = "EUR"; spot = 1.25; volatility = 0.1;'
noted "asset 'EURUSD': note: 'EURUSD' is named as the price of one EUR in USD, which has currency = \"USD\" and foreign_currency = \"EUR\": here they are the other way round" \
    '{ name = "EURUSD"; currency = "EUR"; foreign_currency = "USD"; spot = 1.09; volatility = 0.1; }'
twins() { # WANTED BASIS SPOT VOLATILITY
    noted "$1" "{ name = \"EURUSD\"; currency = \"USD\"; $pair basis = $2; }, { name = \"other\"; currency = \"EUR\"; foreign_currency = \"USD\"; spot = $3; volatility = $4; } );
correlations = ( { assets = [\"EURUSD\", \"other\"]; value = -1; }"
}
twins "asset 'other': note: the volatility 0.3 at 1 years is not the 0.1 of 'EURUSD', of the same two currencies" 0.0 0.8 0.3
twins "asset 'other': note: its forward at 1 years is -4.88 % from that of 'EURUSD', of the same two currencies" 0.05 0.8 0.1
twins '' 0.0 0.8 0.1
triangle() { # WANTED VOLATILITY
    noted "$1" "{ name = \"EURUSD\"; currency = \"USD\"; $pair }, { name = \"USDJPY\"; currency = \"JPY\"; foreign_currency = \"USD\"; spot = 100; volatility = 0.1; },
  { name = \"EURJPY\"; currency = \"JPY\"; foreign_currency = \"EUR\"; spot = 125; volatility = $2; }"
}
triangle "asset 'EURJPY': note: the volatility 0.5 at 1 years is beyond those that 'EURUSD' and 'USDJPY' allow, 0 to 0.2" 0.5
triangle '' 0.14

flat='volatility = 0.2;'
noted "asset 'A': note: the forward 1.03 at 1 years is 0.0103 times the spot, 100" "$share $flat forwards = { times = [1.0, 2.0]; prices = [1.03, 1.06]; }; }"
noted '' "$share $flat forwards = { times = [0.01, 1.0, 10.0]; prices = [97.0, 103.0, 300.0]; }; }"
# Of an exchange rate the curves say what a forward is: points of the wrong scale and sign, and a basis of 1.5 %
points() { # WANTED CURRENCY FOREIGN SPOT POINTS [SCALE]
    noted "$1" "{ name = \"$3$2\"; currency = \"$2\"; foreign_currency = \"$3\"; spot = $4; volatility = 0.1;
  forward_points = { times = [0.003, 1.0]; points = [$5]; ${6-}}; }"
}
points "asset 'USDJPY': note: the forward 156.3555 at 1 years is 3.02 % from the 151.7776814 that the rates of USD and JPY make: perhaps it has the wrong sign or scale" \
    JPY USD 156.4 '-1.4, -445'
points '' JPY USD 156.4 '-1.4, -445' 'scale = 100; '
points "asset 'EURUSD': note: the forward 1.2245 at 1 years is -3.98 % from the 1.275251675 that" USD EUR 1.25 '-0.75, -255'
points '' USD EUR 1.25 '110, 450'
noted "asset 'A': note: strikes 0.9 to 1.1 are all far from the spot, 100: perhaps they are moneyness" \
    "$share model = \"local_vol\"; volatility = { times = [1.0]; strikes = [0.9, 1.0, 1.1]; vols = ( [0.22, 0.20, 0.19] ); }; }"
noted "asset 'A': note: amount 150 of a cash dividend is more than the spot, 100" "$share $flat cash_dividends = ( { time = 0.5; amount = 150.0; } ); }"
noted '' "$share $flat cash_dividends = ( { time = 0.5; amount = 15.0; } ); }"
sed 's/rate = 0.02/curve = { times = [1.0, 2.0]; discount_factors = [0.03, 0.035]; }/' "$there/noted.cfg" >"$there/factors.cfg"
run 0 --check=none factors.cfg
says "factors.cfg:1: currency 'EUR': note: discount_factors 0.03 at 1 years is a rate of 350.7 %: a rate itself is one of zero_rates"
[[ $(grep -c 'note: ' "$there/err") == 1 ]] || fail 'one note a list'

# A level left to today's spot moves from night to night, where the expiry does not
cat >"$there/moving.cfg" <<'BOOK'
valuation_date = "2026-11-20";
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = (
  { id = "note"; type = "autocallable"; assets = ["A"]; notional = 100; observation_times = ["2027-11-22"]; call_level = 1.0; coupon = 0.05;
    protection_level = 0.6; expiry = "2028-11-20"; },
  { id = "years"; type = "autocallable"; assets = ["A"]; notional = 100; observation_times = [1.0]; call_level = 1.0; coupon = 0.05;
    protection_level = 0.6; expiry = 2.0; },
  { id = "told"; type = "everest"; assets = ["A"]; expiry = "2028-11-20"; notional = 100; initial = [100.0]; },
  { id = "script"; type = "everest"; assets = ["A"]; expiry = "2028-11-20"; notional = 100; } ); };
BOOK
run 0 --plan moving.cfg
for trade in note script; do
    says "trade '$trade': note: initial is missing: it is the spot of the valuation date and another one the next night; write it for a trade that stays"
done
[[ $(grep -c 'note: ' "$there/err") == 2 ]] || fail "two levels move: $(cat "$there/err")"

# ---- options

run 2 --pahts=5 notes.cfg
says "unknown or ambiguous option --pahts=5; did you mean 'paths'?"

run 2 --set markt.assets=5 notes.cfg
says "there: a path is as market.assets[AAPL].spot; did you mean 'market'?"
run 2 --set 'market.assets[AA].spot=5' notes.cfg
says "did you mean 'A'?"

# Digits that count one trade and name another
sed 's/id = "far"/id = "1"/; s/id = "out"/id = "2"/; s/id = "in"/id = "3"/' "$there/notes.cfg" >"$there/digits.cfg"
run 2 --set 'book.trades[2].strike=101' digits.cfg
says "[2] counts '3' from 0, and another is called so: write [\"2\"] for that, or [\"3\"]"
run 0 --check=none --set 'book.trades["2"].id=second' digits.cfg
grep -q '^second ' "$there/out" || fail "a name in quotes: $(head -4 "$there/out")"
run 0 --check=none --set 'book.trades[5].id=sixth' --set 'book.trades[0].id=first' digits.cfg

# ---- a reason on standard error, where there is no table

run 1 --quiet --set settings.max_step=1e-6 --set 'market.assets[A].model=local_vol' \
    --set 'market.assets[A].volatility={ times = [1]; strikes = [100]; vols = ( [0.2] ); }' --set 'book.trades[far].expiry=99' market.cfg
says "trade 'far' failed: "

# ---- a night says on standard error why it failed, and takes options of pricer before its folder

run_nightly() { ends "$1" scripts/nightly --pricer="$pricer" "${@:2}"; } # STATUS ARGUMENTS...
run_nightly 2 --max-time=5m --retries=0 "$there/nights" "$there/none.cfg"
says "$there/none.cfg: cannot be read: No such file or directory"
run_nightly 1 --strict "$there/nights" "$there/market.cfg" --engine=cpu --paths=4096
says "trade 'far': strike 2001 is"
grep -q 'none.cfg' "$there/err" && fail "a night repeats the reasons of an earlier one"

end_test "mistakes are noted, or refused"
