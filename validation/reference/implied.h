/* The implied volatility surface between and beyond its quotes, by the conventions that
 * models/market/surface.h writes down, written again on GSL's splines; and the local volatility
 * that reprices it.
 *
 * Total variance is a natural cubic spline in k = ln(K / F), smoothed by the least amount that
 * leaves a density of at least a tenth of the lognormal one, with wings that go on with its slope
 * within bounds, and linear in time at constant k. */
#ifndef PRICER_VALIDATION_REFERENCE_IMPLIED_H
#define PRICER_VALIDATION_REFERENCE_IMPLIED_H

#include "validation/reference/methods.h"

struct implied;

/* Makes the surface of one of some assets. STATUS_FAILED where
 * smoothing does not help, STATUS_NO_MEMORY. */
enum status implied_make(const struct multi_asset *assets, int i, struct implied **implied);

/* Returns the total variance at log-moneyness k and date t > 0. */
double implied_variance(const struct implied *implied, double k, double t);

/* Operations (effort.h) that the next one takes. */
#define IMPLIED_COST 40.0

/* Returns the local variance a year by Dupire (1994), from finite differences of Black's prices on
 * the surface. */
double implied_local_variance(const struct implied *implied, double k, double t);

/* Returns what a european or a digital pays at its expiry: of a strike over the forward, and in
 * units of the cash or the forward. */
struct bounded_value implied_at_expiry(const struct implied *implied, const struct trade *trade,
                                       double strike);

#endif
