#!/usr/bin/env bash
# The packages together hold what `cmake --install` installs, every file in one of them, with all
# that a user looks for; a program finds the library by CMake; units and links name what is there.

build=${BUILD_DIR:?the build folder}
source validation/tests/folder.sh

# ---- every file is in one package

cmake --install "$build" --prefix "$there/whole" >/dev/null
components=$(sed -n 's/^set(CPACK_COMPONENTS_ALL "\(.*\)")$/\1/p' "$build/CPackConfig.cmake" | tr ';' ' ')
[[ $components == 'program library development'* ]] || fail "components: '$components'"
for component in $components; do
    cmake --install "$build" --prefix "$there/$component" --component "$component" >/dev/null
    (cd "$there/$component" && find . ! -type d) >>"$there/parts"
done
(cd "$there/whole" && find . ! -type d) | sort >"$there/files"
sort "$there/parts" | diff - "$there/files" || fail "the packages (<) and cmake --install (>) differ"

# ---- what is looked for is there

for file in bin/pricer include/pricer.h share/pricer/inputs/book.cfg share/pricer/payoffs/tarf.pay share/pricer/inputs/market/2026-11-20.cfg \
    share/doc/pricer/README.md share/doc/pricer/docs/book-format.md share/doc/pricer/examples share/doc/libpricer0/copyright \
    share/bash-completion/completions/pricer share/zsh/vendor-completions/_pricer share/fish/vendor_completions.d/pricer.fish \
    libexec/pricer/nightly lib/systemd/system/pricer-night@.service lib/systemd/system/pricer-night@.timer; do
    grep -qx "./$file" "$there/files" || fail "$file is not installed"
done
while read -r link; do
    [[ -e $there/whole/$link ]] || fail "$link leads nowhere"
done < <(cd "$there/whole" && find . -type l)
# Each man page is found by the PATH alone, and has the sections that its readers expect.
sections='NAME SYNOPSIS DESCRIPTION OPTIONS EXIT_STATUS ENVIRONMENT FILES EXAMPLES REPORTING_BUGS SEE_ALSO'
for page in "$there"/whole/share/man/man*/*.gz; do
    wanted=$sections name=$(basename "$page" .gz)
    [[ $name != pricer-book.5 ]] || wanted='NAME SYNOPSIS DESCRIPTION KEYS FILES EXAMPLES REPORTING_BUGS SEE_ALSO'
    found=$(zcat "$page" | sed -n 's/^\.SH //p' | tr -d '"' | tr ' \n' '_ ')
    [[ $name == pricer-mpi.1 || $found == "$wanted " ]] || fail "$name has the sections $found"
    ! command -v man >/dev/null || {
        [[ $(env -u MANPATH PATH="$there/whole/bin:$PATH" man -w "${name##*.}" "${name%.*}") == "$page" ]] || fail "man does not find $name"
        [[ -z $(man --warnings -l "$page" 2>&1 >/dev/null) ]] || fail "$name: $(man --warnings -l "$page" 2>&1 >/dev/null)"
    }
done
for page in man1/pricer.1 man1/nightly.1 man5/pricer-book.5; do
    [[ -e $there/whole/share/man/$page.gz ]] || fail "there is no $page"
done

# The library's symbols file has each function with its node and the version that brought it.
if command -v dpkg-gensymbols >/dev/null; then
    sed -n 's/^ *\(pricer_[a-z_]*\);$/ \1@PRICER_0 0.2.0/p' app/api/pricer.map | sort >"$there/promised"
    diff "$there/promised" <(grep '^ pricer_' "$build/package/library/symbols" | sort) || fail "pricer.map (<) and the symbols file (>) differ"
fi
if command -v dpkg-gensymbols >/dev/null && ! grep -qE '^PRICER_(SANITIZE:[A-Z]*=.|FUZZ:BOOL=ON)' "$build/CMakeCache.txt"; then
    (cd "$build" && cpack -G DEB -D CPACK_COMPONENTS_ALL=library -B "$there/debs") >"$there/out" 2>&1 || fail "cpack: $(tail -5 "$there/out")"
    dpkg-deb --ctrl-tarfile "$there"/debs/libpricer0_*.deb | tar -xO ./symbols | cmp - "$build/package/library/symbols" ||
        fail "the package has no symbols file"
fi
for program in "$there"/whole/bin/*; do
    [[ -e $there/whole/share/man/man1/${program##*/}.1.gz ]] || fail "${program##*/} has no man page"
done

# The unit runs what is installed, below the prefix of the build.
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
read -ra command < <(sed -n 's/^ExecStart=//p' "$there/whole/lib/systemd/system/pricer-night@.service")
for path in "${command[0]}" "${command[1]#--pricer=}"; do
    [[ -x $there/whole/${path#"$prefix"/} ]] || fail "the unit runs $path, which is not installed"
done

if command -v systemd-analyze >/dev/null; then
    mkdir "$there/units"
    for unit in service timer; do
        sed "s#$prefix/#$there/whole/#g" "$there/whole/lib/systemd/system/pricer-night@.$unit" >"$there/units/pricer-night@.$unit"
    done
    for unit in service timer; do
        said=$(cd "$there/units" && systemd-analyze verify --man=no "./pricer-night@desk.$unit" 2>&1) || said="status $?: $said"
        [[ -z $said ]] || fail "the $unit: $said"
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
        cmake --build "$there/user/build" >>"$there/out" 2>&1 || { cat "$there/out"; fail "a program does not build by CMake"; }
    said=$("$there/user/build/user") || fail "the program that CMake built does not run"
    [[ "pricer $said" == "$("${PRICER:?}" --version | cut -d' ' -f1,2)" ]] || fail "the library says it is $said"
fi

end_test "$(wc -l <"$there/files") files in the packages of $components"
