/* From a market and its trades to a plan: which trades share paths, on which dates, with which
 * observables. */
#ifndef PRICER_APP_PRICING_PLAN_PLAN_BUILD_H
#define PRICER_APP_PRICING_PLAN_PLAN_BUILD_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/engine.h"
#include "kernels/plan.h"
#include "kernels/team.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The reason why a trade of the book is in no group; text is empty for trades that are in one. */
struct refusal {
    struct message why;
};

/* The settings of a book that its plan needs. */
struct plan_settings {
    uint64_t paths; /* rounded up to a multiple of CHUNK_PATHS */
    uint64_t seed;
    double max_step; /* years: longest step of a model that is not exact */
    /* [n_scenarios] those of all plans whose paths are compared; 0: those that are built together.
     * No step is longer than one of their markets allows, so that one normal moves the same part of
     * a path under each. */
    const struct scenario *scenarios;
    int n_scenarios;
    bool antithetic; /* pairs of paths; there are no strike strips then */
    bool points; /* Sobol points in REPLICATES replicates, the paths rounded up to a power of two */
    const bool *in; /* [n_trades] the trades that are in the plan; NULL: all */

    /* [n_trades + 1] the trades that must share their paths with trade i, and are left out where
     * they cannot: those from followers[i] to followers[i + 1] - 1, behind all that have any. NULL:
     * none. */
    const int *followers;

    bool path_by_path; /* every payoff is valued on every path, none on a strike strip */

    /* Years that pass before the plan's today, with the market as it is: dates of trades and cash
     * dividends lie so much nearer (negative: further away), those of today stay. Steps are laid
     * out for the dates of before, so that one normal moves the same part of a path, and for those
     * `time_ahead` (>= 0) further away, and they have dates `time_around` (>= 0) before and after
     * those where curves turn, if anything needs dates there; plans_build() finds the three. */
    double time_passed, time_ahead, time_around;

    const struct stop *stop; /* may be NULL; asks to end with STATUS_INTERRUPTED */
    struct team *team;       /* that builds it; NULL: the caller's thread */

    /* Whose device, if there is one that is ready, makes tables of local volatility; NULL: none */
    const struct engine *engine;
    const struct engine_options *options; /* of it */
};

/* Builds the plan. `refusals` [n_trades] says which trades cannot be simulated and why; they do not
 * stop the others, and neither those nor trades that are not `in` are in a group. The order of the
 * trades changes no bit: groups are formed in an order of their own. Free with plan_free.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status plan_build(const struct market *market, int n_trades, const struct trade *trades,
                       const struct plan_settings *settings, struct plan *plan,
                       struct refusal *refusals);
void plan_free(struct plan *plan);

/* Releases what n programs of a group own. */
void group_programs_free(int n, struct group_program *programs);

/* Empties them. */
void forget_refusals(int n_trades, struct refusal *refusals);

/* A market to value trades under, or some time later. */
struct scenario {
    const struct market *market;
    double time_passed; /* years, as in plan_settings */
    /* Of early exercise, in a plan with contrasts: its own; else those of scenario 0, whose best
     * policy its own hardly betters where it is a small move of that */
    bool fit_policies;
    /* 1 + the scenario that it is contrasted with, whose own partner it is; 0: none. On one asset
     * partners exercise on the same paths, by a policy halfway between theirs
     * (app/pricing/value/exercise/exercise_borrow.c) */
    int partner;
    /* 1 + an earlier scenario that decides itself: programs take its decisions, path by path; 0:
     * they make their own. To first order a best decision changes no value where the market moves,
     * so slopes may have those of a market beside them */
    int follows;
};

/* Builds the plans of n scenarios side by side; tables that are equal in them are made once. What
 * is empty in `refusals` is filled; it may be NULL. As plan_build. */
enum status plans_build(int n, const struct scenario *scenarios, int n_trades,
                        const struct trade *trades, const struct plan_settings *settings,
                        struct plan *plans, struct refusal *refusals);

/* Path-steps of the whole plan: paths times steps times assets of every group, PATH_STEPS_MOST at
 * most; what progress is counted in. */
#define PATH_STEPS_MOST ((uint64_t)1 << 60)
uint64_t plan_path_steps(const struct plan *plan);

/* Write the size of the plan for a person to read; and a group of it: dates, observables, cost, and
 * the kernel by which an engine simulates it. */
void plan_print(FILE *out, const struct plan *plan);
void plan_print_group(FILE *out, const struct plan *plan, int g, const struct market *market,
                      const struct trade *trades, const struct route *route);

#endif
