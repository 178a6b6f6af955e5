/* Money of other currencies that is paid in one, one unit for one, and the exchange rates under
 * whose measure its assets move then. Host only. */
#ifndef PRICER_MODELS_MARKET_QUANTO_H
#define PRICER_MODELS_MARKET_QUANTO_H

struct asset;
struct market;

enum { QUANTO_RATES_MAX = 8 };

/* Exchange rates that share one currency, which is paid; a single one pays in the currency that it
 * is quoted in. No two are of the same pair. None (n = 0): each asset pays in its own currency. */
struct quanto {
    int n;
    int fx[QUANTO_RATES_MAX]; /* [n] indices into market.assets, increasing */
};

/* Compares by the rates in turn: 0 where they are the same. None come first. */
int quanto_compare(const struct quanto *a, const struct quanto *b);

/* Returns the index of the currency that is paid, of at least one rate; -1 where they share none.
 */
int quanto_currency(const struct asset *assets, const struct quanto *quanto);

/* Returns the currency that a rate leads to from another one, -1 where it is not a rate of that. */
int other_currency(const struct asset *fx, int currency);

/* Returns the index of the rate between the currency of an asset and that which is paid: -1 where
 * these are one, or there is no quanto. Where no rate leads there it is the first, which the steps
 * of the asset refuse. */
int quanto_rate(const struct asset *assets, const struct quanto *quanto, int asset);

/* Returns the correlation of an asset with what a unit of its currency is worth in the other one of
 * an exchange rate: that with the rate, or its opposite where the rate is quoted the other way. */
double worth_correlation(const struct market *market, int asset, int fx);

#endif
