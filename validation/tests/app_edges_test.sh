#!/usr/bin/env bash
# Edges of files and quotes: modes that are kept, names that look like URIs, disks with hardly any
# room, and volatilities whose tables would take gigabytes.
set -euo pipefail

pricer=${PRICER:?the path of the program}
there=$(mktemp -d) mounted=
trap '[[ -z $mounted ]] || umount "$mounted"; rm -rf "$there"' EXIT
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# A file keeps the mode of the one that it replaces; a name that begins with file: is a name.
for form in csv json; do
    : >"$there/kept.$form"
    chmod 0654 "$there/kept.$form"
    "$pricer" --quiet --paths=1024 --check=none --output="$there/kept.$form" inputs/first.cfg
    [[ -s $there/kept.$form && $(stat -c %a "$there/kept.$form") == 654 ]] ||
        fail "$form: mode $(stat -c %a "$there/kept.$form"), not 654"
done
book=$PWD/inputs/first.cfg
(cd "$there" && "$pricer" --quiet --paths=1024 --check=none --output='file:x?mode=memory&.db' "$book") ||
    fail "file: in a name: exit status $?"
[[ -s $there/'file:x?mode=memory&.db' ]] || fail "file: in a name: no such file"

# A disk with hardly any room is called full, whatever a database was at when it met the end.
if [[ $(id -u) == 0 ]] && mkdir "$there/disk" && mount -t tmpfs -o size=256k tmpfs "$there/disk" 2>/dev/null; then
    mounted=$there/disk
    for room in 230000 240000 250000; do
        head -c "$room" /dev/zero >"$there/disk/filler"
        "$pricer" --quiet --paths=1024 --check=none --output="$there/disk/x.db" inputs/book.cfg 2>"$there/err" && fail "$room bytes: a full disk is no error"
        grep -Eq 'No space left on device|disk is full' "$there/err" || fail "$room bytes: $(<"$there/err")"
        rm -f "$there"/disk/*
    done
fi

# Quotes so unlike each other that the tables of local volatility would take gigabytes are refused.
for low in 1e-9 1e-10; do
    code=0
    timeout 20 "$pricer" --paths=1024 --check=none - >"$there/err" 2>&1 <<BOOK || code=$?
market = { currencies = ( { name = "EUR"; rate = 0.02; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100.0; model = "local_vol"; volatility = { times = [0.5, 1.0];
    strikes = [80.0, 100.0, 120.0]; vols = ( [$low, 0.2, 0.2], [$low, 0.2, 0.2] ); }; } ); };
book = { trades = ( { id = "a"; type = "asian"; asset = "A"; option = "call"; averaging = "arithmetic";
  strike_type = "fixed"; strike = 100.0; fixings = 12; expiry = 1.0; } ); };
BOOK
    [[ $code == [12] ]] && grep -q 'vol' "$there/err" || fail "volatility $low: exit status $code, $(<"$there/err")"
done

[[ $failures == 0 ]] || exit 1
echo "modes, names, full disks and extreme quotes are taken well"
