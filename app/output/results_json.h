/* Results as JSON (RFC 8259): the trades with the columns of the CSV as keys, then the manifest. */
#ifndef PRICER_APP_OUTPUT_RESULTS_JSON_H
#define PRICER_APP_OUTPUT_RESULTS_JSON_H

#include <stdio.h>

#include "app/output/results.h"

/* {"trades": [...], "manifest": {...}}. Errors stay in the stream. */
void json_write(FILE *out, const struct results *results);

#endif
