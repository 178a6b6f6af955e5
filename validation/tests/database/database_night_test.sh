#!/usr/bin/env bash
# A night that is killed while it makes Greeks, scenarios and its past keeps what it has of them: it
# is in the journal beside the prices, and the resumed night has the rows of one that nobody
# touched.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
. validation/tests/night_book.sh

make_night "$there/night.cfg" 524288 'check = "none";'
sed -i 's/paths = 32768/paths = 262144/' "$there/night.cfg"
options=(--engine=cpu --threads=1 --quiet)
trades=4

# What is kept of the night but its prices, in tallies.
kept() {
    echo $(($(ask "$1" "SELECT coalesce(sum(length(content)), 0) / 24 FROM sections WHERE kind = 'exact'" 2>/dev/null || echo 0) - trades))
}

whole "$there/night.cfg"
"$pricer" "${options[@]}" --output="$there/killed.db" "$there/night.cfg" &
pid=$!
while kill -0 $pid 2>/dev/null && [[ $(kept "$there/killed.db") -le 20 ]]; do sleep 0.05; done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
found=$(kept "$there/killed.db")
[[ $(ask "$there/killed.db" 'SELECT status FROM runs') == unfinished ]] || fail "the night was over before it was killed"
[[ $found -gt 20 ]] || fail "the journal has $found tallies beside the prices"
run 0 "${options[@]}" --resume="$there/killed.db" "$there/night.cfg"
same_rows risk_rows "$there/killed.db"
end_test "killed with $found tallies beside the prices: every row the same"
