#!/usr/bin/env bash
# A hundred thousand trades from a CSV file, to the end: loaded, planned, priced, a tenth of them
# checked, every kind of result written, and on a terminal how long it will take still.
. validation/tests/test.sh
command -v sqlite3 >/dev/null || exit 77
trades=${TRADES:-100000}

scripts/make-book --csv "$there/book.csv" "$trades" >"$there/book.cfg"
began=$SECONDS code=0
line="$pricer --engine=cpu --paths=4096 --check=sample --output=$there/book.json --output=$there/results.csv --output=$there/results.db
    --report=$there/results.html $there/book.cfg"
# shellcheck disable=SC2086 # options
if script -qec true /dev/null >/dev/null 2>&1; then # where a pseudo-terminal can be had
    TERM=xterm script -qec "$(echo $line)" /dev/null >"$there/out" </dev/null || code=$?
    for phase in pricing checking; do
        grep -aq "$phase .*%  [0-9: s]* left" "$there/out" || fail "$phase: no time that is left"
    done
else
    $line >"$there/out" 2>&1 || code=$?
fi
seconds=$((SECONDS - began))

# Of ten thousand correct trades one may be said to disagree, once in a thousand runs.
[[ $code == 0 ]] || fail "exit status $code: $(tail -n 5 "$there/out")"
summary=$(tr -d '\r' <"$there/out" | grep -a "^$trades trades: ")
digest=${summary##*digest }
[[ $(wc -l <"$there/results.csv") == $((trades + 1)) ]] || fail "rows: $(wc -l <"$there/results.csv")"
[[ $(cut -d, -f1 "$there/results.csv" | sort -u | wc -l) == $((trades + 1)) ]] || fail "a trade is there twice"
grep -qF "\"results_digest\": \"$digest\"" "$there/book.json" || fail "the digest of the JSON file"
[[ $(sqlite3 "$there/results.db" 'SELECT status, results_digest FROM runs; SELECT count(*), sum(price IS NOT NULL) FROM prices') == "complete|$digest"$'\n'"$trades|$trades" ]] ||
    fail "the database"
grep -q "<code>$digest</code>" "$there/results.html" || fail "the report"

# Threads change no digest, however many trades share them.
[[ $("$pricer" --engine=cpu --paths=4096 --check=none --threads=1 "$there/book.cfg" 2>/dev/null | sed -n 's/.*digest //p') == "$digest" ]] ||
    fail "another digest with one thread"

[[ $failures == 0 ]] || exit 1
echo "$summary"
echo "large_book_long_test: $trades trades from loading to the last file in $seconds s"
