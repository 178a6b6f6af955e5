#include "kernels/replicates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int plan_runs(const struct plan *plan)
{
    return plan->replicates ? plan->replicates : 1;
}

/* Dimensions that the points of a plan have: those that its groups take, as far as there are any.
 */
static int dimensions_of(const struct plan *plan)
{
    int most = 0;
    for (int g = 0; g < plan->n_groups; g++) {
        int normals = group_normals(&plan->groups[g]);
        if (normals > most) most = normals;
    }
    return most < SOBOL_DIMENSIONS ? most : SOBOL_DIMENSIONS;
}

/* Progress of one run as a part of all. */
struct replicate_run {
    const struct engine_options *options;
    int run, runs;
    struct sobol_points points;
};

static void say_progress(void *context, uint64_t done, uint64_t total)
{
    const struct replicate_run *part = context;
    part->options->progress(part->options->progress_context, (uint64_t)part->run * total + done,
                            (uint64_t)part->runs * total);
}

void report_add(const struct engine_report *run, struct engine_report *all)
{
    struct engine_report sum = *run;
    sum.normals += all->normals;
    sum.paths += all->paths;
    sum.payoffs += all->payoffs;
    sum.start += all->start;
    sum.busy += all->busy;
    sum.total += all->total;
    *all = sum;
}

void report_join(int n, const struct device_times *devices, struct engine_report *report)
{
    report->start = devices[0].start;
    report->busy = 0.0;
    for (int i = 0; i < n; i++) {
        report->normals += devices[i].normals;
        report->paths += devices[i].paths;
        report->payoffs += devices[i].payoffs;
        report->start = fmin(report->start, devices[i].start);
        report->busy += devices[i].busy / n;
    }
}

/* One replicate of a plan of points, or all of another plan. */
static enum status run_replicate(const struct plan_pricer *pricer, const struct plan *plan,
                                 struct replicate_run *part, struct tally *tallies,
                                 struct message *why)
{
    struct engine_options options = *part->options;
    struct engine_report run_report = {.kernel = ""};
    struct plan run = *plan;
    if (options.progress) options.progress = say_progress, options.progress_context = part;
    for (int d = 0; d < part->points.n; d++)
        part->points.dimensions[d] = sobol_scrambled(plan->seed, (uint32_t)part->run, d);
    if (plan->replicates) run.points = &part->points;
    run.paths = plan->paths / (uint64_t)part->runs;
    run.first_path += (uint64_t)part->run << SOBOL_BITS;
    enum status status = pricer->price(pricer->context, &run, &options, tallies, &run_report, why);
    report_add(&run_report, pricer->report);
    return status;
}

enum status replicates_run(const struct plan_pricer *pricer, const struct plan *plan,
                           struct tally *tallies, struct message *why)
{
    enum status status = STATUS_OK;
    struct replicate_run part = {.options = pricer->options, .runs = plan_runs(plan)};
    struct sobol_points *points = &part.points;
    if (plan->replicates) points->n = dimensions_of(plan);
    points->dimensions = malloc(sizeof *points->dimensions * (size_t)(points->n + 1));
    if (!points->dimensions) {
        snprintf(why->text, sizeof why->text, "not enough memory for the points");
        return STATUS_NO_MEMORY;
    }
    for (; part.run < part.runs; part.run++) {
        struct tally *run_tallies = tallies + (size_t)part.run * (size_t)plan_tallies(plan);
        TRY(run_replicate(pricer, plan, &part, run_tallies, why));
    }
done:
    free(points->dimensions);
    return status;
}

struct tally replicates_sample(const struct plan *plan, const struct tally *tallies, int at)
{
    struct tally sample = {0};
    double points = 0.0;
    if (!plan->replicates) return tallies[at];
    for (int r = 0; r < plan->replicates; r++) {
        const struct tally *run_tally =
            &tallies[(size_t)r * (size_t)plan_tallies(plan) + (size_t)at];
        if (run_tally->n > 0.0) sample = tally_add(sample, run_tally->mean), points = run_tally->n;
    }
    if (!plan->jumps || !(sample.n > 0.0)) return sample;
    /* the squares of a sample whose standard error is jump / (2 points sqrt(R)) */
    double half = 0.5 * plan->jumps[at % plan->n_trades] / points;
    double least = (sample.n - 1.0) * (half * half);
    if (sample.m2 < least) sample.m2 = least;
    return sample;
}
