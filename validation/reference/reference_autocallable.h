/* What an autocallable pays, date by date. */
#ifndef PRICER_VALIDATION_REFERENCE_REFERENCE_AUTOCALLABLE_H
#define PRICER_VALIDATION_REFERENCE_REFERENCE_AUTOCALLABLE_H

#include "models/payoffs/trade.h"

struct autocallable_state {
    /* Observations without a coupon since the last one that paid; counted if the trade has
     * memory */
    int missed;
    int observations; /* made so far */
    bool called;
};

/* Returns the payment at an observation of a note that is alive, with the worst of spot over
 * initial spot: the coupons that are due, and the notional where it is called. */
double autocallable_pays(const struct trade *trade, double worst, struct autocallable_state *state);

/* Returns the payment at the expiry of a note that was never called. */
double autocallable_redeems(const struct trade *trade, double worst);

#endif
