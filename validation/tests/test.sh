#!/usr/bin/env bash
# Sourced by tests of the command: the program, its runs and what they say, and what folder.sh has.
pricer=${PRICER:?the path of the program}
source "${BASH_SOURCE[0]%/*}/folder.sh"

# run STATUS ARGUMENTS...: a run in the folder, with what all runs have, that ends so; its output is in
# $there/out and $there/err.
folder=. always=()
run() { ends "$1" env -C "$folder" "$pricer" "${always[@]}" "${@:2}"; }

# says TEXT, shows TEXT: standard error and standard output have it.
says() { grep -qF -- "$1" "$there/err" || fail "stderr does not say '$1'"; }
shows() { grep -qF -- "$1" "$there/out" || fail "stdout does not show '$1': $(<"$there/out")"; }

# refused STATUS LINE ARGUMENTS...: a run that ends so and says this line, which may be a pattern, and
# no other.
refused() {
    run "$1" "${@:3}"
    # shellcheck disable=SC2053 # a pattern
    [[ $(<"$there/err") == $2 ]] || fail "pricer ${*:3}: not '$2'"
}

# digest_of FILE: the digest in the last line of what a run showed.
digest_of() { sed -n 's/.*; digest \([0-9a-f]*\)$/\1/p' "$1"; }
