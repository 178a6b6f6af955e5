#!/usr/bin/env bash
# Tags: every aggregate against the rows that it is made of, value at risk and what parts bring to it
# against an own computation from the stored days, errors against the spread over seeds.
. validation/tests/test.sh

awk 'BEGIN {
    srand(3); a = 100; b = 50; u = 40
    print "date,A,B,U"
    for (day = 0; day < 84; day++) {
        printf "2026-%02d-%02d,%.4f,%.4f,%.4f\n", 8 + int(day / 28), 1 + day % 28, a, b, u
        a *= 1 + 0.02 * (rand() - 0.5); b *= 1 + 0.03 * (rand() - 0.5); u *= 1 + 0.03 * (rand() - 0.5)
    } }' >"$there/past.csv"
market() {
    cat <<'BOOK'
settings = { paths = 16384; check = "none"; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; }, { name = "CHF"; rate = 0.01; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "B"; currency = "EUR"; spot = 50.0; volatility = 0.25; },
  { name = "U"; currency = "USD"; spot = 40.0; volatility = 0.3; },
  { name = "C"; currency = "CHF"; spot = 40.0; volatility = 0.3; },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.25; volatility = 0.08; } );
correlations = ( { assets = ["A", "B"]; value = 0.9; } ); };
risk = { currency = "EUR"; greeks = [ "delta", "vega", "theta" ];
  scenarios = ( { name = "down"; shocks = ( { asset = "?"; spot = -0.1; } ); }, { name = "calm"; shocks = ( { asset = "A"; volatility = -0.02; } ); } );
  historical = { file = "past.csv"; horizon_days = 1; confidence = [0.9, 0.95, 0.975]; }; };
BOOK
}
{
    market
    cat <<'BOOK'
book = { trades = (
  { id = "a1"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; tags = { desk = "EQD"; strategy = "vol, \"long\""; }; },
  { id = "a2"; type = "european"; asset = "A"; option = "put"; strike = 90.0; expiry = 1.0; quantity = -2; tags = { desk = "EQD"; strategy = "carry"; }; },
  { id = "b1"; type = "european"; asset = "B"; option = "put"; strike = 50.0; expiry = 0.5; quantity = 5; tags = { strategy = "carry"; desk = "FX"; }; },
  { id = "ab"; type = "basket"; assets = ["A", "B"]; kind = "average"; option = "call"; strike = 75.0; expiry = 0.75; quantity = -1.5; tags = { desk = "EXO"; }; },
  { id = "u1"; type = "european"; asset = "U"; option = "put"; strike = 40.0; expiry = 1.0; },
  { id = "u2"; type = "american"; asset = "U"; option = "put"; strike = 42.0; exercise = 4; expiry = 1.0; quantity = 3; tags = { desk = "FX"; }; },
  { id = "c1"; type = "european"; asset = "C"; option = "put"; strike = 42.0; expiry = 1.0; tags = { desk = "FX"; }; },
  { id = "h1"; type = "european"; asset = "B"; option = "call"; strike = 55.0; expiry = 0.5; quantity = 7; tags = { desk = "hedged"; }; },
  { id = "h2"; type = "european"; asset = "B"; option = "call"; strike = 55.0; expiry = 0.5; quantity = -7; tags = { desk = "hedged"; }; },
  { id = "x"; type = "european"; asset = "B"; option = "straddle"; strike = 55.0; expiry = 0.5; tags = { desk = "hedged"; }; } ); };
BOOK
} >"$there/book.cfg"

run 1 --engine=cpu --by=desk --output="$there/o.json" --output="$there/o.csv" --output="$there/o.db" "$there/book.cfg"

# ---- each aggregate, from the rows of the file

cat >"$there/check.py" <<'END'
import json, math, sys

results = json.load(open(sys.argv[1]))
risk, trades = results["risk"], results["trades"]
rate = {"EUR": 1.0, "USD": 1 / 1.25, "CHF": math.nan}
ways = {"total": lambda t: "total", "asset": lambda t: t["assets"].split("+")[0],
        "desk": lambda t: t.get("tags", {}).get("desk", "(none)"),
        "strategy": lambda t: t.get("tags", {}).get("strategy", "(none)")}
good = [t for t in trades if t["status"] != "refused"]
assert len(good) == 9 and len(trades) == 10
names = {(by, of(t)) for by, of in ways.items() for t in good}
assert {(a["by"], a["of"]) for a in results["aggregates"]} == names
assert ("strategy", 'vol, "long"') in names
near = lambda a, b, scale: abs(a - b) <= 1e-9 * (abs(scale) + 1e-9)

