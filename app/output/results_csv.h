/* Results as comma-separated values (RFC 4180, lines ended by a line feed). */
#ifndef PRICER_APP_OUTPUT_RESULTS_CSV_H
#define PRICER_APP_OUTPUT_RESULTS_CSV_H

#include <stdio.h>

#include "app/output/results.h"

/* A header and one row a trade. Errors stay in the stream. */
void csv_write(FILE *out, const struct results *results);

/* One text field: in quotes where it must be, after a ' where a spreadsheet would see a formula. */
void csv_text(FILE *out, const char *text);

/* One number, which reads back to the same bits; nothing where it is not finite. */
void csv_number(FILE *out, double number);

#endif
