/* What --bench shows: tables of 120 columns. */
#include <math.h>
#include <string.h>

#include "app/output/bench.h"

/* A number in a column, "-" where there is none. */
static void cell(FILE *out, int width, const char *format, double number)
{
    char text[40] = "-";
    if (isfinite(number)) snprintf(text, sizeof text, format, number);
    fprintf(out, " %*s", width, text);
}

/* The same for counts, of which the CPU has none. */
static void count_cell(FILE *out, int width, int count)
{
    cell(out, width, "%.0f", count ? count : NAN);
}

static void write_head(FILE *out, const struct bench *bench)
{
    fprintf(out,
            "engine %s on %s, %.4g path-steps; medians; ratio: baseline's paths phase over the "
            "kernel's\n",
            bench->engine, bench->device, bench->path_steps);
}

static void write_row(FILE *out, const struct bench *bench, const struct bench_row *row)
{
    struct bench_figures f = bench_figures(bench, row);
    const struct engine_report *report = &row->report;
    fprintf(out, "%-24s", row->kernel);
    cell(out, 8, "%.5g", row->normals > 0.0 ? 1e3 * row->normals : NAN);
    cell(out, 8, "%.5g", 1e3 * row->paths);
    cell(out, 8, "%.4g", row->payoffs > 0.0 ? 1e3 * row->payoffs : NAN);
    cell(out, 7, "%.4g", 1e-6 * f.paths);
    cell(out, 7, "%.4g", 1e-9 * f.path_steps);
    cell(out, 6, "%.0f", report->bytes_a_step);
    count_cell(out, 4, report->registers);
    count_cell(out, 6, report->shared_bytes);
    count_cell(out, 5, report->block);
    cell(out, 4, "%.0f", report->block ? 100.0 * report->occupancy : NAN);
    cell(out, 6, "%.2f", f.ratio);
    putc('\n', out);
}

static void write_kernels(FILE *out, const struct bench *bench)
{
    fprintf(out, "%-24s %8s %8s %8s %7s %7s %6s %4s %6s %5s %4s %6s\n", "", "normals", "paths",
            "payoffs", "M paths", "G steps", "B a", "", "", "", "occ", "");
    fprintf(out, "%-24s %8s %8s %8s %7s %7s %6s %4s %6s %5s %4s %6s\n", "kernel", "ms", "ms", "ms",
            "/s", "/s", "step", "regs", "shared", "block", "%", "ratio");
    for (int i = 0; i < bench->n; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (i && row->scenarios != bench->rows[i - 1].scenarios)
            fprintf(out, "under %d scenarios, path-steps of all of them\n", row->scenarios);
        if (row->timed) write_row(out, bench, row);
    }
}

/* Kernels without a time, those that disagree first. */
static void write_troubles(FILE *out, const struct bench *bench)
{
    for (int i = 0; i < bench->n; i++)
        if (bench->rows[i].disagrees)
            fprintf(out, "DISAGREES %s: %s\n", bench->rows[i].kernel, bench->rows[i].why);
    for (int i = 0; i < bench->n; i++)
        if (!bench->rows[i].timed && !bench->rows[i].disagrees)
            fprintf(out, "not timed %s: %s\n", bench->rows[i].kernel, bench->rows[i].why);
}

void bench_table(FILE *out, const struct bench *bench)
{
    write_head(out, bench);
    write_kernels(out, bench);
    write_troubles(out, bench);
}
