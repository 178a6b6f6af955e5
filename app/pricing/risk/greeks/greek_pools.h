/* Trades whose Greeks come from the same bumps: the same assets, similar expiries, payoffs alike in
 * whether they jump, levels watched at every moment about as near.
 *
 * A bump must fit the spread of the spot at expiry. With b the bump over S sigma sqrt(T), a central
 * second difference at a kink has a variance that falls as 1 / b and a bias that grows as b^2; at a
 * jump the variance of the first difference does, and that of the second as 1 / b^3 (P. Glasserman,
 * Monte Carlo Methods in Financial Engineering, Springer 2003, 7.1). Sizes go with the number of
 * paths as n^(-1/5), which is best where the variance is that of a jump. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_GREEK_POOLS_H
#define PRICER_APP_PRICING_RISK_GREEKS_GREEK_POOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/pricing/base/risk.h"
#include "models/base/status.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* How far bumps of a spot may go beside levels that a trade looks at soon: what it pays turns
 * there, and until the date of the look the spot moves little. A bump that goes with the spread at
 * the expiry would be several deviations wide there, and see little of a digital that is fixed
 * tomorrow. */

/* The widest bumps, over the spot and its volatility a year, at 2^20 paths; HUGE_VAL: of any width.
 * `watched` is the distance of the nearest level that a script watches at every moment, over the
 * spot; a comparison of a script looks at a sum of so many squares, as a realised variance; 0: at
 * none; whether one turns on which of assets that move alike leads. */
struct turns {
    double delta, gamma, watched;
    int squares;
    bool leads;
};

/* Finds them for a trade; `years` stand for its expiry, and `widest` has the bumps that it would
 * have without. STATUS_NO_MEMORY. */
enum status turns_find(const struct market *market, const struct trade *trade, double years,
                       struct turns widest, struct turns *turns);

#define LARGEST_BUMP 0.1 /* of a spot, over the spot */

/* Greeks that come from the bumps of a pool. A level limits the bumps of spots alone: trades that
 * differ in levels share the bumps of all else, but for those of time, which go with the first
 * date. */
enum pool_greeks { POOL_OF_ALL, POOL_OF_SPOTS, POOL_OF_REST };

/* The sizes of the bumps of a pool. */
struct bump_sizes {
    double spot;       /* over S sigma sqrt(years): of gammas */
    double delta;      /* the same of delta; equal where payoffs jump */
    double volatility; /* over sigma */
    double rate;       /* a year */
    double correlation;
    double time;                /* over the first date */
    double max_spot, max_delta; /* the largest of the first two, over S sigma; HUGE_VAL: any */
};

/* A pool of trades that share their bumps. */
struct greek_pool {
    enum pool_greeks greeks;
    int n;
    int *trades;               /* [n] indices into the book, within struct greek_pools */
    const struct trade *first; /* of them; all are on its assets: */
    int n_assets, assets[TRADE_ASSETS_MAX]; /* increasing */
    int currency;                           /* that they are paid in, */
    struct quanto quanto;                   /* and its FX rates */
    double years;                           /* that stand for their expiries */
    double first_date;                      /* years: the first date of any of them */
    double last_date;                       /* the last expiry */
    double last_payment;                    /* the last that any of them pays at */
    /* years: the least from today or a date of theirs to a curve's pillar, if not there */
    double to_pillar;
    bool steps_at_pillars; /* whether paths have steps at a curve's pillars */
    /* a bump of the spot, over the spot, goes no further: at most half way to a level that is
     * watched at every moment (a barrier, the extreme so far), where the value turns */
    double max_spot_bump;
    struct turns turns; /* and beside levels that are looked at on dates */
    double correlation; /* the largest size of one of two of its assets */
    bool jumps; /* whether a small move of the spot can move a payoff by more than a little */
    bool same_exercise; /* whether early exercise can be on the same paths under two bumps */
    bool decides;       /* whether its trades are programs with decisions */
    bool exercised;     /* whether a trade of it has early exercise, or decides */
    bool linear;        /* whether its trades need no path: small bumps lose nothing */
    bool by_likelihood; /* whether its Greeks come from likelihood ratios, not from bumps, */
    bool by_slopes;     /* and those of spots alone from slopes at exercise */
    double intensity;   /* of jumps a year, the largest of an asset */
    double day;         /* years: the longest of a history, 0 where there is none, */
    bool within_day;  /* and whether no trade has a date after it: time has no whole one to move */
    bool on_tables;   /* whether an asset's steps are tables, which make a price rough, */
    double roughness; /* and the largest surface_roughness() of its assets up to last_date */
    struct bump_sizes sizes;
};

/* Returns the sizes for so many paths, by what is known of the pool. */
struct bump_sizes pool_bump_sizes(const struct greek_pool *pool, uint64_t paths);

/* Tells whether a Greek comes from the bumps of the pool. */
bool pool_has(const struct greek_pool *pool, enum greek greek);

/* All pools of a book: each trade is in one that has all of its Greeks, or in one of those of spots
 * and one of the rest. */
struct greek_pools {
    int n;
    struct greek_pool *pools; /* [n]; owned */
    int *order;               /* [trades]; owned */
};

/* Parts the trades of a book, whose Greeks take so many paths; neither their order in the book nor
 * other trades change a pool's sizes, but for `first_date`. Free with greek_pools_free.
 * STATUS_NO_MEMORY. */
enum status greek_pools_make(const struct market *market, int n_trades, const struct trade *trades,
                             uint64_t paths, struct greek_pools *pools);
void greek_pools_free(struct greek_pools *pools);

#endif
