#!/usr/bin/env bash
# Plants faults of one line (planted.txt), one at a time, in a copy of the tree, builds the test that
# each names, and demands that it fails with the words that the fault names. The test must pass
# without the fault.
#
#   validation/faults/planted.sh            a seventh of them: another one every day of the week
#   validation/faults/planted.sh --all      every one
#   validation/faults/planted.sh WORD...    those whose file or test has one of the words
#   validation/faults/planted.sh --look     plants none, and sees that each still has its line and its test
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

tree=$PWD build=${BUILD_DIR:-$PWD/build}

# Where root may mount one, the copy is an overlay: the tree under its own name, with what is built
# already. All that is written to it is gone when this process ends.
if [[ ${1-} != --look && -z ${PLANTED-} && $(id -u) == 0 && -e $build/CMakeCache.txt ]]; then
    over=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
    mkdir "$over/upper" "$over/work"
    layers=lowerdir=$tree,upperdir=$over/upper,workdir=$over/work
    code=0
    unshare -m bash -c 'mount -t overlay overlay -o "$0" "$1" && cd "$1" && PLANTED=$1 exec "${@:2}"' \
        "$layers" "$tree" "$(readlink -f "$BASH_SOURCE")" "$@" 2>"$over/err" || code=$?
    grep -v '^mount:' "$over/err" >&2 || true
    mounted=1
    ! grep -q '^\(mount\|unshare\):' "$over/err" || mounted=0
    rm -rf "$over"
    [[ $mounted == 0 ]] || exit "$code"
fi

failures=0 done=0 passed=' '
log=$(mktemp)
there=${PLANTED-}
[[ ${1-} != --look ]] || there=$tree
trap 'rm -f "$log"; [[ $there == "${PLANTED-$tree}" ]] || rm -rf "$there"' EXIT

fail() {
    echo "FAILED: line $line, $file: '$was' -> '$is': $*"
    failures=$((failures + 1))
}

# Without an overlay: the tree but for what was built in it, and a build of nothing yet.
if [[ -z $there ]]; then
    there=$(mktemp -d) launcher=()
    build=$there/build
    for entry in *; do
        [[ -e $entry/CMakeCache.txt ]] || cp -a "$entry" "$there/"
    done
    ! command -v ccache >/dev/null || launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR=$there
    cmake -S "$there" -B "$build" -DPRICER_CUDA=OFF -DPRICER_MPI=OFF "${launcher[@]}" >"$log" 2>&1 ||
        { cat "$log"; exit 1; }
fi

# build_and_run TEST [WORDS]: its output in the log, up to the words; 1 where it fails or has said
# them, 2 where it cannot be built.
build_and_run() {
    local source target command pid
    source=$(find "$there/validation/tests" -name "$1.sh" -o -name "$1.c")
    target=$(basename "$(dirname "$source")")_tests command=("$build/validation/$target" "$1")
    [[ $source != *.sh ]] || target=pricer command=(bash "$source")
    cmake --build "$build" --parallel "$(nproc)" --target "$target" >"$log" 2>&1 || return 2
    (cd "$there" && BUILD_DIR=$build PRICER=$build/pricer GSL_RNG_SEED=0 exec timeout 600 "${command[@]}") >"$log" 2>&1 &
    pid=$!
    while [[ $# == 2 ]] && kill -0 "$pid" 2>/dev/null; do
        ! grep -qF -e "$2" "$log" || { kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; return 1; }
        sleep 0.1
    done
    wait "$pid" || return 1
}

# Tells whether the fault that was read can be planted and its test be run.
stands() {
    local text rest
    [[ -e $there/$file ]] || { fail "no such file"; return 1; }
    text=$(<"$there/$file") rest=${text#*"$was"}
    [[ $rest != "$text" && ${rest#*"$was"} == "$rest" ]] || { fail "the line is not there once"; return 1; }
    compgen -G "$there/validation/tests/*/$test.*" >/dev/null || { fail "no test $test"; return 1; }
}

# Plants the fault that was read and judges what its test says of it.
try() {
    local text code=0
    text=$(<"$there/$file")
    if [[ $passed != *" $test "* ]]; then
        build_and_run "$test" || { fail "$test fails without the fault"; tail -n 30 "$log"; return; }
        passed+="$test "
    fi
    printf '%s\n' "${text/"$was"/"$is"}" >"$there/$file"
    build_and_run "$test" "$says" || code=$?
    case $code in
    0) fail "$test does not notice" ;;
    2) fail "cannot be built"; tail -n 30 "$log" ;;
    *) grep -qF -e "$says" "$log" || { fail "$test does not say '$says'"; tail -n 20 "$log"; } ;;
    esac
    printf '%s\n' "$text" >"$there/$file"
    done=$((done + 1))
    [[ -z ${LOGS-} ]] || cp "$log" "$LOGS/$line.log"
    [[ -z ${LOGS-} ]] || echo "$(date +%T) $file: $test: $code"
}

# Whether today's, or the caller's, faults have this one.
wanted() {
    local word
    [[ ${1-} != --all ]] || return 0
    [[ ${1-} != --look ]] || return 1
    [[ $# != 0 ]] || { (($n % 7 == $(date +%u) % 7)); return; }
    for word; do [[ "$file $test" != *"$word"* ]] || return 0; done
    return 1
}

line=0 n=0
while IFS= read -r -u 3 text; do
    line=$((line + 1))
    case $text in
    'in: '*) file=${text#in: } was='' is='' test='' says='' ;;
    'was: '*) was=${text#was: } ;;
    'is: '*) is=${text#is: } ;;
    'test: '*) test=${text#test: } ;;
    'says: '*)
        says=${text#says: } n=$((n + 1))
        ! stands || ! wanted "$@" || try
        ;;
    esac
done 3<validation/faults/planted.txt
[[ $done != 0 || ${1-} == --look ]] || { echo "no fault was planted"; failures=1; }
[[ $failures == 0 ]] || exit 1
[[ ${1-} != --look ]] || { echo "$n planted faults have their lines and tests"; exit; }
echo "$done of $n planted faults: each is noticed by its test, which says what is wrong"
