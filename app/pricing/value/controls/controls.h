/* Control variates of a book: trades whose value is known exactly, valued on the paths of another
 * trade (docs/method.md, 7.2).
 *
 * - geometric: of an arithmetic Asian the same on the geometric average (A. G. Z. Kemna and A. C.
 *   F. Vorst, Journal of Banking and Finance 14 (1990) 113-129); of a basket the same on a
 * geometric mean that weighs each asset as today's spots do. Under black_scholes.
 * - vanilla: the European option with the trade's expiry and its strike, or the level that it turns
 *   on. Under black_scholes and merton.
 * - forward: the asset at expiry, the average of an Asian, the weighted sum of several assets, each
 *   leg of a spread. Under every model but local_vol; with cash dividends before the expiry under
 *   black_scholes alone, where the other kinds have none.
 *
 * A script has those of an option at the money. In another currency than an asset's there are those
 * of black_scholes and merton, and a forward of no average and no sum. Early exercise has none, nor
 * has a script that decides. */
#ifndef PRICER_APP_PRICING_VALUE_CONTROLS_CONTROLS_H
#define PRICER_APP_PRICING_VALUE_CONTROLS_CONTROLS_H

#include <stdbool.h>

#include "app/pricing/base/estimate.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/value/rounds.h"
#include "models/base/status.h"
#include "models/market/market.h"
#include "models/math/tally.h"
#include "models/payoffs/trade.h"

/* Linear control variates: a price from values of a trade and of controls whose means are known.
 *
 * With y the mean of the trade's values, c those of the controls, mu what these should be, S the
 * matrix of sums of products of differences from the means over m values, and beta = S_cc^-1 S_cy,
 *
 *     price = y - beta (c - mu),   s^2 = (S_yy - beta S_cy) / (m - 1 - q),
 *     std_error^2 = s^2 (1 / m + (c - mu) S_cc^-1 (c - mu)).
 *
 * (S. S. Lavenberg and P. D. Welch, Management Science 27 (1981) 322-335.) A value is the mean over
 * a chunk of CHUNK_PATHS paths, which is nearly normal (batches: B. L. Nelson, European Journal of
 * Operational Research 43 (1989) 184-196): of normal values the price has no bias, and its distance
 * over the standard error follows Student's distribution with m - 1 - q degrees of freedom, q being
 * the number of controls. Sums are taken in the order of the values, and all is + - * / and square
 * roots: the bits depend on nothing else. */

enum {
    CONTROLS_MAX = 4,     /* of a trade */
    CONTROLS_CHUNKS = 32, /* least values that controls are tried with */
};

/* A control has to bring the variance below this share of what it is without it; one that leaves
 * less than the other share is the trade itself under another name, and then nothing would be
 * simulated. */
#define CONTROLS_WORTH 0.9
#define CONTROLS_ITSELF 1e-9

/* Values of a trade (index 0) and its controls (1, ...), all of one unit. */
struct control_sample {
    double n;
    double mean[1 + CONTROLS_MAX];
    /* Of differences from the means: of two, [i][j], i <= j; and of three */
    double products[1 + CONTROLS_MAX][1 + CONTROLS_MAX];
    double cubes[1 + CONTROLS_MAX][1 + CONTROLS_MAX][1 + CONTROLS_MAX];
};

/* Adds one value of each, indices 0 to n_controls. (The update of Welford 1962, as tally_add(); of
 * three differences P. Pebay, Formulas for robust, one-pass parallel computation of covariances and
 * arbitrary-order statistical moments, Sandia report SAND2008-6212.) */
void control_sample_add(struct control_sample *sample, int n_controls, const double *values);

/* The mean of a control, and what that may be wrong by. */
struct known_mean {
    double mean, error;
};

/* A price by some of the controls. */
struct controlled {
    int n; /* of them; 0: none is worth it, and nothing below is said */
    /* Their indices, 1 to CONTROLS_MAX, in the order in which they were taken */
    int used[CONTROLS_MAX];
    double beta[CONTROLS_MAX]; /* of each */
    /* Mean m - q values, m - 1 - q degrees of freedom; its standard error is the price's */
    struct tally price;
};

/* Takes the controls one after the other: of those left the one that leaves the least variance, as
 * long as that is below CONTROLS_WORTH times the one before. */
struct controlled control_sample_price(const struct control_sample *sample, int n_controls,
                                       const struct known_mean *known);

/* Returns how many paths decide what the first `n` of the controls leave of the trade; of n = 0 the
 * trade itself. Where N paths of the sample bring D and all others nothing, sums of squares and of
 * cubes are N D^2 and N D^3: so it is (sum e^2)^3 / (sum e^3)^2 with e what is left of a value.
 * What is normal has a skewness by chance alone, and is decided by n^2 / 6 or more. */
double control_sample_deciding(const struct control_sample *sample,
                               const struct controlled *controlled, int n);

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
    /* Of its price: with controls, of chunks; else of paths */
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
