/* The bumps of a pool of trades: which markets they are valued under, and which differences are its
 * Greeks. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_BUMPS_H
#define PRICER_APP_PRICING_RISK_GREEKS_BUMPS_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/base/risk.h"
#include "app/pricing/risk/greeks/greek_pools.h"
#include "kernels/plan.h"

enum { BUMP_SHOCKS = 2, BUMP_SET_CONTRASTS = MARKETS_MAX };

/* A market to value trades under: today's with some shocks, or with some time gone by. */
struct bump_scenario {
    int n_shocks;
    struct shock shocks[BUMP_SHOCKS];
    double time_passed;   /* years */
    int partner, follows; /* as of struct scenario */
    bool fit_policies;    /* the same */
};

/* The scenarios that one call of an engine values: bumps of today's market, which is scenario 0
 * where a difference or a policy of early exercise needs it. */
struct bump_set {
    /* Whether scenario 0 is today's; whether scenarios move time, and are by themselves for it */
    bool today, later;
    int n_scenarios;
    struct bump_scenario scenarios[MARKETS_MAX];
    int n_contrasts;
    struct contrast contrasts[BUMP_SET_CONTRASTS];
    int sensitivity[BUMP_SET_CONTRASTS]; /* of each contrast */
    double bump[BUMP_SET_CONTRASTS];     /* as in struct greek_value */
};

/* Tells whether what a sensitivity moves matters only after the last date of the pool, or of a
 * trade of it, whose Greek of it is 0. */
bool pool_is_before(const struct market *market, const struct greek_pool *pool,
                    const struct sensitivity *s);
bool trade_is_before(const struct market *market, const struct greek_pool *pool,
                     const struct trade *trade, const struct sensitivity *s);

/* Returns the bump of a spot over the spot, `size` being over its spread, `most` over its
 * volatility a year. */
double pool_spot_bump(const struct market *market, const struct greek_pool *pool, double size,
                      double most, int asset);

/* Makes the bump sets for all Greeks that a pool has but buckets after its last date and, where
 * `but_others`, those that the pool leaves to other methods, from central differences:
 *     a slope                     (V(+h) - V(-h)) / 2h
 *     a second slope in the same  (V(+h) - 2 V + V(-h)) / h^2
 *     in two                      (V(+,+) - V(+,-) - V(-,+) + V(-,-)) / 4 h k
 *
 * `sets` is allocated; the caller frees. STATUS_NO_MEMORY. */
enum status bumps_make(const struct market *market, const struct trade *trades,
                       const struct greek_pool *pool, const struct risk *risk, uint64_t paths,
                       bool but_others, int *n, struct bump_set **sets);

#endif
