#!/usr/bin/env bash
# scripts/nightly with a program that fails as it is told to, and with the real one: what is tried
# again and what is not, one night at a time, signals, the history, the exit status.
source validation/tests/folder.sh

fail() {
    echo "FAILED: $*" >&2
    cat "$there"/history/*/night.log "$there/err" 2>/dev/null | sed 's/^/    /' >&2 || true
    failures=$((failures + 1))
}

# A program that does what the lines of $there/plan say, one a run: a status, `kill`, or `wait`; it
# writes the results where that is at most 1, and notes how it was called.
cat >"$there/stub" <<'STUB'
#!/usr/bin/env bash
there=$(dirname "$0")
[[ $1 == --help ]] && exec echo '  --report=FILE.html'
echo "$*" >>"$there/calls"
next=$(sed -n 1p "$there/plan")
sed -i 1d "$there/plan"
for argument; do
    case $argument in
    *.db) echo run >>"${argument#*=}" ;;
    *.csv) [[ ${next%% *} =~ ^[01]$ && $next != *nothing ]] && echo results >"${argument#*=}" ;;
    esac
done
case $next in
kill) kill -KILL $$ ;;
wait) exec sleep 30 ;;
esac
[[ $next == *damaged ]] && echo "pricer: $there/night.db is no database, or a damaged one (broken page)" >&2
exit "${next%% *}"
STUB
chmod +x "$there/stub"
touch "$there/book.cfg"

# night STATUS CALLS PLAN ARGUMENTS...: one night whose runs end as PLAN says.
night() {
    local status=$1 calls=$2
    tr ',' '\n' <<<"$3" >"$there/plan"
    shift 3
    : >"$there/calls"
    ends "$status" scripts/nightly --pricer="$there/stub" --pause=0 "$@" "$there/history" "$there/book.cfg" --paths=4096
    [[ $(grep -o -- '--output=[^ ]*db\|--resume' "$there/calls" | sed 's/--output=.*/new/; s/--//' | xargs) == "$calls" ]] ||
        fail "not '$calls': $(cat "$there/calls")"
}

today=$there/history/$(date +%F)

# ---- what is tried again

night 0 'new' 0
[[ $(cat "$today/night.csv") == results && ! -e $today/unfinished ]] || fail "the results of a good night"
grep -q -- "--output=$today/night.csv --report=$today/night.html --paths=4096 $there/book.cfg" "$there/calls" || fail "arguments"
grep -q 'ends with status 0 after 1 attempts' "$today/night.log" || fail "the log"
night 1 'new' 1
night 2 'new' 2
night 0 'new resume' 3,0
night 0 'new resume resume' 3,kill,0
night 1 'new resume' kill,1
night 3 'new resume resume resume' 3,3,3,3
[[ -e $today/unfinished && ! -e $today/night.csv ]] || fail "a night that failed leaves results"
night 0 'resume' 0 # of the same date: goes on where that one ended
night 3 'new' 3 --retries=0
night 124 'resume' 124 # the time is over: not tried again, and gone on with by the next
night 0 'resume' 0
night 3 'new' 3 --retries=0
night 0 'resume new' 2,0 # the book has changed since
night 0 'new resume new' '3,0 nothing,0' # complete before it was resumed, and nothing written
night 0 'new resume new' '3,3 damaged,0'
[[ -s $today/night.db.damaged && -s $today/night.db ]] || fail "a damaged database is not kept aside"
night 3 'new new' '0 nothing,0 nothing' --retries=1

# ---- what it takes for a mistake, and what for a question

for wrong in '-x' '-h5' "$there/history" "-- $there/history $there/book.cfg" "$there/history --seed=1 $there/book.cfg"; do
    # shellcheck disable=SC2086 # arguments
    ends 2 scripts/nightly $wrong
    [[ -s $there/err ]] || fail "nightly $wrong says nothing"
done
for question in -h --help "-h $there/book.cfg"; do
    # shellcheck disable=SC2086 # arguments
    ends 0 scripts/nightly $question
    grep -q 'scripts/nightly \[options\] HISTORY BOOK.cfg' "$there/err" || fail "nightly $question"
done

# ---- the history

