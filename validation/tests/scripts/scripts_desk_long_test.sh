#!/usr/bin/env bash
# A made-up desk of three hundred trades goes through a week of nights: fixings arrive, trades
# expire, are new and are amended, every night is priced, and the change of each night is explained:
# what is left of the whole book's is below a hundredth of its gross move, what is left of every
# tag's below that or two of its own errors. More paths make both smaller. That the page of a night says
# what the file of its change says is the work of database_explain_test.sh, and report_browser_test.sh
# opens pages.
. validation/tests/test.sh
command -v python3 >/dev/null || exit 77

# night NUMBER DATABASE OPTIONS...: one night of the desk.
night() {
    local date=2026-11-$((15 + $1)) history=$there/${2%.db}
    scripts/make-desk "$there/book" "$1" || fail "make-desk $1"
    scripts/nightly --pricer="$pricer" --pause=0 --retries=0 --history="$there/$2" --date=$date "$history" "$there/book/desk.cfg" \
        --engine=cpu --threads=2 --check=none "${@:3}" 2>"$there/err" || fail "night $1: $?, $(tail -5 "$history/$date/night.log")"
}

mkdir "$there/book"
for number in 1 2 3 4 5; do
    night $number all.db --output="$there/$number/" --output="$there/$number.json"
    grep -n ' id = ' "$there/book/desk.cfg" | sed 's/^[0-9]*: *//; s/quantity = [-0-9]*/quantity/' >"$there/terms$number"
done
for number in 4 5; do night $number few.db --paths=16384; done
for number in 2 3 4 5; do # the terms of a trade are the same on every night
    before=$(grep -cvxFf "$there/terms$number" "$there/terms$((number - 1))" || true)
    [[ $before == 0 ]] || fail "$before trades of night $((number - 1)) have other terms on night $number"
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
def changes(history, night):
    rows = [r for r in csv.DictReader(open(f"{there}/{history}/2026-11-{15 + night}/change.csv")) if not r["factor"]]
    for r in rows:
        for k in r:
            if k not in ("by", "of", "factor", "converted", "currency"): r[k] = float(r[k])
    return rows
wrong = 0
for night in range(2, 6):
    rows = changes("all", night)
    for r in rows:
        for k in ("new", "expired", "cash", "amended"): seen[k] += r["by"] == "trade" and r[k] != 0.0
    sums = [r for r in rows if r["converted"] == "true"]
    book = [r for r in sums if r["by"] == "total"][0]
    assert book["trades"] == len([r for r in rows if r["by"] == "trade"]) and book["currency"] == "EUR", book
    print("night %d: change %.5g EUR, gross %.5g, unexplained %.3g: %.2f %% of gross; its error at most %.2f %%, of the change %.2f %%" % (night, book["change"], book["gross"],
          book["unexplained"], *(100 * book[k] / book["gross"] for k in ("unexplained", "unexplained_error", "error"))))
    # The error proves something: it is itself small beside the gross move.
    if not (abs(book["unexplained"]) < 0.01 * book["gross"] and book["error"] < 0.025 * book["gross"]): wrong += 1; print("too much is left", book)
    tags = [r for r in sums if r["by"] != "total"]
    assert len(tags) >= 3 + 5 + 13, tags
    for r in tags:
        share, error = abs(r["unexplained"]) / r["gross"], r["unexplained_error"] / r["gross"]
        if share > 0.01: print("    %s %s: %.2f %% of gross, its own error %.2f %%" % (r["by"], r["of"], 100 * share, 100 * error))
        if share > max(0.01, 2 * error): wrong += 1; print("too much is left", r)
assert seen["new"] >= 5 and seen["expired"] + seen["cash"] >= 4 and seen["amended"] == 4, seen
# What is left is noise: with an eighth of the paths there is more of it, and its error says so.
def left(history):
    sums = [r for r in changes(history, 5) if r["converted"] == "true"]
    return sum(abs(r["unexplained"]) for r in sums if r["by"] == "counterparty"), sums[0]["error"]
many, few = left("all"), left("few")
print("unexplained over counterparties, and error: %.4g and %.4g; with an eighth of the paths %.4g and %.4g" % (many + few))
assert few[1] > 3 * many[1] and few[0] > 1.5 * many[0]
sys.exit(wrong > 0)
END
for folder in "$there"/all/2*; do
    grep -q 'id="tags"' "$folder/night.html" || fail "$folder: the report has no tags"
    [[ $folder == *16 ]] || grep -q 'id="change-total"' "$folder/night.html" || fail "$folder: the report has no change"
done

end_test "desk: five nights priced and explained"
