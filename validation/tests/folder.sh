#!/usr/bin/env bash
# Sourced by tests: a folder that is removed at the end, and failures, which are counted.
set -euo pipefail
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

# fail WORDS...: says what is wrong, with the last words of the program where a test keeps them.
fail() {
    echo "FAILED: $*" >&2
    [[ ! -s $there/err ]] || head -n 5 "$there/err" | sed 's/^/    /' >&2
    failures=$((failures + 1))
}

# ends STATUS COMMAND...: a command that ends so, with its output in $there/out and $there/err.
ends() {
    local status=$1 code=0
    shift
    "$@" >"$there/out" 2>"$there/err" || code=$?
    [[ $code == "$status" ]] || fail "$*: exit status $code, not $status"
}

# column FILE NAME: a column of a CSV file without its head.
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"; }

# cell FILE ROW COLUMN: what stands in a CSV file in the row that begins so, in the column of this name.
cell() {
    awk -F, -v id="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        $1 == id { print $at }' "$1"
}

# end_test WORDS...: ends the test, with these words where nothing failed.
end_test() {
    [[ $failures == 0 ]] || exit 1
    echo "$*"
}
