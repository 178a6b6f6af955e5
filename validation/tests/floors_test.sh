#!/usr/bin/env bash
# Who may include whom: a file includes its own floor or a lower one, and each third-party library is seen from one
# folder. Prints file:line of every include that breaks a rule. It then breaks each rule in a scratch tree and sees
# that this is found, so that a rule which has stopped working cannot pass for a tree that is clean.
set -euo pipefail

# Leaves in `why` the reason why file $1 may not include file $2 of this repository, nothing where it may.
judge_ours() {
    case $1:$2 in
    models/*:models/*) ;;
    models/*) why="models/ may include models/ only" ;;
    kernels/cpu/*:kernels/cuda/* | kernels/cuda/*:kernels/cpu/*) why="the engines may not include each other" ;;
    kernels/*:kernels/* | kernels/*:models/*) ;;
    kernels/*) why="kernels/ may include kernels/ and models/ only" ;;
    app/*:app/* | app/*:kernels/* | app/*:models/*) ;;
    app/check.c:validation/reference/reference.h | app/stored_check.[ch]:validation/reference/reference.h) ;;
    app/risk/greek_check.c:validation/reference/reference.h) ;;
    app/calibration/check.c:validation/reference/reference.h) ;;
    app/*) why="app/ may include app/, kernels/ and models/ only, and the checks validation/reference/reference.h" ;;
    validation/reference/*:validation/reference/* | validation/reference/*:models/market/*) ;;
    validation/reference/*:models/payoffs/trade.h | validation/reference/*:models/math/status.h | validation/reference/*:models/math/stop.h) ;;
    validation/reference/*) why="the reference may include its own folder, models/market/, models/payoffs/trade.h, \
models/math/status.h and models/math/stop.h only" ;;
    esac
}

# The same for a header $2 in angle brackets. Tests and benchmarks may see every library.
judge_library() {
    local folder
    case $2 in
    libconfig.h*) folder=app/config/ ;;
    gsl/*)
        folder=validation/reference/
        [[ $1 != app/calibration/* ]] || folder=app/calibration/
        ;;
    cuda* | curand* | cooperative_groups* | cub/* | thrust/* | nvtx3/* | mma.h) folder=kernels/cuda/ ;;
    sqlite3* | mpi.h) folder=app/ ;;
    cmocka.h | Random123/*) folder=validation/tests/ ;;
    pthread.h | threads.h | stdatomic.h)
        [[ $1 != models/* ]] || why="models/ knows no threads"
        return
        ;;
    *) return ;;
    esac
    [[ $1 == "$folder"* || $1 == validation/tests/* || $1 == validation/bench/* ]] ||
        why="<$2> may be seen from $folder only"
}

# Leaves in `target` the file that #include "$2" in $1 means, as a path in the repository; nothing where there is none.
resolve() {
    target=${1%/*}/$2
    [[ -e $target ]] || target=$2
    [[ -e $target ]] || target=
    [[ $target != *..* ]] || target=$(realpath --relative-to=. "$target")
}

# Prints the includes of the tree at $1 that break a rule; one line each.
check_tree() (
    cd "$1"
    pattern='^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<])([^">]*)[">]'
    while IFS=: read -r file line text; do
        [[ $text =~ $pattern ]] || continue
        name=${BASH_REMATCH[2]} why=
        if [[ ${BASH_REMATCH[1]} == '<' ]]; then
            judge_library "$file" "$name"
        else
            resolve "$file" "$name"
            judge_library "$file" "$name"
            if [[ -z $why && -n $target ]]; then
                judge_ours "$file" "$target"
            elif [[ -z $why ]]; then
                why="there is no such file in the repository"
            fi
        fi
        [[ -z $why ]] || echo "$file:$line: #include $name: $why"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' models kernels app validation \
        --include='*.c' --include='*.h' --include='*.cu' --include='*.cuh' --include='*.def')
)

# ---- the tree ----

broken=$(check_tree .)
if [[ -n $broken ]]; then
    echo "$broken"
    exit 1
fi
files=$(find models kernels app validation -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' | wc -l)
echo "$files files: every include goes to its own floor or a lower one"

# ---- the rules themselves ----

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch"/{models/{math,market,payoffs},kernels/{cpu,cuda},app/{config,calibration,controls,risk},validation/{reference,tests,bench}}
cd "$scratch"
touch models/math/{status,exact}.h models/market/market.h models/payoffs/{trade,payoff}.h kernels/plan.h \
    kernels/cpu/walk.h kernels/cuda/paths.cuh app/config/book.h validation/reference/{reference,terms}.h

# break FILE INCLUDE: FILE must be refused; allow FILE INCLUDE: it must not.
failed=0
expect() {
    local how=$1 file=$2 include=$3 found
    printf '#include %s\n' "$include" >"$file"
    found=$(check_tree .)
    rm "$file"
    if [[ $how == break && $found != "$file:1: "* ]] || [[ $how == allow && -n $found ]]; then
        echo "a rule has stopped working: $file with #include $include should $how it; found: ${found:-nothing}"
        failed=1
    fi
}
expect break models/new.c '"kernels/plan.h"'
expect break models/new.c '"app/config/book.h"'
expect break models/math/new.h '"../../kernels/plan.h"'
expect break models/new.c '<pthread.h>'
expect break kernels/new.c '"app/config/book.h"'
expect break kernels/new.c '"validation/reference/reference.h"'
expect break kernels/cpu/new.c '"kernels/cuda/paths.cuh"'
expect break kernels/cuda/new.cu '"kernels/cpu/walk.h"'
expect break kernels/cpu/new.c '<cuda_runtime.h>'
expect break kernels/new.c '<curand_kernel.h>'
expect break app/new.c '<cuda_runtime_api.h>'
expect break app/new.c '"validation/reference/terms.h"'
expect break app/new.c '<libconfig.h>'
expect break app/new.c '<gsl/gsl_math.h>'
expect break models/new.c '<gsl/gsl_math.h>'
expect break kernels/cuda/new.cu '<sqlite3.h>'
expect break kernels/new.c '<mpi.h>'
expect break app/new.c '<cmocka.h>'
expect break validation/reference/new.c '"models/payoffs/payoff.h"'
expect break validation/reference/new.c '"models/math/exact.h"'
expect break validation/reference/new.c '"kernels/plan.h"'
expect break app/new.c '"app/nothing.h"'
expect break models/new.c '"cuda_runtime.h"'
expect allow models/math/new.h '"status.h"'
expect allow kernels/cuda/new.cu '<curand_kernel.h>'
expect allow kernels/cpu/new.c '<pthread.h>'
expect break app/new.c '"validation/reference/reference.h"'
expect break app/check.h '"validation/reference/reference.h"'
expect break app/controls/known.c '"validation/reference/reference.h"'
expect break app/calibration/fit.c '"validation/reference/reference.h"'
expect break app/check.c '"validation/reference/terms.h"'
expect allow app/check.c '"validation/reference/reference.h"'
expect allow app/stored_check.h '"validation/reference/reference.h"'
expect allow app/risk/greek_check.c '"validation/reference/reference.h"'
expect allow app/calibration/check.c '"validation/reference/reference.h"'
expect allow app/config/new.c '<libconfig.h>'
expect allow app/new.c '<sqlite3.h>'
expect allow app/calibration/new.c '<gsl/gsl_math.h>'
expect break app/calibration/new.c '"validation/reference/terms.h"'
expect allow validation/reference/new.c '<gsl/gsl_math.h>'
expect allow validation/reference/new.c '"models/payoffs/trade.h"'
expect allow validation/tests/new.c '"kernels/plan.h"'
exit $failed
