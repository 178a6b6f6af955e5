#!/usr/bin/env bash
# The Python package, by Debian's python3 and pytest, with numpy and without.
set -euo pipefail

build=${BUILD_DIR:?the build folder}
python=$(sed -n 's/^PRICER_PYTHON:FILEPATH=//p' "$build/CMakeCache.txt")
[[ -x $python ]] || { echo "skipped: no python3"; exit 77; }
"$python" -c 'import pytest' 2>/dev/null || { echo "skipped: no pytest for $python"; exit 77; }
PRICER=$(realpath "${PRICER:?the path of the program}")
export PRICER PRICER_LIBRARY=$build/libpricer.so.0 PYTHONPATH=app/python PYTHONDONTWRITEBYTECODE=1
unset PRICER_COMMAND

# A library of sanitizers needs theirs first; Python itself leaks at its end.
sanitizers= same=()
if grep -qE '^PRICER_SANITIZE:[A-Z]*=.*address' "$build/CMakeCache.txt"; then
    sanitizers=$(cc -print-file-name=libasan.so):$(cc -print-file-name=libubsan.so)
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 PRICER_PRICES=0
fi

# run HIDDEN [OPTION...]: all tests, where the modules HIDDEN are not to be had, with SIGINT as a person has
# it: a shell without job control ignores it in what it puts into the background.
run() {
    LD_PRELOAD=$sanitizers env --default-signal=INT "$python" -c "
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
import pytest
sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '--no-header', 'validation/tests/python/python_package', *sys.argv[2:]]))" "$@"
}

if "$python" -c 'import numpy' 2>/dev/null; then
    run ''
    same=(--ignore-glob='*/test_'{docs,errors,null,threads,types}.py) # they know nothing of numpy
else
    echo "no numpy for $python: the tests run without it alone"
fi
run 'numpy pandas' "${same[@]}"
