/* Writing the results of a run to a file of the type that its name tells: .csv or .json. */
#ifndef PRICER_APP_OUTPUT_RESULTS_FILE_H
#define PRICER_APP_OUTPUT_RESULTS_FILE_H

#include <stdio.h>

#include "app/output/results.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* Checks the name and the place of a file: STATUS_BAD_INPUT where the name tells no type that can
 * be written, STATUS_FILE where the place cannot be written to; one line each. STATUS_NO_MEMORY. */
enum status output_check(const char *path, struct message *why);

/* Writes the file, all of it or nothing: the old one stays on any error and where `stop` (NULL:
 * never) asks for the end. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why);

/* Writes {"trades": [...], "risk": {...}, "manifest": {...}}. Errors stay in the stream.
 * (results_json.c) */
void json_write(FILE *out, const struct results *results);

/* ---- comma-separated values ------------------------------------------------------------------ */

/* Writes one text field: in quotes where it must be, after a ' where a spreadsheet would see a
 * formula. */
void csv_text(FILE *out, const char *text);

/* Writes one number, which reads back to the same bits; nothing where it is not finite. */
void csv_number(FILE *out, double number);

#endif