for old in 2020-01-01 2020-01-02 not-a-date; do mkdir -p "$there/history/$old" && touch "$there/history/$old/night.db"; done
touch "$there/history/2020-01-02/mine.txt"
yesterday=$(date -d '1 day ago' +%F)
mkdir -p "$there/history/$yesterday" && touch "$there/history/$yesterday/night.csv"
night 0 'resume' 0 --keep=2
[[ ! -e $there/history/2020-01-01 ]] || fail "an old night stays"
[[ -e $there/history/2020-01-02/mine.txt && ! -e $there/history/2020-01-02/night.db ]] || fail "a file of another's is gone"
[[ -e $there/history/not-a-date/night.db && -e $there/history/$yesterday/night.csv ]] || fail "too much is gone"
night 0 'new' 0 --keep=1
[[ ! -e $there/history/$yesterday && -e $today/night.csv ]] || fail "--keep=1"

# ---- one night at a time, and signals

# under_way PLAN: a night in the background, `first`, that has called its program.
under_way() {
    echo "$1" >"$there/plan"
    : >"$there/calls"
    scripts/nightly --pricer="$there/stub" --pause=60 "$there/history" "$there/book.cfg" 2>"$there/err1" &
    first=$!
    for _ in $(seq 100); do [[ -s $there/calls ]] && break || sleep 0.1; done
}
under_way wait
ends 3 scripts/nightly --pricer="$there/stub" "$there/history" "$there/book.cfg"
grep -q 'another night is under way' "$there/err" || fail "two nights at once"
began=$SECONDS
kill -TERM $first
ends 143 wait $first
[[ $((SECONDS - began)) -lt 20 ]] || fail "SIGTERM: after $((SECONDS - began)) s"
[[ -e $today/unfinished ]] || fail "a night that was stopped is not finished"
under_way 3
for _ in $(seq 100); do grep -qs 'status 3' "$today/night.log" && break || sleep 0.1; done
sleep 0.3
kill -TERM $first
ends 143 wait $first
[[ $(wc -l <"$there/calls") == 1 ]] || fail "SIGTERM in a pause: $(cat "$there/calls")"

# ---- wrong command lines and folders

for arguments in '' "$there/history" '--colour x y' '--keep=0 x y' '--keep=many x y' '--date=yesterday x y' '--pause=-1 x y' '--history=all.txt x y' '--database=all.db x y'; do
    # shellcheck disable=SC2086 # several arguments
    ends 2 scripts/nightly $arguments
    [[ -s $there/err && ! -e x ]] || fail "nightly $arguments: says nothing, or makes a folder"
done
touch "$there/file"
ends 3 scripts/nightly --pricer="$there/stub" "$there/file/history" "$there/book.cfg"

# ---- with the real one

pricer=${PRICER:?the path of the program}

# real DATE BOOK OPTIONS...: a night of the real one, with options of its own in `how`.
how=()
real() { ends 0 scripts/nightly --pricer="$pricer" --pause=0 --date="$1" "${how[@]}" "$there/history" "$2" --engine=cpu "${@:3}"; }

