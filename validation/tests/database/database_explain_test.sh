#!/usr/bin/env bash
# What the change from one night to the next is made of, for the book, by tags and trade by trade:
# each number of pricer diff --output against an own computation from the JSON files of the nights.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

cat >"$there/1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 65536; check = "none"; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; rate = 0.03; }, { name = "USD"; rate = 0.04; }, { name = "GBP"; curve = { times = [0.5, 1.5]; zero_rates = [0.04, 0.045]; }; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; cash_dividends = ( { time = 0.4; amount = 1.0; } ); },
  { name = "B"; currency = "EUR"; spot = 40.0; volatility = 0.25; dividend_yield = 0.02; },
  { name = "U"; currency = "USD"; spot = 50.0; volatility = 0.3; },
  { name = "FX"; currency = "USD"; foreign_currency = "EUR"; spot = 1.25; volatility = 0.1; },
  { name = "G"; currency = "GBP"; spot = 10.0; volatility = 0.35; } );
correlations = ( { assets = ["A", "B"]; value = 0.5; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = "2027-11-20"; quantity = 100; tags = { desk = "EQD"; }; },
  { id = "a2"; type = "asian"; asset = "A"; option = "put"; strike = 95.0; averaging = "arithmetic"; strike_type = "fixed"; fixings = 12; expiry = "2027-11-20";
    quantity = -200; tags = { desk = "EXO"; trader = "x"; }; },
  { id = "ab"; type = "spread"; assets = ["A", "B"]; weights = [1.0, -2.0]; option = "call"; strike = 15.0; expiry = "2027-05-20"; quantity = 30; tags = { desk = "EXO"; }; },
  { id = "gone"; type = "european"; asset = "A"; option = "put"; strike = 90.0; expiry = "2027-11-20"; quantity = 7; tags = { desk = "EXO"; }; },
  { id = "amended"; type = "european"; asset = "B"; option = "put"; strike = 40.0; expiry = "2027-11-20"; quantity = 7; tags = { desk = "EQD"; }; },
  { id = "u"; type = "european"; asset = "U"; option = "put"; strike = 50.0; expiry = "2027-06-20"; quantity = 10; },
  { id = "m"; type = "european"; asset = "B"; option = "put"; strike = 39.0; expiry = "2027-06-20"; quantity = 10; },
  { id = "lb"; type = "lookback"; asset = "B"; option = "call"; strike_type = "fixed"; strike = 39.0; extreme = 41.0; monitoring = { from = "2026-10-23"; every = "1M"; roll = "none"; };
    expiry = "2027-06-23"; quantity = 10; },
  { id = "g"; type = "european"; asset = "G"; option = "put"; strike = 10.0; expiry = "2027-10-01"; quantity = 10; },
  { id = "fx"; type = "european"; asset = "FX"; option = "put"; strike = 1.26; expiry = "2027-10-01"; quantity = 10; } ); };
risk = { greeks = [ "delta", "gamma", "vega", "rho", "yield", "cash_dividend", "theta", "cross_gamma", "correlation" ]; };
END
sed 's/2026-11-20/2026-11-23/; s/spot = 100.0/spot = 101.0/; s/spot = 40.0/spot = 39.5/; s/volatility = 0.3;/volatility = 0.305;/; s/rate = 0.03/rate = 0.031/
    s/value = 0.5/value = 0.52/; s/"gone"/"new"/; s/strike = 40.0/strike = 41.0/; s/trader = "x"/trader = "y"/; s/1.25/1.3/; s/0.045/0.047/; s/yield = 0.02/yield = 0.021/; s/amount = 1.0/amount = 1.1/' "$there/1.cfg" >"$there/2.cfg"
for night in 1 2; do
    "$pricer" -q --engine=cpu --seed=$night -o "$there/all.db" -o "$there/$night.json" "$there/$night.cfg" || fail "night $night: $?"
done
for file in change.csv change.json change.html; do
    run 1 diff --output="$there/$file" "$there/all.db"
