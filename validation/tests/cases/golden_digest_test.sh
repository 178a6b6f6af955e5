#!/usr/bin/env bash
# The digests of the books in inputs/ and validation/cases, as validation/cases/golden.txt has them:
# "book paths digest". A change of one is an entry in CHANGELOG.md; `golden_digest_test.sh --write`
# writes the file anew.
set -euo pipefail
golden=validation/cases/golden.txt

digest_of() {
    "$PRICER" --engine=cpu --check=none --paths="$2" "$1" | sed -n 's/.*digest \([0-9a-f]*\).*/\1/p'
}

if [[ ${1:-} == --write ]]; then
    for book in inputs/{book,first,fx,asian,desk,historical}.cfg validation/cases/published{,-models,-several}.cfg; do
        echo "$book 33792 $(digest_of "$book" 33792)"
    done >"$golden"
    echo "inputs/five.cfg 2048 $(digest_of inputs/five.cfg 2048)" >>"$golden" # it takes seconds, for its Greeks
    exit
fi

failed=0 compared=0
while read -r book paths digest; do
    got=$(digest_of "$book" "$paths")
    compared=$((compared + 1))
    [[ $got == "$digest" ]] && continue
    echo "$book with $paths paths: digest $got, golden is $digest"
    failed=1
done <"$golden"
echo "$compared golden digests compared"
[[ $compared -gt 0 && $failed == 0 ]]
