#include "app/output/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/estimate.h"
#include "models/base/clock.h"
#include "models/math/bits.h"

/* Runs of a row: all, but no more than fit in PATIENCE seconds, and those at least. */
enum { MOST_RUNS = 20, LEAST_RUNS = 5, PATIENCE = 5 };

struct bench_run {
    const struct engine *engine;
    const struct plan *plan;
    struct engine_options options;
    void (*progress)(void *context, uint64_t done, uint64_t total);
    const struct market *market;
    const struct trade *trades;
    struct tally *expected, *tallies; /* [scenario][trade] */
};

/* ---- prices ---------------------------------------------------------------------------------- */

static enum status price_with(struct bench_run *b, const char *kernel, struct tally *tallies,
                              struct engine_report *report, struct message *why)
{
    b->options.kernel = kernel;
    *report = (struct engine_report){.total = 0.0};
    memset(tallies, 0, sizeof *tallies * (size_t)plan_tallies(b->plan));
    return engine_price(b->engine, b->plan, &b->options, tallies, NULL, report, why);
}

static bool same_bits(struct tally a, struct tally b)
{
    return bits_of_double(a.n) == bits_of_double(b.n) &&
           bits_of_double(a.mean) == bits_of_double(b.mean) &&
           bits_of_double(a.m2) == bits_of_double(b.m2);
}

/* `baseline` has an exponential of its own. */
static bool rounds_otherwise(const char *kernel)
{
    return !strncmp(kernel, "baseline", 8) && (!kernel[8] || kernel[8] == ':');
}

/* Trades whose tallies are not those expected. */
static int count_differences(const struct bench_run *b, bool to_rounding)
{
    int n = 0;
    for (int i = 0; i < plan_tallies(b->plan); i++) {
        struct tally is = b->tallies[i], expected = b->expected[i];
        double allowed = 1e-12 * trade_stake(b->market, &b->trades[i % b->plan->n_trades]);
        bool close = is.n == expected.n && fabs(is.mean - expected.mean) <= allowed;
        n += to_rounding ? !close : !same_bits(is, expected);
    }
    return n;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(double *seconds, int n)
{
    qsort(seconds, (size_t)n, sizeof *seconds, compare_doubles);
    return n % 2 ? seconds[n / 2] : 0.5 * (seconds[n / 2 - 1] + seconds[n / 2]);
}

static enum status take_times(struct bench_run *b, struct bench_row *row, struct message *why)
{
    enum status status = STATUS_OK;
    double normals[MOST_RUNS], paths[MOST_RUNS], payoffs[MOST_RUNS], began = seconds_now();
    int n = 0;
    while (n < MOST_RUNS && (n < LEAST_RUNS || seconds_now() - began < PATIENCE)) {
        TRY(price_with(b, row->kernel, b->tallies, &row->report, why));
        normals[n] = row->report.normals;
        paths[n] = row->report.paths;
        payoffs[n++] = row->report.payoffs;
    }
    row->runs = n;
    row->normals = median(normals, n);
    row->paths = median(paths, n);
    row->payoffs = median(payoffs, n);
    row->timed = true;
done:
    return status;
}

/* The warm-up's prices are compared; the runs after it are timed. */
static enum status time_kernel(struct bench_run *b, struct bench_row *row, struct message *why)
{
    enum status status = price_with(b, row->kernel, b->tallies, &row->report, why);
    if (status == STATUS_BAD_INPUT || status == STATUS_NO_MEMORY) {
        snprintf(row->why, sizeof row->why, "%.159s", why->text);
        why->text[0] = '\0';
        return STATUS_OK;
    }
    if (status) return status;
    int differences = count_differences(b, rounds_otherwise(row->kernel));
    row->disagrees = differences > 0;
    if (!differences) return take_times(b, row, why);
    snprintf(row->why, sizeof row->why, "no time: prices of %d trades differ from the default's",
             differences);
    return STATUS_OK;
}

/* ---- what is timed --------------------------------------------------------------------------- */

static bool has_row(const struct bench *bench, const char *kernel)
{
    for (int i = 0; i < bench->n; i++)
        if (!strcmp(bench->rows[i].kernel, kernel)) return true;
    return false;
}

/* Whether a kernel's name has a setting of scenarios: ":s" and their number. */
static bool is_of_scenarios(const char *kernel)
{
    const char *at = strstr(kernel, ":s");
    return at && strspn(at + 2, "0123456789") > 0;
}

/* Whether the rung of indirect access has anything to read through. */
static bool has_past(const struct plan *plan)
{
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].underlyings[0].model == MODEL_HISTORICAL) return true;
    return false;
}

/* Whether a row is asked for: all are by "auto", otherwise `baseline` and the kernels whose names
 * begin so.
 */
static bool is_wanted(const struct engine_options *options, const char *kernel)
{
    size_t length = strlen(options->kernel);
    if (!strcmp(options->kernel, "auto") || !strcmp(kernel, "baseline")) return true;
    return !strncmp(kernel, options->kernel, length) && (!kernel[length] || kernel[length] == ':');
}

