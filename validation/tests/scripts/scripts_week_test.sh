#!/usr/bin/env bash
# Five nights of a made-up desk at few paths: every line of pricer diff ties to the cent, by an own
# computation from the results databases. What is before is the first night's own total, the lines
# lead from it to the second's, sums are those of the trades, and what a trade that has expired owes
# goes to cash when it is paid. A trade whose price is wrong is named, and raises the alarm.
. validation/tests/test.sh
command -v python3 >/dev/null && command -v sqlite3 >/dev/null || exit 77

# night NUMBER: one night of the desk.
night() {
    scripts/nightly --pricer="$pricer" --pause=0 --retries=0 --date=2026-11-$((15 + $1)) "$there/nights" "$there/book/desk.cfg" \
        --engine=cpu --threads=2 --check=none --paths=1024 2>"$there/err" || fail "night $1: $?, $(cat "$there/err")"
    [[ ! -s $there/err ]] || fail "night $1 says $(<"$there/err")"
}

mkdir "$there/book"
for number in 1 2 3 4 5; do
    scripts/make-desk "$there/book" $number
    night $number
done
cat >"$there/ties.py" <<'END'
import csv, math, sqlite3, sys
there = sys.argv[1]
parts = "fx_translation cash new gone amended model delta second_order vega rho yield theta correlation expired unexplained".split()
market = parts[6:]
def read(number):
    night = sqlite3.connect(f"file:{there}/nights/2026-11-{15 + number}/night.db?mode=ro", uri=True)
    return {"worth": dict(((t, n), w) for t, n, w in night.execute("SELECT tag, name, worth FROM aggregates")), "rates": dict(night.execute("SELECT currency, rate FROM fx_rates")),
            "trades": {r[0]: r[1:] for r in night.execute("SELECT id, currency, price, std_error, verdict FROM trades JOIN prices USING (run, trade)")},
            "tags": {(i, t): v for i, t, v in night.execute("SELECT id, tag, value FROM tags JOIN trades USING (run, trade)")}}
def cent(what, a, b): assert abs(a - b) < 0.005, (what, a, b)
nights = [read(n) for n in range(1, 6)]
seen = dict.fromkeys(parts, 0)
for number in range(2, 6):
    old, new = nights[number - 2], nights[number - 1]
    rows = [r for r in csv.DictReader(open(f"{there}/nights/2026-11-{15 + number}/change.csv")) if not r["factor"]]
    for r in rows:
        for k in r:
            if k not in ("by", "of", "factor", "converted", "currency"): r[k] = float(r[k])
        cent("the lines", r["before"] + sum(r[k] for k in parts), r["after"])
        cent("the market", r["market"], sum(r[k] for k in market))
        cent("the change", r["change"], r["after"] - r["before"])
        assert r["unexplained_error_independent"] <= r["unexplained_error"] * (1 + 1e-12), r
    trades = {r["of"]: r for r in rows if r["by"] == "trade"}
    for r in rows: # sums are those of the trades, one by one
        if r["by"] == "trade": continue
        members = [t for t in trades.values() if r["by"] == "total" or new["tags"].get((t["of"], r["by"]), "(none)") == r["of"]]
        if r["converted"] == "false": members = [t for t in members if t["currency"] == r["currency"]]
        rate = lambda t, night: night["rates"][t["currency"]] if r["converted"] == "true" else 1.0
        assert len(members) == r["trades"]
        cent((r["by"], r["of"], "before"), r["before"], sum(t["before"] * rate(t, old) for t in members))
        cent((r["by"], r["of"], "FX"), r["fx_translation"], sum(t["before"] * (rate(t, new) - rate(t, old)) for t in members))
        for k in ["after"] + parts[1:]: cent((r["by"], r["of"], k), r[k], sum(t[k] * rate(t, new) for t in members))
        independent = math.sqrt(sum((rate(t, new) * t["unexplained_error_independent"]) ** 2 for t in members))
        assert abs(independent - r["unexplained_error_independent"]) <= 1e-9 * independent, r
        if r["converted"] == "true": # both nights' own totals
            cent("the first night's own", r["before"], old["worth"][r["by"], r["of"]])
            cent("the second night's own", r["after"], new["worth"][r["by"], r["of"]])
    for id in old["trades"].keys() | new["trades"].keys(): # one line a trade where Greeks explain nothing
        a, b = old["trades"].get(id), new["trades"].get(id)
        over = [t is None or t[3] == "expired" for t in (a, b)]
        if all(over) and not any(t and t[1] for t in (a, b)):
            assert id not in trades, "a trade that is over is no trade of the change"
            continue
        t = trades[id]
        line = "new" if a is None else "gone" if b is None else "" if not over[1] else "cash" if b[1] == 0.0 and (over[0] or a[2] <= 1e-12 * abs(a[1])) else "expired"
        if line:
            cent((id, line), t[line], t["change"])
            assert all(t[k] == 0.0 for k in parts if k not in (line, "unexplained")) and abs(t["unexplained"]) < 1e-6 and not t["beyond"], (id, line, t)
        for k in parts: seen[k] += abs(t[k]) > 0.005
