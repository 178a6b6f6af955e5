/* The `market` group of a book. */
#ifndef PRICER_APP_CONFIG_READ_MARKET_H
#define PRICER_APP_CONFIG_READ_MARKET_H

#include "app/config/reader.h"

/* Reads currencies, assets and correlations, and leaves their names with the reader for the trades
 * to be read. Complaints go to the reader; the caller frees `market` with market_free in any case,
 * and the reader's names. */
void read_market(struct reader *reader, const config_setting_t *group, struct market *market);

/* ---- numbers by term ------------------------------------------------------------------------- */

/* Makes a term structure from the curve of `table` where `at` is given, else flat at `rate`.
 * Complaints go to the reader; after one, `term` may be empty. The caller frees it with term_free
 * in any case. */
void read_rates(struct reader *reader, const config_setting_t *at, const struct key_table *table,
                double rate, struct term_structure *term);

/* Makes the asset's yield such that its forwards are those of a group { times; prices }, or {
 * times; points; scale } above its spot, at the rate of its currency. As above. */
void read_forwards(struct reader *reader, const config_setting_t *at, bool points,
                   const struct term_structure *rate, struct asset *asset);

/* Adds to the asset's yield the basis of a group { times; yields } where `at` is given, else a flat
 * one. As above. */
void read_basis(struct reader *reader, const config_setting_t *at, double rate,
                struct asset *asset);

/* Fills the spot of an exchange rate, or of an asset that is converted to another currency, from a
 * group { of; correlation }, and its variance where a correlation is given. */
void read_cross(struct reader *reader, const config_setting_t *group, const config_setting_t *at,
                struct asset *asset);

/* Notes exchange rates of the assets in `list` that contradict others: the same two currencies by
 * another spot or with a correlation that is not 1 or -1, and a cross whose legs have another
 * correlation, make another forward or do not allow its volatility. What has been read is without
 * complaint. */
void note_rates(struct reader *reader, const config_setting_t *list, const struct market *market);

/* Returns the correlation of a cross, asset i, with asset k that its legs imply, by variances of a
 * year, which it and its legs have. */
double implied_correlation(const struct market *market, int i, int k);

/* Notes crosses that trades put beside an asset with another correlation than their legs imply, and
 * those of trades whose Greeks are asked for, which know the cross alone. What has been read is
 * without complaint, and `group` is that of the market. */
void note_crosses(struct reader *reader, const config_setting_t *group, const struct market *market,
                  int n_trades, const struct trade *trades, bool greeks);

/* Makes total variance from a number or from a group { times; vols }. As above. */
void read_volatility(struct reader *reader, const config_setting_t *at,
                     struct term_structure *variance);

/* Tells whether the forwards of an asset are known: its yield, and the rate of its currency. */
static inline bool has_curves(const struct reader *reader, const struct asset *asset)
{
    return asset->yield.n && asset->currency >= 0 && asset->currency < reader->n_currencies &&
           reader->currencies[asset->currency].rate.n;
}

/* ---- volatilities by expiry and strike ------------------------------------------------------- */

/* Fills the surface from { times; strikes; vols = ( [...], ... ) }, one row a time. Complaints go
 * to the reader; after one the surface may be empty. market_free frees it in any case. */
void read_surface(struct reader *reader, const config_setting_t *at, struct surface *surface);

/* Fills the asset's quotes by delta and the surface that is made of them, at the strikes that they
 * are of under the asset's spot and curves. As read_surface. */
void read_delta_surface(struct reader *reader, const config_setting_t *at, struct asset *asset);

/* Fills the asset's dividends from a list ( { time; amount; }, ... ) whose times increase; an empty
 * list has none. Complaints go to the reader; market_free frees the dividends in any case. */
void read_dividends(struct reader *reader, const config_setting_t *list, struct asset *asset);

/* Fills the asset's falls from a list ( { time; fraction; }, ... ) whose times increase, and adds
 * them to its yield. As read_dividends. */
void read_fractions(struct reader *reader, const config_setting_t *list, struct asset *asset);

/* Gives the asset the falls of another, and adds them to its yield. market_free frees them. */
void take_falls(struct reader *reader, const struct term_structure *falls, struct asset *asset);

/* ---- correlations ---------------------------------------------------------------------------- */

/* Fills market->correlation: unit diagonal, `value` where no pair is given, what its legs imply of
 * a cross whose volatility these make and that is in no pair, zero with past returns, which have no
 * normals to be correlated. `list` may be NULL, and so may `general`: then pairs that
 * are not given are missing. A matrix that is not positive semi-definite is complained of.
 * Complaints go to the reader, and so does what check_correlations() needs. */
void read_correlations(struct reader *reader, const config_setting_t *list,
                       const config_setting_t *general, double value, struct market *market);

/* Tells whether two assets have normals whose correlation the market does not give. */
bool lacks_correlation(const struct reader *reader, int a, int b);

/* Complains at `at` of correlations that are missing and that the trade is priced with: those of
 * its assets, and those of assets with the exchange rate that converts them. */
void check_correlations(struct reader *reader, const config_setting_t *at,
                        const struct trade *trade);

/* ---- models ---------------------------------------------------------------------------------- */

/* The models' names, in their order, separated by blanks. */
extern const char model_words[];

/* Says which rows of a table of assets a model must have, and which it has not. */
void model_rows(enum model model, const struct key_table *table, uint64_t *must, uint64_t *none);

/* Checks that an asset's group has the keys that its model is made of and none of another's, and
 * reads its volatilities. Its model is known, `heston` and `jumps` have been read. Complaints and
 * notes go to the reader. */
void read_model(struct reader *reader, const config_setting_t *group, struct asset *asset);

/* Checks that the surface of asset i is free of arbitrage, and fits a model to it that takes
 * parameters: the asset and its currency have been read without complaint. Does nothing for an
 * asset without a surface. */
void check_surface(struct reader *reader, const config_setting_t *group,
                   const struct market *market, int i);

/* Notes each asset whose trades ask more of its model than paths can give: trades that expire after
 * the square of its spot has ceased to have a finite mean, steps too coarse for full truncation,
 * jumps that make the mean of what is hardly ever drawn. What has been read is without complaint,
 * and `group` is that of the market. */
void note_models(struct reader *reader, const config_setting_t *group, double max_step,
                 const struct market *market, int n_trades, const struct trade *trades);

#endif
