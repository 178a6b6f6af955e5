#!/usr/bin/env bash
# pricer-mpi writes what pricer writes, bit for bit, for any number of ranks and threads: prices of
# every product and model, Greeks, scenarios, value at risk, control variates, Sobol points, rounds
# until an error is reached, and references.
. validation/tests/mpi/mpi_books.sh

# (mpi_every_long_test takes 1 to 8 ranks with 1 to 3 threads, and the books of fx and night.)
same book 3 2 --check=none --paths=49152 inputs/book.cfg
same desk-6 2 6 --check=none --paths=32768 inputs/desk.cfg # each rank makes all tables
scripts/make-book 1000 >"$there/many.cfg"
same many 2 2 --check=none --paths=16384 "$there/many.cfg" # pieces are groups

make_night "$there/night.cfg" 49152 'check = "all";'
same night 3 2 --set='risk.greeks=["delta", "rho"]' "$there/night.cfg" # whose references take their time
make_night "$there/rounds.cfg" 32768 'check = "none"; target_stderr = 0.01; max_paths = 300000;'
same rounds 2 1 "$there/rounds.cfg"
make_night "$there/controls.cfg" 65536 'check = "none"; control_variates = true; target_stderr = 0.002; max_paths = 300000;'
same controls 3 1 "$there/controls.cfg"
make_night "$there/points.cfg" 65536 'check = "none"; sampler = "sobol"; target_stderr = 0.004; max_paths = 300000;'
same points 2 1 "$there/points.cfg"

# On one host Open MPI looks for no network: that takes a quarter of a second.
if [[ $(mpirun --version) == "mpirun (Open MPI)"* ]]; then
    env -u OMPI_MCA_pml mpirun --oversubscribe --mca pml_base_verbose 10 -n 2 "$ranked" --version >"$there/out" 2>&1 || fail "--version: $(<"$there/out")"
    grep -q 'component ob1 selected' "$there/out" || fail "not by shared memory: $(<"$there/out")"
    ! grep -q 'component cm' "$there/out" || fail "networks are looked for: $(<"$there/out")"
fi

# Others than rank 0 have their share of it, of all sections that a database makes safe: a tenth at
# the least, since a busy machine may hold them back.
ranks 3 --threads=1 --check=none --paths=65536 --output="$there/share.db" inputs/desk.cfg 2>"$there/err" >/dev/null
read -r dealt own < <(sed -nE 's/.*3 ranks on 1 host: ([0-9]+) ranges, ([0-9]+) of them to rank 0/\1 \2/p' "$there/err")
[[ ${own:-0} -gt 0 && $((10 * (dealt - own))) -ge $dealt ]] || fail "ranks that do nothing: $(<"$there/err")"
exit $((failures > 0))
