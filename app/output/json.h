/* Results as JSON (RFC 8259): the trades with the columns of the CSV as keys, then the manifest. */
#ifndef PRICER_APP_OUTPUT_JSON_H
#define PRICER_APP_OUTPUT_JSON_H

#include <stdio.h>

#include "app/output/results.h"

/* {"trades": [...], "manifest": {...}}. Errors stay in the stream. */
void json_write(FILE *out, const struct results *results);

/* A text in quotes; bytes that are no UTF-8 become the replacement character. */
void json_text(FILE *out, const char *text);

/* A number, which reads back to the same bits; null where it is not finite. */
void json_number(FILE *out, double number);

#endif
