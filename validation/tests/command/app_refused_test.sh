#!/usr/bin/env bash
# One bad trade never stops the book, from the first line on: books with expired and refused trades
# through the table, the files, the database, resuming, the report, the plan and diff; the others
# have the bits that they have without them.
. validation/tests/test.sh

folder=$there

# has FILE TEXT
has() {
    grep -qF -- "$2" "$there/$1" || fail "$1 has no '$2': $(head -c 4000 "$there/$1")"
}

book() {
    cat <<END
valuation_date = "2026-11-20";
settings = { paths = 16384; seed = 7; $2 };
market = { currencies = ( { name = "EUR"; rate = 0.02; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; } ); };
book = { name = "desk"; trades = (
$1
); };
risk = { greeks = ["delta"]; scenarios = ( { name = "crash"; shocks = ( { asset = "A"; spot = -0.1; } ); } );
  historical = { file = "past.csv"; confidence = [0.9]; }; };
END
}
for d in 02 03 04 05 06 09 10 11 12 13 16 17; do echo "2026-11-$d,10$d"; done | sed '1i date,A' >"$there/past.csv"

good='{ id = "G1"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1; },
  { id = "G2"; type = "european"; asset = "A"; option = "put"; strike = 100; expiry = "2027-05-20"; }'
mixed='{ id = "B1"; type = "european"; asset = "A"; option = "call"; strike = -5; expiry = 1; },
  { id = "G1"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1; },
  { id = "X1"; type = "european"; asset = "A"; option = "put"; strike = 100; expiry = "2026-11-13"; },
  { id = "G1"; type = "european"; asset = "A"; option = "put"; strike = 100; expiry = 1; colour = "red"; },
  { id = "X2"; type = "touch"; asset = "A"; touch = "one"; barrier = 120; direction = "up"; pay_at = "expiry"; cash = 10;
    hit = true; monitoring = ["2026-05-01"]; quantity = 3; expiry = "2026-11-20"; },
  { id = "G2"; type = "european"; asset = "A"; option = "put"; strike = 100; expiry = "2027-05-20"; },
  { type = "bond"; asset = "B"; quantity = "many"; },
  7'
book "$good" '' >"$there/good.cfg"
book "$mixed" '' >"$there/mixed.cfg"
book "$mixed" 'on_bad_trade = "stop";' >"$there/stop.cfg"

# ---- the table and the files, in the order of the book

run 0 --engine=cpu --output=good.csv good.cfg
run 1 --engine=cpu --output=mixed.csv --output=mixed.json --output=mixed.db --report=mixed.html mixed.cfg
[[ $(cut -d, -f1 "$there/mixed.csv" | xargs) == "trade_id B1 G1 X1 G1 (trade 4) X2 G2 trade 7 trade 8" ]] ||
    fail "rows: $(cut -d, -f1 "$there/mixed.csv" | xargs)"
for trade in G1 G2; do
    [[ $(grep "^$trade," "$there/mixed.csv") == "$(grep "^$trade," "$there/good.csv")" ]] || fail "$trade is not what it is alone"
done
shows '8 trades: 2 ok, 2 expired, 4 refused;'
shows "refused: mixed.cfg:6: trade 'B1': strike must be > 0, got -5"
says "mixed.cfg:6: trade 'B1': strike must be > 0, got -5"
says "mixed.cfg:9: trade 'G1': id 'G1' is taken by the one at mixed.cfg:7: give it another"
says "mixed.cfg:13: trade 7 of the list: id is missing"
says "mixed.cfg:14: a trade must be a group"
python3 - "$there" <<'END' || fail 'numbers of the files'
import csv, json, sys
there = sys.argv[1]
rows = {r["trade_id"]: r for r in csv.DictReader(open(there + "/mixed.csv"))}
assert [r["status"] for r in rows.values()] == ["refused", "ok", "expired", "refused", "expired", "ok", "refused", "refused"]
assert float(rows["X1"]["price"]) == 0 and float(rows["X2"]["price"]) == 30 and float(rows["X2"]["std_error"]) == 0
assert rows["X2"]["currency"] == "EUR" and float(rows["X2"]["delta:A"] or 0) == 0 and float(rows["X2"]["pnl:crash"] or 0) == 0 and rows["X1"]["delta:A"] == ""
assert rows["B1"]["price"] == "" and "strike must be > 0, got -5" in rows["B1"]["message"]
assert "unknown key 'colour'" in rows["G1 (trade 4)"]["message"] and "is taken by" in rows["G1 (trade 4)"]["message"]
assert rows["trade 7"]["type"] == "" and rows["trade 7"]["quantity"] == "" and "type \"bond\"" in rows["trade 7"]["message"]
found = json.load(open(there + "/mixed.json"))
assert [t["trade_id"] for t in found["trades"]] == list(rows)
assert found["manifest"]["statuses"]["refused"] == 4 and found["manifest"]["statuses"]["expired"] == 2
assert {t["trade_id"]: t["price"] for t in found["trades"]}["X2"] == 30
tails = {t["trade_id"]: t["var"] for t in found["risk"]["tails"] if "trade_id" in t}
assert tails["G1"] is not None and tails["B1"] is None
END

