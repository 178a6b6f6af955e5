#!/usr/bin/env bash
# Who may include whom: a file includes its own floor or a lower one, and each third-party library
# is seen from one folder. Prints file:line of every include that breaks a rule. It then breaks each
# rule in a scratch tree and sees that this is found, so that a rule which has stopped working
# cannot pass for a tree that is clean.
set -euo pipefail

# Prints the room of pricing that file $1 lies in, and the rooms that it may see.
room_of() { dirname "${1#app/pricing/}"; }
room_sees() {
    case $1 in
    app/pricing/base/*) echo base ;;
    app/pricing/calibration/*) echo calibration ;;
    app/pricing/plan/*) echo base plan ;;
    app/pricing/value/exercise/*) echo base plan value/exercise ;;
    app/pricing/value/controls/*) echo base plan value value/controls ;;
    app/pricing/value/*) echo base plan value value/exercise ;;
    app/pricing/risk/greeks/*) echo base plan value value/exercise risk/greeks ;;
    app/pricing/risk/pnl/*) echo base plan value value/exercise risk/greeks risk/pnl ;;
    app/pricing/risk/*) echo base plan value value/exercise risk risk/greeks risk/pnl ;;
    esac
}

# Leaves in `why` the reason why file $1 may not include file $2 of this repository, nothing where
# it may.
judge_ours() {
    case $1:$2 in
    models/*:models/*) ;;
    models/*) why="models/ may include models/ only" ;;
    kernels/cpu/*:kernels/cuda/* | kernels/cuda/*:kernels/cpu/*) why="the engines may not include each other" ;;
    kernels/cpu/*:kernels/cpu/* | kernels/cuda/*:kernels/cuda/*) ;;
    kernels/*:kernels/*/*) why="an engine is seen through kernels/engine.h only" ;;
    kernels/*:kernels/* | kernels/*:models/*) ;;
    kernels/*) why="kernels/ may include kernels/ and models/ only" ;;
    app/pricing/value/exercise/*:kernels/cpu/lane_steps.h) ;;
    app/*:kernels/*/*) why="app/ may include kernels/*.h only, and early exercise kernels/cpu/lane_steps.h" ;;
    app/*:kernels/* | app/*:models/*) ;;
    app/pricing/value/check.c:validation/reference/reference.h) ;;
    app/pricing/risk/greeks/greek_check.c:validation/reference/reference.h) ;;
    app/pricing/calibration/*check.c:validation/reference/reference.h) ;;
    app/pricing/*:app/pricing/*)
        [[ " $(room_sees "$1") " == *" $(room_of "$2") "* ]] ||
            why="$(room_of "$1") may include $(room_sees "$1") only, and lower floors"
        ;;
    app/pricing/*) why="app/pricing/ may include its own rooms, kernels/ and models/ only, and the checks \
validation/reference/reference.h" ;;
    app/config/*:app/config/* | app/config/*:app/pricing/base/* | app/config/*:app/pricing/calibration/*) ;;
    app/config/*) why="app/config/ may include its own folder, app/pricing/base/ and app/pricing/calibration/ only, \
and lower floors" ;;
    app/api/*:app/api/* | app/api/*:app/config/* | app/api/*:app/pricing/*) ;;
    app/api/*) why="app/api/ may include its own folder, app/config/ and app/pricing/ only, and lower floors" ;;
    app/command/*:app/mpi/*) why="pricer knows nothing of MPI" ;;
    app/command/*:app/*) ;;
    app/mpi/*:app/mpi/* | app/mpi/*:app/command/command_line.h) ;;
    app/mpi/*:app/*) why="app/mpi/ may include its own folder and app/command/command_line.h only, and lower floors" ;;
    app/*:app/command/*) why="only the command line includes app/command/" ;;
    app/*:app/*) ;;
    app/*) why="app/ may include app/, kernels/ and models/ only, and the checks validation/reference/reference.h" ;;
    validation/reference/*:validation/reference/* | validation/reference/*:models/market/*) ;;
    validation/reference/*:models/payoffs/trade.h | validation/reference/*:models/payoffs/product_numbers.h) ;;
    validation/reference/*:models/scripts/script.h) ;;
    validation/reference/*:models/base/status.h | validation/reference/*:models/base/stop.h) ;;
    validation/reference/*) why="the reference may include its own folder, models/market/, models/payoffs/trade.h, product_numbers.h, \
models/scripts/script.h, models/base/status.h and models/base/stop.h only" ;;
    esac
}

# The same for a header $2 in angle brackets. Tests and benchmarks may see every library.
judge_library() {
    local folder
    case $2 in
    libconfig.h*) folder=app/config/ ;;
    gsl/*)
        folder=validation/reference/
        [[ $1 != app/pricing/calibration/* ]] || folder=app/pricing/calibration/
        ;;
    cuda* | curand* | cooperative_groups* | cub/* | thrust/* | nvtx3/* | mma.h) folder=kernels/cuda/ ;;
    csv.h) folder=app/config/ ;;
    sqlite3*) folder=app/database/ ;;
    mpi.h) folder=app/mpi/ ;;
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

# Leaves in `target` the file that #include "$2" in $1 means, as a path in the repository; nothing
# where there is none.
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

# ---- names: one file, one struct tag of a name outside the tests ----

# Prints the names of files (a .c with its .h is one) and of structs that stand twice in the tree at
# $1.
check_names() (
    cd "$1"
    sources=$(find models kernels app validation -path validation/tests -prune -o \
        \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print)
    sed 's|.*/||' <<<"$sources" | sort | uniq -d | sed 's/^/two files are called /'
    xargs grep -hoE '^(static |const |typedef )*struct [a-zA-Z_0-9]+ \{' <<<"$sources" |
        sed -E 's/.*struct ([a-zA-Z_0-9]+) \{/\1/' | sort | uniq -d | sed 's/^/two are called struct /'
)
twice=$(check_names .)
if [[ -n $twice ]]; then
    echo "$twice"
    exit 1