done
shows 'What the change is made of' && shows 'desk EQD ' && shows 'trader y '
python3 - "$there" <<'END' || fail "the explanation"
import csv, json, math, sys
there = sys.argv[1]
nights = [json.load(open(f"{there}/{n}.json")) for n in (1, 2)]
trades = [{t["trade_id"]: t for t in n["trades"]} for n in nights]
greeks = [{(g["trade_id"], g["name"]): (g["value"], g["std_error"]) for g in n["risk"]["greeks"]} for n in nights]
spot, volatility = {"A": 1.0, "B": -0.5, "U": 0.0, "FX": 0.05, "G": 0.0}, {"A": 0.0, "B": 0.0, "U": 0.005, "FX": 0.0, "G": 0.0}
years = 315 / 365 # to the expiry of g: the rate of GBP moves by 0.002 at 1.5 years, not at all at 0.5, what accrues on a line
rate = {"EUR": 0.001, "USD": 0.0, "GBP": 0.002 * 1.5 * (years - 0.5) / years}
parts = ["delta", "second_order", "vega", "rho", "yield", "theta", "correlation"]
def explain(id):
    """What moved and the part of the change, for the first night's Greeks; a fixing of today makes the Greeks of lb jump."""
    of, second, error = {}, {}, 0.0
    for (trade, name), (value, its_error) in greeks[0].items():
        if trade != id: continue
        kind, *on = name.split(":")
        factor = "time" if kind == "theta" else " ".join(on).split("@")[0]
        move = {"delta": lambda: spot[on[0]], "gamma": lambda: 0.5 * spot[on[0]] ** 2, "cross_gamma": lambda: spot[on[0]] * spot[on[1]],
                "vega": lambda: volatility[on[0]], "rho": lambda: rate[on[0]], "yield": lambda: 0.001 if on[0] == "B" else 0.0, "cash_dividend": lambda: 0.1,
                "theta": lambda: 3 / 365, "correlation": lambda: 0.02}[kind]()
        part = "yield" if kind == "cash_dividend" else kind if kind in parts else "second_order"
        if part == "second_order" and id != "lb": continue
        of[factor, part] = of.get((factor, part), 0.0) + value * move
        if not move: continue
        later = greeks[1][trade, name] if id != "lb" else (value, its_error)
        error += 0.5 * (its_error + later[1]) * abs(move)
        if id != "lb": of[factor, "second_order"] = of.get((factor, "second_order"), 0.0) + 0.5 * (later[0] - value) * move
    return of, error

rows = []
for id in dict.fromkeys(list(trades[0]) + list(trades[1])):
    t, u = trades[0].get(id), trades[1].get(id)
    row = {"id": id, "currency": (t or u)["currency"], "tags": (u or t).get("tags", {}), "before": t["price"] if t else 0.0, "after": u["price"] if u else 0.0,
           "errors": (t["std_error"] if t else 0.0, u["std_error"] if u else 0.0)}
    change = row["after"] - row["before"]
    if not t: row["new"] = change
    elif not u: row["gone"] = change
    elif id == "amended": row["amended"] = change
    else:
        row["factors"], row["error_explained"] = explain(id)
        for (factor, part), value in row["factors"].items(): row[part] = row.get(part, 0.0) + value
    rows.append(row)
for m in rows:
    rest = m["after"] - m["before"] - sum(m.get(k, 0.0) for k in parts)
    m["beyond"] = "error_explained" in m and abs(rest) > 4 * math.hypot(*m["errors"], m["error_explained"])
made_of = ["fx_translation", "cash", "new", "gone", "amended", "model"] + parts + ["expired"]
rates, earlier = {"EUR": 1.0, "USD": 1 / 1.3}, {"EUR": 1.0, "USD": 1 / 1.25}
def total(members, converted):
    at = lambda m: rates[m["currency"]] if converted else 1.0
    out = {k: sum(at(m) * m.get(k, 0.0) for m in members) for k in ["before", "after"] + made_of}
    out["trades"] = len(members)
    if converted: # what is before, at the first night's own FX rates
        own = sum(earlier[m["currency"]] * m["before"] for m in members)
        out["fx_translation"], out["before"] = out["before"] - own, own
    out["change"] = out["after"] - out["before"]
    out["gross"] = sum(at(m) * abs(m["after"] - m["before"]) for m in members)
    out["error"] = math.hypot(sum(at(m) * m["errors"][0] for m in members), sum(at(m) * m["errors"][1] for m in members))
    out["unexplained"] = out["change"] - sum(out[k] for k in made_of)
    out["unexplained_error"] = out["error"] + sum(at(m) * m.get("error_explained", 0.0) for m in members)
    out["unexplained_error_independent"] = math.sqrt(sum(at(m) ** 2 * (m["errors"][0] ** 2 + m["errors"][1] ** 2 + m["error_explained"] ** 2)
                                                         for m in members if "error_explained" in m))
    out["market"] = sum(out[k] for k in parts + ["expired", "unexplained"])
    out["beyond"] = sum(m["beyond"] for m in members)
    return out
