#!/usr/bin/env bash
# Sourced by tests of the command: the program, a folder that is removed at the end, and failures,
# which are counted.
set -euo pipefail
pricer=${PRICER:?the path of the program}
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
failures=0

# fail WORDS...: says what is wrong, with the last words of the program where a test keeps them.
fail() {
    echo "FAILED: $*" >&2
    [[ ! -s $there/err ]] || head -n 5 "$there/err" | sed 's/^/    /' >&2
    failures=$((failures + 1))
}
