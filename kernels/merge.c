#include "kernels/merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "models/base/clock.h"

enum { TALLIES_AT_ONCE = 64 }; /* which lie together in memory */

/* Merges tallies from number `at` of a batch on, in two passes over the batches in index order, and
 * returns how many: with n_b, mean_b and m2_b of each,
 *     mean = sum n_b mean_b / sum n_b,   m2 = sum m2_b + n_b (mean_b - mean)^2.
 * `before` and n_set count the tallies of a batch of the sets before, and of this one. */
static size_t merge_some(const struct batch_range *ranges, int n_ranges, size_t before,
                         size_t n_set, size_t at, struct tally *all)
{
    size_t n = n_set - at < TALLIES_AT_ONCE ? n_set - at : TALLIES_AT_ONCE;
    for (size_t i = 0; i < n; i++) all[i] = (struct tally){0};
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < n_ranges; r++) {
            uint64_t batches = ranges[r].end - ranges[r].first;
            const struct tally *batch = ranges[r].tallies + before * batches + at;
            for (uint64_t b = 0; b < batches; b++, batch += n_set)
                for (size_t i = 0; i < n; i++) {
                    double off = batch[i].mean - all[i].mean;
                    if (pass) all[i].m2 += batch[i].m2 + batch[i].n * (off * off);
                    else all[i].n += batch[i].n, all[i].mean += batch[i].n * batch[i].mean;
                }
        }
        for (size_t i = 0; !pass && i < n; i++) all[i].mean = all[i].mean / all[i].n;
    }
    return n;
}

void merge_batches(const struct plan *plan, const struct batch_range *ranges, int n_ranges,
                   struct tally *tallies)
{
    struct tally merged[TALLIES_AT_ONCE];
    size_t before = 0; /* tallies of a batch of the sets before this one */
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t n_set = scenario_set_tallies(plan, g);
        for (size_t at = 0, n; at < n_set; at += n) {
            n = merge_some(ranges, n_ranges, before, n_set, at, merged);
            for (size_t i = 0; i < n; i++)
                tallies[scenario_set_tally_index(plan, g, at + i)] = merged[i];
        }
        before += n_set;
    }
}

void add_totals(const struct plan *plan, int first, uint64_t chunks, const double *means,
                double *totals)
{
    const struct group *group = &plan->groups[first];
    for (uint64_t row = 0; row < chunks * (uint64_t)plan->n_contrasts; row++) {
        for (int p = 0; p < group->n_payoffs; p++) {
            int total = plan->totals[group->trades[p]];
            if (total >= 0)
                totals[total] = fma(plan->quantities[group->trades[p]], means[p], totals[total]);
        }
        means += group->n_payoffs;
        totals += plan->n_totals;
    }
}

enum status engine_price(const struct engine *engine, const struct plan *plan,
                         const struct engine_options *options, struct tally *tallies,
                         double *totals, struct engine_report *report, struct message *why)
{
    double began = seconds_now();
    struct batch_range all = {.end = plan_batches(plan), .totals = plan->n_totals ? totals : NULL};
    all.tallies = malloc(sizeof *all.tallies * (range_tallies(plan, &all) + 1));
    enum status status = all.tallies ? STATUS_OK : STATUS_NO_MEMORY;
    if (status) snprintf(why->text, sizeof why->text, "not enough memory for the tallies");
    else status = engine->walk(plan, options, &all, report, why);
    if (!status) merge_batches(plan, &all, 1, tallies);
    report->total = seconds_now() - began;
    free(all.tallies);
    return status;
}
