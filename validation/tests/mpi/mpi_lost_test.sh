#!/usr/bin/env bash
# What can go wrong among ranks: each says one line and has its exit status. Ranks that are killed
# or stopped at random moments lose nothing: --resume with another number of ranks, or by pricer,
# has the rows of a run that nobody touched. KILLS is how many; mpi_lost_long_test takes fifty.
. validation/tests/mpi/mpi_books.sh
command -v sqlite3 >/dev/null || exit 77
kills=${KILLS:-1}
seed=${SEED:-$$}
RANDOM=$seed
echo "seed $seed"
starts=(mpirun --quiet --oversubscribe --bind-to none)

# refused STATUS LINE COMMAND...: it ends with the status, and with this line alone.
refused() {
    local line=$2
    ends "$1" "${@:3}"
    [[ $(sed "s|$there/||g; s/(on $(hostname),/(on HOST,/; s/on $(hostname)\b/on HOST/" "$there/err") == "$line" ]] || fail "wanted '$line', got '$(<"$there/err")'"
}

make_night "$there/night.cfg" 131072 'check = "none";'
make_night "$there/other.cfg" 131072 'check = "none"; seed = 2;'
one=(-n 1 "$ranked" --quiet --engine=cpu --threads=1)
refused 2 "pricer: rank 1 on HOST: has read another book than rank 0, or has other options or another version" \
    "${starts[@]}" "${one[@]}" "$there/night.cfg" : "${one[@]}" "$there/other.cfg"
refused 2 "pricer: rank 1 on HOST: none.cfg: cannot be read: No such file or directory" \
    "${starts[@]}" "${one[@]}" "$there/night.cfg" : "${one[@]}" "$there/none.cfg"
refused 2 "none.cfg: cannot be read: No such file or directory" ranks 2 --quiet "$there/none.cfg"
refused 2 "pricer: unknown or ambiguous option --nonsense; --help lists the options" ranks 2 --quiet --nonsense "$there/night.cfg"
refused 3 "pricer: cannot write nowhere/n.db: No such file or directory (on HOST, where rank 0 runs)" \
    ranks 2 --quiet --output="$there/nowhere/n.db" "$there/night.cfg"
refused 3 "pricer: cannot write nowhere/n.db: No such file or directory (on HOST, where rank 0 runs)" \
    ranks 2 --quiet --resume="$there/nowhere/n.db" "$there/night.cfg"
refused 2 "pricer: no MPI launcher: mpirun -n 2 pricer-mpi ..., srun --mpi=pmix pricer-mpi ..., or pricer" \
    env -u OMPI_COMM_WORLD_SIZE -u PMIX_RANK -u PMI_RANK -u PMI_SIZE "$ranked" --quiet "$there/night.cfg"

