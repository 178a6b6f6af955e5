#include "app/output/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/output/results.h"
#include "app/pricing/base/estimate.h"
#include "kernels/team.h"
#include "kernels/threads.h"
#include "models/base/clock.h"
#include "models/base/order.h"

enum { ENOUGH_RUNS = 5, LEAST_PATHS = CHUNK_PATHS };

/* ---- what is timed --------------------------------------------------------------------------- */

/* Lists the rows that are asked for: by "auto" all, otherwise `baseline` and the kernel, of the
 * ladder with all its settings. */
static enum status make_rows(struct bench *bench)
{
    const char *named[] = {"baseline", bench->options.kernel, NULL};
    bool one = !bench->ladder && strcmp(bench->options.kernel, "auto") != 0;
    const char *const *kernels = one             ? named + !strcmp(named[1], named[0])
                                 : bench->ladder ? bench->engine->settings
                                                 : bench->engine->shown;
    const char *wanted = bench->options.kernel;
    size_t length = strlen(wanted), n = 0;
    while (kernels[n]) n++;
    bench->rows = calloc(n + 1, sizeof *bench->rows);
    if (!bench->rows) return STATUS_NO_MEMORY;
    for (const char *const *kernel = kernels; *kernel; kernel++) {
        bool named_so =
            !strncmp(*kernel, wanted, length) && (!(*kernel)[length] || (*kernel)[length] == ':');
        if (one || named_so || !strcmp(wanted, "auto") || !strcmp(*kernel, "baseline"))
            bench->rows[bench->n++] = (struct bench_row){.kernel = *kernel};
    }
    return STATUS_OK;
}

static void report_progress(const struct bench *bench, int done, int all)
{
    if (bench->options.progress)
        bench->options.progress(bench->options.progress_context, (uint64_t)done, (uint64_t)all);
}

/* ---- prices ---------------------------------------------------------------------------------- */

static enum status price_by(struct bench *bench, const char *kernel, bool timed,
                            struct tally *tallies, struct engine_report *report,
                            struct message *why)
{
    struct engine_options options = bench->options;
    options.kernel = kernel;
    options.timed = timed;
    options.progress = NULL;
    *report = (struct engine_report){.total = 0.0};
    memset(tallies, 0, sizeof *tallies * (size_t)plan_tallies(&bench->plan));
    return engine_price(bench->engine, &bench->plan, &options, tallies, NULL, report, why);
}

/* Counts the prices that are not those expected; `baseline` has an exponential of its own. */
static int count_differences(const struct bench *bench, const struct bench_row *row)
{
    bool to_rounding = !strcmp(row->kernel, "baseline");
    int n = 0;
    for (int i = 0; i < plan_tallies(&bench->plan); i++) {
        struct tally is = bench->tallies[i], expected = bench->expected[i];
        double allowed =
            1e-12 * trade_stake(bench->market, &bench->trades[i % bench->plan.n_trades]);
        bool close = is.n == expected.n && fabs(is.mean - expected.mean) <= allowed;
        n += to_rounding ? !close : memcmp(&is, &expected, sizeof is) != 0;
    }
    return n;
}

/* Runs a kernel once and judges its prices. One that fails where the default does not is not
 * timed. */
static enum status try_kernel(struct bench *bench, struct bench_row *row, struct message *why)
{
    struct engine_report report;
    enum status status = price_by(bench, row->kernel, true, bench->tallies, &row->report, why);
    row->timed = row->disagrees = false;
    if (status == STATUS_BAD_INPUT || status == STATUS_NO_MEMORY || status == STATUS_ENGINE) {
        snprintf(row->why, sizeof row->why, "%.159s", why->text);
        why->text[0] = '\0';
        return price_by(bench, "auto", true, bench->tallies, &report, why);
    }
    if (status) return status;
    int differences = count_differences(bench, row);
    row->timed = differences == 0;
    row->disagrees = differences > 0;
    if (differences)
        snprintf(row->why, sizeof row->why, "no time: %d prices differ from the default's",
                 differences);
    return STATUS_OK;
}

