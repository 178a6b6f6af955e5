/* The bumps of a unit of trades: which markets they are valued under, and which differences are its Greeks.
 */
#ifndef PRICER_APP_RISK_BUMPS_H
#define PRICER_APP_RISK_BUMPS_H

#include "app/risk/move.h"
#include "app/risk/risk.h"
#include "app/risk/units.h"
#include "kernels/plan.h"

enum { VIEW_MOVES = 2, BUNDLE_MEASURES = MARKETS_MAX };

/* A market to value trades under: today's with some moves, or with some time gone by. */
struct view {
    int n_moves;
    struct move moves[VIEW_MOVES];
    double time_passed; /* years */
};

/* What one call of an engine values: bumps of today's market, which is view 0 where a difference or a policy
 * of early exercise needs it. */
struct bundle {
    bool today, later; /* whether view 0 is today's; whether views move time, and are by themselves for it */
    int n_views;
    struct view views[MARKETS_MAX];
    int n_measures;
    struct measure measures[BUNDLE_MEASURES];
    int sensitivity[BUNDLE_MEASURES]; /* of each measure */
    double bump[BUNDLE_MEASURES];     /* as in struct greek_value */
};

/* Whether the bucket's volatility matters only after the last expiry of the unit, whose vega of it is 0. */
bool bucket_is_late(const struct market *market, const struct unit *unit, const struct sensitivity *bucket);

/* All Greeks of a unit but buckets that are late, from central differences:
 *     delta, vega, rho, theta, correlation   (V(+h) - V(-h)) / 2h
 *     gamma                                  (V(+h) - 2 V + V(-h)) / h^2
 *     cross gamma                            (V(+,+) - V(+,-) - V(-,+) + V(-,-)) / 4 h k
 * `bundles` is allocated; the caller frees. STATUS_NO_MEMORY. */
enum status bumps_make(const struct market *market, const struct trade *trades, const struct unit *unit,
                       const struct risk *risk, uint64_t paths, int *n, struct bundle **bundles);

#endif
