/* What a run found beside prices, as one JSON object. */
#ifndef PRICER_APP_OUTPUT_RISK_JSON_H
#define PRICER_APP_OUTPUT_RISK_JSON_H

#include <stdio.h>

#include "app/output/results.h"

/* Writes results->risk, which must not be NULL. */
void risk_json_write(FILE *out, const struct results *results);

#endif
