/* --report: a run as one page of HTML that needs nothing beside itself.
 *
 * Every number stands in tables that need no JavaScript. Charts repeat them as pictures, SVG that
 * the sections draw (svg.h). The page asks for nothing: its Content-Security-Policy names the
 * hashes of its own style and scripts and forbids all else. Texts of the book (ids, names,
 * messages) are escaped wherever they stand. */
#ifndef PRICER_APP_REPORT_REPORT_H
#define PRICER_APP_REPORT_REPORT_H

#include "app/output/changes.h"
#include "app/output/results.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* Rows of tables and points of charts are bounded, so that a page stays readable: what is left out
 * is counted beside them. */
enum {
    REPORT_TRADES = 10000,  /* rows of prices, and points of charts */
    REPORT_TROUBLES = 1000, /* trades that failed, disagree or are unchecked */
    REPORT_GREEKS = 20000,  /* Greeks of trades */
    REPORT_RANKED = 40      /* trades ranked by what they lose */
};

/* Makes the folder `charts`, which ends in /, for its charts, a picture each (NULL: none), and
 * tells whether the files could be put there. STATUS_FILE and one line; STATUS_NO_MEMORY. */
enum status report_possible(const char *page, const char *charts, struct message *why);

/* Writes the files, with the changes since another run where they are not NULL, all of each or
 * nothing: old ones stay on any error and where `stop` (NULL: never) asks for the end. STATUS_FILE
 * and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status report_write(const char *page, const char *charts, const struct results *results,
                         const struct changes *changes, const struct stop *stop,
                         struct message *why);

/* Writes a page of what changed between two runs: `text` tells all of it for a person, the nights
 * in its first two lines. Errors stay in the stream. (change_section.c) */
void report_changes(FILE *out, const struct changes *changes, const char *text);

#endif