# ---- the report: what was refused first; no number of a trade that has none

at() {
    grep -bo -- "$1" "$there/mixed.html" | head -1 | cut -d: -f1
}
[[ $(at '<span class="refused">') -lt $(at '<span class="expired">') ]] || fail 'the order of the report'
has mixed.html "strike must be &gt; 0, got -5"

# ---- the database, --resume, diff

run 1 --engine=cpu --resume=mixed.db mixed.cfg
shows '2 ok, 2 expired, 4 refused'
run 1 --engine=cpu --output=two.db mixed.cfg
run 0 --engine=cpu --output=good.db good.cfg
run 0 diff mixed.db two.db
run 1 diff good.db two.db
shows "added 'B1': european on A, EUR, price none (mixed.cfg:6)"
shows "added 'trade 8': - on -, -, price none (mixed.cfg:14)"
sed 's/expiry = "2026-11-13"/expiry = "2027-11-13"/' "$there/mixed.cfg" >"$there/alive.cfg"
run 1 --engine=cpu --output=alive.db alive.cfg
run 1 diff alive.db two.db
shows "'X1': ok -> expired: expired 2026-11-13, before the valuation date 2026-11-20"

# ---- a run that is cut off and resumed

(cd "$there" && exec "$pricer" --engine=cpu --paths=16777216 --output=cut.db mixed.cfg >out 2>err) &
for ((i = 0; i < 500; i++)); do
    [[ ! -s $there/cut.db ]] || break
    sleep 0.01
done
kill -TERM $! 2>/dev/null || true
ends 143 wait $!
run 1 --engine=cpu --paths=16777216 --output=cut.csv --resume=cut.db mixed.cfg
[[ $(cut -d, -f1,7 "$there/cut.csv" | sed -n 2,8p | grep -c '^[BGXt]') == 7 ]] || fail 'rows of a resumed run'

# ---- --plan, --bench, "stop"

run 1 --engine=cpu --plan mixed.cfg
shows "refused: mixed.cfg:6: trade 'B1': strike must be > 0, got -5"
shows "mixed.cfg:8: trade 'X1' expired 2026-11-13"
run 2 --engine=cpu stop.cfg
[[ ! -s $there/out ]] || fail '"stop" prices something'
says "stop.cfg:6: trade 'B1': strike must be > 0, got -5"

# ---- what is left: nothing, or what has expired

book '{ id = "B1"; type = "european"; asset = "A"; option = "call"; strike = -5; expiry = 1; }' '' >"$there/none.cfg"
run 2 --engine=cpu none.cfg
book '{ id = "X1"; type = "european"; asset = "A"; option = "call"; strike = 5; expiry = 0; }' '' >"$there/past.cfg"
run 0 --engine=cpu --output=past.db --output=past.json --report=past.html past.cfg
shows '1 trade: 1 expired;'
run 0 --engine=cpu --plan past.cfg
book '{ id = "X1"; type = "european"; asset = "A"; option = "call"; strike = 5; expiry = 0; },
  { id = "B1"; type = "european"; asset = "A"; option = "call"; strike = -5; expiry = 1; }' '' >"$there/both.cfg"
run 1 --engine=cpu both.cfg
shows '2 trades: 1 expired, 1 refused;'

# ---- rows of CSV files

printf 'id,type,asset,option,strike,expiry\nC1,european,A,call,100,1\nC2,european,A,call,abc,1\nC3,european,A,call,90,2026-01-01\n' \
    >"$there/rows.csv"
sed 's/^book = .*/book = { trades_file = "rows.csv"; };/; /^{ id/,/^); };/d' "$there/good.cfg" | sed '/id = "G2"/d; /^); };/d' \
    >"$there/rows.cfg"
run 1 --engine=cpu --output=of_rows.csv rows.cfg
[[ $(cut -d, -f1 "$there/of_rows.csv" | xargs) == 'trade_id C1 C2 C3' ]] || fail "rows of rows: $(cat "$there/of_rows.csv")"
says "rows.csv:3: trade 'C2': strike must be a number, got \"abc\""
has of_rows.csv 'refused,"rows.csv:3:'
echo 'C4,european,A,call,100' >>"$there/rows.csv"
run 2 --engine=cpu rows.cfg
says 'rows.csv:5: the row has 5 fields'

exit $((failures > 0))
