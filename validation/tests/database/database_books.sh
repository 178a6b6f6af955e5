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
