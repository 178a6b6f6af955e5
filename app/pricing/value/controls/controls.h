/* Control variates of a book: trades whose value is known exactly, valued on the paths of another
 * trade.
 *
 * - geometric: of an arithmetic Asian the same on the geometric average (A. G. Z. Kemna and A. C.
 * F. Vorst, Journal of Banking and Finance 14 (1990) 113-129); of a basket the same on a geometric
 *   mean that weighs each asset as today's spots do. Under black_scholes.
 * - vanilla: the European option with the trade's expiry and its strike, or the level that it turns
 *   on. Under black_scholes and merton: of the other models' schemes the bias is not far below a
 *   standard error.
 * - forward: the asset at expiry; of an Asian the average; of several assets the weighted sum of
 *   those whose forwards are known, of a spread each. Under every model but local_vol, whose tables
 *   move the forward by some 1e-5 of it. With cash dividends before the expiry under black_scholes,
 *   where the spot is far above them; the other kinds have none then.
 *
 * Of a script, of which nothing is known, those of an option at the money: on one asset of an Asian
 * over its dates to come and of a European, on several of a basket of equal parts, and the first
 * two assets.
 *
 * In another currency than an asset's there are those of black_scholes and merton, and a forward of
 * no average and no sum. Early exercise has none, nor has a script that decides. */
#ifndef PRICER_APP_PRICING_VALUE_CONTROLS_CONTROLS_H
#define PRICER_APP_PRICING_VALUE_CONTROLS_CONTROLS_H

#include <stdbool.h>

#include "app/pricing/value/controls/control_sample.h"
#include "app/pricing/base/estimate.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/rounds.h"
#include "models/base/status.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* A control: of which kind, and what one unit of it is worth, discounted. */
struct control {
    const char *kind; /* "geometric", "vanilla" or "forward"; static */
    struct known_mean known;
    double most;     /* about the most that a path brings of one unit, discounted */
    double *weights; /* of a basket, owned; NULL of the others */
};

/* The book's trades and, behind them, the controls. */
struct controls {
    int n_trades, n;
    struct trade *trades;    /* [n_trades + n]; what they point to is the book's, but for: */
    struct control *control; /* [n] that of trades[n_trades + i] */
    bool *uncontrolled;      /* [n_trades] has none */
    int *first; /* [n_trades + n + 1] index among the trades of the first control of each */
};

/* Finds the controls of the trades; free with controls_free, whatever is returned. The book must
 * outlive them. STATUS_NO_MEMORY. */
enum status controls_find(const struct market *market, int n_trades, const struct trade *trades,
                          struct controls *controls);
void controls_free(struct controls *controls);

/* ---- prices ---------------------------------------------------------------------------------- */

/* Each group of a plan holds trades and their controls, so that they are valued on the same paths,
 * and every payoff is a total of its own (kernels/plan.h), so that its mean over each chunk is
 * known. What follows from these is host code in one order. */

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

/* Prices the plan, in rounds where there is a target (app/pricing/value/rounds.h), of which the
 * standard error is that with controls: prices [n_trades], begun as zeros. The report adds up.
 * Memory: 8 bytes for each chunk and payoff of the groups that are priced at once, about
 * SLICE_BYTES or one group. Errors are those of stored_price(). */
enum { SLICE_BYTES = 1 << 23 };
enum status controls_price(const struct controls_job *job, struct controlled_price *prices,
                           struct engine_report *report, struct message *why);

#endif
