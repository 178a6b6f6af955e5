/* What a part of a book brings to its value at risk and its expected shortfall.
 *
 * Both are sums over days of weights times the whole's losses, the weights being those of the
 * whole's own order of days: all on one day, or spread over the days beyond (value_at_risk.h). The
 * part's loss under these weights is its *component*: the derivative of the whole's number with
 * respect to the size of the part (Euler's allocation; D. Tasche, Capital Allocation to Business
 * Units and Sub-Portfolios: the Euler Principle, arXiv:0708.2542, 2008), and components of parts
 * that make up the whole add up to it. Its *incremental* number is the whole's less that of
 * the book without the part. */
#ifndef PRICER_APP_PRICING_RISK_PNL_RISK_CONTRIBUTION_H
#define PRICER_APP_PRICING_RISK_PNL_RISK_CONTRIBUTION_H

#include "app/pricing/risk/pnl/value_at_risk.h"

/* The days of a past as some trades lived through them. */
struct tail_days {
    const struct pnl *days; /* [n] */
    struct pnl_blocks blocks;
};

/* Makes the contribution of a part to the whole; errors are those of the spread over blocks. All
 * NaN where a day is no number. STATUS_NO_MEMORY. */
enum status risk_contribution_make(int n, const struct tail_days *whole,
                                   const struct tail_days *part, double confidence,
                                   struct risk_contribution *contribution);

#endif
