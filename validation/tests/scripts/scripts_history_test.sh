#!/usr/bin/env bash
# The sample history is what its script writes, on weekdays alone.
set -euo pipefail

sample=inputs/market/history.csv
days=$(($(wc -l <"$sample") - 1))
scripts/make-history "$days" | cmp - "$sample"
sed 1d "$sample" | cut -d , -f 1 | date -f - +%u | sort | uniq -c | awk '
    $2 > 5 { print "FAILED: " $1 " days of a weekend, number " $2; bad = 1 }
    { days += $1; kinds++ }
    END { if (kinds != 5) { print "FAILED: not every day of the week"; bad = 1 } print days " weekdays"; exit bad }'