def clusters(members):
    sets = []
    for t in members:
        assets, errors = set(t["assets"].split("+")), []
        for s in [s for s in sets if s[0] & assets]:
            sets.remove(s); assets |= s[0]; errors += s[1]
        sets.append((assets, errors + [t]))
    return [s[1] for s in sets]

def check_sum(aggregate, members, number):
    members = [t for t in members if number(t) is not None and not math.isnan(rate[t["currency"]])]
    parts = [rate[t["currency"]] * number(t)[0] for t in members]
    most = math.sqrt(sum(sum(abs(rate[t["currency"]] * number(t)[1]) for t in c) ** 2 for c in clusters(members)))
    assert aggregate["trades"] == len(members), (aggregate, members)
    if not members:
        assert aggregate["value"] is None and aggregate["error_at_most"] is None, aggregate
        return
    assert near(aggregate["value"], sum(parts), sum(map(abs, parts))), aggregate
    assert near(aggregate["error_at_most"], most, most), (aggregate, most)

greek = {(g["trade_id"], g["name"]): (g["value"], g["std_error"]) for g in risk["greeks"]}
for a in results["aggregates"]:
    members = [t for t in good if ways[a["by"]](t) == a["of"]]
    check_sum(a, members, lambda t: (t["price"], t["std_error"]))
    for g in a["greeks"]:
        check_sum(g, members, lambda t: greek.get((t["trade_id"], g["name"])))
    assert {g["name"] for g in a["greeks"]} == {n for t, n in greek for m in members if m["trade_id"] == t and m["currency"] != "CHF"}

# Profit and loss: no exchange rate moves here.
for s in risk["scenarios"]:
    for total in s["totals"]:
        parts = [rate[t["currency"]] * (t.get("pnl:" + s["name"]) or 0.0) for t in good
                 if ways[total["by"]](t) == total["of"] and t["currency"] != "CHF"]
        if not parts:
            assert total["of"] == "C" and total["value"] is None and total["std_error"] is None, total
            continue
        assert near(total["value"], sum(parts), sum(map(abs, parts))), (s["name"], total, parts)
        if total["of"] == "hedged":
            # The paths cancel; the few that turn and that nobody saw are not known to.
            assert abs(total["value"]) < 1e-12 and total["std_error"] <= 0.01 * max(map(abs, parts)), (total, parts)
for s in risk["scenarios"] + risk["days"]:
    for by in ways:
        parts = [t["value"] for t in s["totals"] if t["by"] == by and t["of"] != "C"]
        assert near(sum(parts), s["totals"][0]["value"], sum(map(abs, parts))), (s["name"], by)

# Tails, by their definitions: the quantile function of the losses, integrated beyond.
def tail(days, c):
    losses = sorted(-d for d in days)
    n, area, var = len(losses), 0.0, None
    for i, loss in enumerate(losses):
        if var is None and (i + 1) / n >= c - 1e-12: var = loss
        area += loss * max(0.0, (i + 1) / n - max(c, i / n))
    return var, area / (1 - c)

days = {(t["by"], t["of"]): [] for t in risk["days"][0]["totals"]}
for d in risk["days"]:
    for t in d["totals"]: days[t["by"], t["of"]].append((t["value"], t["std_error"]))
whole = [v for v, _ in days["total", "total"]]
tails = [t for t in risk["tails"] if "total" in t]
assert len(tails) == 3 * len(names)
for t in tails:
    if t["total"] == "C":
        assert t["var"] is None and t["component_var"] is None and t["incremental_shortfall"] is None, t
        continue
    part = [v for v, _ in days[t["by"], t["total"]]]
    c = t["confidence"]
    var, shortfall = tail(part, c)
    all_var, all_shortfall = tail(whole, c)
    rest_var, rest_shortfall = tail([w - p for w, p in zip(whole, part)], c)
    day = whole.index(-all_var)
    # What the shortfall of a book with a little more of the part is more: its component.
    more = 1e-6
    component_shortfall = (tail([w + more * p for w, p in zip(whole, part)], c)[1] - all_shortfall) / more
    size = max(map(abs, whole))
    for got, wanted in [(t["var"], var), (t["shortfall"], shortfall), (t["component_var"], -part[day]),
                        (t["incremental_var"], all_var - rest_var), (t["incremental_shortfall"], all_shortfall - rest_shortfall)]:
        assert near(got, wanted, size), (t, got, wanted)
    assert abs(t["component_shortfall"] - component_shortfall) < 1e-7 * size, (t, component_shortfall)
    error = days[t["by"], t["total"]][day][1]
    if t["total"] == "hedged":
        assert max(abs(t["component_var_error"]), abs(t["var_error"])) < 0.1, t
    else:
        # A total of one trade has the trade's error, what it brings to the whole that of the spread
        # of 4 chunks: with 3 degrees of freedom, and Student's factor for them, 1.6.
        lone = sum(ways[t["by"]](m) == t["total"] and m["currency"] != "CHF" for m in good) == 1
        assert (0.3 if lone else 0.6) * error < t["component_var_error"] < (3.5 if lone else 1.6) * error, (t, error)
        assert t["var_low"] <= t["var"] and t["incremental_var_error"] > 0 and t["incremental_shortfall_error"] > 0
