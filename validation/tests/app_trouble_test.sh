#!/usr/bin/env bash
# Disks that are full, folders that are closed, and signals in every phase of a run: the exit status says what happened, one line
# says why, and every file is as it was or complete.
set -euo pipefail

pricer=${PRICER:?the path of the program}
there=$(mktemp -d)
mounted=
clean() {
    [[ -z $mounted ]] || umount "$mounted"
    rm -rf "$there"
}
trap clean EXIT
failures=0

fail() {
    echo "FAILED: $*: $(cat "$there/err")" >&2
    failures=$((failures + 1))
}

book=$there/book.cfg
scripts/make-book 40 5 >"$book"
quick=(--engine=cpu --paths=1024 --check=none --quiet)

# refused WHAT FILE: a run whose output cannot be written leaves what was there, and nothing beside it.
refused() {
    local what=$1 file=$2 code=0
    "$pricer" "${quick[@]}" --output="$file" "$book" >"$there/out" 2>"$there/err" || code=$?
    [[ $code == 3 && $(wc -l <"$there/err") == 1 ]] || fail "$what: exit status $code"
    grep -q "cannot write $file" "$there/err" || fail "$what: no reason"
    [[ ! -e $file || $(cat "$file") == yesterday ]] || fail "$what: the file of yesterday is gone"
    [[ -z $(find "$(dirname "$file")" -name ".$(basename "$file").*" 2>/dev/null) ]] || fail "$what: part of a file stays"
}

# ---- disks and folders

ln -s /dev/full "$there/full.csv" # a name that stands for a device is replaced, never written through
"$pricer" "${quick[@]}" --output="$there/full.csv" "$book" 2>"$there/err" || fail "a link to a device"
[[ ! -L $there/full.csv && $(wc -l <"$there/full.csv") == 41 && -c /dev/full ]] || fail "a link to a device is followed"
mkdir "$there/folder.csv"
refused 'a folder' "$there/folder.csv/none/x.csv"
for form in csv json; do
    (ulimit -f 1 && refused 'a limit of the size of files' "$there/limited.$form") || failures=1
done
if [[ $(id -u) == 0 ]] && mkdir "$there/disk" && mount -t tmpfs -o size=8k tmpfs "$there/disk" 2>/dev/null; then
    mounted=$there/disk
    for form in csv json; do
        echo yesterday >"$mounted/x.$form"
        refused 'a full disk' "$mounted/x.$form"
    done
    mount -o remount,ro "$mounted"
    refused 'a disk that is read only' "$mounted/x.csv"
else
    echo "no disk of its own can be had here: full disks are left out"
fi
if [[ $(id -u) != 0 ]]; then
    mkdir -m 500 "$there/closed"
    refused 'a closed folder' "$there/closed/x.csv"
fi

# ---- signals, in every phase

# stopped PHASE SECONDS ARGUMENTS...: SIGTERM, then SIGINT, so long after the start.
stopped() {
    local phase=$1 after=$2 signal code
    shift 2
    for signal in TERM INT; do
        echo yesterday >"$there/stopped.csv"
        # A shell without job control has its background jobs ignore SIGINT: env puts the default back.
        env --default-signal=INT "$pricer" --engine=cpu --output="$there/stopped.csv" "$@" >"$there/out" 2>"$there/err" &
        sleep "$after"
        kill -s "$signal" $! 2>/dev/null || fail "$phase: it had ended before SIG$signal"
        code=0
        wait $! || code=$?
        [[ $code == $((128 + $(kill -l "$signal"))) ]] || fail "$phase: SIG$signal: exit status $code"
        grep -q "stopped by signal" "$there/err" || fail "$phase: SIG$signal: no reason"
        [[ $(cat "$there/stopped.csv") == yesterday ]] || fail "$phase: SIG$signal: the file of yesterday is gone"
        [[ -z $(find "$there" -name '.stopped*') ]] || fail "$phase: SIG$signal: part of a file stays"
    done
}

scripts/make-book --csv "$there/many.csv" 100000 >"$there/many.cfg"
stopped loading 0.1 "${quick[@]}" "$there/many.cfg"
scripts/make-book --csv "$there/models.csv" --full 15000 >"$there/models.cfg"
stopped planning 1 "${quick[@]}" "$there/models.cfg"
stopped 'planning for a person' 1 --plan "$there/models.cfg"
stopped pricing 0.5 --paths=8589934592 --check=none "$book"
cat >"$there/slow.cfg" <<'BOOK'
market = { currencies = ( { name = "EUR"; rate = 0.03; } );
  assets = ( { name = "A"; currency = "EUR"; spot = 100; volatility = 0.2; }, { name = "B"; currency = "EUR"; spot = 100;
    model = "heston"; heston = { v0 = 0.04; kappa = 1.5; theta = 0.04; xi = 0.3; rho = -0.7; }; } ); };
BOOK
awk 'BEGIN {
    print "book = { trades = ("
    for (i = 1; i <= 400; i++)
        printf "{ id = \"L%d\"; type = \"lookback\"; asset = \"B\"; option = \"call\"; strike_type = \"floating\";" \
               " monitoring = 12; expiry = 1; }%s\n", i, i < 400 ? "," : ""
    print "); };"
}' >>"$there/slow.cfg"
stopped checking 2 --paths=1024 "$there/slow.cfg"

[[ $failures == 0 ]] || exit 1
echo "app_trouble_test: all well"
