#include "app/output/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/estimate.h"
#include "app/output/csv.h"
#include "models/math/bits.h"

enum { RUNS = 5 };

/* ---- running ------------------------------------------------------------------------------------------- */

struct bencher {
    const struct engine *engine;
    const struct plan *plan;
    struct engine_options options;
    const struct market *market;
    const struct trade *trades;
    struct tally *expected, *tallies; /* [n_trades] */
};

static enum status price_with(struct bencher *b, const char *kernel, struct tally *tallies,
                              struct engine_report *report, struct message *why)
{
    b->options.kernel = kernel;
    *report = (struct engine_report){.total = 0.0};
    memset(tallies, 0, sizeof *tallies * (size_t)b->plan->n_trades);
    return b->engine->price(b->plan, &b->options, tallies, report, why);
}

static bool same_bits(struct tally a, struct tally b)
{
    return bits_of_double(a.n) == bits_of_double(b.n) && bits_of_double(a.mean) == bits_of_double(b.mean) &&
           bits_of_double(a.m2) == bits_of_double(b.m2);
}

/* Trades whose tallies are not those expected. */
static int count_differences(const struct bencher *b, bool to_rounding)
{
    int n = 0;
    for (int i = 0; i < b->plan->n_trades; i++) {
        struct tally is = b->tallies[i], expected = b->expected[i];
        double allowed = 1e-12 * trade_stake(b->market, &b->trades[i]);
        bool close = is.n == expected.n && fabs(is.mean - expected.mean) <= allowed;
        n += to_rounding ? !close : !same_bits(is, expected);
    }
    return n;
}

static double phases(const struct engine_report *report)
{
    return report->normals + report->paths + report->payoffs;
}

static int compare_times(const void *a, const void *b)
{
    double first = phases(a), second = phases(b);
    return (first > second) - (first < second);
}

/* The warm-up's prices are compared; the runs after it are timed. */
static enum status time_kernel(struct bencher *b, struct bench_row *row, struct message *why)
{
    enum status status = STATUS_OK;
    struct engine_report report, reports[RUNS];
    status = price_with(b, row->kernel, b->tallies, &report, why);
    if (status == STATUS_BAD_INPUT || status == STATUS_NO_MEMORY) {
        snprintf(row->why, sizeof row->why, "%.159s", why->text);
        why->text[0] = '\0';
        return STATUS_OK;
    }
    TRY(status);
    int differences = count_differences(b, !strcmp(row->kernel, "baseline"));
    row->disagrees = differences > 0;
    if (differences) {
        snprintf(row->why, sizeof row->why, "no time: prices of %d trades differ from the default's",
                 differences);
        return STATUS_OK;
    }
    for (int i = 0; i < RUNS; i++) TRY(price_with(b, row->kernel, b->tallies, &reports[i], why));
    qsort(reports, RUNS, sizeof *reports, compare_times);
    report = reports[RUNS / 2];
    row->normals = report.normals;
    row->paths = report.paths;
    row->payoffs = report.payoffs;
    row->total = phases(&report);
    row->timed = true;
done:
    return status;
}

static enum status make_rows(const struct engine *engine, struct bench *bench)
{
    int n = 0;
    while (engine->kernels[n].name) n++;
    bench->rows = calloc((size_t)n + 1, sizeof *bench->rows);
    if (!bench->rows) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (strcmp(engine->kernels[i].name, "auto")) bench->rows[bench->n++].kernel = engine->kernels[i].name;
    return STATUS_OK;
}

enum status bench_run(const struct engine *engine, const struct plan *plan,
                      const struct engine_options *options, const struct market *market,
                      const struct trade *trades, struct bench *bench, struct message *why)
{
    enum status status = STATUS_OK;
    struct engine_report report;
    struct bencher b = {engine, plan, *options, market, trades, NULL, NULL};
    uint64_t done = 0;
    b.options.timed = true;
    b.options.progress = NULL;
    *bench = (struct bench){.engine = engine->name};
    for (int g = 0; g < plan->n_groups; g++)
        bench->path_steps += (double)plan->paths * (double)plan->groups[g].n_steps;
    b.expected = malloc(sizeof *b.expected * ((size_t)plan->n_trades + 1));
    b.tallies = malloc(sizeof *b.tallies * ((size_t)plan->n_trades + 1));
    if (!b.expected || !b.tallies) TRY(STATUS_NO_MEMORY);
    TRY(make_rows(engine, bench));
    TRY(price_with(&b, "auto", b.expected, &report, why));
    snprintf(bench->device, sizeof bench->device, "%s", report.device);
    for (int i = 0; i < bench->n; i++) {
        TRY(time_kernel(&b, &bench->rows[i], why));
        if (options->progress) options->progress(options->progress_context, ++done, (uint64_t)bench->n);
    }
done:
    free(b.expected);
    free(b.tallies);
    return status;
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

/* ---- showing ------------------------------------------------------------------------------------------- */

/* Path-steps a second; 0 where there is no time. */
static double speed(const struct bench *bench, const struct bench_row *row)
{
    return row->timed && row->total > 0.0 ? bench->path_steps / row->total : 0.0;
}

/* How many times as fast as the kernel `baseline`; NaN where one of both has no time. */
static double ratio(const struct bench *bench, const struct bench_row *row)
{
    for (int i = 0; i < bench->n; i++) {
        double base = speed(bench, &bench->rows[i]);
        if (!strcmp(bench->rows[i].kernel, "baseline") && base > 0.0 && row->timed)
            return speed(bench, row) / base;
    }
    return NAN;
}

void bench_table(FILE *out, const struct bench *bench)
{
    fprintf(out, "engine %s on %s, %.4g path-steps, median of %d\n", bench->engine, bench->device,
            bench->path_steps, RUNS);
    fprintf(out, "%-16s %11s %11s %11s %13s %9s\n", "kernel", "normals s", "paths s", "payoffs s",
            "path-steps/s", "ratio");
    for (int i = 0; i < bench->n; i++) {
        const struct bench_row *row = &bench->rows[i];
        if (row->timed)
            fprintf(out, "%-16s %11.6f %11.6f %11.6f %13.4e %9.2f\n", row->kernel, row->normals, row->paths,
                    row->payoffs, speed(bench, row), ratio(bench, row));
        else fprintf(out, "%-16s %s\n", row->kernel, row->why);
    }
}

void bench_csv(FILE *out, const struct bench *bench)
{
    fputs("engine,device,kernel,normals_s,paths_s,payoffs_s,path_steps,path_steps_per_s,ratio,message\n",
          out);
    for (int i = 0; i < bench->n; i++) {
        const struct bench_row *row = &bench->rows[i];
        const double numbers[] = {row->normals,      row->paths,        row->payoffs,
                                  bench->path_steps, speed(bench, row), ratio(bench, row)};
        csv_text(out, bench->engine);
        putc(',', out);
        csv_text(out, bench->device);
        putc(',', out);
        csv_text(out, row->kernel);
        for (int k = 0; k < 6; k++) {
            putc(',', out);
            csv_number(out, row->timed ? numbers[k] : NAN);
        }
        putc(',', out);
        csv_text(out, row->why);
        putc('\n', out);
    }
}
