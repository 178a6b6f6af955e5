#!/usr/bin/env bash
# Sourced by the tests of several ranks: how they are started, and a book of one night with
# everything that ranks share. Leaves with 77 where there is no MPI.
pricer=${PRICER:?the path of the program}
ranked=$pricer-mpi
[[ -x $ranked ]] && command -v mpirun >/dev/null || exit 77

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# What MPI itself leaves behind is no leak of ours, in a build with the address sanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# ranks N OPTION...: pricer-mpi on N ranks of this host.
ranks() {
    local n=$1
    shift
    mpirun --quiet --oversubscribe --bind-to none -n "$n" "$ranked" --engine=cpu "$@"
}

# make_night FILE PATHS MORE-SETTINGS: two assets, one of them by Heston's model; early exercise,
# Greeks, scenarios and a past.
make_night() {
    cat >"$1" <<END
settings = { paths = $2; $3 };
market = { currencies = ( { name = "EUR"; rate = 0.03; } );
assets = ( { name = "A"; currency = "EUR"; spot = 100.0; volatility = 0.2; },
  { name = "H"; currency = "EUR"; spot = 50.0; model = "heston";
    heston = { v0 = 0.04; kappa = 2.0; theta = 0.05; xi = 0.4; rho = -0.6; }; } ); };
book = { trades = (
  { id = "a"; type = "european"; asset = "A"; option = "call"; strike = 100.0; expiry = 1.0; },
  { id = "x"; type = "american"; asset = "A"; option = "put"; strike = 105.0; expiry = 1.0; exercise = 6; },
  { id = "y"; type = "american"; asset = "H"; option = "put"; strike = 52.0; expiry = 0.5; exercise = 4; },
  { id = "h"; type = "asian"; asset = "H"; option = "call"; averaging = "arithmetic"; strike_type = "fixed";
    strike = 50.0; fixings = 12; expiry = 1.0; } ); };
risk = { currency = "EUR"; paths = 32768; greeks = [ "delta", "gamma", "vega", "rho" ];
  grids = ( { name = "market"; asset = "*"; spots = [ -0.2, -0.1, 0.0, 0.1, 0.2 ]; volatilities = [ 0.0, 0.05, 0.1, 0.15 ]; } );
  historical = { file = "past.csv"; confidence = [0.75]; }; };
END
    awk 'BEGIN { print "date,A,H"; for (day = 1; day <= 9; day++) printf "2026-10-0%d,%d,%d\n", day, 90 + day * 7 % 11, 50 + day * 5 % 13 }' \
        >"${1%/*}/past.csv"
}

# What a JSON file of results says beside times and machines, line by line.
without_times() {
    python3 - "$1" <<'END'
import json, sys
results = json.load(open(sys.argv[1]))
def drop(value):
    if isinstance(value, dict):
        return {k: drop(v) for k, v in value.items() if k not in ("seconds", "device", "threads", "began")}
    return [drop(v) for v in value] if isinstance(value, list) else value
print(json.dumps(drop(results), indent=1))
END
}

# same WHAT RANKS THREADS OPTION...: the files of one process and of the ranks.
same() {
    local what=$1 n=$2 threads=$3
    shift 3
    if [[ $what != "${last:-}" ]]; then
        "$pricer" --engine=cpu --threads=1 --quiet --output="$there/one.csv" --output="$there/one.json" "$@" 2>"$there/err" || [[ $? == 1 ]] ||
            fail "$what: $(<"$there/err")"
        without_times "$there/one.json" >"$there/one.txt"
        last=$what
    fi
    rm -f "$there"/ranks.*
    ranks "$n" --threads="$threads" --quiet --output="$there/ranks.csv" --output="$there/ranks.json" "$@" 2>"$there/ranks.err" || [[ $? == 1 ]] ||
        fail "$what on $n ranks: $(<"$there/ranks.err")"
    diff "$there/err" "$there/ranks.err" || fail "$what on $n ranks says something else"
    cmp "$there/one.csv" "$there/ranks.csv" || fail "$what on $n ranks of $threads threads: other rows"
    without_times "$there/ranks.json" | diff "$there/one.txt" - >"$there/diff" ||
        fail "$what on $n ranks of $threads threads: $(head -5 "$there/diff")"
}
