/* The price of a trade by an independent road: closed forms, quadrature, or simulation on GSL's generators.
 *
 * Nothing here shares pricing code with models/ or kernels/: the structures of market.h and trade.h are read
 * as data and every formula, curve interpolation included, is written again on top of GSL. */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_H

#include <stdint.h>

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

struct reference {
    double price;       /* of one unit (quantity 1), in the trade's currency */
    double error;       /* bound on its own error, or one standard error of a Monte Carlo; > 0 */
    const char *method; /* "closed form", "quadrature", "convolution", "monte carlo"; static, no comma */
};

/* To be called once, before any thread prices: GSL then returns its errors instead of ending the program. */
void reference_begin(void);

/* Prices one trade. `seed` is used by Monte Carlo references only; `effort` is what it may take, and NULL the
 * whole budget without a stop flag. Thread safe.
 * STATUS_FAILED (and `why`) where no reference could be computed, or it would take more than the effort;
 * STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status reference_price(const struct market *market, const struct trade *trade, uint64_t seed,
                            struct effort *effort, struct reference *reference, struct message *why);

#endif