static void add_row(const struct engine_options *options, struct bench *bench, const char *kernel,
                    int scenarios)
{
    if (is_wanted(options, kernel))
        bench->rows[bench->n++] = (struct bench_row){.kernel = kernel, .scenarios = scenarios};
}

/* The engine's settings (those of `gather` only for a book that it reads otherwise), then those of
 * its kernels that are none of them, then the settings of scenarios. */
static enum status make_rows(const struct engine *engine, const struct engine_options *options,
                             const struct plan *plan, const struct plan *scenarios,
                             struct bench *bench)
{
    size_t n = 1;
    for (int i = 0; engine->settings[i]; i++) n++;
    for (int i = 0; engine->kernels[i].name; i++) n++;
    bench->rows = calloc(n, sizeof *bench->rows);
    if (!bench->rows) return STATUS_NO_MEMORY;
    for (int i = 0; engine->settings[i]; i++)
        if (!is_of_scenarios(engine->settings[i]) &&
            (has_past(plan) || strncmp(engine->settings[i], "gather:", 7)))
            add_row(options, bench, engine->settings[i], 1);
    for (int i = 0; engine->kernels[i].name; i++) {
        const char *kernel = engine->kernels[i].name;
        if (strcmp(kernel, "auto") && !has_row(bench, kernel)) add_row(options, bench, kernel, 1);
    }
    for (int i = 0; scenarios && engine->settings[i]; i++)
        if (is_of_scenarios(engine->settings[i]))
            add_row(options, bench, engine->settings[i], scenarios->n_scenarios);
    return STATUS_OK;
}

static void count_work(const struct plan *plan, struct bench *bench)
{
    bench->paths = (double)plan->paths * (double)plan->n_groups;
    for (int g = 0; g < plan->n_groups; g++)
        bench->path_steps += (double)plan->paths * (double)group_asset_steps(&plan->groups[g]);
}

/* The rows of one plan. */
static enum status time_rows(struct bench_run *b, struct bench *bench, struct message *why)
{
    enum status status = STATUS_OK;
    struct engine_report report;
    TRY(price_with(b, "auto", b->expected, &report, why));
    snprintf(bench->device, sizeof bench->device, "%s", report.device);
    for (int i = 0; i < bench->n; i++) {
        if (bench->rows[i].scenarios != b->plan->n_scenarios) continue;
        TRY(time_kernel(b, &bench->rows[i], why));
        if (b->progress)
            b->progress(b->options.progress_context, (uint64_t)i + 1, (uint64_t)bench->n);
    }
done:
    return status;
}

enum status bench_run(const struct engine *engine, const struct plan *plan,
                      const struct plan *scenarios, const struct engine_options *options,
                      const struct market *market, const struct trade *trades, struct bench *bench,
                      struct message *why)
{
    enum status status = STATUS_OK;
    struct bench_run b = {engine, plan, *options, options->progress, market, trades, NULL, NULL};
    size_t tallies = (size_t)plan_tallies(scenarios ? scenarios : plan) + 1;
    b.options.timed = true;
    b.options.progress = NULL;
    *bench = (struct bench){.engine = engine->name};
    count_work(plan, bench);
    b.expected = malloc(sizeof *b.expected * tallies);
    b.tallies = malloc(sizeof *b.tallies * tallies);
    if (!b.expected || !b.tallies) TRY(STATUS_NO_MEMORY);
    TRY(make_rows(engine, options, plan, scenarios, bench));
    TRY(time_rows(&b, bench, why));
    b.plan = scenarios;
    if (scenarios && bench->rows[bench->n - 1].scenarios > 1) TRY(time_rows(&b, bench, why));
done:
    free(b.expected);
    free(b.tallies);
    return status;
}

/* ---- what follows ---------------------------------------------------------------------------- */

static const struct bench_row *find_baseline(const struct bench *bench)
{
    for (int i = 0; i < bench->n; i++)
        if (bench->rows[i].timed && !strcmp(bench->rows[i].kernel, "baseline"))
            return &bench->rows[i];
    return NULL;
}

static double total(const struct bench_row *row)
{
    return row->normals + row->paths + row->payoffs;
}

/* NaN where there is nothing to divide by. */
static double over(double a, double b)
{
    return b > 0.0 ? a / b : NAN;
}

struct bench_figures bench_figures(const struct bench *bench, const struct bench_row *row)
{
    struct bench_figures f = {NAN, NAN, NAN, NAN, NAN};
    const struct bench_row *base = find_baseline(bench);
    if (!row->timed) return f;
    f.total = total(row);
    f.paths = over(bench->paths * row->scenarios, row->paths);
    f.path_steps = over(bench->path_steps * row->scenarios, row->paths);
    if (base) f.ratio = over(base->paths * row->scenarios, row->paths);
    if (base) f.total_ratio = over(total(base) * row->scenarios, total(row));
    return f;
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
    *bench = (struct bench){0};
}
