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

points='settings.sampler="sobol"'
price points --paths=20000 --set "$points"
[[ $(column "$there/points.csv" paths) == 32768 ]] || fail "points: $(column "$there/points.csv" paths) paths"
price pairs --paths=16384 --set settings.antithetic=true
[[ $(column "$there/pairs.csv" paths) == 16384 && $(digest_of "$there/pairs") != "$(digest_of "$there/points")" ]] || fail "pairs"

price rounds --paths=16384 --set "$points" --set settings.target_stderr=0.002
awk -v error="$(column "$there/rounds.csv" std_error)" -v paths="$(column "$there/rounds.csv" paths)" \
    'BEGIN { exit !(error <= 0.002 && paths >= 32768) }' || fail "rounds: $(column "$there/rounds.csv" std_error), $(column "$there/rounds.csv" paths)"
[[ -z $(column "$there/rounds.csv" message) ]] || fail "rounds: $(column "$there/rounds.csv" message)"
price stored --paths=16384 --set "$points" --set settings.target_stderr=0.002 --output="$there/run.db"
[[ $(digest_of "$there/stored") == "$(digest_of "$there/rounds")" ]] || fail "another digest through a database"

price stopped --paths=4096 --set settings.target_stderr=0.01 --set settings.max_paths=10000
[[ $(column "$there/stopped.csv" paths) == 9216 ]] || fail "stopped: $(column "$there/stopped.csv" paths) paths"
[[ $(column "$there/stopped.csv" message) == *"max_paths left a standard error of"* ]] || fail "stopped: $(column "$there/stopped.csv" message)"

"$pricer" --plan --set "$points" inputs/asian.cfg | grep -q '^Sobol points in 16 replicates' || fail "the plan of points"

end_test "app_sampler_test: all well"
