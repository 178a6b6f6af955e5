/* The market that a run used: curves and correlations on the page, what an asset has in its leaf.
 */
#ifndef PRICER_APP_REPORT_MARKET_SECTION_H
#define PRICER_APP_REPORT_MARKET_SECTION_H

#include <stdio.h>

#include "app/output/results.h"
#include "models/base/status.h"

/* Writes curves, assets and correlations. */
void page_market(FILE *out, const struct results *results);

/* Writes a time as the date that it is, or in years where the book has no dates. */
void write_when(FILE *out, const struct results *results, double years);

/* Writes the figures of an asset for its leaf: forwards, dividends, volatilities; and its surface
 * or the smile of its model. STATUS_NO_MEMORY. */
enum status write_asset_market(FILE *out, const struct results *results, int asset);
enum status write_asset_smiles(FILE *out, const struct results *results, int asset);

/* Returns the forward of an asset with its cash dividends, in its currency. */
double forward_at(const struct market *market, int asset, double years);

#endif
