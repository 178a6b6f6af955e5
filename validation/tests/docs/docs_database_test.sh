#!/usr/bin/env bash
# The example queries of docs/database.md run on a database that pricer wrote, and every table and
# column that it has is named there.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
cat >"$there/past.csv" <<'END'
date,A,B
2026-11-16,100,50
2026-11-17,98,51
2026-11-18,99,48
2026-11-19,101,49
END
# book SPOT: a night of three desks.
book() {
    cat <<END
settings = { paths = 16384; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } );
assets = ( { name = "A"; currency = "EUR"; spot = $1; volatility = { times = [0.5, 1.0]; vols = [0.2, 0.21]; }; },
  { name = "B"; currency = "EUR"; spot = 50.0; volatility = 0.25; } ); };
book = { name = "three desks"; trades = (
  { id = "a1"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; tags = { desk = "EQD"; }; },
  { id = "a2"; type = "european"; asset = "A"; option = "put"; strike = 90.0; expiry = 0.5; quantity = -2; tags = { desk = "EQD"; }; },
  { id = "b1"; type = "european"; asset = "B"; option = "put"; strike = 50.0; expiry = 0.5; quantity = 5; tags = { desk = "EXO"; }; },
  { id = "it's"; type = "european"; asset = "B"; option = "call"; strike = 50.0; expiry = 0.5; },
  { id = "bad"; type = "european"; asset = "B"; option = "call"; strike = -1.0; expiry = 0.5; } ); };
risk = { greeks = [ "delta", "vega_bucket" ];
  scenarios = ( { name = "down"; shocks = ( { asset = "*"; spot = -0.1; } ); }, { name = "up"; shocks = ( { asset = "*"; spot = 0.1; } ); } );
  historical = { file = "past.csv"; confidence = [0.95]; }; };
END
}
database=$there/night.db
for spot in 99 101; do
    book $spot >"$there/book.cfg"
    ends 1 "$PRICER" --engine=cpu --quiet -o "$database" -o "$there/$spot.json" "$there/book.cfg"
done

# Every query of the page, against the JSON files of the same runs.
awk -v folder="$there" '/^```sql$/ { n++; file = folder "/" n ".sql"; next } /^```$/ { file = ""; next } file { print >file }' docs/database.md
python3 - "$there" <<'END' || fail "the queries of docs/database.md"
import json, sqlite3, sys
there = sys.argv[1]
before, today = [json.load(open(f"{there}/{n}.json")) for n in (99, 101)]
database = sqlite3.connect(there + "/night.db")
asked = 0
def ask(n):
    global asked
    asked += 1
    return [tuple(row) for row in database.execute(open(f"{there}/{n}.sql").read())]
near = lambda a, b: a == b or abs(a - b) <= 1e-12 * (abs(a) + abs(b))
def same(rows, wanted):
    assert len(rows) == len(wanted), (rows, wanted)
    for row, right in zip(rows, wanted):
        row = [None if a in (float("inf"), float("-inf")) else a for a in row] # no number of JSON
        assert all(near(a, b) if isinstance(b, float) else a == b for a, b in zip(row, right)) and len(row) == len(right), (row, right)

totals = lambda results, by: {a["of"]: a for a in results["aggregates"] if a["by"] == by}
risk, trades = today["risk"], {t["trade_id"]: t for t in today["trades"]}
nights = [(run, r["manifest"]["book_name"], 4, 1, totals(r, "total")["total"]["value"], totals(r, "total")["total"]["error_at_most"],
           r["manifest"]["results_digest"]) for run, r in ((1, before), (2, today))]
same([row[:1] + row[2:] for row in ask(1)], nights)
(bad,) = ask(2)
assert bad[:2] == ("bad", "refused") and bad[6].endswith("/book.cfg:10") and "strike must be > 0" in bad[5]
desks, old = totals(today, "desk"), totals(before, "desk")
assert set(desks) == {"EQD", "EXO", "(none)"}
same(ask(3), sorted([(d, a["trades"], a["value"], a["error_at_most"], a["value"] - old[d]["value"]) for d, a in desks.items()], key=lambda r: -r[2]))
spots = {"A": 101.0, "B": 50.0}
deltas = [(d, g["name"][6:], g["trades"], 0.01 * spots[g["name"][6:]] * g["value"], 0.01 * spots[g["name"][6:]] * g["error_at_most"])
          for d, a in desks.items() for g in a["greeks"] if g["name"].startswith("delta:")]
same(ask(4), sorted(deltas, key=lambda r: -abs(r[3])))
vegas = [(g["name"][5:].split("@")[0], float(g["name"].split("@")[1]), 0.01 * g["value"], 0.01 * g["error_at_most"])
         for g in totals(today, "total")["total"]["greeks"] if g["name"].startswith("vega:")]
same([r for r in ask(5) if r[0] == "A"], sorted(v for v in vegas if v[0] == "A"))
def worst(markets):
    rows = [(m["name"], m["totals"][0]["value"], t["of"], t["value"], t["std_error"]) for m in markets for t in m["totals"] if t["by"] == "desk"]
    return sorted(rows, key=lambda r: (r[1], r[3]))[:30]
same(ask(6), worst(risk["scenarios"]))
name = min(risk["scenarios"], key=lambda s: s["totals"][0]["value"])["name"]
hit = [(t["trade_id"], "european", t["assets"], "EUR", t["pnl:" + name], t["pnl_se:" + name]) for t in trades.values() if "pnl:" + name in t]
same(ask(7), sorted(hit, key=lambda r: r[4]))
tails = [tuple([t["total"], t["confidence"]] + [t[k] for k in ("var", "var_error", "var_low", "var_high", "component_var", "incremental_var",
         "component_shortfall", "incremental_shortfall")]) for t in risk["tails"] if t.get("by") in ("desk", "total")]
same(ask(8), sorted(tails, key=lambda r: -r[8]))
same(ask(9), worst(risk["days"]))
all_errors = sum(t["std_error"] or 0.0 for t in trades.values())
unsure = [(t["trade_id"], "european", "EUR", t["price"], t["std_error"], float(t["paths"]), t["std_error"] / all_errors) for t in trades.values() if t["std_error"]]
same(ask(10), sorted(unsure, key=lambda r: -r[6]))
import glob
assert asked == len(glob.glob(there + "/*.sql")) == 10
END

for table in $(ask "$database" "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"); do
    grep -qF "**$table**" docs/database.md || fail "docs/database.md has no table $table"
    for column in $(ask "$database" "SELECT name FROM pragma_table_info('$table')"); do
        grep -qwF "$column" docs/database.md || fail "docs/database.md has no column $table.$column"
    done
done
end_test "docs_database_test: ten queries, and every column"
