/* What a run found beside prices, in a few lines for a person: totals, worst scenarios, value at
 * risk. */
#ifndef PRICER_APP_OUTPUT_RISK_TABLE_H
#define PRICER_APP_OUTPUT_RISK_TABLE_H

#include <stdio.h>

#include "app/output/results.h"

/* Writes results->risk; nothing where it is NULL. */
void risk_table_write(FILE *out, const struct results *results);

#endif
