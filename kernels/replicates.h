/* Randomised replicates: a plan of Sobol points is run once for each of them, on the same points
 * under another scramble. Their means are independent and unbiased, so they are the sample that a
 * standard error comes from (A. B. Owen, 1995; P. L'Ecuyer and C. Lemieux, Recent advances in
 * randomized quasi-Monte Carlo methods, 2002). With so few of them a difference in standard errors
 * follows Student's distribution.
 *
 * A payoff that jumps counts points, and a count is a whole number. Where it hangs on one normal
 * alone, each replicate of n points has one of them in each n-th of the unit interval: with p the
 * probability of payment and f what n p is above a whole number, the count is n p - f or n p + 1 -
 * f, the latter with probability f. So the mean of R replicates of a payment J has a variance of
 * J^2 f (1 - f) / (R n^2), while all R counts may be the same. The greatest that this can be, J^2 /
 * (4 R n^2) at f = 1/2, is the least variance that a sample says, for no count tells f. More
 * normals only move the counts more.
 *
 * A plan without replicates is run once, and its tallies are a sample already. */
#ifndef PRICER_KERNELS_REPLICATES_H
#define PRICER_KERNELS_REPLICATES_H

#include "kernels/engine.h"

/* Replicates of a plan of Sobol points: enough that the limits of Student's distribution lie close
 * to the normal ones (2.95 for 2.58 at 1 %), few enough to leave most of the points to each. */
enum { REPLICATES = 16 };

/* A function that prices one run of a plan without contrasts, as an engine does; `context` is its
 * own, and the options are those it is called with, but for the progress. */
struct plan_pricer {
    enum status (*price)(void *context, const struct plan *plan,
                         const struct engine_options *options, struct tally *tallies,
                         struct engine_report *report, struct message *why);
    void *context;
    const struct engine_options *options;
    struct engine_report *report; /* to which each run's is added */
};

/* Runs that a plan takes. */
int plan_runs(const struct plan *plan);

/* Runs the plan: tallies [run][plan_tallies] of what the pricer finds in each run, which covers an
 * equal share of the paths; a replicate's begin behind the first_path points that it has had.
 * Errors are those of the pricer; STATUS_NO_MEMORY. */
enum status replicates_run(const struct plan_pricer *pricer, const struct plan *plan,
                           struct tally *tallies, struct message *why);

/* Adds the times of one run to those of the runs before. */
void report_add(const struct engine_report *run, struct engine_report *all);

/* The times of one of several devices in a call, in seconds as of struct engine_report. */
struct device_times {
    double normals, paths, payoffs, start, busy;
};

/* Puts the times of devices [n] that worked side by side into the report of their call. The call's
 * start is the shortest of theirs: what follows it is pricing, in which each is busy for no longer
 * than it lasts. */
void report_join(int n, const struct device_times *devices, struct engine_report *report);

/* Returns the sample of tally `at` over the runs: the means of the replicates, with at least the
 * spread that whole points leave to a payoff that jumps, or what the one run found. */
struct tally replicates_sample(const struct plan *plan, const struct tally *tallies, int at);

#endif
