#include "app/output/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/base/estimate.h"
#include "kernels/team.h"
#include "kernels/threads.h"
#include "models/base/clock.h"
#include "models/base/order.h"

enum { ENOUGH_RUNS = 5, LEAST_PATHS = CHUNK_PATHS };

/* ---- what is timed --------------------------------------------------------------------------- */

/* Whether a row of the ladder is asked for: by "auto" all are, otherwise `baseline` and the kernel
 * with all its settings. */
static bool is_wanted(const struct bench *bench, const char *kernel)
{
    const char *wanted = bench->options.kernel;
    size_t length = strlen(wanted);
    if (!strcmp(wanted, "auto") || !strcmp(kernel, "baseline")) return true;
    return !strncmp(kernel, wanted, length) && (!kernel[length] || kernel[length] == ':');
}

static enum status make_rows(struct bench *bench)
{
    const char *named[] = {"baseline", bench->options.kernel, NULL};
    bool one = !bench->ladder && strcmp(bench->options.kernel, "auto") != 0;
    const char *const *kernels = one             ? named + !strcmp(named[1], named[0])
                                 : bench->ladder ? bench->engine->settings
                                                 : bench->engine->shown;
    int n = 0;
    while (kernels[n]) n++;
    bench->rows = calloc((size_t)n + 1, sizeof *bench->rows);
    if (!bench->rows) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (one || is_wanted(bench, kernels[i]))
            bench->rows[bench->n++] = (struct bench_row){.kernel = kernels[i]};
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
