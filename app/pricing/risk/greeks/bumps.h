/* The bumps of a pool of trades: which markets they are valued under, and which differences are its
 * Greeks. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_BUMPS_H
#define PRICER_APP_PRICING_RISK_GREEKS_BUMPS_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/base/risk.h"
#include "app/pricing/risk/greeks/greek_pools.h"
#include "app/pricing/plan/plan_build.h"
#include "kernels/plan.h"

enum { BUMP_SHOCKS = 2, BUMP_SET_CONTRASTS = MARKETS_MAX };

/* A market to value trades under: today's with some shocks, or with some time gone by. */
struct bump_scenario {
    int n_shocks;
    struct shock shocks[BUMP_SHOCKS];
    struct scenario scenario; /* but for its market */
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

/* Bump sets; begin with {0}. */
struct bump_sets {
    int n, room;
    struct bump_set *list; /* [n]; owned */
};

/* Returns the asset whose spot a contrast of slopes at exercise moves; -1: none. */
int slope_moved(const struct bump_set *set, int contrast);

/* Tells whether what a sensitivity moves matters only after the last date of a trade of the pool,
 * whose Greek of it is 0. */
bool trade_is_before(const struct market *market, const struct greek_pool *pool,
                     const struct trade *trade, const struct sensitivity *s);

/* Makes the bump sets for the Greeks of a pool but buckets after its last date; `all`: also for
 * those that the pool leaves to other methods; from central differences:
 *     a slope                     (V(+h) - V(-h)) / 2h
 *     a second slope in the same  (V(+h) - 2 V + V(-h)) / h^2
 *     in two                      (V(+,+) - V(+,-) - V(-,+) + V(-,-)) / 4 h k
 *
 * The caller frees the list, whatever is returned. STATUS_NO_MEMORY. */
enum status bumps_make(const struct market *market, const struct greek_pool *pool,
                       const struct risk *risk, bool all, struct bump_sets *sets);

/* Makes one for the value today alone, which is a Greek of copies (greek_trades.h). As
 * bumps_make. */
enum status today_bumps_make(struct bump_sets *sets);

/* Makes those for the pool's slopes at exercise (greek_trades.h), whose contrasts have no
 * sensitivity of their own: each is one for each asset. As bumps_make. */
enum status slope_bumps_make(const struct market *market, const struct greek_pool *pool,
                             const struct risk *risk, struct bump_sets *sets);

#endif
