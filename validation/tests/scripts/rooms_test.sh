#!/usr/bin/env bash
# No folder of app calls one that calls it: a declaration without an include, which floors_test
# cannot see, is found among the symbols of the objects. A planted call upwards must be found too.
: "${BUILD_DIR:?}"
command -v nm >/dev/null || exit 77
source validation/tests/folder.sh

# Prints `folder kind symbol` of each global symbol of each object of app, U for what it calls.
find "$BUILD_DIR/CMakeFiles" "$BUILD_DIR/app" -name '*.c.o' -print0 | xargs -0 nm -g -P -A | awk '
    index("TDBRU", $3) {
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        if (folder ~ /\/report_files\.dir/) folder = "app/report"
        sub(/.*\.dir\//, "", folder)
        if (folder ~ /^app\//) print folder, $3, $2
    }' >"$there/symbols"

cat >"$there/circles.py" <<'END'
import sys, collections
rows = [line.split() for line in open(sys.argv[1])] + [a.split(",") for a in sys.argv[2:]]
home = {symbol: folder for folder, kind, symbol in rows if kind != "U"}
calls = collections.defaultdict(dict)
for folder, kind, symbol in rows:
    if kind == "U" and home.get(symbol, folder) != folder:
        calls[folder][home[symbol]] = symbol
folders = set(home.values())
while True:
    lowest = {f for f in folders if not folders & calls[f].keys()}
    if not lowest: break
    folders -= lowest
for f in sorted(folders):
    for g in sorted(folders & calls[f].keys()):
        print(f"{f} calls {calls[f][g]} of {g}, in a circle")
print(f"{len(set(home.values()))} folders, {len(folders)} of them in circles")
sys.exit(bool(folders))
END
python3 "$there/circles.py" "$there/symbols"
! python3 "$there/circles.py" "$there/symbols" app/pricing/base,U,pricer_open >"$there/found" ||
    { echo "a call from pricing/base to the door is not found"; exit 1; }
grep -q "app/pricing/base calls pricer_open of app/api" "$there/found" || { cat "$there/found"; exit 1; }
