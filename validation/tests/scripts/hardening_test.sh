#!/usr/bin/env bash
# The installed program is hardened: position independent, its tables read only from the start, no
# stack that runs, guarded and probed stacks, checked calls of the C library, marks of control flow.
# Skipped without readelf, for debugging and under sanitizers.

build=${BUILD_DIR:?the build folder}
for tool in readelf objdump cmake; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
setting() {
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"
}
if [[ -n $(setting PRICER_SANITIZE) || $(setting PRICER_FUZZ) == ON || ! $(setting CMAKE_BUILD_TYPE) =~ ^(Release|RelWithDebInfo|)$ ]]; then
    echo "skipped: this build is for debugging"
    exit 77
fi
source validation/tests/folder.sh
cmake --install "$build" --prefix "$there" >/dev/null
program=$there/bin/pricer

# wanted WHAT PATTERN COMMAND...: the pattern is in what the command says of the program.
wanted() {
    local what=$1 pattern=$2
    shift 2
    "$@" "$program" >"$there/said" 2>/dev/null || true
    grep -qE -- "$pattern" "$there/said" && return
    fail "$what: '$pattern' is not in $*"
}

wanted 'position independent' 'Type: +DYN' readelf -hW
wanted 'position independent' 'FLAGS_1.* PIE' readelf -dW
wanted 'all symbols at the start' 'FLAGS_1.* NOW' readelf -dW
wanted 'tables read only' 'GNU_RELRO' readelf -lW
wanted 'a stack that does not run' 'GNU_STACK .* RW ' readelf -lW
wanted 'guarded stacks' ' __stack_chk_fail@' readelf --dyn-syms -W
for call in __snprintf_chk __memcpy_chk; do wanted 'checked calls' " $call@" readelf --dyn-syms -W; done
if [[ $(uname -m) == x86_64 ]]; then
    wanted 'shadow stacks' 'x86 feature: .*SHSTK' readelf -nW
    # More functions can be jumped to than those of the start-up code; and large frames are touched
    # page by page.
    objdump -d --no-show-raw-insn "$program" >"$there/code"
    [[ $(grep -c 'endbr64' "$there/code") -gt 100 ]] || fail "marks of control flow: no endbr64"
    [[ $(grep -cE 'or[lqb] +\$0x0,(0x[0-9a-f]+)?\(%[er]sp' "$there/code") -gt 5 ]] || fail "probed stacks"
fi
# Level 3 knows sizes at run time; it is the compiler's and the library's to offer.
offered=$(setting PRICER_HAS_FORTIFY_3)
used=$(grep -o 'D_FORTIFY_SOURCE=[0-9]' "$build/compile_commands.json" | sort -u | xargs || true)
[[ $used == "D_FORTIFY_SOURCE=$([[ $offered == 1 ]] && echo 3 || echo 2)" ]] || fail "fortified by '$used'"

end_test "hardened, with ${used#D}"
