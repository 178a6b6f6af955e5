/* Value at risk and expected shortfall from the P&L of n days of the past.
 *
 * With losses L(1) <= ... <= L(n) and k = ceil(n c), value at risk is L(k), the least loss that a
 * share c of the days does not exceed, and the shortfall is the mean of the quantiles beyond c, ES
 * = ((k - n c) L(k) + L(k+1) + ... + L(n)) / (n (1 - c)) (C. Acerbi and D. Tasche, On the coherence
 * of expected shortfall, J. Banking and Finance 26 (2002) 1487-1503).
 *
 * Two errors: the simulation's, to first order that of the same days' P&L; and that of a past of n
 * days. The latter's interval for value at risk is the one between two order statistics that holds
 * the quantile with 95 % whatever the law (H. A. David and H. N. Nagaraja, Order Statistics, Wiley
 * 2003, 7.1); that of the shortfall takes its variance as (Var(L | L > VaR) + c (ES - VaR)^2) / (n
 * (1 - c)) (B. J. Manistre and G. H. Hancock, Variance of the CTE estimator, North American
 * Actuarial J. 9 (2005) 129-156). With b = n (1 - c) days beyond, its ends are 1.96 - 1.4 / sqrt(b)
 * of this error down and 1.96 + 2.4 / sqrt(b) + 12 / b up (docs/method.md, 9). From fewer than 8
 * days beyond there is no upper end, and the lower one holds with 95 % alone. All are widened by
 * 1.96 of the simulation's. Where the past is too short for an upper end, that end is infinite. */
#ifndef PRICER_APP_PRICING_RISK_PNL_VALUE_AT_RISK_H
#define PRICER_APP_PRICING_RISK_PNL_VALUE_AT_RISK_H

#include "app/pricing/base/risk.h"
#include "models/base/status.h"

/* The days of a past as some trades lived through them. */
struct past_days {
    int n;
    const struct pnl *days; /* [n] */
    /* The same in parts of the simulation that are independent of each other and equally large:
     * [block][day]; 0: there are none */
    int n_blocks;
    const double *blocks;
};

/* Makes the value at risk of some trades. With blocks the simulation's errors are those of their
 * spread; else the value's is that of its day, and the shortfall's the mean of its days', which is
 * the largest it can be. All NaN where a day is no number. STATUS_NO_MEMORY. */
enum status value_at_risk_make(const struct past_days *past, double confidence,
                               struct value_at_risk *value_at_risk);

/* Makes what a part of a book brings to its value at risk and its expected shortfall.
 *
 * Both are sums over days of weights times the whole's losses, the weights being those of the
 * whole's own order of days: all on one day, or spread over the days beyond. The part's loss under
 * these weights is its *component*: the derivative of the whole's number with respect to the size
 * of the part (Euler's allocation; D. Tasche, Capital Allocation to Business Units and
 * Sub-Portfolios: the Euler Principle, arXiv:0708.2542, 2008), and components of parts that make up
 * the whole add up to it. Its *incremental* number is the whole's less that of the book without the
 * part. Errors are those of the spread over blocks. All NaN where a day is no number.
 * STATUS_NO_MEMORY. */
enum status risk_contribution_make(const struct past_days *whole, const struct past_days *part,
                                   double confidence, struct risk_contribution *contribution);

/* Fills the weights of losses [n] in the value at risk and in the shortfall. STATUS_NO_MEMORY. */
enum status tail_weights_make(int n, const double *losses, double confidence, double *var,
                              double *shortfall);

/* Returns the mean of values [n] and its standard error, which is infinite for fewer than two. It
 * is widened by Student's factor: 1.96 of it hold the truth 95 times of 100, however few they are.
 */
struct pnl blocks_mean(size_t n, const double *values);

#endif