for c in (0.9, 0.95, 0.975):
    total = [t for t in tails if t["confidence"] == c and t["by"] == "total"][0]
    for by in ways:
        for number in ("var", "shortfall"):
            parts = [t["component_" + number] for t in tails if t["confidence"] == c and t["by"] == by and t["total"] != "C"]
            assert near(sum(parts), total[number], total[number]), (by, number)
    assert total["incremental_var"] == total["var"] == total["component_var"]
    of_trade = [t for t in risk["tails"] if t["confidence"] == c and t.get("trade_id") == "ab"][0]
    alone = [t for t in tails if t["confidence"] == c and t["total"] == "EXO"][0]
    assert all(near(of_trade[n], alone[n], alone[n]) for n in ("var", "var_error", "shortfall_error")), (of_trade, alone)
END
python3 "$there/check.py" "$there/o.json" || fail "the JSON file"

# ---- the database has the same numbers; the CSV file has the tags

if command -v sqlite3 >/dev/null; then
    python3 - "$there/o.json" "$there/o.db" <<'END' || fail "the database and the JSON file differ"
import json, sqlite3, sys
rows = sqlite3.connect(sys.argv[2]).execute("SELECT tag, name, n_trades, worth, worth_error FROM aggregates ORDER BY aggregate")
assert list(rows) == [(a["by"], a["of"], a["trades"], a["value"], a["error_at_most"]) for a in json.load(open(sys.argv[1]))["aggregates"]]
END
    [[ $(sqlite3 "$there/o.db" "SELECT value FROM tags JOIN trades USING (run, trade) WHERE id = 'a1' ORDER BY tag") == $'EQD\nvol, "long"' ]] ||
        fail "tags in the database"
    [[ $(sqlite3 "$there/o.db" "SELECT count(*) FROM aggregate_tails WHERE component_var IS NULL OR incremental_shortfall_error IS NULL") == 0 ]] ||
        fail "contributions in the database"
    [[ $(sqlite3 "$there/o.db" "SELECT count(*) FROM aggregate_tails") == 36 ]] || fail "tails in the database"
fi
head -1 "$there/o.csv" | grep -q ',tag.desk,tag.strategy$' || fail "tags in the CSV file: $(head -1 "$there/o.csv")"
grep -q '^a1,.*,EQD,"vol, ""long"""$' "$there/o.csv" || fail "tags of a1: $(grep '^a1,' "$there/o.csv")"
grep -q '^u1,.*,,$' "$there/o.csv" || fail "tags of u1"

# ---- the terminal

grep -q '^By desk, EUR at' "$there/out" && grep -q '^Profit and loss by desk, EUR' "$there/out" && grep -q '^Value at risk 97.5% by desk' "$there/out" ||
    fail "no tables by desk: $(<"$there/out")"
[[ $(grep -c '^hedged ' "$there/out") == 5 ]] || fail "$(grep -c '^hedged ' "$there/out") rows of 'hedged', not 5"
tail -1 "$there/out" | grep -q 'digest' || fail "the digest is not in the last line"
run 2 --by=dsk "$there/book.cfg"
says "--by=dsk: no trade has that tag; --by takes asset, or a tag that trades have"

# ---- tags of rows of a CSV file; tags move no price

