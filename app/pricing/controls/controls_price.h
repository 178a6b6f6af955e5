/* Pricing the trades that have control variates: each group of a plan holds trades and their
 * controls, so that they are valued on the same paths, and every payoff is a total of its own
 * (kernels/plan.h), so that its mean over each chunk is known. What follows from these is host code
 * in one order. */
#ifndef PRICER_APP_PRICING_CONTROLS_CONTROLS_PRICE_H
#define PRICER_APP_PRICING_CONTROLS_CONTROLS_PRICE_H

#include "app/pricing/controls/controls.h"
#include "app/pricing/stored_price.h"
#include "app/pricing/estimate.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/rounds.h"

/* Plans the trades that have controls, with these: `refusals` [n_trades] of those that cannot be
 * simulated; the other trades' are left alone. A control that cannot be beside its trade is left
 * out. Always Philox paths without pairs. Free with plan_free, whatever is returned.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status controls_plan(const struct controls *controls, const struct market *market,
                          const struct plan_settings *settings, struct plan *plan,
                          struct refusal *refusals);

/* The price of a trade with control variates. */
struct controlled_price {
    /* Of its price: with controls, of chunks (control_sample.h); else of paths */
    struct tally unit;
    struct tally plain;          /* of its price without them, of paths */
    double paths;                /* that it took; 0: it is not in the plan */
    char control[CONTROL_NAMES]; /* as in struct estimate */
    double variance_ratio;
};

struct controls_job {
    const struct controls *controls;
    const struct plan *plan; /* of controls_plan() */
    struct accuracy accuracy;
    const struct engine *engine;
    const struct engine_options *options;
    const struct store *store; /* NULL: none */
};

/* Prices the plan, in rounds where there is a target (app/pricing/rounds.h), of which the standard
 * error is that with controls: prices [n_trades], begun as zeros. The report adds up. Memory: 8
 * bytes for each chunk and payoff of the groups that are priced at once, about SLICE_BYTES or one
 * group. Errors are those of stored_price(). */
enum { SLICE_BYTES = 1 << 23 };
enum status controls_price(const struct controls_job *job, struct controlled_price *prices,
                           struct engine_report *report, struct message *why);

#endif