# A rank without memory is named, whatever it lacks it for: without_memory RANK BOOK ALLOCATION...
# fails these of its allocations in turn.
faults=${pricer%/*}/validation/libfaults.so named=0
without_memory() {
    local lacks=$1 alone=("$ranked" --engine=cpu --threads=1 --quiet --paths=32768 --check=all "$2")
    local faulty=(env LD_PRELOAD="$faults" FAULT_OWN=1)
    for fault in "${@:3}"; do
        local both=(-n 1 "${faulty[@]}" FAULT=$fault "${alone[@]}" : -n 1 "${alone[@]}") code=0
        [[ $lacks == 0 ]] || both=(-n 1 "${alone[@]}" : -n 1 "${faulty[@]}" FAULT=$fault "${alone[@]}")
        "${starts[@]}" "${both[@]}" >"$there/out" 2>"$there/err" || code=$?
        [[ $code == 0 || $code == 3 && $(grep -v ': note: ' "$there/err") == "pricer: rank $lacks on $(hostname): "*"not enough memory"* ]] ||
            fail "allocation $fault of rank $lacks fails: exit status $code: $(<"$there/err")"
        named=$((named + (code == 3)))
    done
}
if [[ -e $faults ]]; then
    scripts/make-book 60 >"$there/sixty.cfg"
    without_memory 0 "$there/night.cfg" 2000           # policies
    without_memory 1 inputs/desk.cfg 1200 1350         # plans
    without_memory 1 "$there/sixty.cfg" 1450           # a reference
    without_memory 1 "$there/night.cfg" 2000 5300 5600 # policies, bounds, references of Greeks
    [[ $named -ge 5 ]] || fail "$named of 7 lack memory"
fi

# hangs SECONDS LINE VARIABLE...: a rank that stops there, whichever it is: the others do not wait for ever.
hangs() {
    local code line=$2 short=("$ranked" --engine=cpu --quiet --threads=1 --paths=32768 --check=none inputs/first.cfg)
    local stops=(env LD_PRELOAD="${pricer%/*}/validation/libmpi_stops.so" "${@:3}")
    for both in "-n 1 ${stops[*]} ${short[*]} : -n 1 ${short[*]}" "-n 1 ${short[*]} : -n 1 ${stops[*]} ${short[*]}"; do
        code=0
        # shellcheck disable=SC2086 # words
        PRICER_RANK_SECONDS=$1 timeout 60 "${starts[@]}" $both >"$there/out" 2>"$there/err" || code=$?
        [[ $code == 3 && $(sort -u "$there/err") == "pricer: $line: the run ends" ]] || fail "$line: exit status $code, not 3"
    done
}
hangs 3 "MPI does not end, as if a rank hung"
hangs 2 "MPI does not start, as if a rank hung or never came" MPI_STOPS=start

# A time that is none is refused.
for time in -1 0 nan text 5x 1e3 1000001 99999999999999999999 ""; do
    PRICER_RANK_SECONDS=$time refused 2 "pricer: PRICER_RANK_SECONDS is '$time', not a whole number from 1 to 1000000" \
        ranks 2 --quiet --paths=32768 inputs/first.cfg
done

# Ranks for which there are no paths idle, and it is said.
"$pricer" --engine=cpu --paths=32768 --check=none --output="$there/alone.csv" --quiet inputs/first.cfg
ranks 3 --threads=1 --paths=32768 --check=none --output="$there/idle.csv" inputs/first.cfg >"$there/out" 2>"$there/err" ||
    fail "more ranks than batches: exit status $?"
cmp "$there/alone.csv" "$there/idle.csv" || fail "more ranks than batches: other rows"
grep -qx "pricer: note: 3 ranks, but 32768 paths are 2 batches of 16384: 2 ranks at most have paths to simulate" "$there/err" ||
    fail "more ranks than batches: $(<"$there/err")"

# ---- ranks that are lost ----

make_night "$there/long.cfg" 2097152 'check = "none";'
sed -i 's/paths = 32768/paths = 524288/' "$there/long.cfg"

# Everything of the last run that must be the same whether it was interrupted or not.
rows() {
    for table in inputs trades prices sensitivities greeks scenarios scenario_pnl days day_pnl aggregates aggregate_days; do
        echo "$table"
        sqlite3 "$1" "SELECT * FROM $table WHERE run = (SELECT max(run) FROM runs)" | cut -d '|' -f 2-
    done
    sqlite3 "$1" 'SELECT status, exit_status, identity, plan_digest, results_digest FROM runs; SELECT count(*) FROM sections'
    sqlite3 "$1" 'PRAGMA integrity_check'
}

began=$(date +%s%N)
ranks 3 --threads=1 --quiet --output="$there/whole.db" "$there/long.cfg" || fail "the whole night: exit status $?"
span=$((($(date +%s%N) - began) / 1000000))
"$pricer" --engine=cpu --quiet --output="$there/one.db" "$there/long.cfg" || fail "by one process: exit status $?"
diff <(rows "$there/one.db") <(rows "$there/whole.db") || fail "the rows of three ranks are not those of one process"

begun() {
    [[ -e $1 && $(sqlite3 "$1" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0) != 0 ]]
}

# SIGTERM to one rank ends all of them, whichever it is.
for asked in 0 1; do
    database=$there/term$asked.db code=0
    "${starts[@]}" -n 2 "$ranked" --engine=cpu --threads=1 --quiet --output="$database" "$there/long.cfg" >"$there/out" 2>"$there/err" &
    pid=$!
    for _ in $(seq 300); do ! begun "$database" || break; sleep 0.1; done
    mapfile -t pids < <(pgrep -P $pid)
    kill -s TERM "${pids[asked]}" || fail "SIGTERM to rank $asked: there is no such rank"
    wait $pid || code=$?
    [[ $code == 143 ]] || fail "SIGTERM to rank $asked: exit status $code, not 143: $(<"$there/err")"
done

# strike SIGNAL WANTED DATABASE: starts ranks and sends one of them the signal after a random time.
strike() {
    local signal=$1 wanted=$2 how=--output n=$((RANDOM % 3 + 2)) code=0 pid milliseconds
    ! begun "$3" || how=--resume
    [[ $signal != STOP ]] || export PRICER_RANK_SECONDS=8
    "${starts[@]}" -n $n "$ranked" --engine=cpu --threads=1 --quiet "$how=$3" "$there/long.cfg" >"$there/out" 2>"$there/err" &
    pid=$! milliseconds=$((RANDOM % span + 300))
    unset PRICER_RANK_SECONDS
    sleep "$((milliseconds / 1000)).$(printf %03d $((milliseconds % 1000)))"
    mapfile -t pids < <(pgrep -P $pid)
    [[ ${#pids[@]} == 0 ]] || kill -s "$signal" "${pids[RANDOM % ${#pids[@]}]}" 2>/dev/null || true
    for _ in $(seq 600); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
    ! kill -0 $pid 2>/dev/null || fail "SIG$signal to one of $n: still there after a minute"
    kill -9 $pid 2>/dev/null || true
    wait $pid || code=$?
    [[ $code == 0 ]] || struck=$((struck + 1))
    [[ $code == 0 || $code == "$wanted" ]] || fail "SIG$signal after $milliseconds ms to one of $n: exit status $code: $(<"$there/err")"
    echo "SIG$signal after $milliseconds ms to one of $n: $code $(<"$there/err")"
    [[ $code != 0 ]]
}

struck=0 turn=0
while [[ $struck -lt $kills && $turn -lt $((3 * kills)) ]]; do
    database=$there/$((++turn)).db
    case $((turn % 3)) in
    0) strike TERM 143 "$database" || continue ;;
    1) strike KILL 137 "$database" && strike KILL 137 "$database" || true ;;
    2) strike STOP 3 "$database" || strike KILL 137 "$database" || true ;;
    esac
    begun "$database" && how=--resume || how=--output
    case $((RANDOM % 3)) in
    0) "$pricer" --engine=cpu --threads=1 --quiet "$how=$database" "$there/long.cfg" || fail "resume: exit status $?" ;;
    1) ranks 2 --threads=1 --quiet "$how=$database" "$there/long.cfg" || fail "resume on 2: exit status $?" ;;
    2) ranks 4 --threads=1 --quiet "$how=$database" "$there/long.cfg" || fail "resume on 4: exit status $?" ;;
    esac
    diff <(rows "$there/one.db") <(rows "$database") || fail "rows after a rank was lost"
    rm -f "$database"*
done
[[ $struck -ge $kills ]] || fail "only $struck of $kills ranks were lost in time"
echo "$struck ranks lost, no row"
exit $((failures > 0))
