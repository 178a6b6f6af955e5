#!/usr/bin/env bash
# Kill -9 at random moments, resume, kill again: the digest and the rows are those of a run that
# nobody touched. KILLS is how many; database_kill_long_test takes a hundred. SET is a setting, as
# of --set.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
kills=${KILLS:-6} done_kills=0 found=0 campaigns=0
RANDOM=${SEED:-$$}
echo "seed $RANDOM"

make_book many 10
options=(--engine=cpu --paths=65536 --quiet ${SET:+--set "$SET"})
whole "$there/many.cfg"

# Runs what is to be done next on the database, and kills it after a random time; false where it was
# done before.
strike() {
    local how code=0
    how=$(how "$1")
    "$pricer" "${options[@]}" "$how" "$there/many.cfg" 2>"$there/err" &
    local pid=$!
    wait_some_time 1
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || code=$?
    [[ $code == 137 || $code == 0 ]] || fail "exit status $code: $(cat "$there/err")"
    # A whole run that was over by then: the machine has less to do than when the first was timed.
    if [[ $code == 0 && $how == --output=* && $milliseconds -gt 50 ]]; then span=$milliseconds; fi
    [[ $code == 137 ]]
}

while [[ $done_kills -lt $kills ]]; do
    campaigns=$((campaigns + 1))
    database=$there/$campaigns.db
    for _ in 1 2 3; do
        strike "$database" || break
        done_kills=$((done_kills + 1))
        [[ $(ask "$database" 'SELECT count(*) FROM sections' 2>/dev/null || echo 0) == 0 ]] || found=$((found + 1))
    done
    run 0 "${options[@]}" "$(how "$database")" "$there/many.cfg"
    same_rows rows "$database"
done
[[ $found -gt 0 ]] || fail "no kill found anything in the journal: the test tests nothing"

end_test "$done_kills kills in $campaigns runs of $span ms, $found with work in the journal: every digest and every row the same"
