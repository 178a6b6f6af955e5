#!/usr/bin/env bash
# What the compiler makes of path kernels, without a GPU: registers, stack and spills of each kernel
# for sm_90 against ptxas_guards.txt, and in the PTX the instructions that a rung stands for. A
# kernel may come to need fewer registers than the table says, not more; stack and spills must be the
# table's. Exit 77 where there is no nvcc.
#
#   validation/tests/cuda/ptxas_guard_test.sh            compares the rungs that compile soonest, and of
#                                                        shapes one of each kind and one that spills
#   validation/tests/cuda/ptxas_guard_test.sh --every    compares all; a spill is then provoked and has
#                                                        to be found
#   validation/tests/cuda/ptxas_guard_test.sh --write    writes the table anew

architecture=sm_90
root=$(dirname "$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")")
table=$root/validation/tests/cuda/ptxas_guards.txt
cd "$root"

# ---- the compiler ----

nvcc=$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "${BUILD_DIR:-build}/CMakeCache.txt" 2>/dev/null || true)
for place in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc; do
    [[ -x $nvcc ]] || nvcc=$place
done
if [[ ! -x $nvcc ]]; then
    echo "ptxas_guard_test: no nvcc found"
    exit 77
fi
release=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')

source validation/tests/folder.sh
all=$([[ -z ${1-} ]] || echo yes)
mapfile -t rungs < <(basename -s .cu kernels/cuda/rungs/*.cu kernels/cuda/device/moves.cu)
[[ $all ]] || rungs=(bounds gather moves prefetch_l2 rolling_shared wide)

# Path code of groups: the sources of some shapes, of each that draws one that reads stored normals.
code=0
"${BUILD_DIR:-build}/validation/cuda_tests" specialised_walk_test "$there" >/dev/null || code=$?
if [[ $code == 77 ]]; then
    echo "ptxas_guard_test: this build has no CUDA"
    exit 77
elif [[ $code != 0 ]]; then
    echo "ptxas_guard_test: no sources of shapes"
    exit 1
fi
mapfile -t shapes < <(basename -s .cu "$there"/shape_*.cu)
if [[ ! $all ]]; then
    spilled=$(awk '/^shape_/ && $4 { sub(/:.*/, ""); print; exit }' "$table")
    shapes=("$spilled")
    for kind in drawn stored moves; do
        shapes+=("$(basename -s .cu "$there"/shape_*_$kind.cu | head -n 1)")
    done
fi
rungs+=("${shapes[@]}")

# compile RUNG PLACE [FLAGS]: its PTX and what ptxas says of it, in $there/PLACE.
compile() {
    local rung=$1 at=$there/$2
    shift 2
    mkdir -p "$at"
    "$nvcc" -arch=$architecture -DWALK=walk -std=c++17 -O3 -fmad=false -I. -Xptxas -v -cubin --keep --keep-dir "$at" "$@" \
        -o "$at/$rung.cubin" "$(find kernels/cuda "$there" -name "$rung.cu")" >"$at/log" 2>&1 || touch "$at/failed"
}

# Two at a time.
for rung in "${rungs[@]}"; do
    while [[ $(jobs -pr | wc -l) -ge 2 ]]; do wait -n; done
    compile "$rung" "$rung" &
done
wait

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

for rung in "${rungs[@]}"; do
    [[ ! -e $there/$rung/failed ]] || fail "$rung does not compile: $(cat "$there/$rung/log")"
done
[[ $failures == 0 ]] || exit 1

# ---- the table ----

# kernels PLACE: a line `kernel<arguments> registers stack spill-stores spill-loads` for each kernel
# there.
kernels() {
    awk -v rung="$1" '
    # The first name with arguments in a mangled one: its length, its letters, then I...E. One that
    # is in no namespace is the first.
    function name_of(mangled,    from, length_, name, list, value, nested) {
        nested = mangled ~ /^_ZN/
        while (match(mangled, /[0-9]+/)) {
            length_ = substr(mangled, RSTART, RLENGTH); from = RSTART + RLENGTH
            name = substr(mangled, from, length_); mangled = substr(mangled, from + length_)
            if (mangled ~ /^I/) break
            if (mangled ~ /^11path_launch/ || !nested) return name "<>"
        }
        if (name == "") return "walk"
        list = ""; sub(/^I/, "", mangled)
        while (mangled !~ /^E/ && mangled != "") {
            if (match(mangled, /^L[a-z][0-9]+E/)) value = substr(mangled, 3, RLENGTH - 3)
            else if (match(mangled, /^[0-9]+/)) {
                length_ = substr(mangled, 1, RLENGTH); value = substr(mangled, RLENGTH + 1, length_)
                RLENGTH += length_
            } else if (match(mangled, /^[df]/)) value = mangled ~ /^d/ ? "double" : "float"
            else return name "<" mangled ">"
            list = list (list == "" ? "" : ",") value
            mangled = substr(mangled, RLENGTH + 1)
        }
        return name "<" list ">"
    }
    /Compiling entry function/ { split($0, quoted, "\047"); name = name_of(quoted[2]) }
    /bytes stack frame/ { stack = $1; stores = $5; loads = $9 }
    /: Used [0-9]+ registers/ { match($0, /Used [0-9]+/); print rung ":" name, substr($0, RSTART + 5, RLENGTH - 5), stack, stores, loads }
    ' "$there/$1/log" | sort -V
}

