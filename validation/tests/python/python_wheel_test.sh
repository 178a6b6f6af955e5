#!/usr/bin/env bash
# The wheel, installed into an empty folder, prices a book to the digest of the command with the
# libraries that it brings, and Python's package manager takes it where there is one.

build=${BUILD_DIR:?the build folder}
pricer=${PRICER:?the path of the program}
python=$(sed -n 's/^PRICER_PYTHON:FILEPATH=//p' "$build/CMakeCache.txt")
[[ -x $python ]] || { echo "skipped: no python3"; exit 77; }
if grep -qE '^PRICER_(SANITIZE:[A-Z]*=.|FUZZ:BOOL=ON)' "$build/CMakeCache.txt"; then
    echo "skipped: a library of sanitizers needs a program of theirs"
    exit 77
fi
source validation/tests/folder.sh

cmake --build "$build" --target wheel >"$there/log" || { cat "$there/log"; exit 1; }
wheel=$build/pricer-$("$pricer" --version | awk '{ print $2 }')-py3-none-linux_$(uname -m).whl
cp "$wheel" "$there/first.whl"
cmake --build "$build" --target wheel >"$there/log"
cmp "$wheel" "$there/first.whl" || { echo "FAILED: the same tree made other bytes"; exit 1; }

# ---- installed, away from the tree ----

"$python" -m zipfile -e "$wheel" "$there/site"
book=$PWD/inputs/book.cfg
cat >"$there/price.py" <<'END'
import sys
import pricer
results = pricer.Book.load(sys.argv[1]).price(engine="cpu", paths=4096)
print("digest", results.digest)
print("version", pricer.__version__)
for line in open("/proc/self/maps"):
    if "libgsl" in line or "libconfig" in line or "libpricer" in line:
        print("loaded", line.split()[-1])
END
(cd "$there" && env -i PYTHONPATH="$there/site" "$python" price.py "$book") >"$there/said"
mine=$(sed -n 's/^digest //p' "$there/said")
theirs=$("$pricer" --engine=cpu --paths=4096 "$book" | grep -oE 'digest [0-9a-f]{16}' | cut -d' ' -f2)
[[ -n $mine && $mine == "$theirs" ]] || { echo "FAILED: digest ${mine:-none}, the command says ${theirs:-none}"; exit 1; }
[[ $(sed -n 's/^version //p' "$there/said") == "$("$pricer" --version | awk '{ print $2 }')" ]] || { echo "FAILED: the version"; exit 1; }
elsewhere=$(sed -n 's/^loaded //p' "$there/said" | grep -v "^$there/site/pricer/" || true)
[[ -z $elsewhere ]] || { echo "FAILED: loaded from elsewhere: $elsewhere"; exit 1; }

# ---- its list of files says what they are ----

"$python" - "$wheel" <<'END'
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(name for name in wheel.namelist() if name.endswith("/RECORD"))
listed = {row[0]: row[1] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
assert set(listed) == set(wheel.namelist()), "RECORD names other files"
for name, said in listed.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
    assert name == record or said == "sha256=" + digest, name
for name in ("pricer/py.typed", "pricer/products.pyi", "pricer/libpricer.so.0"):
    assert name in listed, f"{name} is missing"
END

# ---- by the first commands of docs/python.md, with the build that the README makes ----

awk '/^```sh$/ { at = !n++; next } /^```/ { at = 0 } at' docs/python.md >"$there/begin"
grep -qxF "    $(head -1 "$there/begin")" README.md || { echo "FAILED: docs/python.md begins with what the README does not: $(head -1 "$there/begin")"; exit 1; }
if "$python" -m pip --version >/dev/null 2>&1; then
    mkdir "$there/bin"
    ln -s "$python" "$there/bin/python3"
    ln -s "$build" "$there/build"
    (cd "$there" && PATH=$there/bin:$PATH PIP_TARGET=$there/pip bash -euo pipefail <(sed 1d begin)) >"$there/log" 2>&1 || { cat "$there/log"; exit 1; }
    (cd "$there" && env -i PYTHONPATH="$there/pip" "$python" price.py "$book") | grep -qx "digest $theirs" || { echo "FAILED: as pip installs it"; exit 1; }
fi
echo "the wheel: digest $mine, $(stat -c %s "$wheel") bytes"