wanted, factors = {}, {}
for m in rows:
    for by, of in (("total", "total"), ("trade", m["id"]), ("desk", m["tags"].get("desk", "(none)")), ("trader", m["tags"].get("trader", "(none)"))):
        for converted in (False, True):
            if converted and (by == "trade" or m["currency"] not in rates): continue
            currency = "EUR" if converted else m["currency"]
            wanted.setdefault((by, of, "", converted, currency), []).append(m)
            for (factor, part), value in m.get("factors", {}).items() if by != "trade" else ():
                row = factors.setdefault((by, of, factor, converted, currency), dict.fromkeys(parts, 0.0))
                row[part] += value * (rates[m["currency"]] if converted else 1.0)
assert ("trader", "y", "", True, "EUR") in wanted and ("trader", "x", "", False, "EUR") not in wanted
names = ["by", "of", "factor", "converted", "currency"]
read = list(csv.DictReader(open(there + "/change.csv")))
for r in read: r["converted"] = {"true": True, "false": False}[r["converted"]]
got = {tuple(r.pop(k) for k in names): {k: float(v) if v else None for k, v in r.items()} for r in read}
as_json = {tuple(r.pop(k) for k in names): r for r in json.load(open(there + "/change.json"))["changes"]}
moved = {k: v for k, v in factors.items() if any(v.values())}
assert got == as_json and set(got) == set(wanted) | set(moved), set(got) ^ (set(wanted) | set(moved))
for key, members in wanted.items():
    right, size = total(members, key[3]), sum(abs(m["before"]) + abs(m["after"]) for m in members)
    assert set(right) == set(got[key]), set(right) ^ set(got[key])
    for k, v in right.items(): assert abs(got[key][k] - v) <= 1e-9 * (size + 1.0), (key, k, got[key][k], v)
for key, right in moved.items():
    for k, v in right.items(): assert abs(got[key][k] - v) <= 1e-9 * (1.0 + abs(v)), (key, k, got[key][k], v)
    assert abs(got[key]["change"] - sum(right.values())) < 1e-9 and got[key]["before"] is None
