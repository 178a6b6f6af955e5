/* The price of a trade by an independent road: closed forms, quadrature, or simulation on GSL's
 * generators.
 *
 * Nothing here shares pricing code with models/ or kernels/: the structures of market.h and trade.h
 * are read as data and every formula, curve interpolation included, is written again on top of GSL.
 */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_H

#include <stdint.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

struct reference {
    double price; /* of one unit (quantity 1), in the trade's currency */
    double error; /* bound on its own error, or one standard error of a Monte Carlo; > 0 */
    /* "closed form", "quadrature", "convolution", "monte carlo"; static, no comma */
    const char *method;
    /* Of a simulation: the paths, and what more of them would leave of the error */
    double paths, bias;
};

enum reference_shock_kind {
    REFERENCE_SHOCK_SPOT,
    REFERENCE_SHOCK_VOLATILITY,
    REFERENCE_SHOCK_QUOTE,
    REFERENCE_SHOCK_RATE,
    REFERENCE_SHOCK_YIELD,
    REFERENCE_SHOCK_CASH_DIVIDEND,
    REFERENCE_SHOCK_CORRELATION,
    REFERENCE_SHOCK_PARAMETER
};

/* One thing of the market that lies elsewhere: a spot by `amount` of itself, the rest by the
 * amount. `target` is an asset, or a currency (a rate); `date` a row of its volatilities, a date of
 * its curve or one of its cash dividends, `strike` one of the row, or one of its quotes by delta;
 * -1 stands for all. */
struct reference_shock {
    enum reference_shock_kind what;
    int target, other; /* the second asset of a correlation */
    int date, strike;
    int parameter; /* of enum parameter, of a parameter */
    double amount;
};

/* A scenario of the reference: a market shocked, or some years later, fewer than to the first of
 * its dates (earlier, where negative). What today's spots fix stays fixed. A simulation may be had
 * in parts, whose paths are independent: in two scenarios a part has the same random numbers. */
enum { REFERENCE_PARTS = 32 };
struct reference_scenario {
    int n;
    const struct reference_shock *shocks; /* [n], one after the other */
    double years;
    int part; /* 1, ..., REFERENCE_PARTS; 0: the whole */
};

/* Must be called once, before any thread prices: GSL then returns its errors instead of ending the
 * program. */
void reference_begin(void);

/* Prices one trade. `seed` is used by Monte Carlo references only; `effort` is what it may take,
 * and NULL the whole budget without a stop flag. Thread safe. STATUS_FAILED (and `why`) where no
 * reference could be computed, or it would take more than the effort; STATUS_INTERRUPTED,
 * STATUS_NO_MEMORY. */
enum status reference_price(const struct market *market, const struct trade *trade, uint64_t seed,
                            struct effort *effort, struct reference *reference,
                            struct message *why);

/* Prices the same in a scenario of today's market, with seed 1, a part with one of its own. The
 * market is moved, time passes and fixings are made by code of the reference's own, so that a price
 * of a market that was moved wrongly disagrees. */
enum status reference_scenario_price(const struct market *today,
                                     const struct reference_scenario *scenario,
                                     const struct trade *trade, struct effort *effort,
                                     struct reference *reference, struct message *why);

#endif
