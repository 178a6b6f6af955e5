/* The one merge, above all engines: from the tallies of batches to those of trades. */
#ifndef PRICER_KERNELS_MERGE_H
#define PRICER_KERNELS_MERGE_H

#include "kernels/engine.h"

/* Merges what the ranges brought into the tallies of the plan. They follow each other and cover the
 * plan; how they are cut changes no bit. */
void merge_batches(const struct plan *plan, const struct batch_range *ranges, int n_ranges,
                   struct tally *tallies);

/* Adds a scenario set's chunk means of its contrasts, [chunk][contrast][payoff], to totals
 * [chunk][contrast][total]: after those of the scenario sets before it. */
void add_totals(const struct plan *plan, int first, uint64_t chunks, const double *means,
                double *totals);

#endif