assert any(k[2] == "A B" for k in moved) and any(k[2] == "GBP" and v["rho"] for k, v in moved.items()) and all(any(k[2] == f and v["yield"] for k, v in moved.items()) for f in "AB") and got["trade", "lb", "", False, "EUR"]["second_order"]
# What is left is noise: the Greeks explain a move of a percent.
book = got["total", "total", "", True, "EUR"]
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
rows = [r for r in csv.DictReader(open(there + "/change.csv"))]
def tables(page):
    """The rows of each of the page's tables, cell by cell, headings first."""
    strip = lambda row: [html.unescape(c) for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
    return {id: [strip(row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)]
            for id, table in re.findall(r'<table id="(changed?-[a-z-]+)"(.*?)</table>', open(f"{there}/{page}").read(), re.S)}
def near(shown, row, column, where):
    """The file's number, rounded to what its error bears."""
    right, size = float(row[column]), float(row["unexplained_error_independent"] or 0) or float(row["error"])
    value = float(shown.replace(",", ""))
    if column.endswith("error") or column.endswith("independent"): size = right
    assert abs(value - right) <= 0.06 * size + (0.006 if not size else 0.0), (where, column, shown, right)
by = lambda r: (r["by"], r["of"], r["factor"], r["converted"], r["currency"])
wanted = {by(r): r for r in rows}
names = {"second order": "second_order", "its error": "unexplained_error_independent", "at most": "unexplained_error"}
lines = {"before: the first night's own total": "before", "FX translation of it": "fx_translation", "new trades": "new", "gone trades": "gone", "amended trades": "amended",
         "what the market did": "market", "delta": "delta", "second order": "second_order", "vega": "vega", "rho": "rho", "yields and dividends": "yield", "theta": "theta", "correlation": "correlation",
         "unexplained": "unexplained", "its error, trades independent": "unexplained_error_independent", "its error at most": "unexplained_error", "after": "after",
         "error of the change at most": "error", "trades": "trades"}
for page in ("2.html", "3.html", "change.html"):
    got = tables(page)
    assert set(got) - {"change-beyond"} == {"change-total", "change-tags", "change-factors"} | ({"changed-trades"} if page == "change.html" else set()), (page, set(got))
    heads, *body = got["change-total"]
    assert heads[1:] == ["all in EUR", "those in EUR", "those in GBP", "those in USD"] and {r[0].strip() for r in body} == set(lines), (heads, body)
    for r in body:
        for head, shown in zip(heads[1:], r[1:]):
            near(shown, wanted["total", "total", "", "true" if head.startswith("all") else "false", head[-3:]], lines[r[0].strip()], page)
    seen = set()
    for id, table in got.items():
        if id == "change-total": continue
        heads, *body = table
        for r in body:
            name = r[0] if id not in ("change-factors", "change-tags") else "total" if id == "change-factors" else r[0].split(" ", 1)[1]
            way = "trade" if id in ("changed-trades", "change-beyond") else "total" if id == "change-factors" else r[0].split(" ", 1)[0]
            key = (way, name, r[0] if id == "change-factors" else "", "false" if way == "trade" else "true", r[1])
            seen.add(key)
            for head, shown in list(zip(heads, r))[2:]:
                if shown != "-": near(shown, wanted[key], names.get(head, head), (page, key))
    missing = {k for k in wanted if k[3] == "true" and k[:3] != ("total", "total", "") and (k[0] == "total" or not k[2])} - seen
    assert not missing and (page != "change.html" or {k for k in wanted if k[0] == "trade"} <= seen), missing
assert "2 trades" not in open(f"{there}/change.html").read() and "1 trade is in no sum of one currency" in open(f"{there}/change.html").read()

END
run 2 -q --report="$there/x.html" --since="$there/page.db" "$there/1.cfg"
says '--since needs --report=FILE.html, and --output=FILE.db'
# Found before anything is priced.
for since in "$there/none.db:3" "$there/none.db" "$there/all.db:9"; do
    run 2 -q -o "$there/x.db" --report="$there/x.html" --since="$since" "$there/1.cfg"
    [[ ! -e $there/x.db && ! -e $there/x.html && $(wc -l <"$there/err") == 1 ]] || fail "--since=$since"
done

# nights NAME OPTIONS...: the books NAME.1.cfg and NAME.2.cfg as two nights of one database, and their change in
# NAME.csv; judge WHAT: the Python on standard input finds nothing wrong, with what changed and the first night's Greeks.
nights() {
    rm -f "$there/$1.db"
    for night in 1 2; do
        run 0 -q --engine=cpu "${@:2}" -o "$there/$1.db" -o "$there/$1.$night.json" "$there/$1.$night.cfg"
    done
    "$pricer" diff --output="$there/$1.csv" "$there/$1.db" >"$there/out" || true
}
cat >"$there/nights.py" <<'END'
import csv, json
def changes(name): return {r["of"]: r for r in csv.DictReader(open(name + ".csv")) if r["by"] == "trade"}
def greeks(name): return {(g["trade_id"], g["name"]): g["value"] for g in json.load(open(name + ".1.json"))["risk"]["greeks"]}
END
judge() { (cd "$there" && PYTHONPATH=. python3 -c "from nights import *
$(cat)") || fail "$1"; }

# ---- dates of curves that are over: the others are compared with themselves

cat >"$there/dated.1" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 16384; check = "none"; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; curve = { times = ["2026-11-22", "2027-11-20", "2028-11-20"]; zero_rates = [0.01, 0.03, 0.05]; }; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = { times = ["2026-11-22", "2027-11-20", "2028-11-20"]; vols = [0.1, 0.2, 0.3]; }; },
  { name = "S"; currency = "EUR"; spot = 100.0; model = "local_vol"; volatility = { times = ["2026-11-22", "2027-11-20", "2028-11-20"]; strikes = [80.0, 125.0];
    vols = ([0.11, 0.10], [0.21, 0.20], [0.26, 0.25]); }; } ); };
book = { trades = ( { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = "2027-11-20"; },
  { id = "s"; type = "european"; asset = "S"; option = "call"; strike = 100.0; expiry = "2027-11-20"; } ); };
