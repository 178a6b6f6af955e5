#!/usr/bin/env bash
# References are kept in the results database and used again where trade and market are the same: a
# run in it has the numbers of a fresh run, after changes of every kind, and makes anew no more
# references than the change asks for. Those that are kept say so, in the table too.
command -v sqlite3 >/dev/null || exit 77
. validation/tests/database/database_books.sh

# last DATABASE: the references of its last run.
last() {
    ask "$1" "SELECT id, reference, reference_error, replace(reference_method, ', kept', '') FROM trades JOIN prices USING (run, trade)
        WHERE run = (SELECT max(run) FROM runs) ORDER BY id"
}

# again ANEW BOOK OPTION...: a run in $there/kept.db and a fresh one; ANEW of its references are made.
again() {
    local anew=$1 made
    "$pricer" --engine=cpu --paths=4096 --output="$there/kept.db" "${@:3}" "$2" >"$there/out" 2>"$there/err" || [[ $? == 1 ]] || fail "$*: fails"
    rm -f "$there/fresh.db"
    "$pricer" --engine=cpu --paths=4096 --output="$there/fresh.db" --quiet "${@:3}" "$2" 2>"$there/err" || [[ $? == 1 ]] || fail "$*: fails"
    diff <(last "$there/kept.db") <(last "$there/fresh.db") >"$there/err" || fail "$*: not the references of a fresh run"
    made=$(ask "$there/kept.db" "SELECT count(*) FROM prices WHERE run = (SELECT max(run) FROM runs) AND reference_method NOT LIKE '%, kept'")
    [[ $made == "$anew" ]] || fail "$*: $made references are made, not $anew"
}

# count BOOK WHERE: how many priced trades of the last run are of that kind.
count() {
    ask "$there/kept.db" "SELECT count(*) FROM trades JOIN prices USING (run, trade) WHERE run = (SELECT max(run) FROM runs) AND reference IS NOT NULL AND ($1)"
}

again 75 inputs/book.cfg
again 0 inputs/book.cfg
grep -q ' with 75 references of earlier runs; ' "$there/out" || fail "the table: $(tail -n 1 "$there/out")"
again 1 inputs/book.cfg --set='book.trades[EU-01].strike=5700'
again 0 inputs/book.cfg --set='book.trades[EU-01].quantity=100'
again "$(count "assets LIKE '%DAX%'")" inputs/book.cfg --set='market.assets[DAX].spot=24000'
again "$(count "currency = 'SEK'")" inputs/book.cfg --set='market.currencies[SEK].rate=0.021'
again 75 inputs/book.cfg --seed=2
# Years stay as they are when a day passes, dates come nearer.
again 9 inputs/book.cfg --set='valuation_date="2026-11-19"'

# What has passed, correlations, parameters of models, scripts and their closes.
rm "$there/kept.db"
cat >"$there/live.cfg" <<'END_OF_BOOK'
valuation_date = "2026-11-20";
market = { currencies = ( { name = "USD"; rate = 0.04; }, { name = "EUR"; rate = 0.02; } ); correlation_default = 0.5;
  assets = ( { name = "ACME"; currency = "USD"; spot = 100.0; volatility = 0.25; },
    { name = "EURUSD"; currency = "USD"; foreign_currency = "EUR"; spot = 1.16; volatility = 0.07; },
    { name = "H"; currency = "USD"; spot = 100.0; model = "heston"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.05; xi = 0.3; rho = -0.7; }; } ); };
book = { trades = (
    { id = "A"; type = "asian"; asset = "ACME"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 98.0; fixings = 6;
      past = { count = 6; average = 97.2; }; expiry = 0.5; },
    { id = "H"; type = "european"; asset = "H"; option = "call"; strike = 100.0; expiry = 1.0; },
    { id = "S"; type = "spread"; assets = ["ACME", "H"]; option = "call"; strike = 0.0; expiry = 1.0; },
    { id = "T"; type = "tarf"; asset = "EURUSD"; option = "call"; fixings = { from = "2026-09-20"; every = "1M"; }; expiry = "2027-10-20";
      strike = 1.145; target = 0.08; gearing = 2.0; at_target = "partial"; } ); };
END_OF_BOOK
printf 'date,EURUSD\n2026-10-20,1.15\n2026-11-20,1.16\n' >"$there/closes.csv"
sed 's/1.15/1.16/' "$there/closes.csv" >"$there/others.csv"
again 4 "$there/live.cfg" --fixings="$there/closes.csv"
again 0 "$there/live.cfg" --fixings="$there/closes.csv"
again 1 "$there/live.cfg" --fixings="$there/others.csv"
again 1 "$there/live.cfg" --fixings="$there/closes.csv" --set='book.trades[A].past.average=97'
again 2 "$there/live.cfg" --fixings="$there/closes.csv" --set='market.assets[H].heston.rho=-0.6'
again 1 "$there/live.cfg" --fixings="$there/closes.csv" --set='market.correlation_default=0.4'

# A reference of another program is none.
ask "$there/kept.db" "UPDATE runs SET git_commit = 'another'"
again 4 "$there/live.cfg" --fixings="$there/closes.csv"
# What ten runs have not used is gone.
[[ $(ask "$there/kept.db" "SELECT count(DISTINCT run) FROM sections") -gt 1 ]] || fail "no references are kept"
for i in $(seq 10); do "$pricer" --engine=cpu --paths=1024 --check=none --quiet --output="$there/kept.db" inputs/first.cfg; done
[[ $(ask "$there/kept.db" "SELECT count(*) FROM sections") == 0 ]] || fail "old references stay: $(ask "$there/kept.db" "SELECT run, kind, count(*) FROM sections GROUP BY 1, 2")"

end_test "references: those of the same trade and market are kept"
