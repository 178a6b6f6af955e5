/* The file of --bench: a row for each kernel. Readers find columns by name; a number that a row
 * does not have is empty. */
#include <math.h>

#include "app/output/bench.h"
#include "app/output/results_csv.h"

enum bench_column {
    ENGINE,
    DEVICE,
    KERNEL,
    NORMALS,
    PATHS,
    PAYOFFS,
    PATH_STEPS,
    PATH_STEPS_RATE,
    RATIO,
    MESSAGE,
    RUNS,
    TOTAL,
    TOTAL_RATIO,
    PATHS_RATE,
    BYTES_A_STEP,
    REGISTERS,
    SHARED,
    BLOCK,
    OCCUPANCY,
    N_FIELDS
};

static const char *const names[N_FIELDS] = {
    [ENGINE] = "engine",
    [DEVICE] = "device",
    [KERNEL] = "kernel",
    [NORMALS] = "normals_s",
    [PATHS] = "paths_s",
    [PAYOFFS] = "payoffs_s",
    [PATH_STEPS] = "path_steps",
    [PATH_STEPS_RATE] = "path_steps_per_s",
    [RATIO] = "ratio",
    [MESSAGE] = "message",
    [RUNS] = "runs",
    [TOTAL] = "total_s",
    [TOTAL_RATIO] = "total_ratio",
    [PATHS_RATE] = "paths_per_s",
    [BYTES_A_STEP] = "bytes_a_step",
    [REGISTERS] = "registers",
    [SHARED] = "shared_bytes",
    [BLOCK] = "block",
    [OCCUPANCY] = "occupancy_percent",
};

struct bench_line {
    const char *texts[N_FIELDS]; /* NULL in a column of numbers */
    double numbers[N_FIELDS];
};

static struct bench_line new_line(const struct bench *bench, const char *name, const char *message)
{
    struct bench_line line = {.texts = {[ENGINE] = bench->engine,
                                        [DEVICE] = bench->device,
                                        [KERNEL] = name,
                                        [MESSAGE] = message}};
    for (int c = 0; c < N_FIELDS; c++) line.numbers[c] = NAN;
    return line;
}

static void write_line(FILE *out, const struct bench_line *line)
{
    for (int c = 0; c < N_FIELDS; c++) {
        if (c) putc(',', out);
        if (line->texts[c]) csv_text(out, line->texts[c]);
        else csv_number(out, line->numbers[c]);
    }
    putc('\n', out);
}

/* What is known of the launch; the CPU has no such things. */
static void fill_launch(const struct engine_report *report, double *numbers)
{
    if (!report->block) return;
    numbers[REGISTERS] = report->registers;
    numbers[SHARED] = report->shared_bytes;
    numbers[BLOCK] = report->block;
    numbers[OCCUPANCY] = 100.0 * report->occupancy;
}

static void write_kernel(FILE *out, const struct bench *bench, const struct bench_row *row)
{
    struct bench_line line = new_line(bench, row->kernel, row->why);
    struct bench_figures f = bench_figures(bench, row);
    double *numbers = line.numbers;
    if (row->timed) {
        numbers[NORMALS] = row->normals;
        numbers[PATHS] = row->paths;
        numbers[PAYOFFS] = row->payoffs;
        numbers[PATH_STEPS] = bench->path_steps;
        numbers[RUNS] = row->runs;
        numbers[BYTES_A_STEP] = row->report.bytes_a_step;
        fill_launch(&row->report, numbers);
    }
    numbers[PATH_STEPS_RATE] = f.path_steps;
    numbers[RATIO] = f.ratio;
    numbers[TOTAL] = f.total;
    numbers[TOTAL_RATIO] = f.total_ratio;
    numbers[PATHS_RATE] = f.paths;
    write_line(out, &line);
}

void bench_csv(FILE *out, const struct bench *bench)
{
    for (int c = 0; c < N_FIELDS; c++) fprintf(out, "%s%s", c ? "," : "", names[c]);
    putc('\n', out);
    for (int i = 0; i < bench->n; i++) write_kernel(out, bench, &bench->rows[i]);
}
