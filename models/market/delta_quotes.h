/* Volatilities as the market of exchange rates quotes them, by delta, and the strikes they are of.
 *
 * D. Reiswich and U. Wystup, FX volatility smile construction, CPQF working paper 20 (2010) and
 * Wilmott 60 (2012) 58-69; I. J. Clark, Foreign Exchange Option Pricing, Wiley 2011, chapter 3. */
#ifndef PRICER_MODELS_MARKET_DELTA_QUOTES_H
#define PRICER_MODELS_MARKET_DELTA_QUOTES_H

#include "models/market/market.h"

/* Their names, as a book writes them. */
extern const char *const delta_quote_names[N_DELTA_QUOTES];

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

/* Makes the strikes of one expiry of an asset's surface, increasing, and their volatilities of its
 * quotes: such that under BUTTERFLY_MARKET the surface of this expiry gives strangles the prices at
 * which they are dealt. `market` is the one that the asset stands in, or will, for its currency.
 * STATUS_BAD_INPUT and `why` where a volatility is not above 0, strikes do not increase, no strike
 * has a delta, or the smile holds arbitrage; STATUS_NO_MEMORY. */
enum status delta_smile(const struct market *market, const struct asset *asset, int date,
                        struct message *why);

#endif