fi

# ---- the rules themselves ----

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch"/{models/{base,math,market,payoffs,scripts},kernels/{cpu,cuda},app/{api,command,config,database,mpi,output,report,pricing/{base,calibration,plan,value/{controls,exercise},risk/{greeks,pnl}}},validation/{reference,tests,bench}}
cd "$scratch"
touch models/scripts/{script,compile}.h models/base/status.h models/math/exact.h models/market/market.h models/payoffs/{trade,payoff}.h kernels/plan.h \
    kernels/cpu/{simulate,lane_steps}.h kernels/cuda/paths.cuh app/config/book.h app/pricing/base/store.h \
    app/database/journal.h app/output/output.h app/command/run.h app/mpi/new.h validation/reference/{reference,multi_asset}.h

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
expect break models/math/new.h '"../../kernels/plan.h"'
expect break models/new.c '<pthread.h>'
expect break kernels/new.c '"app/config/book.h"'
expect break kernels/cpu/new.c '"kernels/cuda/paths.cuh"'
expect break kernels/cuda/new.cu '"kernels/cpu/simulate.h"'
expect break kernels/new.c '"kernels/cpu/simulate.h"'
expect break app/pricing/new.c '"kernels/cpu/simulate.h"'
expect break app/pricing/value/exercise/new.c '"kernels/cpu/simulate.h"'
expect allow app/pricing/value/exercise/new.c '"kernels/cpu/lane_steps.h"'
expect break kernels/cpu/new.c '<cuda_runtime.h>'
expect break app/pricing/new.c '"validation/reference/multi_asset.h"'
expect break app/output/new.c '<libconfig.h>'
expect break app/pricing/new.c '<gsl/gsl_math.h>'
expect break kernels/cuda/new.cu '<sqlite3.h>'
expect break kernels/new.c '<mpi.h>'
expect allow app/mpi/new.c '<mpi.h>'
expect break app/mpi/new.c '"app/database/journal.h"'
expect break app/command/new.c '"app/mpi/new.h"'
expect break app/pricing/new.c '<cmocka.h>'
expect break validation/reference/new.c '"models/payoffs/payoff.h"'
expect break validation/reference/new.c '"models/scripts/compile.h"'
expect break app/pricing/new.c '"app/nothing.h"'
expect break models/new.c '"cuda_runtime.h"'
expect allow models/math/new.h '"models/base/status.h"'
expect allow kernels/cuda/new.cu '<curand_kernel.h>'
expect allow kernels/cpu/new.c '<pthread.h>'
expect break app/pricing/new.c '"validation/reference/reference.h"'
expect break app/pricing/value/controls/control_closed_forms.c '"validation/reference/reference.h"'
expect allow app/pricing/value/check.c '"validation/reference/reference.h"'
expect allow app/config/new.c '<libconfig.h>'
expect allow app/pricing/calibration/new.c '<gsl/gsl_math.h>'
expect break app/pricing/new.c '"app/config/book.h"'
touch app/pricing/{plan/plan_build,value/check,risk/pnl/scenario_pnl,calibration/model_fit}.h app/api/handle.h
expect break app/pricing/base/new.h '"app/pricing/plan/plan_build.h"'
expect break app/pricing/plan/new.h '"app/pricing/value/check.h"'
expect break app/pricing/value/new.c '"app/pricing/risk/pnl/scenario_pnl.h"'
expect break app/pricing/risk/greeks/new.c '"app/pricing/risk/pnl/scenario_pnl.h"'
expect break app/config/new.c '"app/pricing/plan/plan_build.h"'
expect allow app/config/new.c '"app/pricing/calibration/model_fit.h"'
expect break app/config/new.c '"app/api/handle.h"'
expect allow app/api/new.c '"app/config/book.h"'
expect break app/config/new.c '"app/output/output.h"'
expect break app/output/new.c '"app/command/run.h"'
expect break app/output/new.c '<sqlite3.h>'
expect allow app/command/new.c '"app/database/journal.h"'
expect allow app/pricing/value/controls/new.c '"app/pricing/base/store.h"'
expect allow validation/reference/new.c '<gsl/gsl_math.h>'
expect allow validation/reference/new.c '"models/scripts/script.h"'
expect allow validation/tests/new.c '"kernels/plan.h"'
mkdir -p app/output && touch app/output/book.h && printf 'struct same {\n};\n' | tee app/output/one.h >app/output/two.h
if [[ $(check_names .) != 'two files are called book.h
two are called struct same' ]]; then
    echo "names that stand twice are not found: $(check_names .)"
    failed=1
fi
exit $failed
