/* Volatilities as the market of exchange rates quotes them, by delta, and the strikes they are of.
 *
 * D. Reiswich and U. Wystup, FX volatility smile construction, CPQF working paper 20 (2010) and
 * Wilmott 60 (2012) 58-69; I. J. Clark, Foreign Exchange Option Pricing, Wiley 2011, chapter 3. */
#ifndef PRICER_MODELS_MARKET_DELTA_QUOTES_H
#define PRICER_MODELS_MARKET_DELTA_QUOTES_H

#include "models/market/market.h"

/* How deltas, the money and butterflies of a pair are meant. */
struct delta_convention {
    enum { DELTA_SPOT, DELTA_FORWARD } delta;
    enum { MONEY_DELTA_NEUTRAL, MONEY_FORWARD } at_the_money; /* of the straddle; the forward */
    /* The volatility at which both options of a strangle are dealt; the mean of the two
     * volatilities of the smile */
    enum { BUTTERFLY_MARKET, BUTTERFLY_SMILE } butterfly;
    bool premium_adjusted; /* the premium is paid in the foreign currency */
};

/* What deltas of one expiry are made of. */
struct delta_market {
    double forward;
    double foreign_discount; /* factor of the foreign currency to the expiry */
    double time;             /* years */
};

/* Returns the delta of a call (sign 1) or put (-1). */
double delta_of_strike(const struct delta_convention *convention, const struct delta_market *market,
                       double sign, double strike, double volatility);

/* Returns the strike of a call with delta `size` or of a put with -`size`. Of the two strikes of a
 * premium-adjusted call it is the higher one; NaN where no strike has the delta. */
double strike_of_delta(const struct delta_convention *convention, const struct delta_market *market,
                       double sign, double size, double volatility);

/* Returns the strike at the money. */
double strike_at_the_money(const struct delta_convention *convention,
                           const struct delta_market *market, double volatility);

/* Quotes of one expiry: at the money, and at 25 and, where there are two, at 10 delta the risk
 * reversal (call less put) and the butterfly. */
struct delta_quotes {
    int n_deltas; /* 1 or 2 */
    double at_the_money, risk_reversal[2], butterfly[2];
};

enum { DELTA_STRIKES_MOST = 5 };

/* Makes the 1 + 2 n_deltas strikes of a surface of one expiry, increasing, and their volatilities,
 * for which it has room: such that under BUTTERFLY_MARKET the surface of this expiry gives
 * strangles the prices at which they are dealt. `market` is the one that the asset will stand in,
 * for its currency and yield. STATUS_BAD_INPUT and `why` where a volatility is not above 0, strikes
 * do not increase, no strike has a delta, or the smile holds arbitrage; STATUS_NO_MEMORY. */
enum status delta_smile(const struct asset *asset, const struct market *market,
                        const struct delta_convention *convention,
                        const struct delta_quotes *quotes, struct surface *smile,
                        struct message *why);

#endif
