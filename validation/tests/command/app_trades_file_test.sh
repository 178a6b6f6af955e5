#!/usr/bin/env bash
# A book whose trades stand in a CSV file gives the bits of the book that holds them itself: every
# product, every model.
set -euo pipefail

pricer=${PRICER:?the path of the program}
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

for kind in '' --strikes --full; do
    # shellcheck disable=SC2086 # no word where there is no kind
    scripts/make-book $kind 250 7 >"$there/list.cfg"
    # shellcheck disable=SC2086
    scripts/make-book --csv "$there/trades.csv" $kind 250 7 >"$there/file.cfg"
    for book in list file; do
        "$pricer" --engine=cpu --paths=1024 --check=none --output="$there/$book.csv" "$there/$book.cfg" >"$there/$book.txt" ||
            { echo "FAILED: make-book $kind, $book: exit status $?"; failures=$((failures + 1)); }
    done
    [[ $(wc -l <"$there/list.csv") == 251 ]] || { echo "FAILED: not 250 trades"; failures=$((failures + 1)); }
    cmp "$there/list.csv" "$there/file.csv" || { echo "FAILED: make-book $kind"; failures=$((failures + 1)); }
    digests=$(sed -n 's/.*; digest //p' "$there/list.txt" "$there/file.txt" | sort -u | wc -l)
    [[ $digests == 1 ]] || { echo "FAILED: make-book $kind: two digests"; failures=$((failures + 1)); }
done

[[ $failures == 0 ]] || exit 1
echo "app_trades_file_test: all well"
