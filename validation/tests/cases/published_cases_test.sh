#!/usr/bin/env bash
# Published and exact prices (validation/cases) against the program: judge.awk says what is asked of
# each case. Two books take half of the paths that they have for docs/validation.md. The books of
# Heston's variance over years and of early exercise are published_cases_long_test.sh.
source validation/tests/folder.sh

failed=0
for book in ${BOOKS:-published published-models published-several published-long published-scripts}; do
    cases=validation/cases/$book paths=()
    [[ $book != published-@(models|long) || -n ${TABLE-} ]] || paths=(--paths=131072)
    "$PRICER" "$cases.cfg" "${paths[@]}" --output="$there/$book.csv" --quiet > /dev/null || failed=1
    awk -F, -v book="$book" -v cfg="$cases.cfg" -v prices="$there/$book.csv" -v known=validation/cases/found-wrong.csv \
        -v table="${TABLE:-}" -f validation/cases/judge.awk "$cases.csv" || failed=1
done
exit $failed
