#!/usr/bin/env bash
# What can go wrong with a database: a signal, a full disk, a place that cannot be written to, a
# lock, damage, another book. One line and the right exit status each time, and what was done is not
# lost.
command -v sqlite3 >/dev/null || exit 77

. validation/tests/database/database_books.sh
small=$there/small
finish() {
    umount "$small" 2>/dev/null || true
    rm -rf "$there"
}
trap finish EXIT

make_book many 4 24 3
options=(--engine=cpu --paths=16384 --quiet)

# expect STATUS TEXT ARGUMENTS...: one line on standard error that holds the text, none where it is
# empty.
expect() {
    [[ -n $2 ]] && refused "$1" "*$2*" "${@:3}" || refused "$1" '' "${@:3}"
    [[ $(wc -l <"$there/err") -le 1 ]] || fail "pricer ${*:3}: more than one line"
}

whole=$there/whole.db
expect 0 '' "${options[@]}" --output="$whole" --output="$there/whole.csv" "$there/many.cfg"
rows "$whole" >"$there/whole.rows"

# same DATABASE: its last run is what a run that nothing happened to would be.
same() {
    rows "$1" >"$there/rows"
    cmp -s "$there/rows" "$there/whole.rows" || fail "$1: other rows: $(diff "$there/rows" "$there/whole.rows" | head -n 5)"
}

# ---- a night is appended; a complete run is not computed again

expect 0 '' "${options[@]}" --output="$whole" "$there/many.cfg"
[[ $(ask "$whole" 'SELECT group_concat(run) FROM runs') == 1,2 ]] || fail "a second night"
same "$whole"
expect 0 '' --engine=cpu --paths=16384 --resume="$whole" "$there/many.cfg"
grep -q "^run 2 of $whole .* is complete, nothing is left to do: 6 ok; digest" "$there/out" || fail "complete: $(cat "$there/out")"
expect 0 'late.csv is not written' "${options[@]}" --output="$there/late.csv" --resume="$whole" "$there/many.cfg"
# --resume begins a run where there is no database, and where all runs are complete and of others.
expect 0 '' "${options[@]}" --seed=2 --resume="$whole" "$there/many.cfg"
[[ $(ask "$whole" 'SELECT group_concat(run), sum(status = '"'complete'"') FROM runs') == '1,2,3|3' ]] || fail "--resume of a night that was not begun"
expect 0 '' "${options[@]}" --resume="$there/none.db" "$there/many.cfg"
same "$there/none.db"
expect 3 'none/none.db' "${options[@]}" --resume="$there/none/none.db" "$there/many.cfg"

# ---- a signal: what is done stays, the rest follows; other outputs are written then

"$pricer" --engine=cpu --paths=4194304 --quiet --output="$there/term.db" "$there/many.cfg" 2>"$there/err" &
pid=$! sections=0
for _ in $(seq 600); do
    sections=$(ask "$there/term.db" "SELECT count(*) FROM sections WHERE kind = 'exact'" 2>/dev/null || echo 0)
    [[ $sections == 0 ]] || break
    sleep 0.05
done
kill -TERM $pid
code=0
wait $pid || code=$?
[[ $code == 143 && $(cat "$there/err") == 'pricer: stopped by signal 15'* ]] || fail "SIGTERM: $code: $(cat "$there/err")"
[[ $sections != 0 ]] || fail "nothing in the journal before the signal"
[[ $(ask "$there/term.db" 'SELECT status FROM runs; SELECT count(*) FROM prices') == "unfinished"$'\n'0 ]] ||
    fail "SIGTERM leaves results of a run that did not end"
expect 2 'is of another book, other settings or another version' "${options[@]}" --resume="$there/term.db" "$there/many.cfg"

# ---- files that are not ours, or no longer

echo 'no database, in the least' >"$there/text.db"
expect 3 'is no database, or a damaged one' "${options[@]}" --output="$there/text.db" "$there/many.cfg"
[[ $(cat "$there/text.db") == 'no database, in the least' ]] || fail "a file that is not ours was changed"
ask "$there/mine.db" 'CREATE TABLE mine (x)'
expect 3 "not one of pricer's" "${options[@]}" --output="$there/mine.db" "$there/many.cfg"
ask "$there/newer.db" 'PRAGMA user_version = 99; PRAGMA application_id = 0x50524943'
expect 3 'another version' "${options[@]}" --output="$there/newer.db" "$there/many.cfg"
mkdir "$there/folder.db"
expect 3 'cannot' "${options[@]}" --output="$there/folder.db" "$there/many.cfg"
expect 3 'no/such/x.db' "${options[@]}" --output="$there/no/such/x.db" "$there/many.cfg"
cp "$whole" "$there/damaged.db"
dd if=/dev/urandom of="$there/damaged.db" bs=4096 seek=1 count=40 conv=notrunc 2>/dev/null
expect 3 'is no database, or a damaged one' "${options[@]}" --output="$there/damaged.db" "$there/many.cfg"

# ---- cut off in the midst of a transaction, some of which is in the file: SQLite undoes it

cp "$there/term.db" "$there/open.db"
mkfifo "$there/commands"
sqlite3 "$there/open.db" <"$there/commands" >"$there/out" &
pid=$!
exec 3>"$there/commands"
echo "PRAGMA cache_size = 1; BEGIN; UPDATE runs SET identity = 'none';
    INSERT INTO sections SELECT run, kind, digest || value, randomblob(3000), content_digest FROM sections, generate_series(1, 99); SELECT 'cut';" >&3
