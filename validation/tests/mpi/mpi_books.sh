#!/usr/bin/env bash
# Sourced by the tests of several ranks: how they are started, and their night, which has everything
# that ranks share. Leaves with 77 where there is no MPI.
. validation/tests/test.sh
ranked=$pricer-mpi
[[ -x $ranked ]] && command -v mpirun >/dev/null || exit 77

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
. validation/tests/night_book.sh
# What MPI itself leaves behind is no leak of ours, in a build with the address sanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# ranks N OPTION...: pricer-mpi on N ranks of this host.
ranks() {
    local n=$1
    shift
    mpirun --quiet --oversubscribe --bind-to none -n "$n" "$ranked" --engine=cpu "$@"
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