risk = { greeks = [ "GREEK", "rho" ]; };
END
sed 's/"2026-11-20"/"2026-11-23"/; s/"2026-11-22", //; s/\[0.01, 0.03, 0.05\]/[0.031, 0.051]/; s/\[0.1, 0.2, 0.3\]/[0.201, 0.301]/
    s/\[0.11, 0.10\], \[0.21, 0.20\], \[0.26, 0.25\]/[0.211, 0.201], [0.261, 0.251]/' "$there/dated.1" >"$there/dated.2"
for greek in vega vega_bucket; do
    for night in 1 2; do sed "s/GREEK/$greek/" "$there/dated.$night" >"$there/dated.$night.cfg"; done
    nights dated
    judge "dated curves with $greek" <<'END'
found = greeks("dated")
for id, r in changes("dated").items():
    vega = sum(v for (t, name), v in found.items() if t == id and name.startswith("vega"))
    for part, wanted in (("rho", 0.001 * found[id, "rho:EUR"]), ("vega", 0.001 * vega)):
        assert abs(float(r[part]) - wanted) < 0.02 * abs(wanted), (id, part, r[part], wanted)
END
done

# ---- trades without a path: dated ones change no terms from night to night, and raise no alarm

cat >"$there/linear.1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 1024; check = "none"; greeks = [ "delta", "vega", "rho", "yield", "theta" ]; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; dividend_yield = 0.01; } ); };
book = { trades = ( { id = "forward"; type = "forward"; asset = "A"; strike = 100.0; settlement_days = 2; expiry = "2027-06-18"; quantity = -4; },
  { id = "future"; type = "future"; asset = "A"; strike = 100.0; expiry = "2027-06-18"; quantity = 4; },
  { id = "cash"; type = "cash"; currency = "EUR"; amount = 1000.0; pay_date = "2027-03-01"; },
  { id = "premium"; type = "premium"; currency = "EUR"; amount = 1000.0; pay_date = "2027-03-01"; },
  { id = "today"; type = "fee"; currency = "EUR"; amount = 1000.0; },
  { id = "share"; type = "position"; asset = "A"; quantity = 3; } ); };
END
sed 's/"2026-11-20"/"2026-11-23"/; s/spot = 100.0/spot = 101.0/; s/rate = 0.03/rate = 0.031/; s/yield = 0.01/yield = 0.012/' "$there/linear.1.cfg" >"$there/linear.2.cfg"
nights linear
! grep -q "ALARM\|changed '" "$there/out" || fail "linear trades: $(<"$there/out")"
judge "linear trades" <<'END'
import sqlite3
moves = {"delta:A": 1.0, "rho:EUR": 0.001, "yield:A": 0.002, "theta": 3 / 365}
found, rows = greeks("linear"), changes("linear")
assert len(rows) == 6, rows
for id, row in rows.items():
    assert float(row["amended"]) == 0.0 and row["beyond"] == "0", row
    for name, move in moves.items():
        wanted, got = found.get((id, name), 0.0) * move, float(row[name.split(":")[0]])
        assert abs(got - wanted) < 1e-9, (id, name, got, wanted)
assert float(rows["forward"]["theta"]) and float(rows["cash"]["theta"]) and float(rows["forward"]["delta"]) < -3.9
for id, terms in sqlite3.connect("linear.db").execute("SELECT id, terms FROM trades"):
    keys = [k for k, v in json.loads(terms, object_pairs_hook=lambda pairs: pairs)]
    assert len(keys) == len(set(keys)), (id, terms)
END

# Cash that falls due on the second night goes to what it owes, by Greeks or not, and rows by factor have no part of it.
cat >"$there/due.1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 1024; check = "none"; greeks = [ "delta", "vega", "rho", "theta" ]; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = ( { id = "premium"; type = "premium"; currency = "EUR"; amount = -8200.0; pay_date = "2026-11-23"; },
  { id = "fee"; type = "fee"; currency = "EUR"; amount = 1000.0; pay_date = "2026-11-23"; },
  { id = "later"; type = "cash"; currency = "EUR"; amount = 1000.0; pay_date = "2026-11-24"; },
  { id = "owed"; type = "forward"; asset = "A"; strike = 90.0; expiry = "2026-11-20"; settlement_days = 2; } ); };
