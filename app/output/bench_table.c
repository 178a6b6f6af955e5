/* What --bench shows, and its file: both by one table of columns. */
#include <math.h>
#include <string.h>

#include "app/output/bench.h"
#include "app/output/results_file.h"

/* The figures of a kernel, in the order of their columns; NaN where it has none. */
struct bench_figures {
    double normals, path_seconds, payoffs, total;     /* seconds */
    double ratio, total_ratio;                        /* times as fast as baseline */
    double rate;                                      /* path-steps a second */
    double registers, shared_bytes, block, occupancy; /* of a launch */
    double bytes_a_step, path_steps, paths;           /* what the kernel reads and does */
    double runs;
};

/* Readers of the file find columns by name. A column without a head is in the file alone; the
 * terminal leaves out those that no kernel has a figure for. */
static const struct bench_column {
    const char *name, *head, *unit;
    int width;
    const char *format;
    double scale; /* from the file's unit to the terminal's */
} bench_columns[] = {
    {"normals_s", "normals", "ms", 8, "%.4g", 1e3},
    {"paths_s", "paths", "ms", 8, "%.4g", 1e3},
    {"payoffs_s", "payoffs", "ms", 8, "%.4g", 1e3},
    {"total_s", "total", "ms", 8, "%.4g", 1e3},
    {"ratio", "paths", "ratio", 6, "%.2f", 1.0},
    {"total_ratio", "total", "ratio", 6, "%.2f", 1.0},
    {"path_steps_per_s", "G steps", "/s", 7, "%.4g", 1e-9},
    {"registers", "", "regs", 4, "%.0f", 1.0},
    {"shared_bytes", "shared", "bytes", 6, "%.0f", 1.0},
    {"block", "", "block", 5, "%.0f", 1.0},
    {"occupancy_percent", "occ", "%", 4, "%.0f", 1.0},
    {.name = "bytes_a_step"},
    {.name = "path_steps"},
    {.name = "paths"},
    {.name = "runs"},
};
enum { N_BENCH_COLUMNS = sizeof bench_columns / sizeof *bench_columns };

_Static_assert(sizeof(struct bench_figures) == N_BENCH_COLUMNS * sizeof(double),
               "a figure for each column");

static double figure_of(const struct bench_figures *figures, int column)
{
    return (&figures->normals)[column];
}

/* NaN where there is nothing to divide by. */
static double over(double a, double b)
{
    return b > 0.0 ? a / b : NAN;
}

static double some(double seconds)
{
    return seconds > 0.0 ? seconds : NAN;
}

/* The figures that an engine tells of the last launch alone: it is that of the only group. */
static void add_launch(const struct engine_report *report, struct bench_figures *f)
{
    if (!report->block) return;
    f->registers = report->registers;
    f->shared_bytes = report->shared_bytes;
    f->block = report->block;
    f->occupancy = 100.0 * report->occupancy;
    f->bytes_a_step = report->bytes_a_step;
}

static struct bench_figures figures_of(const struct bench *bench, const struct bench_row *row)
{
    struct bench_figures f = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                              NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct bench_row *base = bench->rows;
    if (!row->timed) return f;
    f.paths = (double)bench->plan.paths;
    f.path_steps = 0.0;
    for (int g = 0; g < bench->plan.n_groups; g++)
        f.path_steps += f.paths * (double)group_asset_steps(&bench->plan.groups[g]);
    f.runs = bench->runs;
    f.normals = some(row->median[BENCH_NORMALS]);
    f.path_seconds = row->median[BENCH_PATHS];
    f.payoffs = some(row->median[BENCH_PAYOFFS]);
    f.total = row->median[BENCH_TOTAL];
    f.rate = over(f.path_steps, f.path_seconds);
    if (bench->plan.n_groups == 1) add_launch(&row->report, &f);
    if (!base->timed || strcmp(base->kernel, "baseline") != 0) return f;
    f.ratio = over(base->median[BENCH_PATHS], f.path_seconds);
    f.total_ratio = over(base->median[BENCH_TOTAL], f.total);
    return f;
}

/* ---- the file -------------------------------------------------------------------------------- */

