#!/usr/bin/env bash
# Files for programs: the JSON file against docs/results.schema.json, the long CSV files of a folder
# against the JSON file number by number, and results on standard output.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

awk 'BEGIN {
    print "date,A,U"
    for (day = 1; day <= 28; day++) printf "2026-10-%02d,%d,%d\n", day, 100 + day * 7 % 11, 50 + day * 5 % 7
}' >"$there/past.csv"
cat >"$there/book.cfg" <<'BOOK'
valuation_date = "2026-11-20";
settings = { paths = 32768; control_variates = true; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = { times = [0.5, 1.0]; vols = [0.2, 0.21]; }; },
  { name = "=U,\"x\""; currency = "USD"; spot = 50.0; volatility = 0.3; },
  { name = "H"; currency = "EUR"; spot = 50.0; model = "heston"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.25; volatility = 0.08; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; quantity = 10; tags = { desk = "EQD"; }; },
  { id = "as"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0; fixings = 12; expiry = 1.0; },
  { id = "am"; type = "american"; asset = "A"; option = "put"; strike = 100.0; exercise = 4; expiry = 1.0; },
  { id = "ah"; type = "basket"; assets = ["A", "H"]; kind = "worst_of"; option = "put"; strike = 45.0; expiry = 0.5; tags = { desk = "EXO"; }; },
  { id = "u"; type = "european"; asset = "=U,\"x\""; option = "put"; strike = 50.0; expiry = 1.0; quantity = 30; },
  { id = "old"; type = "european"; asset = "A"; option = "put"; strike = 50.0; expiry = "2026-11-01"; },
  { id = "bad"; type = "european"; asset = "A"; option = "put"; strike = -50.0; expiry = 1.0; } ); };
risk = { currency = "EUR"; paths = 4096; greeks = [ "delta", "gamma", "vega", "vega_bucket", "rho", "theta", "cross_gamma", "correlation" ];
  scenarios = ( { name = "down, \"all\""; shocks = ( { asset = "?"; spot = -0.1; } ); } );
  historical = { file = "past.csv"; confidence = [0.9, 0.95]; }; };
BOOK
sed -i 's/^    print "date,A,U"//' "$there/past.csv"
sed -i '1s/.*/date,A,"=U,""x"""/' "$there/past.csv"
run 1 --engine=cpu -q -o "$there/all/" -o "$there/all.json" -o "$there/wide.csv" "$there/book.cfg"
sed '/^risk = /,$d; s/valuation_date.*//; /"old"/d' "$there/book.cfg" >"$there/plain.cfg"
"$pricer" --engine=cpu -q -o "$there/plain/" -o "$there/plain.json" -o "$there/plain.csv" "$there/plain.cfg" 2>/dev/null || [[ $? == 1 ]]

# ---- the schema: these files and no other

if python3 -c 'import jsonschema' 2>/dev/null; then
    python3 - "$there/all.json" "$there/plain.json" <<'END' || fail "the schema"
import copy, json, sys
import jsonschema

