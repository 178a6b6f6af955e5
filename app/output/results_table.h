/* Results as a table for a person, on standard output. */
#ifndef PRICER_APP_OUTPUT_RESULTS_TABLE_H
#define PRICER_APP_OUTPUT_RESULTS_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/output/results.h"

enum {
    TABLE_ROWS = 100,    /* trades shown of a large book, besides those that failed or disagree */
    TABLE_TROUBLES = 100 /* and of these */
};

struct table_look {
    bool colour;
    int width; /* of the terminal: tables keep to it where that can be; 0: of any width */
    int n_ways;
    const char **ways; /* [n_ways] that the book is added up in as well: "asset", or a tag */
};

/* Writes the rows, what went wrong with whom, what the risk found, and one line of totals. Errors
 * stay in the stream. */
void table_write(FILE *out, const struct results *results, const struct table_look *look);

/* Writes one line for each trade in trouble, with its place in the book and the reason; refused
 * ones, which its reader has complained of, where they are wanted. */
void troubles_write(FILE *out, const struct results *results, bool refused);

#endif
