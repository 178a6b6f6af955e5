#!/usr/bin/env bash
# Every number of ranks and threads has the rows of one process, to the bit: prices of book, desk and
# fx, and of the night its Greeks, scenarios and 40 days of its past, few paths each.
. validation/tests/mpi/mpi_books.sh

cp -r inputs "$there/inputs"
head -42 inputs/market/history.csv >"$there/inputs/market/history.csv"
for book in book desk fx night; do
    options=(--check=none --paths=131072)
    [[ $book != night ]] || options+=(--set=risk.paths=16384)
    for n in 1 2 3 4 8; do
        for threads in 1 2 3; do
            same $book $n $threads "${options[@]}" "$there/inputs/$book.cfg"
        done
    done
    echo "$book: 1, 2, 3, 4 and 8 ranks of 1, 2 and 3 threads: $(sed -n 's/.*"results_digest": "\([^"]*\)".*/\1/p' "$there/one.txt")"
done
exit $((failures > 0))