{
    market
    echo 'book = { trades_file = "trades.csv"; };'
} >"$there/rows.cfg"
cat >"$there/trades.csv" <<'END'
id,tag.desk,type,asset,option,strike,expiry,quantity,tag.strategy
a1,EQD,european,A,call,100,1.0,1,"vol, ""long"""
a2,EQD,european,A,put,90,1.0,-2,carry
b1,7,european,B,put,50,0.5,5,
END
"$pricer" --quiet --engine=cpu --output="$there/rows.json" "$there/rows.cfg" || fail "rows with tags: $?"
sed -i 's/tag\.desk/tag.Desk-2/' "$there/trades.csv"
"$pricer" --quiet --engine=cpu --set settings.paths=8192 --output="$there/other.csv" "$there/rows.cfg" || fail "another name of a tag"
grep -q '^b1,.*,7,$' "$there/other.csv" || fail "a tag in digits: $(grep '^b1,' "$there/other.csv")"
python3 - "$there/rows.json" "$there/o.json" <<'END' || fail "tags of a CSV file"
import json, sys
rows, book = [json.load(open(f)) for f in sys.argv[1:]]
assert [t.get("tags") for t in rows["trades"]] == [{"desk": "EQD", "strategy": 'vol, "long"'}, {"desk": "EQD", "strategy": "carry"}, {"desk": "7"}]
prices = {t["trade_id"]: t["price"] for t in book["trades"]}
assert all(t["price"] == prices[t["trade_id"]] for t in rows["trades"])
END

# complains LINE HEADER: rows of this header are refused by this line.
complains() {
    printf '%s\n' "$2" >"$there/trades.csv"
    refused 2 "$there/trades.csv:1: $1" --quiet "$there/rows.cfg"
}
complains "the name of a tag must be a letter and then at most 31 letters, digits, _ or -, got '4desk'" id,type,expiry,tag.4desk
complains "a tag may not be called 'asset': totals are by asset without it" id,type,expiry,tag.asset
complains "column 'tag.desk' is given twice: leave one out" id,type,expiry,tag.desk,tag.desk

# ---- a tag of a thousand values and more adds nothing up, and a line says so

{
    market | sed '/^risk/,$d'
    echo 'risk = { scenarios = ( { name = "down"; shocks = ( { asset = "A"; spot = -0.1; } ); } ); };'
    echo 'book = { trades_file = "trades.csv"; };'
} >"$there/many.cfg"
{
    echo id,type,asset,option,strike,expiry,tag.desk,tag.ticket
    for ((i = 0; i < 1100; i++)); do echo "t$i,european,A,call,$((90 + i % 20)),1.0,d$((i % 3)),k$i"; done
} >"$there/trades.csv"
refused 0 "note: nothing is added up by tag 'ticket': it has 1100 values, of which too many sums would come" --quiet --engine=cpu --paths=1024 \
    --output="$there/many.json" "$there/many.cfg"
python3 - "$there/many.json" <<'END' || fail "a tag of many values"
import json, sys
r = json.load(open(sys.argv[1]))
assert [(a["by"], a["of"], a["trades"]) for a in r["aggregates"]] == [("total", "total", 1100), ("asset", "A", 1100), ("desk", "d0", 367), ("desk", "d1", 367), ("desk", "d2", 366)]
assert [t["of"] for t in r["risk"]["scenarios"][0]["totals"]] == ["total", "A", "d0", "d1", "d2"]
END

# ---- errors over seeds: those of trades on different assets are independent, though the assets
# are correlated; those of trades on one asset are at most what is said

{
    market | sed '/^risk/,$d; s/16384/2048/'
    cat <<'BOOK'
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; tags = { desk = "two"; }; },
  { id = "b"; type = "european"; asset = "B"; option = "call"; strike = 50.0; expiry = 1.0; quantity = 2; tags = { desk = "two"; }; },
  { id = "c"; type = "european"; asset = "A"; option = "call"; strike = 90.0; expiry = 1.0; tags = { desk = "one"; }; },
  { id = "d"; type = "european"; asset = "A"; option = "call"; strike = 110.0; expiry = 0.5; tags = { desk = "one"; }; } ); };
BOOK
} >"$there/seeds.cfg"
for ((seed = 1; seed <= 150; seed++)); do
    "$pricer" --quiet --engine=cpu --threads=1 --seed=$seed --output="$there/seed$seed.json" "$there/seeds.cfg"
done
python3 - "$there" <<'END' || fail "errors over seeds"
import json, statistics, sys
runs = [json.load(open(f"{sys.argv[1]}/seed{s}.json"))["aggregates"] for s in range(1, 151)]
for name, low, high in (("two", 0.65, 1.45), ("one", 0.4, 1.3)):
    of = [next(a for a in r if a["of"] == name) for r in runs]
    ratio = statistics.variance(a["value"] for a in of) / statistics.mean(a["error_at_most"] ** 2 for a in of)
    print(f"desk '{name}': variance over seeds / error at most squared {ratio:.3f}")
    assert low < ratio < high
END

end_test "tags: sums, tails, contributions and errors are right"
