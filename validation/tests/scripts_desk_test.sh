#!/usr/bin/env bash
# A made-up desk of three hundred trades goes through a week of nights: fixings arrive, trades
# expire, are new and are amended, every night is priced, and the change of each night is explained.
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

mkdir "$there/book"
for night in 1 2 3 4 5; do
    scripts/make-desk "$there/book" $night || fail "make-desk $night"
    grep -n ' id = ' "$there/book/desk.cfg" | sed 's/^[0-9]*: *//; s/quantity = [-0-9]*/quantity/' >"$there/terms$night"
    date=2026-11-$((15 + night))
    scripts/nightly --pricer="$pricer" --pause=0 --retries=0 --database="$there/all.db" --date=$date "$there/history" "$there/book/desk.cfg" \
        --engine=cpu --threads=2 --check=none --output="$there/$night/" --output="$there/$night.json" 2>"$there/err" || fail "night $night: $?, $(tail -5 "$there/history/$date/night.log")"
done
for night in 2 3 4 5; do # the terms of a trade are the same on every night
    before=$(grep -cvxFf "$there/terms$night" "$there/terms$((night - 1))" || true)
    [[ $before == 0 ]] || fail "$before trades of night $((night - 1)) have other terms on night $night"
done
python3 - "$there" <<'END' || fail "the week"
import collections, csv, json, sys
there = sys.argv[1]
nights = [json.load(open(f"{there}/{n}.json")) for n in range(1, 6)]
statuses = [collections.Counter(t["status"] for t in n["trades"]) for n in nights]
assert all(set(s) == {"unchecked", "expired"} and s["unchecked"] > 250 for s in statuses), statuses
assert statuses[4]["expired"] >= statuses[0]["expired"] + 5 and len(nights[4]["trades"]) > len(nights[0]["trades"])
products = {t["type"] for t in nights[4]["trades"]}
assert {"asian", "barrier", "lookback", "cliquet", "variance_swap", "forward_start", "autocallable", "american"} <= products
assert {a["of"] for a in nights[4]["aggregates"] if a["by"] == "desk"} == {"EQD", "EXO", "FX"}
seen = collections.Counter()
for night in range(2, 6):
    rows = list(csv.DictReader(open(f"{there}/history/2026-11-{15 + night}/change.csv")))
    number = lambda r, k: float(r[k])
    parts = ["new", "gone", "amended", "delta", "gamma", "vega", "rho", "theta", "correlation"]
    for r in rows:
        for k in ("new", "gone", "amended"): seen[k] += r["by"] == "trade" and number(r, k) != 0.0
    for r in rows:
        if r["by"] not in ("total", "desk"): continue
        of = [t for t in rows if t["by"] == "trade" and t["currency"] == r["currency"]]
        gross = sum(abs(number(t, "change")) for t in of) if r["by"] == "total" else None
        share = abs(number(r, "unexplained")) / max(number(r, "error"), 1e-300)
        # A residual within its own error, or below a hundredth of the gross move.
        assert share <= 1.0 or (gross and abs(number(r, "unexplained")) < 0.01 * gross), (night, r)
        if r["by"] == "total": print(f"night {night} {r['currency']}: change {number(r, 'change'):.5g}, unexplained {number(r, 'unexplained'):.3g}, "
                                     f"gross {gross:.5g}, error at most {number(r, 'error'):.3g}")
assert seen["new"] >= 5 and seen["gone"] >= 4 and seen["amended"] == 4, seen
END
for folder in "$there"/history/2*; do
    grep -q 'id="tags"' "$folder/night.html" || fail "$folder: the report has no tags"
done

[[ $failures == 0 ]] || exit 1
echo "desk: five nights priced and explained"
