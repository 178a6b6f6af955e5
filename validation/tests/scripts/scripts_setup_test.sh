#!/usr/bin/env bash
# scripts/setup tries once for what tests can go without, whether or not the program was built before.
source validation/tests/folder.sh

fail() {
    echo "FAILED: $*: $(cat "$there/err")" >&2
    failures=$((failures + 1))
}

# A machine that has all that is needed, nothing that is optional, and an apt-get that notes what it
# is asked for and fails.
mkdir -p "$there/bin" "$there/tree/scripts"
for tool in sh env dirname readlink sed sort head tail cat id mktemp rm mkdir tr grep cc gcc as ld make cmake ninja pkg-config sqlite3; do
    path=$(command -v "$tool") && ln -s "$path" "$there/bin/$tool"
done
cat >"$there/bin/apt-get" <<END
#!/bin/sh
for last; do :; done
[ "\$last" = update ] || echo "\$last" >>"$there/asked"
exit 1
END
sed -i 's/^exit 1$/[ "$last" = update ]/' "$there/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$there/bin/sudo"
chmod +x "$there/bin/apt-get" "$there/bin/sudo"
cp scripts/setup "$there/tree/scripts/setup"
export PRICER_PYTHON=$there/no-python

# setup WANTED ARGUMENTS...: the packages that it asks for.
setup() {
    local wanted=$1 code=0
    shift
    : >"$there/asked"
    PATH=$there/bin "$there/tree/scripts/setup" "$@" 2>"$there/err" || code=$?
    if grep -q 'still missing\|this machine lacks\|apt-get failed' "$there/err"; then
        echo "skipped: this machine lacks what the tests need"
        exit 77
    fi
    [[ $code == 0 && $(xargs <"$there/asked") == "$wanted" ]] || fail "setup $*: status $code, asked for '$(xargs <"$there/asked")', not '$wanted'"
}

if ! grep -qs '^ID=\(debian\|ubuntu\)$' /etc/os-release; then
    echo "skipped: packages are installed on Debian and Ubuntu alone"
    exit 77
fi
setup '' # the README's order: the program
mkdir -p "$there/tree/build" && touch "$there/tree/build/CMakeCache.txt"
setup '' # again
setup 'chromium-headless-shell nodejs libopenmpi-dev openmpi-bin zsh fish python3 python3-pytest python3-numpy python3-pandas mypy' --tests
setup '' --tests
rm -r "$there/tree/build"
setup 'chromium-headless-shell nodejs libopenmpi-dev openmpi-bin zsh fish python3 python3-pytest python3-numpy python3-pandas mypy' --tests # the tests first
setup ''

end_test "what can be gone without is tried for once"
