#include "kernels/merge.h"

#include <stddef.h>

/* Two passes over the batches, in index order: with n_b, mean_b and m2_b of each,
 *     mean = sum n_b mean_b / sum n_b,   m2 = sum m2_b + n_b (mean_b - mean)^2. */
static struct tally merge_payoff(const struct batch_range *ranges, int n_ranges, size_t before,
                                 size_t n_payoffs, size_t p)
{
    struct tally all = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < n_ranges; r++) {
            uint64_t batches = ranges[r].end - ranges[r].first;
            const struct tally *batch = ranges[r].tallies + before * batches + p;
            for (uint64_t b = 0; b < batches; b++, batch += n_payoffs) {
                double off = batch->mean - all.mean;
                if (pass) all.m2 += batch->m2 + batch->n * (off * off);
                else all.n += batch->n, all.mean += batch->n * batch->mean;
            }
        }
        if (!pass) all.mean = all.mean / all.n;
    }
    return all;
}

void merge_batches(const struct plan *plan, const struct batch_range *ranges, int n_ranges,
                   struct tally *tallies)
{
    size_t before = 0; /* tallies of a batch of the groups before this one */
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t n = scenario_set_tallies(plan, g);
        for (size_t p = 0; p < n; p++)
            tallies[scenario_set_tally_index(plan, g, p)] =
                merge_payoff(ranges, n_ranges, before, n, p);
        before += n;
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
