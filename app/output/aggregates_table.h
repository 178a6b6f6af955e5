/* What a book comes to by asset or by a tag, as tables for a person. */
#ifndef PRICER_APP_OUTPUT_AGGREGATES_TABLE_H
#define PRICER_APP_OUTPUT_AGGREGATES_TABLE_H

#include <stdio.h>

#include "app/output/results.h"

/* Writes values and Greeks, P&L of scenarios, and value at risk with what each part brings to it,
 * of the aggregates of one way ("asset", or a tag) and of the whole book; nothing where there is no
 * such way. Width as of table_write. */
void aggregates_table_write(FILE *out, const struct results *results, const char *way, int width);

#endif
