#!/usr/bin/env bash
# Every shell script of the repository parses; those that a person runs can be run and say what they
# do.
set -euo pipefail

status=0
complain() {
    echo "$*"
    status=1
}

checked=0
while read -r script; do
    read -r first <"$script" || true
    case $first in
    '#!/bin/sh') shell='sh' ;;
    '#!/usr/bin/env bash') shell='bash' ;;
    '#!'*) continue ;;
    *)
        [[ $script == *.sh ]] || continue
        complain "$script: the first line names no shell: #!/bin/sh or #!/usr/bin/env bash"
        continue
        ;;
    esac
    $shell -n "$script" || complain "$script: $shell cannot read it"
    if [[ $script == scripts/* || $script == .ci/* ]]; then
        [[ -x $script ]] || complain "$script: is not executable"
        [[ $(sed -n 2p "$script") == '# '* ]] || complain "$script: the second line must say what it does"
    fi
    checked=$((checked + 1))
done < <(find scripts .ci validation -type f ! -name '*.[ch]' ! -name '*.cfg' ! -name '*.csv')

# `.ci/run --day` runs every long test on one day of the week.
cases() {
    ctest --test-dir "${BUILD_DIR:?the build folder}" -N "$@" | sed -n 's/^Total Tests: //p'
}
days=0 long=$(cases -L '^long$')
for day in 1 2 3 4 5 6 7; do
    others=$(sed -n 's/.* -LE "\(.*\)\\\$"$/\1$/p' .ci/run)
    days=$((days + $(cases -L '^long$' -LE "${others/\$(date +%u)/$day}")))
done
[[ $long -ge 10 && $days == "$long" ]] || complain "of $long long tests .ci/run has $days in a week"

[[ $checked -ge 5 ]] || complain "only $checked scripts were found"
[[ $status -ne 0 ]] || echo "$checked scripts parse"
exit $status
