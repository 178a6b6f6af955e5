#!/usr/bin/env bash
# The packages together hold what `cmake --install` installs, every file in one of them, with all
# that a user looks for; a program finds the library by CMake; units and links name what is there.
set -euo pipefail

build=${BUILD_DIR:?the build folder}
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
status=0
complain() {
    echo "FAILED: $*"
    status=1
}

# ---- every file is in one package

cmake --install "$build" --prefix "$there/whole" >/dev/null
components=$(sed -n 's/^set(CPACK_COMPONENTS_ALL "\(.*\)")$/\1/p' "$build/CPackConfig.cmake" | tr ';' ' ')
[[ $components == 'program library development'* ]] || complain "components: '$components'"
for component in $components; do
    cmake --install "$build" --prefix "$there/$component" --component "$component" >/dev/null
    (cd "$there/$component" && find . ! -type d) >>"$there/parts"
done
(cd "$there/whole" && find . ! -type d) | sort >"$there/files"
sort "$there/parts" | diff - "$there/files" || complain "the packages (<) and cmake --install (>) differ"

# ---- what is looked for is there

for file in bin/pricer include/pricer.h share/pricer/inputs/book.cfg share/pricer/inputs/market/2026-11-20.cfg \
    share/doc/pricer/README.md share/doc/pricer/docs/book-format.md share/doc/pricer/examples share/doc/libpricer0/copyright \
    share/bash-completion/completions/pricer share/zsh/vendor-completions/_pricer share/fish/vendor_completions.d/pricer.fish \
    libexec/pricer/nightly lib/systemd/system/pricer-night@.service lib/systemd/system/pricer-night@.timer; do
    grep -qx "./$file" "$there/files" || complain "$file is not installed"
done
while read -r link; do
    [[ -e $there/whole/$link ]] || complain "$link leads nowhere"
done < <(cd "$there/whole" && find . -type l)
for page in "$there"/whole/share/man/man1/*.gz; do
    zcat "$page" | grep -q '^\.SH NAME' || complain "$page is no man page"
done
for program in "$there"/whole/bin/*; do
    [[ -e $there/whole/share/man/man1/${program##*/}.1.gz ]] || complain "${program##*/} has no man page"
done

# The unit runs what is installed, below the prefix of the build.
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
read -ra command < <(sed -n 's/^ExecStart=//p' "$there/whole/lib/systemd/system/pricer-night@.service")
for path in "${command[0]}" "${command[1]#--pricer=}"; do
    [[ -x $there/whole/${path#"$prefix"/} ]] || complain "the unit runs $path, which is not installed"
done

if command -v systemd-analyze >/dev/null; then
    mkdir "$there/units"
    for unit in service timer; do
        sed "s#$prefix/#$there/whole/#g" "$there/whole/lib/systemd/system/pricer-night@.$unit" >"$there/units/pricer-night@.$unit"
    done
    for unit in service timer; do
        said=$(cd "$there/units" && systemd-analyze verify --man=no "./pricer-night@desk.$unit" 2>&1) || said="status $?: $said"
        [[ -z $said ]] || complain "the $unit: $said"
    done
fi

# ---- a program of another tree

if grep -qE '^PRICER_(SANITIZE:[A-Z]*=.|FUZZ:BOOL=ON)' "$build/CMakeCache.txt"; then
    echo "a library of sanitizers needs a program of theirs: not tried"
else
    mkdir "$there/user"
    cat >"$there/user/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(pricer 0.2 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE pricer::pricer)
END
    printf '#include <pricer.h>\n#include <stdio.h>\nint main(void) { return puts(pricer_version()) < 0; }\n' >"$there/user/user.c"
    cmake -S "$there/user" -B "$there/user/build" -DCMAKE_PREFIX_PATH="$there/whole" >"$there/out" 2>&1 &&
        cmake --build "$there/user/build" >>"$there/out" 2>&1 || { cat "$there/out"; complain "a program does not build by CMake"; }
    said=$("$there/user/build/user") || complain "the program that CMake built does not run"
    [[ "pricer $said" == "$("${PRICER:?}" --version | cut -d' ' -f1,2)" ]] || complain "the library says it is $said"
fi

[[ $status != 0 ]] || echo "$(wc -l <"$there/files") files in the packages of $components"
exit $status
