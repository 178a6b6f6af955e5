#!/usr/bin/env bash
# The CPU engine gives the digests of x86-64 on aarch64, run by qemu. Skipped where scripts/arm-check
# cannot run.
set -euo pipefail

grep -qE '^PRICER_(SANITIZE:[A-Z]*=.|FUZZ:BOOL=ON)' "${BUILD_DIR:?the build folder}/CMakeCache.txt" && exit 77
exec scripts/arm-check "${PRICER:?the path of the program}"