assert seen["new"] >= 4 and seen["amended"] == 4 and seen["expired"] + seen["cash"] >= 4, seen
print("every line of four changes ties to the cent:", seen)
END
python3 "$there/ties.py" "$there" || fail "the ties"
for folder in "$there"/nights/*-1[789] "$there"/nights/*-20; do
    [[ $(sed 's/\xe2\x80\x93/-/g' "$folder/change.txt" | awk 'length > 120' | wc -l) == 0 ]] || fail "$folder: wider than 120 columns"
    [[ $(grep -c '^What the change is made of' "$folder/change.txt") == 1 && $(grep -c '^The market made ' "$folder/change.txt") == 1 ]] || fail "$folder: $(head -20 "$folder/change.txt")"
    grep -q '<a href="#summary">Summary</a> <a href="#change">Change</a>' "$folder/night.html" || fail "$folder: the links of the report"
done

# ---- a trade that has expired and owes its cash, and is paid on the next night; a price that is wrong

id=$(sqlite3 "$there/nights/2026-11-19/night.db" "SELECT id FROM trades JOIN prices USING (run, trade) WHERE verdict = 'expired' AND trades.id IN ('D153')")
[[ $id == D153 ]] || fail "D153 has not expired on the fourth night"
sqlite3 "$there/nights/2026-11-19/night.db" "UPDATE prices SET price = 12345.67 WHERE trade = (SELECT trade FROM trades WHERE id = 'D153');
    UPDATE aggregates SET worth = worth + 12345.67 * (SELECT rate FROM fx_rates WHERE currency = (SELECT currency FROM trades WHERE id = 'D153')) WHERE tag = 'total' OR
    (tag, name) IN (SELECT tag, value FROM tags JOIN trades USING (run, trade) WHERE id = 'D153')"
sqlite3 "$there/nights/2026-11-20/night.db" "UPDATE prices SET price = 1.5 * price WHERE trade = (SELECT trade FROM trades WHERE id = 'D001')"
for last in 19 20; do
    "$pricer" diff --output="$there/$last.csv" "$there/nights/2026-11-$((last - 1))/night.db" "$there/nights/2026-11-$last/night.db" >"$there/$last.txt" && fail "diff sees nothing" || [[ $? == 1 ]] || fail "diff fails"
done
python3 - "$there" <<'END' || fail "owed cash, a wrong price"
import csv, sys
rows = [{r["of"]: r for r in csv.DictReader(open(f"{sys.argv[1]}/{n}.csv")) if not r["factor"] and (r["by"] == "trade" or r["by"] == "total" and r["converted"] == "true")} for n in (19, 20)]
owes, paid = rows[0]["D153"], rows[1]["D153"]
assert float(owes["after"]) == 12345.67 and float(owes["expired"]) == float(owes["change"]) and float(owes["cash"]) == 0.0, owes
assert float(paid["cash"]) == -12345.67 and float(paid["market"]) == 0.0, paid
assert rows[1]["D001"]["beyond"] == "1" and rows[1]["total"]["beyond"] == "1" and rows[0]["total"]["beyond"] == "0", rows[1]["D001"]
END
tr -s ' \n' ' ' <"$there/20.txt" | grep -c 'ALARM: 1 of [0-9]* trades beyond 4 errors' >"$there/n" && grep -A 3 'Trades whose unexplained is beyond 4' "$there/20.txt" | grep -c '^D001 ' >"$there/n" || fail "the alarm: $(head -60 "$there/20.txt")"

end_test "week: five nights tie to the cent"