/* ---- how much is timed ----------------------------------------------------------------------- */

/* Tries every kernel on so many paths, and measures the seconds of all runs. */
static enum status try_kernels(struct bench *bench, uint64_t paths, double *seconds,
                               struct message *why)
{
    double began = seconds_now();
    bench->plan.paths = paths;
    MUST(price_by(bench, "auto", true, bench->expected, &bench->rows[0].report, why));
    for (int i = 0; i < bench->n; i++) {
        report_progress(bench, i + 1, bench->n + 1);
        MUST(try_kernel(bench, &bench->rows[i], why));
    }
    *seconds = seconds_now() - began;
    return STATUS_OK;
}

/* A kernel of a device runs twice: with its phases apart, and as a book is priced. */
static bool has_phases(const struct bench_row *row)
{
    return row->report.payoffs > 0.0;
}

/* Takes ever more paths while they leave time for ENOUGH_RUNS of every kernel. The first run makes
 * devices ready and compiles what is to be compiled. */
static enum status choose_paths(struct bench *bench, struct message *why)
{
    double seconds = 0.0, more;
    uint64_t all = bench->plan.paths, paths, next = all < LEAST_PATHS ? all : LEAST_PATHS;
    bench->book_paths = all;
    MUST(try_kernels(bench, next, &seconds, why));
    do {
        paths = next;
        MUST(try_kernels(bench, paths, &seconds, why));
        if (has_phases(&bench->rows[0])) seconds *= 2.0;
        more = bench->patience / (ENOUGH_RUNS * seconds);
        next = more < 4.0 ? 2 * paths : 4 * paths;
        if (next > all) next = all;
    } while (next > paths && (double)next <= more * (double)paths);
    double runs = bench->patience / seconds;
    bench->runs = runs < 1.0 ? 1 : runs < BENCH_RUNS ? (int)runs : BENCH_RUNS;
    bench->seconds = seconds * bench->runs;
    return STATUS_OK;
}

enum status bench_begin(struct bench *bench, struct message *why)
{
    size_t bytes = sizeof *bench->tallies * ((size_t)plan_tallies(&bench->plan) + 1);
    bench->expected = malloc(bytes);
    bench->tallies = malloc(bytes);
    if (!bench->expected || !bench->tallies) return STATUS_NO_MEMORY;
    MUST(make_rows(bench));
    bench->options.team = team_begin(thread_count(bench->options.threads)); /* for compilations */
    enum status status = choose_paths(bench, why);
    team_end(bench->options.team);
    bench->options.team = NULL;
    return status;
}

/* ---- times ----------------------------------------------------------------------------------- */

static double median(double *seconds, int n)
{
    sort_doubles((size_t)n, seconds);
    return n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
}

static enum status run_once(struct bench *bench, struct bench_row *row, int run,
                            struct message *why)
{
    struct engine_report *report = &row->report, whole;
    MUST(price_by(bench, row->kernel, true, bench->tallies, report, why));
    whole = *report;
    if (has_phases(row)) MUST(price_by(bench, row->kernel, false, bench->tallies, &whole, why));
    row->runs[BENCH_NORMALS][run] = report->normals;
    row->runs[BENCH_PATHS][run] = report->paths;
    row->runs[BENCH_PAYOFFS][run] = report->payoffs;
    row->runs[BENCH_TOTAL][run] = whole.total - whole.start;
    return STATUS_OK;
}

/* Kernels run in turn, so that a machine which becomes slower becomes so for all; one that becomes
 * much slower has fewer runs. */
