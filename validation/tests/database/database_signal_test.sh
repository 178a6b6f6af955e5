#!/usr/bin/env bash
# SIGTERM and SIGINT at random moments of a night with Greeks, scenarios, a past and a report: the
# exit status is that of the signal, nothing is half written, and --resume finishes with the same
# digest and the same rows.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
nights=${NIGHTS:-3} stopped=0 found=0
RANDOM=${SEED:-$$}
echo "seed $RANDOM"

make_book night 4 24 3
cat >>"$there/night.cfg" <<'BOOK'
risk = { currency = "EUR"; greeks = [ "delta", "gamma", "vega", "theta" ]; paths = 32768;
  grids = ( { name = "market"; asset = "*"; spots = [ -0.1, 0.0, 0.1 ]; volatilities = [ 0.0 ]; } );
  historical = { file = "past.csv"; confidence = [0.75]; }; };
BOOK
awk 'BEGIN { print "date,A1,A2"; for (day = 1; day <= 5; day++) printf "2026-10-0%d,%d,%d\n", day, 90 + day * 7 % 11, 90 + day * 5 % 13 }' >"$there/past.csv"
options=(--engine=cpu --paths=524288 --quiet)

# Everything that the last run found beside its prices.
risk_rows() {
    for table in sensitivities greeks scenarios scenario_pnl days day_pnl tails aggregates aggregate_scenarios aggregate_days aggregate_tails; do
        echo "$table"
        ask "$1" "SELECT * FROM $table WHERE run = (SELECT max(run) FROM runs)" | cut -d '|' -f 2-
    done
}

began=$(date +%s%N)
"$pricer" "${options[@]}" --output="$there/whole.db" --output="$there/whole.csv" "$there/night.cfg" || fail "the whole night: exit status $?"
span=$((($(date +%s%N) - began) / 1000000))
{ rows "$there/whole.db" && risk_rows "$there/whole.db"; } >"$there/whole.rows"
[[ $(risk_rows "$there/whole.db" | wc -l) -gt 100 ]] || fail "the night has no risk to speak of"

# Whether the database has a run to go on with.
begun() {
    [[ -e $1 && $(ask "$1" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0) != 0 ]]
}

# Whether a process has a handler for a signal: before that it ends without a word, as on a machine that is busy.
caught() {
    local mask
    mask=$(awk '/^SigCgt:/ { print $2 }' "/proc/$2/status" 2>/dev/null) && ((16#${mask:-0} >> ($(kill -l "$1") - 1) & 1))
}

# interrupt SIGNAL DATABASE: runs or resumes the night, and sends the signal after a random time.
interrupt() {
    local signal=$1 database=$2 how=--output code=0 pid milliseconds
    begun "$database" && how=--resume
    echo yesterday | tee "$there/night.csv" >"$there/night.html"
    # A shell without job control has its background jobs ignore SIGINT: env puts the default back.
    env --default-signal=INT "$pricer" "${options[@]}" "$how=$database" --output="$there/night.csv" \
        --report="$there/night.html" "$there/night.cfg" >"$there/out" 2>"$there/err" &
    pid=$! milliseconds=$((RANDOM % (span * 9 / 10) + 20))
    until caught "$signal" $pid || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
    sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
    kill -s "$signal" $pid 2>/dev/null || true
    wait $pid || code=$?
    [[ $code != 0 ]] || return 0 # it was done before
    stopped=$((stopped + 1))
    [[ $code == $((128 + $(kill -l "$signal"))) ]] || fail "SIG$signal after $milliseconds ms: exit status $code: $(<"$there/err")"
    [[ $(head -n 1 "$there/err") == "pricer: stopped by signal $(kill -l "$signal")" ]] || fail "SIG$signal after $milliseconds ms: $(<"$there/err")"
    [[ $(cat "$there/night.csv" "$there/night.html") == yesterday$'\n'yesterday ]] || fail "SIG$signal: files of yesterday are gone"
    begun "$database" || return 0
    grep -qF -- "the same command with --resume=$database " "$there/err" || fail "how to go on: $(<"$there/err")"
    [[ $(ask "$database" 'SELECT status FROM runs; SELECT count(*) FROM prices') == unfinished$'\n'0 ]] ||
        fail "SIG$signal after $milliseconds ms: results of a night that did not end"
    [[ $(ask "$database" 'SELECT count(*) FROM sections') == 0 ]] || found=$((found + 1))
}

for ((n = 0; n < nights || (found == 0 && n < 4 * nights); n++)); do
    database=$there/$n.db code=0
    interrupt TERM "$database"
    interrupt INT "$database"
    how=--output
    begun "$database" && how=--resume
    "$pricer" "${options[@]}" "$how=$database" "$there/night.cfg" >/dev/null 2>"$there/err" || fail "after signals: exit status $?: $(<"$there/err")"
    { rows "$database" && risk_rows "$database"; } >"$there/rows"
    cmp -s "$there/rows" "$there/whole.rows" || fail "other rows: $(diff "$there/rows" "$there/whole.rows" | head -n 5)"
done
# One that is resumed and stopped as soon as it can be, before it has opened what it resumes, says how to go on, too.
sqlite3 "$there/0.db" "UPDATE runs SET status = 'unfinished'"
"$pricer" "${options[@]}" --resume="$there/0.db" "$there/night.cfg" >/dev/null 2>"$there/err" &
pid=$! code=0
until caught TERM $pid || ! kill -0 $pid 2>/dev/null; do :; done
kill -s TERM $pid
wait $pid || code=$?
[[ $code == 143 ]] || fail "stopped before its book: exit status $code: $(<"$there/err")"
grep -qF -- "the same command with --resume=$there/0.db again goes on" "$there/err" || fail "stopped before its book: $(<"$there/err")"
[[ $found -gt 0 ]] || fail "no signal found anything in the journal: the test tests nothing"

end_test "$stopped signals in $nights nights of $span ms, $found with work in the journal: every digest and every row the same"
