#!/usr/bin/env bash
# The page of --report in a headless browser: charts are drawn, nothing is said on the console,
# nothing is asked for, hostile names do nothing, tables sort and filter, and everything can be read
# without JavaScript and on paper, charts too. That of 10,000 trades with their risk opens quickly: on
# two cores at work the load event comes after 1.1 s (docs/report.md), the limits leave room for
# worse. Skipped where there is no Chromium.
set -euo pipefail

pricer=${PRICER:?the path of the program}
write=${BUILD_DIR:?the build folder}/validation/report_tests
there=$(mktemp -d)
trap 'rm -rf "$there" || { sleep 1 && rm -rf "$there"; }' EXIT

browser=$(command -v chromium-headless-shell chromium chromium-browser google-chrome | head -n 1 || true)
node=$(command -v node nodejs | head -n 1 || true)
if [[ -z $browser || -z $node ]]; then
    echo "skipped: no Chromium, or no node"
    exit 77
fi
"$write" report_test --write "$there/night.html"

# Pages as they should be: all that a report can show, a book of every product, a large book.
"$pricer" --engine=cpu --paths=4096 --quiet --report="$there/book.html" inputs/book.cfg
"$write" report_test --write-many "$there/many.html"
pages=(13 "$there/night.html" 6 "$there/book.html" 13 "$there/many.html")

# A judge that lets broken pages pass is none. broken NAME SED WORDS...: the night so changed must be
# complained of in each of the WORDS. Faults that hide no other share a page.
declare -A wanted
broken() {
    sed "$2" "$there/night.html" >"$there/$1.html"
    pages+=(13 "$there/$1.html")
    wanted[$1]=$(printf '%s\n' "${@:3}")
}
no_policy='s/<meta http-equiv[^>]*>//'
broken policy "s/script-src 'sha256-/&A/; /<circle/d; s/<line/<g/; s|<h2>Summary</h2>|&<svg width=\"9\" height=\"500\"></svg>|" \
    'log: ' 'charts are empty' 'dots of a sheet'
broken request "$no_policy; s|</h1>|&<img src=\"https://localhost:9/x.png\">|; s/ cx=\"[0-9.]*\"/ cx=\"NaN\"/;
    s/class=\"leaf\" id=\"trade-TR-00\"/class=\"leaf\" id=\"trade-TR-0x\"/" 'request: ' 'no number' 'the leaf of a trade: '
broken script "$no_policy; s|</h1>|&<script>alert(1)</script>|; s/<figure id=\"chart-z\"/<p/; s|<h3>Terms</h3>|&<svg width=\"900\" height=\"1\"></svg>|;
    s/\.chart:not(\.small):not(\.whole) text { font-size: 14px/.chart text { font-size: 24px/" \
    'dialog: ' 'charts are drawn' 'on a telephone: ' 'leaf of a trade is wider'
broken blocked 's|</h1>|&<script>alert(1)</script>|; s|<main>|&<p id="fixed"><svg width="900" height="1"></svg></p>|; s/class="tick/display="none" &/' \
    'log: ' 'page is wider than a telephone' 'texts of charts'

code=0
TMPDIR=$there "$node" validation/tests/report/report_browser.js "$browser" "${pages[@]}" >"$there/said" || code=$?
failed=0
if [[ $code != 1 ]] || grep -E '^(night|book|many)\.html' "$there/said"; then
    echo "FAILED: exit status $code: $(cat "$there/said")"
    failed=1
fi
for name in "${!wanted[@]}"; do
    while read -r words; do
        grep -q "^$name\.html: .*$words" "$there/said" && continue
        echo "FAILED: nobody saw '$words' of $name.html: $(cat "$there/said")"
        failed=1
    done <<<"${wanted[$name]}"
done

# seconds PAGE TIMES: "load 1.13 paint 0.10 nodes 16142", medians.
seconds() {
    TMPDIR=$there "$node" validation/tests/report/report_speed.js "$browser" "$1" "$2"
}
found=$(seconds "$there/many.html" 5)
awk '{ exit !($2 < 10 && $4 < 2) }' <<<"$found" || { echo "FAILED: the page opens too slowly: $found" && failed=1; }
# A measure that does not see 250,000 more cells is none: they take seconds.
awk '{ sub(/<\/main>/, "<table>"); print } /<table>$/ { for (i = 0; i < 12500; i++) print row; print "</table></main>" }' \
    row="<tr>$(printf '<td>1%.0s' {1..20})" "$there/many.html" >"$there/slow.html"
slow=$(seconds "$there/slow.html" 1)
awk -v before="$(awk '{ print $2 }' <<<"$found")" '{ exit !($2 > before + 0.8) }' <<<"$slow" ||
    { echo "FAILED: 250,000 more cells are not seen: $slow" && failed=1; }
[[ $failed == 0 ]] || exit 1
echo "drawn, silent, and alone; $found"
