/* From the tallies of batches to those of trades. */
#ifndef PRICER_KERNELS_MERGE_H
#define PRICER_KERNELS_MERGE_H

#include "kernels/plan.h"
#include "models/math/tally.h"

/* What one device, or the CPU, brings: for each group, or scenario set, in turn, [batch of the
 * range] of its tallies (scenario_set_tallies()). */
struct batch_range {
    uint64_t first, end; /* batches first .. end - 1 of the plan */
    struct tally *tallies;
};

/* The tally of every trade that a group holds, into tallies[contrast, or scenario][trade of the
 * book]. The ranges follow each other and cover the plan; how they are cut changes no bit. */
void merge_batches(const struct plan *plan, const struct batch_range *ranges, int n_ranges,
                   struct tally *tallies);

/* Adds a scenario set's chunk means of its contrasts, [chunk][contrast][payoff], to totals
 * [chunk][contrast][total]: after those of the scenario sets before it. */
void add_totals(const struct plan *plan, int first, uint64_t chunks, const double *means,
                double *totals);

#endif