END
sed 's/"2026-11-20"; *$/"2026-11-23"; fixings = "closes.csv";/; s/rate = 0.03/rate = 0.035/' "$there/due.1.cfg" >"$there/due.2.cfg"
printf 'date,A\n2026-11-20,100\n' >"$there/closes.csv"
nights due
! grep -q "ALARM\|changed 'p" "$there/out" || fail "cash that falls due: $(<"$there/out")"
judge "cash that falls due" <<'END'
rows = changes("due")
for id, row in rows.items():
    due = id != "later"
    assert row["beyond"] == "0" and abs(float(row["expired"]) - due * float(row["change"])) < 1e-9, row
    assert (not float(row["theta"]) and not float(row["second_order"])) == due and abs(float(row["unexplained"])) < 1e-3, row
assert len(rows) == 4 and float(rows["premium"]["change"]) < -2.0
for line in "theta", "rho", "second_order":
    parts = {f: sum(float(r[line]) for r in csv.DictReader(open("due.csv")) if r["of"] == "total" and r["converted"] == "true" and bool(r["factor"]) == f)
             for f in (True, False)}
    assert parts[False] and abs(parts[True] - parts[False]) < 1e-9, (line, parts)
END

# ---- volatilities that tilt: between two dates the variance lies on a line

cat >"$there/tilt.1.cfg" <<'END'
settings = { paths = 16384; check = "none"; greeks = [ "vega" ]; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = { times = [0.4, 1.2]; vols = [0.2, 0.22]; }; } ); };
book = { trades = ( { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 105.0; expiry = 0.8; quantity = 1000; } ); };
END
sed 's/0.2, 0.22/0.21, 0.215/' "$there/tilt.1.cfg" >"$there/tilt.2.cfg"
nights tilt
judge "volatilities that tilt" <<'END'
row, vega = changes("tilt")["a"], greeks("tilt")["a", "vega:A"]
wanted = vega * sum(sign * ((a * a * 0.4 + b * b * 1.2) / 2 / 0.8) ** 0.5 for sign, a, b in ((1, 0.21, 0.215), (-1, 0.2, 0.22)))
assert wanted < -10.0 and abs(float(row["vega"]) / wanted - 1) < 1e-3, (row["vega"], wanted)
END

# ---- exchange rates: what their forwards yield beyond the foreign rate moves as a yield does

cat >"$there/points.1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 1024; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.04; },
  { name = "GBP"; curve = { times = [0.5, 1.0, 3.0]; zero_rates = [0.02, 0.025, 0.03]; }; } );
assets = ( { name = "FX"; currency = "USD"; foreign_currency = "EUR"; spot = 1.16; volatility = 0.08; forward_points = { times = ["2027-02-22", "2027-11-22"]; points = [30.0, 110.0]; }; },
  { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.16; volatility = 0.08; },
  { name = "GBPUSD"; currency = "USD"; foreign_currency = "GBP"; spot = 1.3; volatility = 0.08; basis = 0.002; } ); };
book = { trades = ( { id = "points"; type = "forward"; asset = "FX"; strike = 1.15; expiry = "2027-05-20"; quantity = 100000; },
  { id = "none"; type = "forward"; asset = "EURUSD"; strike = 1.15; expiry = "2027-05-20"; quantity = 100000; } ); };
END
sed 's/"2026-11-20"/"2026-11-23"/; s/1.16/1.165/; s/30.0, 110.0/33.0, 114.0/; s/rate = 0.02/rate = 0.021/; s/0.02, 0.025, 0.03/0.0205, 0.0251, 0.0296/; s/rate = 0.04/rate = 0.0395/' "$there/points.1.cfg" >"$there/points.2.cfg"
for greeks in '"quotes"' '["delta", "vega", "rho", "yield", "theta"]'; do
    nights points --set "risk.greeks=$greeks"
    judge "forward points with $greeks" <<'END'
rows = changes("points")
assert abs(float(rows["points"]["unexplained"])) < 2.0 and 100.0 < float(rows["points"]["yield"]), rows["points"]
assert abs(float(rows["none"]["unexplained"])) < 0.1 and float(rows["none"]["yield"]) == 0.0, rows["none"]
END
    ! grep -q 'GBPUSD yield' "$there/out" || fail "a basis that is the same: $(cat "$there/out")"
done

# ---- dates that pass change no terms: of exercise, and of coupons that count the days of their periods