schema = json.load(open("docs/results.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
whole = [json.load(open(f)) for f in sys.argv[1:]]
for results in whole:
    for error in validator.iter_errors(results):
        sys.exit(f"{list(error.absolute_path)}: {error.message}")
    assert results["schema_version"] == schema["properties"]["schema_version"]["const"]
assert "risk" in whole[0] and "risk" not in whole[1]

# Whatever is left out, renamed or of another type anywhere is found. What may be missing: a date, tags, risk.
may_miss = {"valuation_date", "tags", "risk"}
def places(at, path=()):
    if isinstance(at, dict):
        for key in at:
            yield path + (key,)
            yield from places(at[key], path + (key,))
    elif isinstance(at, list):
        for i in sorted({0, len(at) - 1} - {-1}):
            yield from places(at[i], path + (i,))
free = lambda path: path[-1] in may_miss or "tags" in path or any(c in str(path[-1]) for c in (":",)) or (path[0] == "trades" and path[-1] in ("theta", "theta_se"))
def shorter(at):
    """The same without the items that places() leaves out."""
    if isinstance(at, dict): return {key: shorter(value) for key, value in at.items()}
    return [shorter(value) for value in at[:1] + at[1:][-1:]] if isinstance(at, list) else at
results = shorter(whole[0])
assert validator.is_valid(results)
n = 0
for path in set(places(results)):
    at, key = results, path[-1]
    for step in path[:-1]: at = at[step]
    whole_one = copy.copy(at)
    for change in ("drop", "rename", "type"):
        if change != "type" and free(path): continue
        value = at[key]
        if change != "type": del at[key]
        if change == "rename": at[str(key) + "?"] = value
        if change == "type": at[key] = [7, "seven"] if not isinstance(value, list) else {"seven": 7}
        n += 1
        assert not validator.is_valid(results), (path, change)
        at.clear()
        at.update(whole_one)
print(f"schema: {n} changes are all found")
END
fi

# ---- the long files hold the numbers of the JSON file, to the bit

python3 - "$there" <<'END' || fail "the long files"
import csv, json, os, sys
there = sys.argv[1]
results = json.load(open(there + "/all.json"))
risk = results["risk"]
assert sorted(os.listdir(there + "/all")) == ["greeks.csv", "pnl.csv", "prices.csv", "risk.csv", "totals.csv"]
plain = lambda text: text[1:] if text[:2] == "'=" else text
def rows(name):
    return [{k: plain(v) for k, v in row.items()} for row in csv.DictReader(open(f"{there}/all/{name}.csv", newline=""))]
number = lambda text: float(text) if text else None

prices = rows("prices")
assert [p["trade_id"] for p in prices] == [t["trade_id"] for t in results["trades"]]
for p, t in zip(prices, results["trades"]):
    assert (p.pop("tag.desk") or None) == t.get("tags", {}).get("desk")
    for key, text in p.items():
        value = t[key]
        assert (number(text) if isinstance(value, (int, float)) or value is None else text) == value, (key, text, value)

greeks = {(g["trade_id"], g["name"]): g for g in risk["greeks"]}
seen = set()
units = {"delta": "per spot", "gamma": "per spot per spot", "vega": "per volatility", "vega_bucket": "per volatility", "rho": "per rate",
         "theta": "per year", "cross_gamma": "per spot per spot", "correlation": "per correlation"}
for row in rows("greeks"):
    name = ":".join(filter(None, [row["greek"].replace("vega_bucket", "vega"), row["factor"], row["other"]]))
    if row["greek"] == "vega_bucket": name += "@%.15g" % float(row["bucket"])
    else: assert not row["bucket"]
    g = greeks[row["trade_id"], name]
    seen.add((row["trade_id"], name))
    assert row["unit"] == units[row["greek"]] and row["currency"] == g["currency"] and row["method"] == g["method"]
    for key in ("value", "std_error", "reference", "reference_error", "z", "bump"): assert number(row[key]) == g[key], (row, key)
assert seen == set(greeks) and {g[1].split(":")[0] for g in seen} == {"delta", "gamma", "vega", "rho", "theta", "cross_gamma", "correlation"}

pnl = {(r["kind"], r["name"], r["by"], r["of"]): (float(r["value"]), number(r["std_error"]), r["currency"]) for r in rows("pnl")}
wanted = {}
for kind, markets in (("scenario", risk["scenarios"]), ("day", risk["days"])):
    for m in markets:
        for t in m["totals"]: wanted[kind, m["name"], t["by"], t["of"]] = (t["value"], t["std_error"], "EUR")
for s in risk["scenarios"]:
    for t in results["trades"]:
        if "pnl:" + s["name"] in t: wanted["scenario", s["name"], "trade", t["trade_id"]] = (t["pnl:" + s["name"]], t["pnl_se:" + s["name"]], t["currency"])
assert {k: v for k, v in pnl.items() if k[0] == "scenario" or k[2] != "trade"} == wanted
assert sum(k[0] == "day" and k[2] == "trade" for k in pnl) == 27 * 5

tails = {(t.get("by", "trade"), t.get("total") or t["trade_id"], t["confidence"]): t for t in risk["tails"] if t["var"] is not None}
got = rows("risk")
assert {(r["by"], r["of"], float(r["confidence"])) for r in got} == set(tails) and len(got) == len(tails)
for r in got:
    t = tails[r["by"], r["of"], float(r["confidence"])]
    for key, text in r.items():
        if key not in ("by", "of", "currency"): assert number(text) == t.get(key), (r, key)

totals = {(r["by"], r["of"], r["number"]): (int(r["trades"]), float(r["value"]), float(r["error_at_most"])) for r in rows("totals")}
wanted = {}
for a in results["aggregates"]:
    for name, of in [("value", a)] + [(g["name"], g) for g in a["greeks"]]:
        if of["trades"]: wanted[a["by"], a["of"], name] = (of["trades"], of["value"], of["error_at_most"])
assert totals == wanted
print(f"long files: {len(seen)} Greeks, {len(pnl)} profits, {len(tails)} tails, {len(totals)} totals")
END
[[ $(wc -l <"$there/plain/greeks.csv") == 1 && $(wc -l <"$there/plain/pnl.csv") == 1 && $(wc -l <"$there/plain/prices.csv") == 7 ]] || fail "files of a book without risk"
[[ $(stat -c %a "$there/all" "$there/all/greeks.csv" | xargs) == "700 600" ]] || fail "rights: $(stat -c %a "$there/all" "$there/all/greeks.csv" | xargs)"

# ---- standard output: results and nothing else

for form in - -.csv; do
    "$pricer" --engine=cpu -o "$form" "$there/plain.cfg" 2>/dev/null >"$there/out" || [[ $? == 1 ]]
    cmp -s "$there/out" "$there/plain.csv" || fail "--output=$form is not FILE.csv"
done
"$pricer" --engine=cpu --output=-.json "$there/plain.cfg" 2>/dev/null >"$there/out.json" || [[ $? == 1 ]]
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["trades"]) == 6' "$there/out.json" || fail "--output=-.json"
# ---- folders that cannot be, and one of whose files is the book's

folder() { # STATUS FOLDER WORDS
    run "$1" --engine=cpu --check=none -q -o "$2" "$there/book.cfg"
    says "$3"
}
folder 3 "$there/none/folder/" "cannot make the folder"
folder 3 "$there/book.cfg/" "Not a directory"
cp "$there/past.csv" "$there/risk.csv"
sed -i 's/"past.csv"/"risk.csv"/' "$there/book.cfg"
folder 2 "$there/" "is a file that the book is read from"
cmp -s "$there/risk.csv" "$there/past.csv" || fail "the book's file was written over"

end_test "files: schema, long files and standard output are right"
