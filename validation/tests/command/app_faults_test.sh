#!/usr/bin/env bash
# Every call that can fail is failed in turn, once and from then on: allocations, files, threads
# (validation/faults/faults.c). A run ends with the right status and one reason, every file is as it
# was or complete, and nothing leaks.
#
#   app_faults_test.sh            some of the calls
#   app_faults_test.sh --every    all of them
set -euo pipefail

pricer=${PRICER:?the path of the program}
library=${FAULTS:-}
there=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) # in memory, if there is such a place: every run syncs its files
trap 'rm -rf "$there"' EXIT
failures=0 runs=0
shopt -s nullglob

if [[ -z $library ]] || ! LD_PRELOAD=$library FAULT_LOG=$there/log "$pricer" --version >/dev/null 2>&1 || ! [[ -s $there/log ]]; then
    echo "calls cannot be failed here: no glibc, or a sanitizer that has its own malloc"
    exit 77
fi
cp validation/faults/book/* "$there"

fail() {
    echo "FAILED: $book, FAULT=$fault: $*" >&2
    cat "$there/err" "$there/log" 2>/dev/null | sed 's/^/    /' >&2 || true
    failures=$((failures + 1))
    [[ $failures -lt 20 ]] || exit 1
}

# Words of the shell alone do what stands between runs: a process costs as much as a run.

# slurp NAME FILE: the variable is the file's text, empty where there is none.
slurp() { IFS= read -rd '' "$1" 2>/dev/null <"$2" || true; }

# run FAULT: one run on a folder whose results are of yesterday; leaves its status in `code`, and
# in `said` and `log` what it and the library said.
run() {
    fault=$1 code=0
    runs=$((runs + 1))
    local left=("$there"/.out* "$there"/out.db*)
    [[ ${#left[@]} == 0 ]] || rm -f "${left[@]}"
    echo yesterday >"$there/out.csv"
    echo yesterday >"$there/out.json"
    : >"$there/log"
    FAULT=$fault FAULT_LOG=$there/log LD_PRELOAD=$library "$pricer" --engine=cpu --threads=1 \
        "${outputs[@]}" "$there/$book.cfg" >"$there/out.txt" 2>"$there/err" || code=$?
    slurp said "$there/err"
    slurp log "$there/log"
}

# The columns and digests of a run, without its times and without whether references were kept.
content() {
    sed '/^"manifest"/d; /"seconds"/d; s/"\([^",]*\), kept"/\1/g' "$1"
}

# What is as the run without faults wrote it, or says the same, is complete.
old_or_new() {
    local found complete
    slurp found "$there/out.$1"
    slurp complete "$there/$book.$1"
    [[ $found == $'yesterday\n' || $found == "$complete" || $(content "$there/out.$1") == "$(content "$there/$book.$1")" ]] ||
        fail "out.$1 is neither old nor complete"
}

judge() {
    local name='' form found parts=("$there"/.out*)
    [[ $log != *failed\ * ]] || name=${log#*failed } name=${name%%$'\n'*}
    case $code:$name in
    0:*) ;; # the program could do without
    3:*) ;;
    2:open | 2:read | 2:stat | 2:fstat | 2:fopen) ;; # the book cannot be read
    *) fail "exit status $code" ;;
    esac
    [[ $code == 0 || -n $said ]] || fail "no reason is given"
    if [[ $code == 0 ]]; then
        for form in csv json; do
            slurp found "$there/out.$form"
            [[ $found != $'yesterday\n' ]] || fail "all is well, and no out.$form"
        done
    fi
    old_or_new csv
    old_or_new json
    [[ ${#parts[@]} == 0 ]] || fail "part of a file stays"
    [[ $log != *leaked* ]] || fail "memory leaks"
}

# The database of a run that failed is none, or one that takes the next run.
next_night() {
    local code=0
    "$pricer" --engine=cpu --threads=1 --quiet "${outputs[@]}" "$there/$book.cfg" >"$there/err" 2>&1 || code=$?
    [[ $code == 0 ]] || fail "the next run: exit status $code"
    old_or_new csv
}

# Sets of books and outputs: the last is what the database and the report add.
for set in priced checked 'checked database' 'risk database'; do
    book=${set%% *}
    outputs=(--output="$there/out.csv" --output="$there/out.json")
    [[ $set != *database ]] || outputs+=(--output="$there/out.db" --report="$there/out.html")
    run 0
    [[ $code == 0 ]] || fail "exit status $code"
    for form in csv json txt; do cp "$there/out.$form" "$there/$book.$form"; done
    calls=$(sed -n 's/^calls //p' "$there/log")
    [[ $calls -gt 500 ]] || fail "only $calls calls can fail"
    step=1
    [[ ${1-} == --every ]] || step=$((calls / 10 + 1))
    for ((n = 1; n <= calls; n += step)); do
        run "$n"
        judge
        [[ $set != *database ]] || next_night
        # The second kind finds what the first hid; steps that are apart look at other calls.
        run "$((n + step / 2))+"
        judge
        [[ $set != *database ]] || next_night
    done
done

# Memory that a reference lacks is that of one trade, which is named with its line. References stand
# between paths and files.
book=checked outputs=(--output="$there/out.csv" --output="$there/out.json") named=0
step=2
[[ ${1-} != --every ]] || step=1
for ((n = 1; n < 400; n += step)); do
    run "$n"
    [[ ! $said =~ checked.cfg:[0-9]*:\ trade\ \'[a-z]*\':\ not\ enough\ memory\ for\ its\ reference ]] || named=$((named + 1))
    [[ $said != *'cannot write'* ]] || break
done
[[ $named -ge 2 ]] || fail "$named references without memory name their trade"

# Memory that a value of --set or a calendar lacks is the one reason, and no fault of the book's.
book=dated outputs=(--plan --set='market.assets[A].spot=101.5' --set='book.trades[put].strike=96')
run 0
[[ $code == 0 ]] || fail "exit status $code"
calls=$(sed -n 's/^calls //p' "$there/log")
for ((n = 1; n <= calls; n += step)); do
    run "$n"
    [[ $log =~ failed\ [a-z_]*(alloc|strdup) && $code != 0 ]] || continue
    [[ $code == 3 && $said == *'not enough memory'* && $said != *$'\n'?* ]] || fail "exit status $code for lack of memory"
    [[ $log != *leaked* ]] || fail "memory leaks"
done

[[ $failures == 0 ]] || exit 1
echo "app_faults_test: $runs runs, all well"