for _ in $(seq 100); do ! grep -q cut "$there/out" || break; sleep 0.05; done
kill -9 $pid
exec 3>&-
wait $pid 2>/dev/null || true
[[ $(stat -c %s "$there/open.db") -gt $((2 * $(stat -c %s "$there/term.db"))) && -s $there/open.db-journal ]] ||
    fail "nothing of the transaction is in the file"
# alone DATABASE: no file of SQLite's is beside it.
alone() {
    local beside
    beside=$(compgen -G "$1-*" || true)
    [[ -z $beside ]] || fail "beside $1: $beside"
}
for end in '' -journal; do cp "$there/open.db$end" "$there/cut.db$end"; done
expect 2 'complete run' diff "$there/cut.db"
alone "$there/cut.db"
cmp "$there/cut.db" "$there/term.db" || fail "a look at a database does not undo what was cut off"
expect 2 'is of another book, other settings' "${options[@]}" --resume="$there/open.db" "$there/many.cfg"
cmp "$there/open.db" "$there/term.db" || fail "--resume does not undo what was cut off"

# Damage that opening does not show is found before the work.
page=$(ask "$there/term.db" "SELECT rootpage FROM sqlite_schema WHERE name = 'prices'")
cp "$there/term.db" "$there/page.db"
dd if=/dev/urandom of="$there/page.db" bs=4096 seek=$((page - 1)) count=1 conv=notrunc 2>/dev/null
expect 3 'is no database, or a damaged one' "${options[@]}" --paths=4194304 --resume="$there/page.db" "$there/many.cfg"

# A look leaves no file behind, whatever journal another program has set.
for mode in delete wal; do
    cp "$whole" "$there/look.db"
    ask "$there/look.db" "PRAGMA journal_mode = $mode" >"$there/out"
    expect 0 '' diff "$there/look.db"
    alone "$there/look.db"
done
ask "$there/none.db" 'DELETE FROM runs'
expect 2 'none.db has no run at all; --output begins one' "${options[@]}" --resume="$there/none.db" "$there/many.cfg"

# ---- held by another program

cp "$whole" "$there/held.db"
sqlite3 "$there/held.db" <"$there/commands" >/dev/null &
pid=$!
exec 3>"$there/commands"
echo 'BEGIN EXCLUSIVE;' >&3
sleep 1
expect 3 'is held by another program' "${options[@]}" --output="$there/held.db" "$there/many.cfg"
exec 3>&-
wait $pid
expect 0 '' "${options[@]}" --output="$there/held.db" "$there/many.cfg"
same "$there/held.db"

# ---- a disk without room, at whatever moment, and one that is read only

mkdir "$small"
if [[ $(id -u) != 0 ]] || ! mount -t tmpfs -o size=2m tmpfs "$small" 2>/dev/null; then
    [[ $failures == 0 ]] || exit 1
    echo "database_failures_test: all well, but for a full disk, which takes a tmpfs of root"
    exit 0
fi
full=0 begun=0
for room in 4 96 112 128 144 160 176 192 224 256; do
    database=$small/night.db
    rm -f "$small"/*
    head -c $((2048 * 1024 - room * 1024)) /dev/zero >"$small/filler"
    code=0
    "$pricer" "${options[@]}" --output="$database" "$there/many.cfg" >"$there/out" 2>"$there/err" || code=$?
    rm "$small/filler"
    [[ $code == 0 || $(wc -l <"$there/err") == 1 ]] || fail "$room kB of room: $(cat "$there/err")"
    case $code in
    0) ;;
    3)
        full=$((full + 1))
        if [[ $(ask "$database" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0) == 1 ]]; then
            begun=$((begun + 1))
            expect 0 '' "${options[@]}" --resume="$database" "$there/many.cfg"
        else
            expect 0 '' "${options[@]}" --output="$database" "$there/many.cfg"
        fi
        ;;
    *) fail "$room kB of room: exit status $code: $(cat "$there/err")" ;;
    esac
    same "$database"
done
[[ $full -ge 2 && $begun -ge 1 ]] || fail "of the full disks, $full were found full, $begun in the midst of a run"
# A file of results that finds no room: the run stays to be finished, and writes it then.
rm -f "$small"/*
head -c $((2048 * 1024)) /dev/zero >"$small/filler" 2>/dev/null || true
expect 3 'late.csv' "${options[@]}" --output="$there/late.db" --output="$small/late.csv" "$there/many.cfg"
rm "$small/filler"
expect 0 '' "${options[@]}" --resume="$there/late.db" --output="$small/late.csv" "$there/many.cfg"
cmp "$small/late.csv" "$there/whole.csv" || fail "a file that is written by a resumed run"
same "$there/late.db"
expect 0 '' "${options[@]}" --output="$small/night.db" "$there/many.cfg"
mount -o remount,ro "$small"
expect 3 'night.db' "${options[@]}" --output="$small/night.db" "$there/many.cfg"
expect 3 'other.db' "${options[@]}" --output="$small/other.db" "$there/many.cfg"

end_test "database_failures_test: all well ($full full disks, $begun in the midst of a run)"
