/* Shocking a market: by how much a spot, volatilities, rates, yields, dividends, a correlation or a
 * parameter of a model lie elsewhere in a scenario.
 *
 * Implied volatilities of a surface stay at their strikes when the spot moves; zero rates, yields
 * and Black volatilities move by the same amount to every date. */
#ifndef PRICER_APP_PRICING_BASE_MARKET_SHOCK_H
#define PRICER_APP_PRICING_BASE_MARKET_SHOCK_H

#include <stdbool.h>

#include "models/market/market.h"
#include "models/base/status.h"

enum shock_kind {
    SHOCK_SPOT, /* times 1 + amount */
    /* Plus amount: Black volatilities, or sqrt(v0) and sqrt(theta) of heston and bates */
    SHOCK_VOLATILITY,
    /* The same; of a model that was fitted to volatilities by what that makes of its parameters */
    SHOCK_FITTED,
    SHOCK_LEGS,  /* the volatility of a cross, made anew of its legs': by `amount` at most */
    SHOCK_QUOTE, /* a quote by delta, plus amount: its expiry is made anew */
    SHOCK_RATE,  /* zero rates of a currency, plus amount */
    SHOCK_YIELD, /* of an asset, plus amount */
    SHOCK_CASH_DIVIDEND, /* plus amount */
    SHOCK_FALLS,         /* proportional dividends: years that come nearer */
    SHOCK_CORRELATION,   /* plus amount */
    SHOCK_NOTHING,
#define PARAMETER(NAME, ...) SHOCK_##NAME, /* plus amount */
#include "models/market/parameters.def"
#undef PARAMETER
    N_SHOCKS
};

#define SHOCK_PARAMETERS (SHOCK_NOTHING + 1) /* the shock of the first of parameters.def */

enum { EVERY = -1 };

/* A shock: what of a market lies elsewhere, and by how much. */
struct shock {
    enum shock_kind kind;
    int target; /* index of the asset, or of the currency (a rate); EVERY: of all */
    int other;  /* the second asset of a correlation */
    /* Of volatilities: which date of the term structure, or row of the surface, and which strike,
     * or quote by delta, of that; of rates and yields: which date of the curve; which cash
     * dividend. EVERY: all */
    int date, at;
    double amount;
};

/* A market whose curves and volatilities are its own where they are shocked; the rest is another's,
 * which must outlive it. */
struct shocked_market {
    struct market market;
    bool *owns_rate, *owns_asset; /* [currency], [asset] */
    bool owns_correlation;
};

/* Makes `to` of `from`, the shocks one after the other. STATUS_BAD_INPUT and one line where there
 * is no such market (a spot or a volatility at or below 0, total variance that falls);
 * STATUS_NO_MEMORY. Free with shocked_market_free, also after a failure. */
enum status shock_market(const struct market *from, int n, const struct shock *shocks,
                         struct shocked_market *to, struct message *why);
void shocked_market_free(struct shocked_market *shocked);

/* Writes by how much SHOCK_FITTED moves each parameter of a fitted model. */
void parameter_moves(const struct asset *asset, const struct shock *shock,
                     double moves[N_PARAMETERS]);

/* Returns what a shock of a correlation or of a model's parameter moves, and what that may be; 0
 * and no bounds of others. */
struct bounded {
    double value, least, most;
};
struct bounded shocked_value(const struct market *market, const struct shock *shock);

/* Returns how many dates an asset's volatility has, each a vega bucket; 0 where its model has none.
 * And the years to one of them. */
int volatility_dates(const struct asset *asset);
double volatility_date(const struct asset *asset, int date);

/* Returns the volatility of an asset to t years, at the money: the size that bumps are measured
 * in. */
double asset_volatility(const struct asset *asset, double t);

#endif
