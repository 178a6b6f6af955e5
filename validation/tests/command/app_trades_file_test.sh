#!/usr/bin/env bash
# A book whose trades stand in a CSV file gives the bits of the book that holds them itself: every
# product, every model.
. validation/tests/test.sh

for kind in '' --strikes --full; do
    # shellcheck disable=SC2086 # no word where there is no kind
    scripts/make-book $kind 250 7 >"$there/list.cfg"
    # shellcheck disable=SC2086
    scripts/make-book --csv "$there/trades.csv" $kind 250 7 >"$there/file.cfg"
    for book in list file; do
        "$pricer" --engine=cpu --paths=1024 --check=none --output="$there/$book.csv" "$there/$book.cfg" >"$there/$book.txt" ||
            fail "make-book $kind, $book: exit status $?"
    done
    [[ $(wc -l <"$there/list.csv") == 251 ]] || fail "not 250 trades"
    cmp "$there/list.csv" "$there/file.csv" || fail "make-book $kind"
    [[ $(digest_of "$there/list.txt") == "$(digest_of "$there/file.txt")" ]] || fail "make-book $kind: two digests"
done

end_test "app_trades_file_test: all well"
