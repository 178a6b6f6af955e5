#!/usr/bin/env bash
# docs/pricer.1 says of every option what --help says. Where it does not, run scripts/man.
set -euo pipefail

# One line an option, "--seed=N seed of the random numbers", sorted.
of_help() {
    "$PRICER" --help | sed -nE 's/^ +(-[a-z], )?(--[a-z][^ ]*) +(.*)/\2 \1\3/p' | sort
}

of_man() {
    sed -E 's/\\f[BIRP]//g; s#\\[,/&]##g; s/\\-/-/g; s/\\\(aq/'"'"'/g' docs/pricer.1 |
        awk '/^\.TP/ { getline option; getline help; letter = ""; if (option ~ /^-[a-z], /) { letter = substr(option, 1, 4); option = substr(option, 5) }; print option, letter help }' | grep '^--' | sort
}

# The comparison is one only if there is something to compare.
count=$(of_help | wc -l)
if [[ $count -lt 5 ]]; then
    echo "--help lists $count options: it is not as this test reads it"
    exit 1
fi
if ! diff --label "pricer --help" --label docs/pricer.1 -u <(of_help) <(of_man); then
    echo "docs/pricer.1 is not what --help says: run scripts/man"
    exit 1
fi
echo "$count options, each as in --help"