enum status bench_time(struct bench *bench, struct message *why)
{
    double began = seconds_now();
    int asked = bench->runs, done = 0;
    for (int run = 0; run < asked; run++) {
        if (run && seconds_now() - began > bench->patience) break;
        for (int i = 0; i < bench->n; i++) {
            if (bench->rows[i].timed) MUST(run_once(bench, &bench->rows[i], run, why));
            report_progress(bench, ++done, bench->n * asked);
        }
        bench->runs = run + 1;
    }
    for (int i = 0; i < bench->n; i++)
        for (int p = 0; p < N_BENCH_PHASES; p++)
            bench->rows[i].median[p] = median(bench->rows[i].runs[p], bench->runs);
    return STATUS_OK;
}

bool bench_disagrees(const struct bench *bench)
{
    for (int i = 0; i < bench->n; i++)
        if (bench->rows[i].disagrees) return true;
    return false;
}

void bench_free(struct bench *bench)
{
    free(bench->rows);
    free(bench->expected);
    free(bench->tallies);
}

/* ---- what is shown: the terminal and the file by one table of columns ------------------------ */

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

static struct bench_figures figures_of(const struct bench *bench, const struct bench_row *row)
{
    struct bench_figures f = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                              NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct bench_row *base = bench->rows;
    const struct engine_report *report = &row->report;
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
    if (bench->plan.n_groups == 1 && report->block) { /* the last launch is that of all */
        f.registers = report->registers;
        f.shared_bytes = report->shared_bytes;
        f.block = report->block;
        f.occupancy = 100.0 * report->occupancy;
        f.bytes_a_step = report->bytes_a_step;
    }
    if (!base->timed || strcmp(base->kernel, "baseline") != 0) return f;
    f.ratio = over(base->median[BENCH_PATHS], f.path_seconds);
    f.total_ratio = over(base->median[BENCH_TOTAL], f.total);
    return f;
}

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

static void write_rows(FILE *out, const struct bench *bench)
{
    bool shown[N_BENCH_COLUMNS] = {false}; /* some kernel has a figure there */
    for (int i = 0; i < bench->n; i++) {
        const struct bench_figures figures = figures_of(bench, &bench->rows[i]);
        for (int c = 0; c < N_BENCH_COLUMNS; c++)
            shown[c] |= bench_columns[c].head && isfinite(figure_of(&figures, c));
    }
    for (int line = 0; line < 2; line++) {
        fprintf(out, "%-24s", line ? "kernel" : "");
        for (int c = 0; c < N_BENCH_COLUMNS; c++)
            if (shown[c])
                fprintf(out, " %*s", bench_columns[c].width,
                        line ? bench_columns[c].unit : bench_columns[c].head);
        putc('\n', out);
    }
    for (int i = 0; i < bench->n; i++) {
        const struct bench_figures figures = figures_of(bench, &bench->rows[i]);
        if (!bench->rows[i].timed) continue;
        fprintf(out, "%-24s", bench->rows[i].kernel);
        for (int c = 0; c < N_BENCH_COLUMNS; c++) {
            char text[40] = "-";
            double figure = bench_columns[c].scale * figure_of(&figures, c);
            if (!shown[c]) continue;
            if (isfinite(figure)) snprintf(text, sizeof text, bench_columns[c].format, figure);
            fprintf(out, " %*s", bench_columns[c].width, text);
        }
        putc('\n', out);
    }
}

void bench_table(FILE *out, const struct bench *bench)
{
    bool compiled = false; /* a kernel did path code for the groups of the book */
    for (int i = 0; i < bench->n; i++)
        compiled |= bench->rows[i].timed && strstr(bench->rows[i].kernel, ":specialised");
    write_rows(out, bench);
    fputs("ratio: baseline's time over the kernel's", out);
    if (bench->rows[0].median[BENCH_PAYOFFS] > 0.0)
        fputs("; total: an ordinary run, its phases overlapped, in memory that is kept", out);
    fputs(compiled ? "\nspecialised path code was compiled before the clock\n" : "\n", out);
    for (int i = 0; i < bench->n; i++)
        if (!bench->rows[i].timed)
            fprintf(out, "%s %s: %s\n", bench->rows[i].disagrees ? "DISAGREES" : "not timed",
                    bench->rows[i].kernel, bench->rows[i].why);
}
