#!/usr/bin/env bash
# What scripts/completions makes of --help completes a command line, in each of bash, zsh and fish
# that is there: options, the words of a choice, files with the ending that an option wants.

pricer=${PRICER:?the path of the program}
source validation/tests/folder.sh
mkdir "$there/functions" "$there/files"
touch "$there/files"/{a.cfg,b.csv,c.db,d.html}
scripts/completions bash "$pricer" >"$there/pricer.bash"
scripts/completions zsh "$pricer" >"$there/functions/_pricer"
scripts/completions fish "$pricer" >"$there/pricer.fish"
"$pricer" --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' >"$there/options"
[[ $(wc -l <"$there/options") -ge 20 ]] || fail "--help lists $(wc -l <"$there/options") options"

# What is typed, and the only word that it can become. (zsh takes back an = that nothing follows.)
cases=(
    'pricer --eng' --engine
    'pricer --check=s' --check=sample
    'pricer --bench=' --bench=ladder
    'pricer --output=c.d' --output=c.db
    'pricer -o c.d' c.db
    'pricer --report=' --report=d.html
    'pricer --since=' --since=c.db
    'pricer -n 4 --fix' --fixings
    'pricer --fixings=' --fixings=b.csv
    'pricer --quiet ' a.cfg
    'pricer a' a.cfg
    'pricer di' diff
    'pricer diff ' c.db
    'pricer-mpi --ver' --version
)

# Each of these prints, for every argument, what it becomes; several words become one line.
by_bash() (
    set +e
    # shellcheck source=/dev/null
    source "$there/pricer.bash"
    compopt() { :; }
    cd "$there/files"
    for typed; do
        read -ra COMP_WORDS <<<"${typed//=/ = }"
        [[ $typed != *' ' && $typed != *= ]] || COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        _pricer
        start=''
        [[ $COMP_CWORD -lt 2 || ${COMP_WORDS[COMP_CWORD - 1]} != = ]] || start=${COMP_WORDS[COMP_CWORD - 2]}=
        echo "${COMPREPLY[*]/#/$start}"
    done
)
by_fish() {
    (cd "$there/files" && for typed; do
        HOME=$there fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$there/pricer.fish" "$typed" | cut -f 1 | paste -sd ' '
    done)
}
by_zsh() {
    TERM=vt100 timeout 60 zsh -f -s -- "$there" "$@" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PROMPT='>'; fpath=($1/functions \$fpath); autoload -U compinit; compinit -u -D; cd $1/files
for f in pricer pricer-mpi; do functions[\$f]='print \"G\"\"OT<\${@[-1]}>\"'; done"
shift
for typed; do
    zpty -w -n z "$typed"$'\t\r'
    zpty -r z line '*GOT<*>'
    print -r -- "${${line##*GOT<}%>}"
done
END
}

typed=() wanted=()
for ((i = 0; i < ${#cases[@]}; i += 2)); do
    typed+=("${cases[i]}")
    wanted+=("${cases[i + 1]}")
done
checked=''
for shell in bash zsh fish; do
    command -v $shell >/dev/null || continue
    mapfile -t got < <(by_$shell "${typed[@]}" 2>"$there/err" || true)
    for i in "${!typed[@]}"; do
        word=${got[i]-}
        [[ ${word%=} == "${wanted[i]}" ]] || fail "$shell: '${typed[i]}' becomes '$word', not '${wanted[i]}' $(head -c 300 "$there/err")"
    done
    checked="$checked $shell"
done

# ---- every option is offered

by_bash 'pricer --' | tr ' ' '\n' | sed 's/=$//' | grep -- '^--' | sort -u | diff <(sort "$there/options") - || fail "bash: options"
grep -oE "^    '[^[]*--[a-z-]+(=-?)?\[" "$there/functions/_pricer" | grep -oE -- '--[a-z-]+(=-?)?\[' | sed 's/[=[-]*\[$//' | sort | diff <(sort "$there/options") - ||
    fail "zsh: options"
grep -oE -- '^complete -c pricer -l [a-z-]+' "$there/pricer.fish" | sed 's/.* -l /--/' | sort | diff <(sort "$there/options") - || fail "fish: options"

end_test "${#typed[@]} command lines completed by$checked"