cat >"$there/passing.cfg" <<'END'
valuation_date = "2026-11-20"; fixings = "passing.csv";
settings = { paths = 1024; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };
book = { trades = (
  { id = "bermudan"; type = "american"; asset = "A"; option = "put"; strike = 100.0; exercise_times = ["2026-11-21", "2027-02-20", "2027-05-20"]; expiry = "2028-05-20"; },
  { id = "asian"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0;
    fixing_times = ["2026-11-21", "2027-08-20", "2027-11-19"]; expiry = "2028-05-20"; },
  { id = "tarf"; type = "tarf"; asset = "A"; fixings = ["2026-11-21", "2027-08-20", "2027-11-19"]; strike = 100.0; target = 50.0; expiry = "2028-05-20"; },
  { id = "spread"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 100.0; fixings = 2; expiry = "2028-05-19"; },
  { id = "quarters"; type = "autocallable"; assets = ["A"]; initial = [100.0]; observation_times = { from = "2026-08-21"; to = "2027-05-21"; every = "3M"; roll = "none"; };
    call_level = 2.0; coupon_level = 0.5; coupon = 0.08; coupon_day_count = "ACT/360"; protection_level = 0.5; notional = 100.0; expiry = "2028-05-20"; },
  { id = "memory"; type = "autocallable"; assets = ["A"]; initial = [100.0]; observation_times = { from = "2026-08-21"; to = "2027-05-21"; every = "3M"; roll = "none"; };
    call_level = 2.0; coupon_level = 0.5; coupon = 0.08; coupon_day_count = "30/360"; memory = true; protection_level = 0.5; notional = 100.0; expiry = "2028-05-20"; } ); };
END
printf 'date,A\n2026-11-20,100\n2026-11-21,100\n2027-02-21,100\n2027-05-21,100\n' >"$there/passing.csv"
for night in 2026-11-20 2026-11-23 2027-02-23 2027-05-24; do
    sed "s/\"2026-11-20\"; fix/\"$night\"; fix/" "$there/passing.cfg" >"$there/passing.now.cfg"
    "$pricer" -q --engine=cpu -o "$there/passing.db" "$there/passing.now.cfg" || fail "night $night: $?"
    [[ $night == 2026-11-20 ]] && continue
    "$pricer" diff "$there/passing.db" >"$there/out" || true
    ! grep "changed '" "$there/out" || fail "terms changed by $night, on which dates had passed"
done
sed -i 's/0.08/0.09/; s/"2027-05-20"\]/"2027-05-20", "2027-08-20"]/; s/"2027-11-19"\]/"2027-11-22"]/' "$there/passing.now.cfg"
for night in 2027-05-24 2027-05-25; do # moved on the same night, or by the next one
    "$pricer" -q --engine=cpu --set "valuation_date=\"$night\"" -o "$there/passing.db" "$there/passing.now.cfg" || fail "amended: $?"
    "$pricer" diff --output="$there/passing.change.csv" "$there/passing.db:4" "$there/passing.db" >"$there/out" || true
    [[ $(grep -c "changed '.*: \(coupon\|exercise\) " "$there/out") == 3 ]] || fail "amended trades: $(<"$there/out")"
    shows "changed 'asian': dates_ahead 2027-11-19 -> 2027-11-22" && shows "changed 'tarf': dates_ahead 2027-11-19 -> 2027-11-22"
    python3 -c 'import csv, sys
rows = {r["of"]: r for r in csv.DictReader(open(sys.argv[1])) if r["by"] == "trade"}
for id in "asian", "tarf": assert rows[id]["amended"] == rows[id]["change"] != "0", rows[id]
assert rows.get("spread", {"amended": "0"})["amended"] == "0"' "$there/passing.change.csv" || fail "what was amended"
done

diff_refused() { refused 2 "*$1*" diff "${@:2}"; }
diff_refused "must be a file that ends in .csv, .json or .html, got 'x.txt'" --output=x.txt "$there/all.db"
diff_refused "must be a file that ends in .csv, .json or .html, got 'x.txt'" -o x.txt "$there/none.db" # before anything is read
diff_refused "diff takes one or two databases" --colour "$there/all.db"
diff_refused "diff takes one or two databases" -o "$there/x.csv"

