/* Randomised replicates: a plan of Sobol points is run once for each of them, on the same points under
 * another scramble. Their means are independent and unbiased, so they are the sample that a standard error
 * comes from (A. B. Owen, 1995; P. L'Ecuyer and C. Lemieux, Recent advances in randomized quasi-Monte Carlo
 * methods, 2002). With so few of them a difference in standard errors follows Student's distribution.
 *
 * A plan without replicates is run once, and its tallies are a sample already. */
#ifndef PRICER_KERNELS_REPLICATES_H
#define PRICER_KERNELS_REPLICATES_H

#include "kernels/engine.h"

/* Replicates of a plan of Sobol points: enough that the limits of Student's distribution lie close to the
 * normal ones (2.95 for 2.58 at 1 %), few enough to leave most of the points to each. */
enum { REPLICATES = 16 };

/* What prices one run of a plan without measures, as an engine does; `context` is its own. */
struct pricer {
    enum status (*price)(void *context, const struct plan *plan, const struct engine_options *options,
                         struct tally *tallies, struct engine_report *report, struct message *why);
    void *context;
};

/* Runs that a plan takes. */
int plan_runs(const struct plan *plan);

/* Runs the plan: tallies [run][plan_tallies] of what the pricer finds in each run, which covers an equal
 * share of the paths; a replicate's begin behind the first_path points that it has had. The report adds up.
 * Errors are those of the pricer; STATUS_NO_MEMORY. */
enum status replicates_run(const struct pricer *pricer, const struct plan *plan,
                           const struct engine_options *options, struct tally *tallies,
                           struct engine_report *report, struct message *why);

/* Adds the times of one run to those of the runs before. */
void report_add(const struct engine_report *run, struct engine_report *all);

/* The sample of tally `at` over the runs: the means of the replicates, or what the one run found. */
struct tally replicates_sample(const struct plan *plan, const struct tally *tallies, int at);

#endif
