/* Writing the results of a run to a file of the type that its name tells, .csv or .json, to
 * standard output (-, -.csv, -.json), or to a folder (FOLDER/) of files with a row for each number.
 */
#ifndef PRICER_APP_OUTPUT_RESULTS_FILE_H
#define PRICER_APP_OUTPUT_RESULTS_FILE_H

#include <stdio.h>

#include "app/api/result_table.h"
#include "app/output/results.h"
#include "models/base/status.h"
#include "models/base/stop.h"

/* Tells whether an output is standard output, or a folder. */
bool output_is_stdout(const char *path);
bool output_is_folder(const char *path);

/* Checks the name and the place of a file, and makes a folder: STATUS_BAD_INPUT where the name
 * tells no type that can be written, STATUS_FILE where the place cannot be written to; one line
 * each. STATUS_NO_MEMORY. */
enum status output_check(const char *path, struct message *why);

/* Writes the file, or each of a folder, all of it or nothing: the old one stays on any error and
 * where `stop` (NULL: never) asks for the end. STATUS_FILE and one line, STATUS_INTERRUPTED,
 * STATUS_NO_MEMORY. */
enum status output_write(const char *path, const struct results *results, const struct stop *stop,
                         struct message *why);

/* Goes up where a reader of results might have to change (docs/results.schema.json). */
enum { JSON_SCHEMA_VERSION = 1 };

/* Writes {"schema_version": 1, "trades": [...], "aggregates": [...], "risk": {...}, "manifest":
 * {...}}, as docs/results.schema.json describes it. Errors stay in the stream.
 * (results_json.c) */
void json_write(FILE *out, const struct results *results);

/* Writes rows first .. end - 1, which `write` prints one by one, in their order: some on each
 * thread at a time. */
typedef void row_writer(FILE *out, const struct results *results, int row);
void results_write_rows(FILE *out, const struct results *results, int first, int end,
                        row_writer *write);

/* Writes numbers as further members of an object. */
void json_numbers(FILE *out, int count, const char *const *names, const double *numbers);

/* ---- comma-separated values ------------------------------------------------------------------ */

/* Names the file of a folder that table `kind`, the first N_LONG_FILES of them, is written to.
 * STATUS_FILE and one line where the name is too long. */
enum { N_LONG_FILES = PRICER_TABLE_TOTALS + 1, PATH_ROOM = 4096 };
enum status long_file_name(const char *folder, int kind, char path[PATH_ROOM], struct message *why);

/* Writes one text field: in quotes where it must be, after a ' where a spreadsheet would see a
 * formula. */
void csv_text(FILE *out, const char *text);

/* Writes one number, which reads back to the same bits; nothing where it is not finite. */
void csv_number(FILE *out, double number);

/* Writes numbers, each after a comma. */
void csv_numbers(FILE *out, int n, const double *numbers);

#endif