# Greeks of every quote explain a surface that tilts, a curve that turns and a model whose parameters
# move; parallel ones do not.
cat >"$there/quotes.1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 65536; check = "none"; };
market = { correlation_default = 0; currencies = ( { name = "EUR"; curve = { times = [0.5, 1.0, 2.0]; zero_rates = [0.02, 0.025, 0.03]; }; } );
assets = ( { name = "S"; currency = "EUR"; spot = 100.0; model = "local_vol"; volatility = { times = [0.5, 1.0, 2.0]; strikes = [80, 100, 120];
    vols = ([0.24, 0.2, 0.18], [0.23, 0.2, 0.185], [0.22, 0.2, 0.19]); }; },
  { name = "H"; currency = "EUR"; spot = 100.0; model = "heston"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; } ); };
book = { trades = (
  { id = "b"; type = "barrier"; asset = "S"; option = "call"; strike = 95.0; barrier = 125.0; direction = "up"; knock = "out"; monitoring = 12; expiry = 1.0; quantity = 100; },
  { id = "h"; type = "european"; asset = "H"; option = "put"; strike = 90.0; expiry = 1.0; quantity = 100; } ); };
risk = { greeks = "quotes"; };
END
sed 's/0.24, 0.2, 0.18/0.25, 0.2, 0.178/; s/0.23, 0.2, 0.185/0.236, 0.2, 0.182/; s/zero_rates = \[0.02, 0.025, 0.03\]/zero_rates = [0.019, 0.0265, 0.03]/
    s/v0 = 0.04/v0 = 0.042/; s/rho = -0.7/rho = -0.68/' "$there/quotes.1.cfg" >"$there/quotes.2.cfg"
unexplained() {
    nights quotes --set "risk.greeks=$1"
    judge "unexplained" <<'END'
for id, row in changes("quotes").items(): print(id, round(abs(float(row["unexplained"])), 3), end=" ")
END
}
read -r _ b _ h <<<"$(unexplained '"quotes"')"
read -r _ all_b _ all_h <<<"$(unexplained '["delta", "vega", "rho", "theta"]')"
awk "BEGIN { exit !($b < 0.5 && $h < 0.1 && $all_b > 10.0 && $all_h > 2.0) }" || fail "unexplained: $b and $h by quotes, $all_b and $all_h by parallel Greeks"

# Quotes by delta by their own moves, whatever strikes they come to; vegas at strikes, which leave
# 11.7 and 1.4 of it, count no more beside them.
cat >"$there/quotes.1.cfg" <<'END'
valuation_date = "2026-11-20";
settings = { paths = 65536; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; }, { name = "USD"; rate = 0.04; } );
assets = ( { name = "FX"; currency = "USD"; foreign_currency = "EUR"; spot = 1.1; model = "local_vol"; volatility = { times = [0.5, 1.0];
    atm = [0.1, 0.11]; rr25 = [-0.01, -0.015]; bf25 = [0.002, 0.003]; delta = "spot"; premium_adjusted = false; butterfly = "market"; }; } ); };
book = { trades = (
  { id = "b"; type = "european"; asset = "FX"; option = "put"; strike = 1.03; expiry = 1.0; quantity = 100000; },
  { id = "h"; type = "european"; asset = "FX"; option = "call"; strike = 1.15; expiry = 0.7; quantity = 100000; } ); };
END
sed 's/0.11\]/0.112]/; s/-0.01, -0.015/-0.012, -0.018/; s/0.002, 0.003/0.0025, 0.003/' "$there/quotes.1.cfg" >"$there/quotes.2.cfg"
read -r _ b _ h <<<"$(unexplained '"quotes"')"
read -r _ both_b _ both_h <<<"$(unexplained '["quotes", "vega", "vega_strike"]')"
[[ "$b $h" == "$both_b $both_h" ]] || fail "quotes by delta leave $b and $h, with vegas at strikes $both_b and $both_h"
awk "BEGIN { exit !($b < 0.5 && $h < 0.5) }" || fail "quotes by delta leave $b and $h"

# The smile goes with a spot that moves while no quote does, which deltas at its strikes know nothing of:
# without what that makes of the quotes 16 and 35 are left.
sed 's/spot = 1.1;/spot = 1.108;/' "$there/quotes.1.cfg" >"$there/quotes.2.cfg"
read -r _ b _ h <<<"$(unexplained '"quotes"')"
awk "BEGIN { exit !($b < 8.0 && $h < 8.0) }" || fail "a spot that moves leaves $b and $h of quotes by delta"

end_test "explain: every part of the change is right"
