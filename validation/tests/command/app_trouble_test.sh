#!/usr/bin/env bash
# Disks that are full, folders that are closed, and signals in every phase of a run: the exit status
# says what happened, one line says why, and every file is as it was or complete.
. validation/tests/test.sh
mounted=
trap '[[ -z $mounted ]] || umount "$mounted"; rm -rf "$there"' EXIT

book=$there/book.cfg surface=$there/surface.cfg
scripts/make-book 40 5 >"$book"
cat >"$surface" <<'BOOK'
market = { currencies = ( { name = "EUR"; rate = 0.03; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100; model = "local_vol";
  volatility = { times = [0.5, 2]; strikes = [80, 100, 120]; vols = ( [0.22, 0.2, 0.19], [0.21, 0.2, 0.195] ); }; } ); };
book = { trades = ( { id = "call"; type = "european"; asset = "A"; option = "call"; strike = 100; expiry = 1; } ); };
BOOK
quick=(--engine=cpu --paths=1024 --check=none --quiet)

# Every kind of file that the program writes.
forms=(csv json html db bench.csv fit.cfg fit.csv)

# write FILE: a run that writes it, no file longer than `limit`; leaves its exit status in `code`.
limit=unlimited
write() {
    local run=("${quick[@]}")
    code=0
    case $1 in
    *.html) run+=(--report="$1" "$book") ;;
    *bench.csv) run+=(--bench --output="$1" inputs/first.cfg) ;;
    *fit.cfg) run=(--calibrate=heston --quiet --output="$1" "$surface") ;;
    *fit.csv) run=(--calibrate=heston --quiet --output="$1" --output="$there/beside.cfg" "$surface") ;;
    *) run+=(--output="$1" "$book") ;;
    esac
    (ulimit -f "$limit" && exec "$pricer" "${run[@]}") 2>&1 >/dev/null | cat >"$there/err" || code=${PIPESTATUS[0]}
}

# refused WHAT FILE: a run whose output cannot be written leaves what was there, and nothing beside
# it.
refused() {
    local what=$1 file=$2 code
    write "$file"
    [[ $code == 3 && $(wc -l <"$there/err") == 1 ]] || fail "$what: $file: exit status $code"
    grep -q "cannot [a-z ]*$file: " "$there/err" || fail "$what: $file: no reason"
    [[ ! -f $file || $file == *.db || $(cat "$file") == yesterday ]] || fail "$what: the file of yesterday is gone"
    [[ -z $(find "$(dirname "$file")" -name ".$(basename "$file").*" 2>/dev/null) ]] || fail "$what: part of a file stays"
}

# ---- disks and folders

mkdir "$there/links" # a name that stands for a device is replaced, never written through
for form in "${forms[@]}"; do
    ln -s /dev/full "$there/links/x.$form"
    [[ $form != db ]] || continue
    write "$there/links/x.$form"
    [[ $code == 0 && ! -L $there/links/x.$form && -s $there/links/x.$form ]] || fail "a link to a device: $form: exit status $code"
    cp "$there/links/x.$form" "$there/x.$form"
done
refused 'a link to a device' "$there/links/x.db"
[[ -c /dev/full ]] || fail "the device is gone"
for form in "${forms[@]}"; do
    refused 'no folder' "$there/none/x.$form"
    mkdir "$there/folder.$form"
    refused 'a folder' "$there/folder.$form"
    [[ $form != fit.csv ]] || continue # the fit itself is written before it
    [[ $form == db ]] || echo yesterday >"$there/limited.$form"
    limit=0
    refused 'a limit of the size of files' "$there/limited.$form"
    limit=unlimited
done
if [[ $(id -u) == 0 ]] && mkdir "$there/disk" && mount -t tmpfs -o size=64k tmpfs "$there/disk" 2>/dev/null; then
    mounted=$there/disk
    for form in "${forms[@]}"; do [[ $form == db ]] || echo yesterday >"$mounted/x.$form"; done
    cat /dev/zero >"$mounted/filler" 2>/dev/null || true
    for form in "${forms[@]}"; do refused 'a full disk' "$mounted/x.$form"; done
    mount -o remount,ro "$mounted"
    for form in "${forms[@]}"; do refused 'a disk that is read only' "$mounted/x.$form"; done
else
    echo "no disk of its own can be had here: full disks are left out"
fi
if [[ $(id -u) != 0 ]]; then
    mkdir -m 500 "$there/closed"
    for form in "${forms[@]}"; do refused 'a closed folder' "$there/closed/x.$form"; done
fi

