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

[[ $checked -ge 5 ]] || complain "only $checked scripts were found"
[[ $status -ne 0 ]] || echo "$checked scripts parse"
exit $status
