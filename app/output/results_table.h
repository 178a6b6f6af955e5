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

/* The rows, then what went wrong with whom, then one line of totals. Errors stay in the stream. */
void table_write(FILE *out, const struct results *results, bool colour);

#endif
