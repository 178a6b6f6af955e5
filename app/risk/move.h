/* Moving a market: by how much a spot, volatilities, rates or a correlation lie elsewhere in a scenario.
 *
 * Implied volatilities of a surface stay at their strikes when the spot moves; zero rates, yields and Black
 * volatilities move by the same amount to every date. */
#ifndef PRICER_APP_RISK_MOVE_H
#define PRICER_APP_RISK_MOVE_H

#include "models/market/market.h"
#include "models/math/status.h"

enum moved {
    MOVED_SPOT,       /* times 1 + amount */
    MOVED_VOLATILITY, /* plus amount: Black volatilities, or sqrt(v0) and sqrt(theta) of heston and bates */
    MOVED_RATE,       /* zero rates of a currency, plus amount */
    MOVED_CORRELATION /* plus amount */
};

enum { EVERY = -1 };

struct move {
    enum moved what;
    int of;    /* index of the asset, or of the currency (a rate); EVERY: of all */
    int other; /* the second asset of a correlation */
    int date;  /* of volatilities: which date of the term structure, or row of the surface; EVERY: all */
    double amount;
};

/* A market whose curves, volatilities and dividends are its own; the rest is another's, which must outlive
 * it.
 */
struct moved_market {
    struct market market;
    int owns_correlation;
};

/* Makes `to` of `from`, the moves one after the other. STATUS_BAD_INPUT and one line where there is no such
 * market (a spot or a volatility at or below 0, total variance that falls); STATUS_NO_MEMORY. Free with
 * moved_market_free, also after a failure. */
enum status market_move(const struct market *from, int n, const struct move *moves, struct moved_market *to,
                        struct message *why);
void moved_market_free(struct moved_market *moved);

/* How many dates an asset's volatility has, each a vega bucket; 0 where its model has none. And the years to
 * one of them. */
int volatility_dates(const struct asset *asset);
double volatility_date(const struct asset *asset, int date);

/* The volatility of an asset to t years, at the money: the size that bumps are measured in. */
double asset_volatility(const struct asset *asset, double t);

#endif
