/* How rough the tables of local_vol leave prices, and what differences of prices make of it.
 *
 * Each market of a bump has tables of its own, whose cells hold a spiky density a little better or
 * worse as the market moves. Differences of European prices to Black's formula at the surface's
 * volatility (local_vol_test.c, by quadrature) scatter from spot to spot, on a scale of about
 * 0.005 of it, by
 *     eps = 1e-6 r sqrt(n) S sigma sqrt(T),   n steps,
 *     r^2 the mean of (ln s(k + d) - 2 ln s(k) + ln s(k - d))^2,
 * s the local variance, d a deviation of 0.02 years, the mean over dates up to T and over k by the
 * normal law of k: as errors of single steps that are independent. Measured factors in place of
 * 1e-6, at the money: DAX of 5 July 2002 (r 0.56 to 0.8) 0.4e-6 to 1.7e-6 for T of 0.25 to 1.9
 * years and steps of 0.08 to 0.005; smooth skews and smiles (r 0.09 to 0.23) 0.5e-6 to 1.4e-6.
 *
 * Errors of unlike markets are taken as independent: sum_i w_i V_i has the error sqrt(sum_i w_i^2)
 * eps, sqrt(6) eps / h^2 for a second difference and eps / (sqrt(2) h) for a central first one.
 * Of an option out of the money by d deviations it is exp(-d^2 / 2) of that (measured at 1.5: 0.006
 * for a call, 0.2 for a put). What pays a cash amount or on a notional has it in place of S sigma
 * sqrt(T); of these, and of what is not European, nothing is measured. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_TABLE_ROUGHNESS_H
#define PRICER_APP_PRICING_RISK_GREEKS_TABLE_ROUGHNESS_H

#include "app/pricing/base/risk.h"
#include "kernels/plan.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* Returns r of an asset's surface up to a date; 0 where the model has no tables, or the surface
 * holds arbitrage, so that there are no prices. */
double surface_roughness(const struct market *market, int asset, double years);

/* Returns the standard deviation of one unit's contrast for the Greek `s` that tables bring,
 * `roughness` the largest r of the trade's assets; 0 where the Greek moves no tables. */
double contrast_roughness(const struct market *market, const struct trade *trade, double roughness,
                          double max_step, const struct sensitivity *s,
                          const struct contrast *contrast);

#endif
