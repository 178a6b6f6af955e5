#!/usr/bin/env bash
# What is installed is enough to use the library: the first commands of docs/library.md, in a folder
# that has the build which the README makes, end with the command's digest. The library shows the
# functions of pricer.h and nothing else, each with the version that app/api/pricer.map promises.

build=${BUILD_DIR:?the build folder}
pricer=${PRICER:?the path of the program}
for tool in cc pkg-config nm objdump cmake; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
if grep -qE '^PRICER_(SANITIZE:[A-Z]*=.|FUZZ:BOOL=ON)' "$build/CMakeCache.txt"; then
    echo "skipped: a library of sanitizers needs a program of theirs"
    exit 77
fi
source validation/tests/folder.sh
cmake --install "$build" --prefix "$there/usr" >/dev/null

# ---- what is there ----

library=$(find "$there/usr" -name 'libpricer.so.0')
folder=$(dirname "$library")
for file in bin/pricer include/pricer.h share/man/man1/pricer.1.gz; do
    [[ -f $there/usr/$file ]] || { echo "FAILED: $file is not installed"; exit 1; }
done
[[ -L $folder/libpricer.so ]] || { echo "FAILED: libpricer.so is no link"; exit 1; }

# ---- what it shows ----

nm -D --defined-only --with-symbol-versions "$library" | awk '{ print $NF }' |
    grep -vE '^(__bss_start|_edata|_end|PRICER_0@@PRICER_0|PRICER_0)$' | sort -u >"$there/versions"
sed 's/@.*//' "$there/versions" >"$there/shown"
sed -n 's/^ *\(pricer_[a-z_]*\);$/\1@@PRICER_0/p' app/api/pricer.map | sort -u >"$there/promised"
diff "$there/promised" "$there/versions" || { echo "FAILED: promised by app/api/pricer.map (<) and shown (>) differ"; exit 1; }
objdump -p "$library" | grep 'SONAME *libpricer.so.0$' > /dev/null || { echo "FAILED: the soname is not libpricer.so.0"; exit 1; }
awk '/^PRICER_API/ { at = 1 } at { text = text " " $0 } at && /;$/ { print text; text = ""; at = 0 }' "$there/usr/include/pricer.h" |
    grep -oE '\bpricer_[a-z_]+\(' | tr -d '(' | sort -u >"$there/declared"
[[ $(wc -l <"$there/declared") -ge 30 ]] || { echo "FAILED: only $(wc -l <"$there/declared") functions are found in pricer.h"; exit 1; }
diff "$there/declared" "$there/shown" || { echo "FAILED: declared (<) and shown (>) differ"; exit 1; }

# ---- the program of the page ----

awk '/^```c$/ { at = !n++; next } /^```/ { at = 0 } at' docs/library.md >"$there/first.c"
lines=$(wc -l <"$there/first.c")
[[ $lines -ge 25 && $lines -le 35 ]] || { echo "FAILED: the program of docs/library.md has $lines lines"; exit 1; }
mkdir "$there/home"
ln -s "$build" "$there/build"
ln -s "$PWD/inputs" "$there/inputs"
awk '/^```sh$/ { at = !n++; next } /^```/ { at = 0 } at' docs/library.md >"$there/begin"
grep -qF "$(head -1 "$there/begin")" README.md || { echo "FAILED: docs/library.md begins with what the README does not: $(head -1 "$there/begin")"; exit 1; }
(cd "$there" && HOME=$there/home bash -euo pipefail <(sed 1d begin)) >"$there/said" || { echo "FAILED: the first commands of docs/library.md"; exit 1; }
export PKG_CONFIG_PATH=$folder/pkgconfig
(cd "$there" && cc -std=c11 -Wall -Wextra -Werror first.c $(pkg-config --cflags --libs pricer) -o first)
[[ $(pkg-config --modversion pricer) == "$("$pricer" --version | awk '{ print $2 }')" ]] || { echo "FAILED: the version of pricer.pc"; exit 1; }
mine=$(sed -n 's/^digest //p' "$there/said")
theirs=$("$pricer" --engine=cpu --paths=4096 inputs/book.cfg | grep -oE 'digest [0-9a-f]{16}' | cut -d' ' -f2)
[[ -n $mine && $mine == "$theirs" ]] || { echo "FAILED: digest ${mine:-none}, the command says ${theirs:-none}"; exit 1; }
[[ $(wc -l <"$there/said") -gt 10 ]] || { echo "FAILED: rows are missing"; cat "$there/said"; exit 1; }

# ---- an error ----

printf 'settings = {\n  pahts = 4;\n};\n' >"$there/wrong.cfg"
if LD_LIBRARY_PATH=$folder "$there/first" "$there/wrong.cfg" 2>"$there/said"; then
    echo "FAILED: a wrong book is priced"
    exit 1
fi
grep -q "^$there/wrong.cfg:1: market is missing" "$there/said" || { echo "FAILED: the error is not told"; cat "$there/said"; exit 1; }

# ---- the header stands alone, in C++ too ----

if command -v c++ >/dev/null; then
    printf '#include <pricer.h>\nint main() { return pricer_version() == nullptr; }\n' >"$there/first.cpp"
    (cd "$there" && c++ -Wall -Wextra -Werror first.cpp $(pkg-config --cflags --libs pricer) -o plus)
    LD_LIBRARY_PATH=$folder "$there/plus"
fi
echo "installed: $(wc -l <"$there/shown") functions, digest $mine"
