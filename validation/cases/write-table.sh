#!/usr/bin/env bash
# Runs every published case and writes the tables of docs/validation.md anew. At the root of the
# repository:
#
#     PRICER=build/pricer validation/cases/write-table.sh
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
page=docs/validation.md
status=0
for test in published_cases_test published_cases_long_test; do
    TABLE=$folder/table bash "validation/tests/cases/$test.sh" || status=1
done

# Between `<!-- NAME -->` and `<!-- end -->` of the page goes what is read.
put() {
    cat > "$folder/part"
    awk -v name="<!-- $1 -->" -v part="$folder/part" '
        $0 == name { print; while ((getline line < part) > 0) print line; inside = 1; next }
        $0 == "<!-- end -->" { inside = 0 }
        !inside' "$page" > "$folder/page"
    cp "$folder/page" "$page"
}

# One line an instrument and model, whichever books its rows are in; then the sums.
awk -F, '
    { k = FILENAME == ARGV[1] ? $2 SUBSEP $3 : $1 SUBSEP $2 }
    FILENAME == ARGV[1] { if (FNR > 1) all[k]++; next }
    $1 == "-" { next }
    {
        all[k] += $3; rows[k] += $3; held[k] += $4
        if ($5 > z[k]) z[k] = $5
        if ($6 > e[k]) e[k] = $6
        if ($8 > b[k]) b[k] = $8
        if (index(", " paths[k] ",", ", " $7 ",") == 0) paths[k] = paths[k] (paths[k] == "" ? "" : ", ") $7
    }
    END {
        for (k in all) {
            line = !(k in rows) ? "| | | | | |" : sprintf("| %d | %.2f | %.4f | %s | %.4f |", held[k], z[k], e[k], paths[k], b[k])
            split(k, p, SUBSEP); A += all[k]; R += rows[k]; H += held[k]
            printf "| `%s` | %s | %d | %d %s\n", p[1], p[2], all[k], rows[k], line
        }
        printf "~| all | | %d | %d | %d | | | | |\n", A, R, H
    }' validation/cases/left-out.csv "$folder/table" | LC_ALL=C sort | sed 's/^~//' > "$folder/lines"
{
    echo "| instrument | model | rows | expressed | passed | z | standard error, % of spot | paths | bias, % of spot |"
    echo "|---|---|---|---|---|---|---|---|---|"
    cat "$folder/lines"
} | put table

# Rows left out: how many of each reason.
tail -n +2 validation/cases/left-out.csv | sed -E 's/^[^,]*,([^,]*),([^,]*),"?([^"]*)"?$/\1|\2|\3/' | sort | uniq -c |
    awk '{ n = $1; sub(/^ *[0-9]+ /, ""); split($0, p, "|"); if (!head++) print "| rows | instrument | model | reason |\n|---|---|---|---|"
           printf "| %d | `%s` | %s | %s |\n", n, p[1], p[2], p[3] }' | put left-out

# Rows found wrong, with what the reference says; rows put right.
awk -F, '
    FILENAME == ARGV[1] { if ($1 == "-") { e[$2] = $3; r[$2] = $4; t[$2] = $5 } next }
    FNR > 1 { why = $0; sub(/^[^,]*,[^,]*,/, "", why); gsub(/"/, "", why)
        if (!head++) print "| row | expected | reference | tolerance | why |\n|---|---|---|---|---|"
        if ($2 == "wrong") printf "| %s | %s | %s | %s | %s |\n", $1, e[$1], r[$1], t[$1], why
        else printf "| %s | | | | put right: %s |\n", $1, why }' "$folder/table" validation/cases/found-wrong.csv | put found-wrong
exit $status