if "$pricer" --help | grep -q 'FILE.db'; then
    rm -rf "$there/history"
    real "$(date +%F)" inputs/first.cfg --paths=4096
    [[ -s $today/night.db && -s $today/night.csv ]] || fail "the real one writes no results"
    # What changed since the night before, of databases in folders and of one for all nights.
    for database in '' "$there/all.db"; do
        [[ -z $database ]] || how=(--history="$database")
        rm -rf "$there/history"
        for night in 20:100 21:101 22:102; do
            real "2026-11-${night%:*}" inputs/first.cfg --paths=4096 --set 'market.assets[0].spot='"${night#*:}"
            change=$there/history/2026-11-${night%:*}/change
            if [[ $night == 20:* ]]; then
                [[ ! -e $change.csv && ! -e $change.txt ]] && ! grep -q 'id="change"' "${change%change}night.html" || fail "the first night has a change"
            else
                grep -q "SX5E spot $((${night#*:} - 1)) -> ${night#*:}" "$change.txt" || fail "${how[*]}: $(cat "$change.txt")"
                grep -q '^total,total,,true,EUR,3,' "$change.csv" || fail "${how[*]}: $(cat "$change.csv")"
                grep -q 'id="change-total"' "${change%change}night.html" || fail "${how[*]}: the report of a second night has no change"
            fi
        done
        [[ -z $database || ! -e $there/history/2026-11-22/night.db ]] || fail "a database in the folder beside the one for all"
    done
    how=()
    # Each day of a week another fifth of the trades is checked, and in five days every one.
    rm -rf "$there/history"
    {
        echo 'market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "SX5E"; currency = "EUR"; spot = 100.0; volatility = 0.2; } ); };'
        echo 'risk = { greeks = [ "delta", "gamma", "vega", "rho", "theta" ]; }; book = { trades = ('
        for i in $(seq 75); do
            echo "{ id = \"C$i\"; type = \"european\"; asset = \"SX5E\"; option = \"call\"; strike = $((60 + i)).0; expiry = 1.0; }$([[ $i == 75 ]] || echo ,)"
        done
        echo '); };'
    } >"$there/calls.cfg"
    for night in 16 17 18 19 20 23; do
        real "2026-11-$night" "$there/calls.cfg" --paths=65536
        grep ',ok,' "$there/history/2026-11-$night/night.csv" | cut -d, -f1 >>"$there/checked-$night"
    done
    [[ $(wc -l <"$there/checked-16") == 75 ]] || fail "a first night checks $(wc -l <"$there/checked-16") trades of 75"
    [[ $(cat "$there"/checked-{17,18,19,20,23} | sort -u | wc -l) == 75 && $(cat "$there"/checked-{17,18,19,20,23} | wc -l) == 75 ]] ||
        fail "five nights check not each trade once"
    # What a night cannot explain is checked in the next.
    if command -v sqlite3 >/dev/null; then
        odd=$(sed -n 1p "$there/checked-17")
        sqlite3 "$there/history/2026-11-23/night.db" "UPDATE prices SET price = 2 * price WHERE trade = (SELECT trade FROM trades WHERE id = '$odd')"
        for night in 24 25; do
            real "2026-11-$night" "$there/calls.cfg" --paths=65536
            cp "$there/err" "$there/err-$night"
        done
        grep -q "unexplained beyond 4 errors: $odd;" "$there/err-24" || fail "no alarm for $odd: $(<"$there/err-24")"
        diff <(sort "$there/checked-18" <(echo "$odd")) <(grep ',ok,' "$there/history/2026-11-25/night.csv" | cut -d, -f1 | sort) >"$there/err" || fail "$odd is not checked"
        rm -rf "$there/history/2026-11-24" "$there/history/2026-11-25"
    fi
    # A night before that cannot be read costs the change, not the night.
    echo damaged >"$there/history/2026-11-23/night.db"
    real 2026-11-24 inputs/first.cfg --paths=4096
    grep -q 'the report shows no change' "$there/history/2026-11-24/night.log" && [[ -s $there/history/2026-11-24/night.html ]] || fail "after a damaged night"
    # The valuation date moves, and past closes are given.
    printf 'date,SX5E\n2026-11-02,4800\n2026-11-16,4900\n' >"$there/closes.csv"
    cat >"$there/moves.cfg" <<'END'
valuation_date = "2026-11-01";
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "SX5E"; currency = "EUR"; spot = 4850.0; volatility = 0.2; } ); };
book = { trades = ( { id = "A"; type = "asian"; asset = "SX5E"; option = "call"; averaging = "arithmetic"; strike_type = "fixed"; strike = 4700.0;
  fixing_times = { from = "2026-10-19"; every = "2W"; roll = "none"; }; expiry = "2027-05-03"; } ); };
END
    how=(--history="$there/moves.db" --fixings="$there/closes.csv" --valuation)
    real 2026-11-20 "$there/moves.cfg" --paths=4096
    ! command -v sqlite3 >/dev/null || [[ $(sqlite3 "$there/moves.db" "SELECT valuation_date, json_extract(terms, '$.past_count'), json_extract(terms, '$.past_average') FROM runs JOIN trades USING (run)") == '2026-11-20|2|4850' ]] ||
        fail "the date moves: $(sqlite3 "$there/moves.db" 'SELECT valuation_date, terms FROM runs JOIN trades USING (run)')"
    # Cut off in the middle by a signal that it cannot see, then again and to the end.
    rm -rf "$there/history"
    cat >"$there/cut" <<CUT
#!/usr/bin/env bash
[[ \$1 == --output=* ]] || exec "$pricer" "\$@"
"$pricer" "\$@" &
for _ in \$(seq 50); do [[ -s \${1#*=} ]] && break || sleep 0.1; done
sleep 0.5
kill -KILL \$!
wait \$!
CUT
    chmod +x "$there/cut"
    ends 0 scripts/nightly --pricer="$there/cut" --pause=0 "$there/history" inputs/book.cfg --engine=cpu --paths=2097152 --check=none
    "$pricer" --engine=cpu --paths=2097152 --check=none --quiet --output="$there/whole.csv" inputs/book.cfg
    cmp -s "$there/whole.csv" "$today/night.csv" || fail "cut off and resumed: other prices"
    grep -q 'attempt 2: --resume' "$today/night.log" || fail "nothing was resumed"
fi

end_test "scripts_nightly_test: all well"
