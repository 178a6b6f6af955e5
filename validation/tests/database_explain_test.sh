#!/usr/bin/env bash
# What the change from one night to the next is made of, for the book, by tags and trade by trade:
# each number of pricer diff --output against an own computation from the JSON files of the nights.
set -euo pipefail
command -v python3 >/dev/null || exit 77

pricer=${PRICER:?the path of the program}
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

cat >"$there/1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 65536; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "B"; currency = "EUR"; spot = 40.0; volatility = 0.25; },
  { name = "U"; currency = "USD"; spot = 50.0; volatility = 0.3; } );
correlations = ( { assets = ["A", "B"]; value = 0.5; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = "2027-11-20"; quantity = 100; tags = { desk = "EQD"; }; },
  { id = "a2"; type = "asian"; asset = "A"; option = "put"; strike = 95.0; averaging = "arithmetic"; strike_type = "fixed"; fixings = 12; expiry = "2027-11-20";
    quantity = -200; tags = { desk = "EXO"; trader = "x"; }; },
  { id = "ab"; type = "spread"; assets = ["A", "B"]; weights = [1.0, -2.0]; option = "call"; strike = 15.0; expiry = "2027-05-20"; quantity = 30; tags = { desk = "EXO"; }; },
  { id = "gone"; type = "european"; asset = "A"; option = "put"; strike = 90.0; expiry = "2027-11-20"; quantity = 7; tags = { desk = "EXO"; }; },
  { id = "amended"; type = "european"; asset = "B"; option = "put"; strike = 40.0; expiry = "2027-11-20"; quantity = 7; tags = { desk = "EQD"; }; },
  { id = "u"; type = "european"; asset = "U"; option = "put"; strike = 50.0; expiry = "2027-06-20"; quantity = 10; } ); };
risk = { greeks = [ "delta", "gamma", "vega", "rho", "theta", "cross_gamma", "correlation" ]; };
END
sed 's/2026-11-20/2026-11-23/; s/spot = 100.0/spot = 101.0/; s/spot = 40.0/spot = 39.5/; s/volatility = 0.3/volatility = 0.305/; s/rate = 0.03/rate = 0.031/
    s/value = 0.5/value = 0.52/; s/"gone"/"new"/; s/strike = 40.0/strike = 41.0/; s/trader = "x"/trader = "y"/' "$there/1.cfg" >"$there/2.cfg"
for night in 1 2; do
    "$pricer" -q --engine=cpu --seed=$night -o "$there/all.db" -o "$there/$night.json" "$there/$night.cfg" || fail "night $night: $?"
done
for file in change.csv change.json; do
    code=0
    "$pricer" diff --output="$there/$file" "$there/all.db" >"$there/out" || code=$?
    [[ $code == 1 ]] || fail "diff: $code"
done
grep -q '^what the change is made of' "$there/out" && grep -q '^desk ' "$there/out" && grep -q '^trader ' "$there/out" || fail "tables: $(<"$there/out")"
python3 - "$there" <<'END' || fail "the explanation"
import csv, json, math, sys
there = sys.argv[1]
nights = [json.load(open(f"{there}/{n}.json")) for n in (1, 2)]
trades = [{t["trade_id"]: t for t in n["trades"]} for n in nights]
greeks = {(g["trade_id"], g["name"]): g["value"] for g in nights[0]["risk"]["greeks"]}
spot, volatility, rate = {"A": 1.0, "B": -0.5, "U": 0.0}, {"A": 0.0, "B": 0.0, "U": 0.005}, {"EUR": 0.001, "USD": 0.0}
parts = ["delta", "gamma", "vega", "rho", "theta", "correlation"]
def explain(id):
    of = {}
    for (trade, name), value in greeks.items():
        if trade != id: continue
        kind, *on = name.split(":")
        if kind == "delta": part, move = "delta", spot[on[0]]
        elif kind == "gamma": part, move = "gamma", 0.5 * spot[on[0]] ** 2
        elif kind == "cross_gamma": part, move = "gamma", spot[on[0]] * spot[on[1]]
        elif kind == "vega": part, move = "vega", volatility[on[0]]
        elif kind == "rho": part, move = "rho", rate[on[0]]
        elif kind == "theta": part, move = "theta", 3 / 365
        elif kind == "correlation": part, move = "correlation", 0.02
        of[part] = of.get(part, 0.0) + value * move
    return of

rows = []
for id in dict.fromkeys(list(trades[0]) + list(trades[1])):
    t, u = trades[0].get(id), trades[1].get(id)
    row = {"id": id, "currency": (t or u)["currency"], "tags": (u or t).get("tags", {}), "before": t["price"] if t else 0.0, "after": u["price"] if u else 0.0,
           "errors": (t["std_error"] if t else 0.0, u["std_error"] if u else 0.0)}
    change = row["after"] - row["before"]
    if not t: row["new"] = change
    elif not u: row["gone"] = change
    elif id == "amended": row["amended"] = change
    else: row.update(explain(id))
    rows.append(row)