# What goes to standard output, where that is full or closed.
for run in '--version' '--help' '--list-kernels' "--engine=cpu --paths=1024 $book" "--plan $book" "--engine=cpu --paths=1024 --bench inputs/first.cfg" \
    "--engine=cpu --paths=1024 --output=- $book" "--calibrate=heston --output=$there/beside.cfg $surface"; do
    for closed in no yes; do
        code=0
        # shellcheck disable=SC2086 # options
        if [[ $closed == yes ]]; then "$pricer" $run >&- 2>"$there/err" || code=$?
        else "$pricer" $run >/dev/full 2>"$there/err" || code=$?; fi
        [[ $code == 3 && $(tail -n 1 "$there/err") == 'pricer: cannot write standard output: '* ]] || fail "stdout: $run: exit status $code"
    done
done

# ---- signals, in every phase

# stopped PHASE SIGNALS SECONDS ARGUMENTS...: each signal so long after the program has its handler. The
# end is to come soon, also under a sanitizer. One handler serves both signals: SIGTERM is sent in every
# phase, SIGINT before there are threads and when there are.
stopped() {
    local phase=$1 signals=$2 after=$3 signal code sent output=(--output="$there/stopped.csv")
    shift 3
    [[ $1 != --plan ]] || output=() # which writes none
    for signal in $signals; do
        echo yesterday >"$there/stopped.csv"
        # A shell without job control has its background jobs ignore SIGINT: env puts the default
        # back.
        env --default-signal=INT "$pricer" --engine=cpu "${output[@]}" "$@" >"$there/out" 2>"$there/err" &
        for _ in $(seq 500); do # a busy machine takes its time to come to the handler
            (($(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$!/status" 2>/dev/null || echo 0x4000) & 0x4000)) && break
            sleep 0.01
        done
        sleep "$after"
        kill -s "$signal" $! 2>/dev/null || fail "$phase: it had ended before SIG$signal"
        code=0 sent=$SECONDS
        wait $! || code=$?
        [[ $((SECONDS - sent)) -le 15 ]] || fail "$phase: SIG$signal: it took $((SECONDS - sent)) s to end"
        [[ $code == $((128 + $(kill -l "$signal"))) ]] || fail "$phase: SIG$signal: exit status $code"
        grep -q "stopped by signal" "$there/err" || fail "$phase: SIG$signal: no reason"
        [[ $(cat "$there/stopped.csv") == yesterday ]] || fail "$phase: SIG$signal: the file of yesterday is gone"
        [[ ! -s $there/out ]] || fail "$phase: SIG$signal: results of a run that did not end"
        [[ -z $(find "$there" -name '.stopped*') ]] || fail "$phase: SIG$signal: part of a file stays"
    done
}

scripts/make-book --csv "$there/many.csv" 100000 >"$there/many.cfg"
stopped loading 'TERM INT' 0.1 "${quick[@]}" "$there/many.cfg"
scripts/make-book --csv "$there/models.csv" --full 60000 >"$there/models.cfg"
stopped planning TERM 1 "${quick[@]}" "$there/models.cfg"
stopped 'planning for a person' TERM 1 --plan "$there/models.cfg"
# Six hundred policies of early exercise take one thread half a minute.
awk 'BEGIN {
    print "market = { currencies = ( { name = \"EUR\"; rate = 0.03; } ); assets = ("
    for (i = 1; i <= 60; i++)
        printf "{ name = \"A%d\"; currency = \"EUR\"; spot = 100; volatility = 0.2; }%s\n", i, i < 60 ? "," : ""
    print "); }; book = { trades = ("
    for (i = 0; i < 600; i++)
        printf "{ id = \"P%d\"; type = \"american\"; asset = \"A%d\"; option = \"put\"; strike = 100; expiry = %g;" \
               " exercise = 50; }%s\n", i, i / 10 + 1, 0.5 + i % 10 / 16, i < 599 ? "," : ""
    print "); };"
}' >"$there/policies.cfg"
stopped 'fitting policies' TERM 1 "${quick[@]}" --threads=1 "$there/policies.cfg"
stopped pricing 'TERM INT' 0.5 --paths=8589934592 --check=none "$book"
# Four hundred thousand steps: one batch of paths takes minutes.
cat >"$there/long.cfg" <<'BOOK'
settings = { paths = 65536; max_step = 1e-4; check = "none"; };
market = { currencies = ( { name = "EUR"; rate = 0.02; } ); assets = ( { name = "A"; currency = "EUR"; spot = 100;
    model = "heston"; heston = { v0 = 0.04; kappa = 1.0; theta = 0.04; xi = 0.5; rho = -0.5; }; } ); };
book = { trades = ( { id = "1"; type = "european"; asset = "A"; option = "call"; strike = 90.0; expiry = 40.0; } ); };
BOOK
stopped 'a walk of many steps' TERM 1 "$there/long.cfg"
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
stopped checking TERM 2 --paths=1024 "$there/slow.cfg"

end_test "app_trouble_test: all well"
