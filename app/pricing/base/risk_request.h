/* What a book asks beside prices: its `risk` group and `settings.greeks`. */
#ifndef PRICER_APP_PRICING_BASE_RISK_REQUEST_H
#define PRICER_APP_PRICING_BASE_RISK_REQUEST_H

#include <stdint.h>

#include "app/pricing/base/market_shock.h"

/* One market that the book is valued under: today's, shocked. */
struct scenario_request {
    char *name; /* owned */
    int n_shocks;
    struct shock *shocks; /* [n_shocks]; owned */
};

enum { CONFIDENCES_MAX = 8 };

/* The risk numbers that a book asks for. */
struct risk_request {
    unsigned greeks; /* bit g: enum greek g */
    int currency;    /* that totals are in: index into market.currencies */
    int64_t paths;   /* of scenarios and history, as asked; 0: a quarter of the book's */

    int n_scenarios;
    struct scenario_request *scenarios; /* owned */

    int n_days; /* of the past; 0: no value at risk is asked for */
    /* [n_days] the shocks of the market up to that date, in horizon_days; owned */
    struct scenario_request *days;
    int horizon_days;
    int n_confidences;
    double confidences[CONFIDENCES_MAX]; /* increasing, above 0.5 and below 1 */
};

void scenario_requests_free(int n, struct scenario_request *requests);
void risk_request_free(struct risk_request *request);

#endif
