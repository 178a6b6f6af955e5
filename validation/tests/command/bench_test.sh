#!/usr/bin/env bash
# --bench on the CPU engine: its table, its file and what follows from their numbers;
# scripts/plot-ladder on a small table.
. validation/tests/test.sh

columns=engine,device,kernel,normals_s,paths_s,payoffs_s,total_s,ratio,total_ratio,path_steps_per_s
columns+=,registers,shared_bytes,block,occupancy_percent,bytes_a_step,path_steps,paths,runs,message

csv=$there/bench.csv
"$pricer" --engine=cpu --bench --paths=2048 --output="$csv" inputs/asian.cfg >"$there/table" 2>"$there/err" ||
    fail "exit status $?: $(cat "$there/err")"

# value KERNEL COLUMN: a number of the file, its columns found by name.
value() {
    awk -F, -v kernel="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
        $3 == kernel { print $at }' "$csv"
}

# about A B: whether two numbers are equal to nine digits.
about() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(a != "" && b != "" && d * d <= 1e-18 * b * b) }'
}

# over A B: their quotient.
over() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.12g", a / b }'
}

# ---- the file

[[ $(head -n 1 "$csv") == "$columns" ]] || fail "columns: $(head -n 1 "$csv")"
awk -F, 'NF != 19 { bad = 1 } END { exit bad }' "$csv" || fail "a row has not 19 fields"
for kernel in baseline plain; do
    [[ $(value "$kernel" paths_s) ]] || fail "no time of $kernel"
    about "$(value $kernel path_steps)" $((2048 * 252)) || fail "$kernel: path-steps"
    about "$(value $kernel path_steps_per_s)" "$(over $((2048 * 252)) "$(value $kernel paths_s)")" ||
        fail "$kernel: path-steps a second"
    about "$(value $kernel ratio)" "$(over "$(value baseline paths_s)" "$(value $kernel paths_s)")" || fail "$kernel: ratio"
    about "$(value $kernel total_ratio)" "$(over "$(value baseline total_s)" "$(value $kernel total_s)")" ||
        fail "$kernel: ratio of totals"
    [[ $(value $kernel runs) == 20 && $(value $kernel paths) == 2048 ]] ||
        fail "$kernel: $(value $kernel runs) runs of $(value $kernel paths) paths"
    [[ -z $(value $kernel normals_s)$(value $kernel registers)$(value $kernel occupancy_percent) ]] ||
        fail "$kernel: the CPU has no normals phase and no registers to tell"
done

# ---- the table: what is done before it is done, and the columns that the CPU has

expected='^engine cpu on .* threads: [34] kernels, medians of 20 runs on 2048 paths, about [0-9]* s$'
head -n 1 "$there/table" | grep -q "$expected" || fail "head: $(head -n 1 "$there/table")"
[[ $(sed -n 2,3p "$there/table" | xargs) == 'paths total paths total G steps kernel ms ms ratio ratio /s' ]] ||
    fail "columns of the table: $(sed -n 2,3p "$there/table")"
grep -q '^baseline .* 1\.00  *1\.00 ' "$there/table" || fail "baseline in the table: $(grep ^baseline "$there/table")"
awk 'length($0) > 120 { bad = 1 } END { exit bad }' "$there/table" || fail "a line of more than 120 columns"
! grep -q DISAGREES "$there/table" || fail "$(grep DISAGREES "$there/table")"

# ---- one kernel beside baseline, all of them, and a word that there is not

"$pricer" --engine=cpu --bench --kernel=plain --paths=1024 --output="$csv" inputs/first.cfg >/dev/null || fail "one kernel"
[[ $(cut -d, -f3 "$csv" | xargs) == 'kernel baseline plain' ]] || fail "not baseline and plain: $(cut -d, -f3 "$csv" | xargs)"
"$pricer" --engine=cpu --bench=ladder --paths=1024 inputs/first.cfg >"$there/table" || fail "the ladder"
grep -q '^plain ' "$there/table" || fail "the ladder has no plain"
! "$pricer" --bench=stairs inputs/first.cfg 2>"$there/err" || fail "--bench=stairs was taken"
grep -q -- "--bench must be ladder, got 'stairs'" "$there/err" || fail "--bench=stairs: $(cat "$there/err")"

# ---- plots

if ! command -v gnuplot >/dev/null; then
    echo "bench_test: no gnuplot: plots are not tested" >&2
else
    {
        echo kernel,paths_s,path_steps_per_s,bytes_a_step,registers,device
        for kernel in baseline plain bounds wide:small wide:big wide; do
            echo "$kernel,0.001,2.5e11,8,40,\"A, \"\"B\"\"\""
        done
        for distance in 2 4 8; do
            for layout in thread padded slot; do
                echo "rolling-async:d$distance:$layout,0.000$distance,5e11,8,32,"
            done
            echo "rolling-reg:d$distance,0.000$distance,5e11,8,32,"
        done
        echo "fused,,,,,"
    } >"$there/ladder.csv"
    printf '%s\n' device,what,kernel,bytes_per_s,fp64_per_s,fp64_a_step A,ceiling,read,4.4e12,, A,ceiling,fma,,1.6e13,14 \
        A,memory,copy:pinned,5e10,, >"$there/guide.csv"
    scripts/plot-ladder "$there/ladder.csv" "$there/guide.csv" "$there/plots" >"$there/out" 2>&1 || fail "plot-ladder: $(cat "$there/out")"
    [[ ! -s $there/out ]] || fail "plot-ladder says: $(cat "$there/out")"
    for figure in prefetch-thread prefetch-padded prefetch-slot registers roofline; do
        tail -n 2 "$there/plots/$figure.svg" 2>/dev/null | grep -q '</svg>' || fail "no $figure.svg"
    done
    grep -q 'FP64 ceiling' "$there/plots/roofline.svg" || fail "no ceiling in roofline.svg"
    grep -q 'rolling-async' "$there/plots/prefetch-padded.svg" || fail "no curve in prefetch-padded.svg"
    grep -q 'wide:big' "$there/plots/registers.svg" || fail "no wide:big in registers.svg"
    echo kernel >"$there/wrong.csv"
    ! scripts/plot-ladder "$there/wrong.csv" "$there/plots" >"$there/out" 2>&1 || fail "a file without times is plotted"
fi

end_test "bench_test: all well"
