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

# end_test WORDS...: ends the test, with these words where nothing failed.
end_test() {
    [[ $failures == 0 ]] || exit 1
    echo "$*"
}
