#!/usr/bin/env bash
# Configures a tree without cmocka, as scripts/pricer does on a bare machine: the program can be built.
source validation/tests/folder.sh

# A path that is empty is one that cmake does not look for.
cmake -S . -B "$there/build" -DPRICER_CUDA=OFF -DPRICER_MPI=OFF -DCMOCKA_INCLUDE_DIR= -DCMOCKA_LIBRARY= >"$there/log" 2>&1 ||
    fail "it cannot be configured: $(grep -A 1 'CMake Error' "$there/log")"
grep -q 'cmocka not found' "$there/log" || fail "cmocka was found: this shows nothing"
cmake --build "$there/build" --target help | grep -w pricer >"$there/target" || fail "there is no program to build"
end_test "the program can be built without cmocka"
