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

whole --output="$there/whole.csv" "$there/night.cfg"
(($(risk_rows "$there/whole.db" | wc -l) > $(rows "$there/whole.db" | wc -l) + 100)) || fail "the night has no risk to speak of"

# Whether a process is the program, with a handler for a signal: before that it ends without a word, as on a machine
# that is busy, or as this shell.
caught() {
    local mask
    [[ /proc/$2/exe -ef $pricer ]] && mask=$(awk '/^SigCgt:/ { print $2 }' "/proc/$2/status" 2>/dev/null) && ((16#${mask:-0} >> ($(kill -l "$1") - 1) & 1))
}

# interrupt SIGNAL DATABASE: runs or resumes the night, and sends the signal after a random time.
interrupt() {
    local signal=$1 database=$2 code=0 pid
    echo yesterday | tee "$there/night.csv" >"$there/night.html"
    # A shell without job control has its background jobs ignore SIGINT: env puts the default back.
    env --default-signal=INT "$pricer" "${options[@]}" "$(how "$database")" --output="$there/night.csv" \
        --report="$there/night.html" "$there/night.cfg" >"$there/out" 2>"$there/err" &
    pid=$!
    until caught "$signal" $pid || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
    wait_some_time 20
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
    database=$there/$n.db
    interrupt TERM "$database"
    interrupt INT "$database"
    run 0 "${options[@]}" "$(how "$database")" "$there/night.cfg"
    same_rows risk_rows "$database"
done
# One that is resumed and stopped as soon as it can be, before it has opened what it resumes, says how to go on, too.
sqlite3 "$there/0.db" "UPDATE runs SET status = 'unfinished'"
"$pricer" "${options[@]}" --resume="$there/0.db" "$there/night.cfg" >/dev/null 2>"$there/err" &
pid=$!
until caught TERM $pid || ! kill -0 $pid 2>/dev/null; do :; done
kill -s TERM $pid
code=0
wait $pid || code=$?
[[ $code == 143 ]] || fail "stopped before its book: exit status $code"
says "the same command with --resume=$there/0.db again goes on"
[[ $found -gt 0 ]] || fail "no signal found anything in the journal: the test tests nothing"

end_test "$stopped signals in $nights nights of $span ms, $found with work in the journal: every digest and every row the same"
