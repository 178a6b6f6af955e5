/* Writing the results of a run to a file of the type that its name tells: .csv or .json. */
#ifndef PRICER_APP_OUTPUT_RESULTS_FILE_H
#define PRICER_APP_OUTPUT_RESULTS_FILE_H

#include <stdio.h>

#include "app/output/results.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* STATUS_BAD_INPUT where the name tells no type that can be written, STATUS_FILE where the place
 * cannot be written to; one line each. STATUS_NO_MEMORY. */
enum status output_check(const char *path, struct message *why);

/* Writes the file, all of it or nothing: the old one stays on any error and where `stop` (NULL:
 * never) asks for the end. STATUS_FILE and one line, STATUS_INTERRUPTED, STATUS_NO_MEMORY. */
enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why);

/* Writes {"trades": [...], "risk": {...}, "manifest": {...}}. Errors stay in the stream.
 * (results_json.c) */
void json_write(FILE *out, const struct results *results);

#endif
