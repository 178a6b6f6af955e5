/* The leaves of the page: what a click on a trade, or on a group of trades, opens.
 *
 * They all stand in one <noscript>. A browser with scripts takes that for a text, however long, and
 * report.js makes elements of the one leaf that is asked for; a browser without scripts has them
 * all, and style.css shows the one that the address names. */
#ifndef PRICER_APP_REPORT_LEAVES_H
#define PRICER_APP_REPORT_LEAVES_H

#include <stdio.h>

#include "app/output/results.h"
#include "models/base/status.h"

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

/* Writes what a trade's keys hold, as a list of definitions. */
void write_trade_terms(FILE *out, const struct results *results, int index);

/* Write the leaves of all trades that the page shows, and of all groups, those of assets with their
 * market. STATUS_NO_MEMORY. */
enum status page_trade_leaves(FILE *out, const struct results *results);
enum status page_group_leaves(FILE *out, const struct results *results);

#endif