for rung in "${rungs[@]}"; do kernels "$rung"; done >"$there/found"

if [[ ${1:-} == --write ]]; then
    {
        echo "# Path kernels as nvcc $release compiles them for $architecture; written by ptxas_guard_test.sh --write."
        echo "# Template arguments: RECORD first (1 a sum, 2 observations, 3 both), then those of the kernel's file; of NAME_model the"
        echo "# row of models.def comes second."
        echo "# kernel registers stack spill-stores spill-loads"
        cat "$there/found"
    } >"$table"
    echo "$(wc -l <"$there/found") kernels written to ${table#"$root"/}"
    exit 0
fi

of_release=$(sed -n '1s/.* as nvcc \([0-9.]*\) .*/\1/p' "$table")
[[ $of_release == "$release" ]] ||
    echo "the table is of nvcc $of_release, this is $release: registers are not compared, stack and spills are"

# compare FOUND: prints what in this file is not as in the table, a line a kernel.
compare() {
    awk -v same="$([[ $of_release == "$release" ]] && echo 1 || echo 0)" -v all=$all '
        /^#/ || NF != 5 { next }
        FNR == NR { registers[$1] = $2; stack[$1] = $3; stores[$1] = $4; loads[$1] = $5; next }
        { seen[$1] = 1 }
        !($1 in registers) { print $1 " is not in the table"; next }
        same && $2 > registers[$1] { print $1 " takes " $2 " registers, not " registers[$1] }
        $3 != stack[$1] { print $1 " has a stack of " $3 " bytes, not " stack[$1] }
        $4 != stores[$1] || $5 != loads[$1] {
            print $1 " spills: " $4 " bytes stored and " $5 " loaded, not " stores[$1] " and " loads[$1] }
        END { for (name in registers) if (all && !(name in seen)) print name " is in the table and not compiled" }
        ' "$table" "$1"
}

wrong=$(compare "$there/found")
if [[ -n $wrong ]]; then
    fail "kernels are not as in ${table#"$root"/} (--write writes it anew):"
    echo "$wrong"
fi

# Too few registers for rolling_reg: it has to spill, and that has to be seen.
if [[ $all ]]; then
    compile rolling_reg spilled -maxrregcount=32
    kernels spilled | sed 's/^spilled:/rolling_reg:/' >"$there/spilled/found"
    grep -q '^rolling_reg:rolling_reg<.*> spills' <(compare "$there/spilled/found") || fail "a spill has been provoked and is not found"
fi

# ---- the PTX ----

# ptx_of RUNG: its text, one line an instruction.
ptx_of() {
    cat "$there/$1/$1.ptx"
}

# promise RUNG LEAST PATTERN: at least so many of its instructions match, where it is compiled.
promise() {
    local n
    [[ -d $there/$1 ]] || return 0
    n=$(ptx_of "$1" | grep -cE "$3" || true)
    [[ $n -ge $2 ]] || fail "$1: $n instructions like $3 in its PTX, at least $2 expected"
}

wide_load='ld\.global(\.nc)?\.v2\.f64|ld\.global(\.nc)?\.v4\.f32'
promise wide 2 "$wide_load"
for rung in batch_reg batch_shared rolling_reg rolling_shared rolling_async prefetch_l2 rolling_wide; do
    promise $rung 1 "$wide_load" # the coefficients of a step
done
for shape in "${shapes[@]}"; do
    case $shape in
        *_drawn) promise "$shape" 1 "$wide_load" ;; # the same
        *_stored) promise "$shape" 1 'ld\.shared\.v2\.f64' ;;&
        *_stored | *_moves)
            promise "$shape" 2 'cp\.async\.cg\.shared\.global.* 16[,;]' # normals or moves, first and later
            promise "$shape" 2 'cp\.async\.ca\.shared\.global.* 16[,;]' # records
            ;;
        *) fail "$shape: neither drawn nor stored nor moves" ;;
    esac
done
promise rolling_async 8 'cp\.async\.ca\.shared\.global.* 8[,;]'
promise rolling_wide 6 'cp\.async\.c[ag]\.shared\.global.* 16[,;]'
for shape in "${shapes[@]}"; do
    [[ $shape == *drawn ]] || promise "$shape" 1 'cp\.async\.c[ag]\.shared\.global.* 16[,;]'
done
promise prefetch_l2 1 'prefetch\.global\.L2'
promise batch_shared 8 'st\.volatile\.shared'
promise batch_shared 8 'ld\.volatile\.shared'
promise rolling_shared 8 'st\.volatile\.shared'
promise rolling_shared 8 'ld\.volatile\.shared'
for rung in batch_reg rolling_reg; do
    [[ ! -d $there/$rung ]] || ! ptx_of $rung | grep -q '\.local' || fail "$rung keeps normals in local memory, not in registers"
done

end_test "$(wc -l <"$there/found") kernels of ${#rungs[@]} rungs are as in the table (nvcc $release, $architecture)"
