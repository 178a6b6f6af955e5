/* Greeks beside those of the references: the same difference quotients of independent prices.
 *
 * A reference's Greek is D = (4 D(h/2) - D(h)) / 3 of its prices (L. F. Richardson, Phil. Trans.
 * Royal Society A 210 (1911) 307-357), where D(h) has an error of h^2 (2 D(h/2) - D(h) where only
 * one side is left). That takes references that are exact but for rounding and quadrature: noise
 * would drown it. Of scripts, which are simulated, it is the mean of D(h) of independent parts,
 * each of which has the same paths in all scenarios, and their spread is its error. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_GREEK_CHECK_H
#define PRICER_APP_PRICING_RISK_GREEKS_GREEK_CHECK_H

#include "models/base/complaints.h"
#include "app/pricing/base/estimate.h"
#include "app/pricing/base/risk.h"
#include "kernels/ranks.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The inputs of a check of Greeks. */
struct greek_check {
    const struct market *market;
    const struct trade *trades;
    const struct estimate *estimates; /* those without reference have no Greek of it either */
    uint64_t paths; /* that the Greeks were made with, which their bumps depend on */
    int threads;
    const struct stop *stop;
    const struct ranks *ranks; /* who else checks; NULL: nobody */
    double *seconds;           /* [trade] of a thread, to which what its check took is added */
};

/* Fills reference, reference_error and z of risk->greeks where there is such a reference; z stays
 * NaN, and the Greek unchecked, where the reference's error is more than the Greek's own and than a
 * tenth of the Greek, and the two do not disagree. Each
 * further away than judge_limit() allows for that many is told of in `notes` and counted in
 * risk->n_disagree. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status greeks_check(const struct greek_check *check, struct risk *risk,
                         struct complaints *notes);

/* How many Greeks there are, were checked, and lie beyond the limit for that many. */
struct greek_counts {
    int all, checked, beyond;
    double limit;
};
struct greek_counts greeks_count(const struct risk *risk);

#endif
