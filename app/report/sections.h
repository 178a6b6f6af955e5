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

/* Writes the trades that changed most. */
void page_changed_trades(FILE *out, const struct changes *changes);

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

/* Writes a table for each surface whose vegas at strikes the run has: expiry by strike, in money.
 */
void write_vega_matrices(FILE *out, const struct results *results);
bool has_scenarios(const struct results *results);
void page_scenarios(FILE *out, const struct results *results);
bool has_past(const struct results *results);
void page_past(FILE *out, const struct results *results);

/* Write the tables of scenarios, and of value at risk, by "asset" or by a tag. */
void page_scenarios_by(FILE *out, const struct results *results, const char *way);
void page_past_by(FILE *out, const struct results *results, const char *way);

/* The book by the tags of its trades. */
bool has_tags(const struct results *results);
void page_tags(FILE *out, const struct results *results);

/* Returns the move of the market that a desk speaks of (1 % of the spot, a point of volatility, a
 * basis point, a day), in the unit of the Greek's denominator. */
double greek_step(const struct results *results, int sensitivity);

/* The trades (or days) that have the largest keys; NaN counts as none. */
struct ranking {
    int n, ones[REPORT_RANKED]; /* largest first */
    double keys[REPORT_RANKED];
};
void rank_trade(struct ranking *ranking, int trade, double key);

/* Write the charts, each a figure; nothing where there is nothing to draw. */
void chart_prices(FILE *out, const struct results *results);
void chart_precision(FILE *out, const struct results *results);
void chart_histogram(FILE *out, const struct results *results);
void chart_z(FILE *out, const struct results *results);
void chart_greeks(FILE *out, const struct results *results);
void chart_scenarios(FILE *out, const struct results *results);
void chart_trades(FILE *out, const struct results *results);
void chart_change(FILE *out, const struct change_row *row);
void chart_past(FILE *out, const struct results *results);
void chart_days(FILE *out, const struct results *results);

/* Tells whether a scenario is a cell of a grid of spot by volatility, by its name. */
bool is_of_grid(const char *scenario);

/* Returns how many trades were compared with a reference. */
int count_checked(const struct results *results);

/* Says where trades are left out of a total because no FX rates lead to its currency. */
void write_unconverted(FILE *out, const struct results *results, int left_out);

#endif