void bench_csv(FILE *out, const void *context)
{
    const struct bench *bench = context;
    fputs("engine,device,kernel", out);
    for (int c = 0; c < N_BENCH_COLUMNS; c++) fprintf(out, ",%s", bench_columns[c].name);
    fputs(",message\n", out);
    for (int i = 0; i < bench->n; i++) {
        const struct bench_row *row = &bench->rows[i];
        const struct bench_figures figures = figures_of(bench, row);
        const char *const texts[] = {bench->engine->name, bench->rows[0].report.device,
                                     row->kernel};
        for (int t = 0; t < 3; t++) {
            if (t) putc(',', out);
            csv_text(out, texts[t]);
        }
        csv_numbers(out, N_BENCH_COLUMNS, &figures.normals);
        putc(',', out);
        csv_text(out, row->why);
        putc('\n', out);
    }
}

/* ---- the terminal ---------------------------------------------------------------------------- */

void bench_head(FILE *out, const struct bench *bench)
{
    fprintf(out, "engine %s on %s: %d kernels, medians of %d runs on %llu paths",
            bench->engine->name, bench->rows[0].report.device, bench->n, bench->runs,
            (unsigned long long)bench->plan.paths);
    if (bench->plan.paths < bench->book_paths)
        fprintf(out, " of the book's %llu", (unsigned long long)bench->book_paths);
    fprintf(out, ", about %.0f s\n", ceil(bench->seconds));
}

/* Whether some kernel has a figure in a column of the terminal. */
static bool is_shown(const struct bench *bench, int column)
{
    for (int i = 0; bench_columns[column].head && i < bench->n; i++) {
        const struct bench_figures figures = figures_of(bench, &bench->rows[i]);
        if (isfinite(figure_of(&figures, column))) return true;
    }
    return false;
}

static void write_row(FILE *out, const struct bench *bench, const struct bench_row *row,
                      const bool *shown)
{
    const struct bench_figures figures = figures_of(bench, row);
    fprintf(out, "%-24s", row->kernel);
    for (int c = 0; c < N_BENCH_COLUMNS; c++) {
        char text[40] = "-";
        double figure = bench_columns[c].scale * figure_of(&figures, c);
        if (!shown[c]) continue;
        if (isfinite(figure)) snprintf(text, sizeof text, bench_columns[c].format, figure);
        fprintf(out, " %*s", bench_columns[c].width, text);
    }
    putc('\n', out);
}

static void write_rows(FILE *out, const struct bench *bench)
{
    bool shown[N_BENCH_COLUMNS];
    for (int c = 0; c < N_BENCH_COLUMNS; c++) shown[c] = is_shown(bench, c);
    for (int line = 0; line < 2; line++) {
        fprintf(out, "%-24s", line ? "kernel" : "");
        for (int c = 0; c < N_BENCH_COLUMNS; c++)
            if (shown[c])
                fprintf(out, " %*s", bench_columns[c].width,
                        line ? bench_columns[c].unit : bench_columns[c].head);
        putc('\n', out);
    }
    for (int i = 0; i < bench->n; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->timed) write_row(out, bench, row, shown);
    }
}

/* Whether a kernel compiled path code for the groups of the book. */
static bool compiles(const struct bench *bench)
{
    for (int i = 0; i < bench->n; i++)
        if (bench->rows[i].timed && strstr(bench->rows[i].kernel, ":specialised")) return true;
    return false;
}

void bench_table(FILE *out, const struct bench *bench)
{
    write_rows(out, bench);
    fputs("ratio: baseline's time over the kernel's", out);
    if (bench->rows[0].median[BENCH_PAYOFFS] > 0.0)
        fputs("; total: an ordinary run, its phases overlapped, in memory that is kept", out);
    fputs(compiles(bench) ? "\nspecialised path code was compiled before the clock\n" : "\n", out);
    for (int i = 0; i < bench->n; i++)
        if (!bench->rows[i].timed)
            fprintf(out, "%s %s: %s\n", bench->rows[i].disagrees ? "DISAGREES" : "not timed",
                    bench->rows[i].kernel, bench->rows[i].why);
}
