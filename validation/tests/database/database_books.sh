#!/usr/bin/env bash
# Sourced by the tests of databases: a book of many groups that share no paths, and what those tests
# ask of a run.
. validation/tests/test.sh

# make_book NAME ASSETS [FIXINGS EXERCISE]: an asian on each asset, and two americans, whose upper bounds
# take their time; with fewer dates references are quick.
make_book() {
    local fixings=${3:-252} exercise=${4:-12}
    {
        echo 'valuation_date = "2026-11-20"; settings = { check = "all"; };'
        echo 'market = { currencies = ( { name = "EUR"; rate = 0.025; } ); assets = ('
        for i in $(seq "$2"); do
            [[ $i == 1 ]] || echo ,
            echo "{ name = \"A$i\"; currency = \"EUR\"; spot = $((90 + i)); volatility = 0.2; }"
        done
        echo '); }; book = { name = "many groups"; trades = ('
        for i in $(seq "$2"); do
            echo "{ id = \"T$i\"; type = \"asian\"; asset = \"A$i\"; option = \"call\"; averaging = \"arithmetic\";"
            echo ' strike_type = "fixed"; strike = 100; expiry = 1.0; fixings = '"$fixings; },"
        done
        echo '{ id = "P1"; type = "american"; asset = "A1"; option = "put"; strike = 100; expiry = 1.0; exercise = '"$exercise; },"
        echo '{ id = "P2"; type = "american"; asset = "A2"; option = "put"; strike = 100; expiry = 1.0; exercise = '"$exercise; }); };"
    } >"$there/$1.cfg"
}

# ask DATABASE SQL
ask() {
    sqlite3 -batch -bail "$1" "$2"
}

# Whether the database has a run to go on with; the option that begins or goes on with one.
begun() { [[ -e $1 && $(ask "$1" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0) != 0 ]]; }
how() { begun "$1" && echo "--resume=$1" || echo "--output=$1"; }

# Waits for a random part of `span` and the least time in milliseconds; leaves it in `milliseconds`.
wait_some_time() {
    milliseconds=$((RANDOM % (span * 9 / 10) + $1))
    sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
}

# whole OPTIONS...: a run that nobody touches, into whole.db; leaves its milliseconds in `span`.
whole() {
    local began
    began=$(date +%s%N)
    run 0 "${options[@]}" --output="$there/whole.db" "$@"
    span=$((($(date +%s%N) - began) / 1000000))
}

# same_rows COMMAND DATABASE: it prints what it printed of the run that nobody touched.
same_rows() { diff <("$1" "$there/whole.db") <("$1" "$2") >"$there/differences" || fail "$2: other rows: $(head -n 5 "$there/differences")"; }

# Everything of the last run that must be the same whether it was interrupted or not, and whether an
# earlier run in the database had made its references.
rows() {
    for table in inputs trades prices; do
        ask "$1" "SELECT * FROM $table WHERE run = (SELECT max(run) FROM runs)" | cut -d '|' -f 2- | sed 's/, kept|/|/'
    done
    ask "$1" 'SELECT status, exit_status, identity, seed, paths, path_steps, plan_digest, results_digest, engine, kernel,
        device, threads FROM runs ORDER BY run DESC LIMIT 1'
    ask "$1" "SELECT count(*) FROM sections WHERE kind <> 'kept reference'"
    ask "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check'
}

# The same, and all that it found beside its prices.
risk_rows() {
    rows "$1"
    for table in sensitivities greeks scenarios scenario_pnl days day_pnl tails aggregates aggregate_scenarios aggregate_days aggregate_tails; do
        echo "$table"
        ask "$1" "SELECT * FROM $table WHERE run = (SELECT max(run) FROM runs)" | cut -d '|' -f 2-
    done
}