made_of = ["new", "gone", "amended"] + parts
def total(members):
    out = {k: sum(m.get(k, 0.0) for m in members) for k in ["before", "after"] + made_of}
    out["trades"] = len(members)
    out["change"] = out["after"] - out["before"]
    out["error"] = math.hypot(sum(m["errors"][0] for m in members), sum(m["errors"][1] for m in members))
    out["unexplained"] = out["change"] - sum(out[k] for k in made_of)
    return out
wanted = {}
for m in rows:
    for by, of in (("total", "total"), ("trade", m["id"]), ("desk", m["tags"].get("desk", "(none)")), ("trader", m["tags"].get("trader", "(none)"))):
        wanted.setdefault((by, of, m["currency"]), []).append(m)
assert ("trader", "y", "EUR") in wanted and ("trader", "x", "EUR") not in wanted
got = {(r.pop("by"), r.pop("of"), r.pop("currency")): {k: float(v) for k, v in r.items()} for r in csv.DictReader(open(there + "/change.csv"))}
as_json = {(r.pop("by"), r.pop("of"), r.pop("currency")): r for r in json.load(open(there + "/change.json"))["changes"]}
assert got == as_json and set(got) == set(wanted), set(got) ^ set(wanted)
for key, members in wanted.items():
    right, size = total(members), sum(abs(m["before"]) + abs(m["after"]) for m in members)
    assert set(right) == set(got[key])
    for k, v in right.items(): assert abs(got[key][k] - v) <= 1e-9 * (size + 1.0), (key, k, got[key][k], v)
# What is left is noise: the Greeks explain a move of a percent.
book = got["total", "total", "EUR"]
assert abs(book["unexplained"]) < 4 * book["error"] and abs(book["delta"]) > 10 * abs(book["unexplained"])
print("unexplained %.3g of %.4g, error at most %.2g" % (book["unexplained"], book["change"], book["error"]))
END

# ---- the report of a night with its change: the numbers are those of the file

for night in 1 2; do
    "$pricer" -q --engine=cpu --seed=$night -o "$there/page.db" --report="$there/$night.html" --since="$there/page.db" "$there/$night.cfg" 2>"$there/err$night" ||
        fail "the page of night $night: $?"
done
grep -qF "note: $there/page.db has no run before this one: the report shows no change" "$there/err1" || fail "the first night: $(<"$there/err1")"
! grep -q 'id="change"' "$there/1.html" && grep -q 'id="summary-numbers"' "$there/1.html" || fail "the first page"
"$pricer" -q --engine=cpu --seed=2 -o "$there/new.db" --report="$there/3.html" --since="$there/page.db:1" "$there/2.cfg" || fail "--since=FILE.db:1"
python3 - "$there" <<'END' || fail "the page"
import csv, html, re, sys
there = sys.argv[1]
rows = [r for r in csv.DictReader(open(there + "/change.csv")) if r["by"] != "trade"]
for page in ("2.html", "3.html"):
    text = open(f"{there}/{page}").read()
    got = {}
    for by, table in re.findall(r'<table id="change-([a-z]+)".*?<tbody>(.*?)</tbody>', text, re.S):
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S):
            cells = [html.unescape(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            got[by, cells[0], cells[1]] = [float(c.replace(",", "").replace("\u2212", "-")) if c[-1].isdigit() else None for c in cells[2:]]
    assert set(got) == {(r["by"], r["of"], r["currency"]) for r in rows}, got.keys()
    for r in rows:
        shown, error = got[r["by"], r["of"], r["currency"]], float(r["error"])
        for value, (key, right) in zip(shown, list(r.items())[3:]):
            assert abs(value - float(right)) <= 0.06 * error + 1e-5 * abs(float(right)), (page, r["of"], key, value, right)

END
code=0
"$pricer" -q --report="$there/x.html" --since="$there/page.db" "$there/1.cfg" 2>"$there/err" || code=$?
[[ $code == 2 ]] && grep -q -- '--since needs --report=FILE.html, and --output=FILE.db' "$there/err" || fail "--since alone: $code, $(<"$there/err")"
code=0
"$pricer" -q -o "$there/x.db" --report="$there/x.html" --since="$there/none.db:3" "$there/1.cfg" 2>"$there/err" || code=$?
[[ $code != 0 && ! -e $there/x.db && $(wc -l <"$there/err") == 1 ]] || fail "--since a run that is not there: $code, $(<"$there/err")"

refused() {
    local code=0
    "$pricer" diff "${@:2}" >/dev/null 2>"$there/err" || code=$?
    [[ $code == 2 && $(wc -l <"$there/err") == 1 ]] && grep -qF -- "$1" "$there/err" || fail "diff ${*:2}: $code, $(<"$there/err")"
}
refused "must be a file that ends in .csv or .json, got 'x.txt'" --output=x.txt "$there/all.db"
refused "diff takes one or two databases" --colour "$there/all.db"
refused "diff takes one or two databases" -o "$there/x.csv"

[[ $failures == 0 ]] || exit 1
echo "explain: every part of the change is right"
