#!/usr/bin/env bash
# scripts/build builds a checkout that was moved, or copied with its build, in its new place.

for tool in cc cmake ninja flock; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
source validation/tests/folder.sh

# A tree of one program, which says the folder that it was built of.
mkdir -p "$there/first/scripts"
cp scripts/build "$there/first/scripts/build"
printf '#!/bin/sh\n' >"$there/first/scripts/setup"
chmod +x "$there/first/scripts/setup"
cat >"$there/first/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(pricer LANGUAGES C)
add_compile_definitions(FOLDER="${CMAKE_SOURCE_DIR}")
add_executable(pricer main.c)
add_library(libpricer STATIC main.c)
END
printf '#include <stdio.h>\nint main(void) { return puts(FOLDER) < 0; }\n' >"$there/first/main.c"

# builds FOLDER: it is built, and its program is of this folder.
builds() {
    "$there/$1/scripts/build" 2>"$there/err" || { echo "FAILED: $1 is not built: $(cat "$there/err")"; exit 1; }
    [[ $("$there/$1/build/pricer") == "$there/$1" ]] || { echo "FAILED: $1 has a program of $("$there/$1/build/pricer")"; exit 1; }
}
builds first
builds first
mv "$there/first" "$there/moved"
builds moved
cp -r "$there/moved" "$there/copied"
builds copied
builds moved
echo "a checkout is built where it is"
