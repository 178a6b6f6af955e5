#!/usr/bin/env bash
# A made-up desk of three hundred trades goes through a week of nights: fixings arrive, trades
# expire, are new and are amended, every night is priced, and the change of each night is explained:
# what is left of the whole book's is below a hundredth of its gross move, what is left of every
# tag's below that or two of its own errors. More paths make both smaller. The fifth morning's report says
# the same in a browser, where there is one.
set -euo pipefail
command -v python3 >/dev/null || exit 77

pricer=${PRICER:?the path of the program}
there=$(mktemp -d)
trap 'rm -rf "$there" || { sleep 1 && rm -rf "$there"; }' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

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

# ---- the fifth morning in a browser

browser=$(command -v chromium-headless-shell chromium chromium-browser google-chrome | head -n 1 || true)
if [[ -z $browser ]]; then
    echo "no Chromium: the fifth morning's report is not looked at"
else
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$there/browser" --enable-logging=stderr --dump-dom \
        "file://$there/all/2026-11-20/night.html" >"$there/dom.html" 2>"$there/console" || fail "the browser: $?"
    ! grep CONSOLE "$there/console" || fail "the page complains"
    python3 - "$there" <<'END' || fail "the fifth morning's report"
import csv, html, re, sys
there = sys.argv[1]
dom = open(there + "/dom.html").read()
table = re.search(r'<table id="change-total">.*?</table>', dom, re.S).group(0)
assert dom.index('id="change-total"') < dom.index('id="prices"')
rows = [[html.unescape(c) for c in re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", r)] for r in re.findall(r"<tr.*?</tr>", table.split("<tbody>")[1], re.S)]
number = lambda text: float(text.replace(",", ""))
shown = {r[0].strip().replace("what the market did", "market"): r[1] for r in rows}
total = [r for r in csv.DictReader(open(there + "/all/2026-11-20/change.csv")) if r["by"] == "total" and r["converted"] == "true" and not r["factor"]][0]
for k in ("market", "delta", "vega", "theta", "unexplained", "after"):
    assert abs(number(shown[k]) - float(total[k])) <= 0.06 * float(total["error"]), (k, shown, total[k])
assert abs(number(shown["unexplained"])) < 0.01 * float(total["gross"])
assert 'class="controls"' in dom # its script has run
print("in the browser: the market made %s, unexplained %s" % (shown["market"], shown["unexplained"]))
END
fi

[[ $failures == 0 ]] || exit 1
echo "desk: five nights priced and explained"
