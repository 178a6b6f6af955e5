/* Scenarios, measures and totals of every kind on any market, for tests of plans and engines. */
#ifndef PRICER_VALIDATION_TESTS_EVERY_CONTRAST_H
#define PRICER_VALIDATION_TESTS_EVERY_CONTRAST_H

#include "app/pricing/plan/plan_scenarios.h"

enum {
    SCENARIO_TODAY,
    SCENARIO_UP,      /* every spot 1 % higher, */
    SCENARIO_DOWN,    /* lower */
    SCENARIO_RATES,   /* every rate higher */
    SCENARIO_OTHER,   /* a pillar more on the first asset's variance: another shape */
    SCENARIO_LATER,   /* a day passes, */
    SCENARIO_EARLIER, /* comes back */
    SCENARIO_FITTED,  /* as SCENARIO_UP, with policies of its own */
    EVERY_SCENARIO
};

/* The value under each scenario, by its number; then: */
enum {
    MEASURE_NOTHING = EVERY_SCENARIO, /* UP less UP */
    MEASURE_ONE,                      /* UP */
    MEASURE_DELTA,                    /* UP less DOWN */
    MEASURE_GAMMA,
    MEASURE_RHO,
    MEASURE_THETA,
    MEASURE_OTHER,
    MEASURE_FIT,
    EVERY_MEASURE
};

#define DAY (1.0 / 365.0)

enum {
    EVERY_MEASURE_ASSETS = 32,
    EVERY_MEASURE_CURRENCIES = 4,
    EVERY_MEASURE_TRADES = 160,
    EVERY_TOTAL = 3
};

struct every_contrast {
    struct market markets[EVERY_SCENARIO];
    struct asset assets[EVERY_SCENARIO][EVERY_MEASURE_ASSETS];
    struct currency currencies[EVERY_MEASURE_CURRENCIES]; /* of SCENARIO_RATES */
    double
        correlation[EVERY_MEASURE_ASSETS * EVERY_MEASURE_ASSETS]; /* of SCENARIO_DOWN, if moved */
    struct scenario scenarios[EVERY_SCENARIO];
    struct contrast contrasts[EVERY_MEASURE];
    int totals[EVERY_MEASURE_TRADES]; /* each trade in one of them, by turns, but every fourth in
                                         none */
    double quantities[EVERY_MEASURE_TRADES];
    struct contrast_list wanted;
};

/* Fills it for a market, which must outlive it; free with every_contrast_free. Returns what failed.
 */
enum status every_contrast_make(const struct market *market, struct every_contrast *of);
void every_contrast_free(struct every_contrast *of);

/* Moves, under SCENARIO_RATES, the variances of two assets under Heston, and under SCENARIO_DOWN
 * the correlations of all pairs. */
void every_contrast_bump(const struct market *market, struct every_contrast *of);

#endif
