/* The sections of the page, in files of their own. Errors stay in the stream. */
#ifndef PRICER_APP_REPORT_SECTIONS_H
#define PRICER_APP_REPORT_SECTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "app/output/changes.h"
#include "app/output/results.h"
#include "app/report/report.h"
#include "models/base/status.h"

/* Write a page up to its body, with its title; and its script, which ends it. */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* Writes what the book comes to, in a table that is the page's first and fits one sheet of paper
 * with what stands above it. `changes` may be NULL. */
void page_summary(FILE *out, const struct results *results, const struct changes *changes);

/* Writes what its change since another run is made of. */
void page_change(FILE *out, const struct changes *changes);

/* Trades that have something to say first: failed, disagreeing, unchecked with a reason. */
void page_attention(FILE *out, const struct results *results);

/* Writes the first of the trades that are to be looked at, what else is, and whose change Greeks do
 * not explain; `changes` may be NULL. */
void write_first_troubles(FILE *out, const struct results *results, const struct changes *changes);

/* Writes how many trades have which verdict; no section of its own. */
void page_tiles(FILE *out, const struct results *results);

/* Writes what the book is worth. */
void page_value(FILE *out, const struct results *results);

void page_prices(FILE *out, const struct results *results);
void page_agreement(FILE *out, const struct results *results);
void page_timing(FILE *out, const struct results *results);

/* Writes by what the run can be repeated. */
void page_origin(FILE *out, const struct results *results);

/* Sections of the risk that a run found; they are left out where it found none. */
bool has_greeks(const struct results *results);
void page_greeks(FILE *out, const struct results *results);

bool has_scenarios(const struct results *results);
void page_scenarios(FILE *out, const struct results *results);
bool has_past(const struct results *results);
void page_past(FILE *out, const struct results *results);

/* Write the tables of scenarios, and of value at risk, by "asset" or by a tag. */
void page_scenarios_by(FILE *out, const struct results *results, const char *way);
void page_past_by(FILE *out, const struct results *results, const char *way);

/* The id of a table by a way, as "tails-desk". */
struct table_id {
    char text[64];
};
struct table_id table_id(const char *kind, const char *way);

/* The book by the tags of its trades. */
bool has_tags(const struct results *results);
void page_tags(FILE *out, const struct results *results);

/* Returns the move of the market that a desk speaks of (1 % of the spot, a point of volatility, a
 * basis point, a day), in the unit of the Greek's denominator. */
double greek_step(const struct results *results, int sensitivity);

/* The trades, days or scenarios that have the largest keys; NaN counts as none. */
struct ranking {
    int n, items[REPORT_RANKED]; /* largest first */
    double keys[REPORT_RANKED];
};
void rank_item(struct ranking *ranking, int item, double key);

/* Draws what a change is made of; nothing where there is nothing to draw. */
void chart_change(FILE *out, const struct change_row *row);

/* Says where trades are left out of a total because no FX rates lead to its currency. */
void write_unconverted(FILE *out, const struct results *results, int left_out);

/* ---- the market (market_section.c, asset_section.c, calibration_section.c) ------------------- */

/* Writes curves, assets and correlations. */
void page_market(FILE *out, const struct results *results);

/* Tells whether a time is one of a date, a whole number of days in a book that has dates, and
 * which.
 */
bool time_is_date(const struct results *results, double years, long *day);

/* A time as the date that it is, or in years. */
struct when_text {
    char text[32];
};
struct when_text when_text(const struct results *results, double years);

/* Writes the figures of an asset for its leaf: forwards, dividends, volatilities; and its surface
 * or the smile of its model. STATUS_NO_MEMORY. */
enum status write_asset_market(FILE *out, const struct results *results, int asset);
enum status write_asset_smiles(FILE *out, const struct results *results, int asset);

/* ---- leaves ---------------------------------------------------------------------------------- */

/* The leaves of the page: what a click on a trade, or on a group of trades, opens. They all stand
 * in one <noscript>. A browser with scripts takes that for a text, however long, and report.js
 * makes elements of the one leaf that is asked for; a browser without scripts has them all, and
 * style.css shows the one that the address names. */

/* Begins a leaf, whose id is "KIND-WAY=NAME" (`way` NULL: "KIND-NAME"); it ends with leaf_end. */
void leaf_begin(FILE *out, const char *kind, const char *way, const char *name);
void leaf_end(FILE *out);

/* Write a link to the leaf of a trade; to that of a group, which is an "asset" or the value of a
 * tag. What has no leaf is a text. */
void link_trade(FILE *out, const struct results *results, int index);
void link_group(FILE *out, const struct results *results, const char *way, const char *name);

/* Write the cell that names the row of a trade, and that of an aggregate. */
void cell_trade(FILE *out, const struct results *results, int index);
void cell_group(FILE *out, const struct results *results, const char *way, const char *name);

/* Write the leaves of all trades that the page shows, and of all groups, those of assets with their
 * market. STATUS_NO_MEMORY. */
enum status page_trade_leaves(FILE *out, const struct results *results);
enum status page_group_leaves(FILE *out, const struct results *results);

#endif
