#!/usr/bin/env bash
# Samplers and rounds as a person asks for them: the column `paths`, the message of a trade that
# stops above its target, the same digest through a database, and the digest of a plan that knows
# its sampler.
. validation/tests/test.sh

# price NAME OPTION...: one Asian option on the CPU; its row is in $there/NAME.csv, its last line in
# $there/NAME.
price() {
    "$pricer" --engine=cpu --output="$there/$1.csv" "${@:2}" inputs/asian.cfg | tail -n 1 >"$there/$1"
}

column() {
    awk -F, -v wanted="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == wanted) at = i; next } { print $at }' "$there/$1.csv"
}

digest() {
    sed -n 's/.*digest \([0-9a-f]*\).*/\1/p' "$there/$1"
}

points='settings.sampler="sobol"'
price points --paths=20000 --set "$points"
[[ $(column points paths) == 32768 ]] || fail "points: $(column points paths) paths"
price pairs --paths=16384 --set settings.antithetic=true
[[ $(column pairs paths) == 16384 && $(digest pairs) != "$(digest points)" ]] || fail "pairs"

price rounds --paths=16384 --set "$points" --set settings.target_stderr=0.002
awk -v error="$(column rounds std_error)" -v paths="$(column rounds paths)" \
    'BEGIN { exit !(error <= 0.002 && paths >= 32768) }' || fail "rounds: $(column rounds std_error), $(column rounds paths)"
[[ -z $(column rounds message) ]] || fail "rounds: $(column rounds message)"
price stored --paths=16384 --set "$points" --set settings.target_stderr=0.002 --output="$there/run.db"
[[ $(digest stored) == "$(digest rounds)" ]] || fail "another digest through a database"

price stopped --paths=4096 --set settings.target_stderr=0.01 --set settings.max_paths=10000
[[ $(column stopped paths) == 9216 ]] || fail "stopped: $(column stopped paths) paths"
[[ $(column stopped message) == *"max_paths left a standard error of"* ]] || fail "stopped: $(column stopped message)"

"$pricer" --plan --set "$points" inputs/asian.cfg | grep -q '^Sobol points in 16 replicates' || fail "the plan of points"

[[ $failures == 0 ]] || exit 1
echo "app_sampler_test: all well"
