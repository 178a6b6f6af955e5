/* The results of a run as every output shows them, its columns and totals; and what writes them. */
#ifndef PRICER_APP_OUTPUT_RESULTS_H
#define PRICER_APP_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/api/result_table.h"
#include "app/api/run_results.h"
#include "kernels/engine.h"
#include "models/base/status.h"
#include "models/base/stop.h"
#include "models/base/text.h"

/* Today's rate from a trade's currency into that of the totals; NaN where no FX rates lead there.
 */
double results_rate(const struct results *results, int trade);

/* Adds a trade's money to a sum; errors are added, as if they all went together. */
void money_add(struct money_total *total, double rate, double value, double std_error);

/* Returns the sum of one Greek over an aggregate; 0 is the whole book. */
struct money_total results_greek(const struct results *results, int sensitivity, int aggregate);

/* Returns what the risk has of aggregate i of results->sums; NULL where it has nothing. */
const struct aggregate *results_aggregate(const struct results *results, int i);

/* Tells whether a trade was over before today: it has expired, or was called, and owes nothing. */
bool results_is_over(const struct results *results, int index);

/* How many trades have each verdict: counts [N_VERDICTS]. */
void results_count(const struct results *results, int *counts);

/* Fills `columns` [N_COLUMNS] with the columns that the report, or the terminal, shows. Returns how
 * many. */
int results_shown(const struct results *results, enum column_trait place, int *columns);

/* ---- risk ------------------------------------------------------------------------------------ */

/* The columns that Greeks and scenarios add to the row of a trade: a value and its standard error
 * each. risk_columns() returns how many there are; 0 for NULL. */
int risk_columns(const struct risk *risk);

/* Writes the name of one: "delta:SX5E", "delta_se:SX5E", ..., then "pnl:crash", "pnl_se:crash",
 * ... */
enum { RISK_NAME_ROOM = 640 }; /* two names and words between them */
void risk_column_name(const struct risk *risk, int column, char name[RISK_NAME_ROOM]);

/* Returns the number of a trade in it; NaN where there is none. */
double risk_column_value(const struct risk *risk, int column, int trade);

/* The names in files of the numbers that a Greek begins with. */
extern const char *const greek_numbers[GREEK_NUMBERS];

/* ---- as a table for a person (results_table.c) ------------------------------------------------
 */

struct table_look {
    bool colour;
    int width; /* of the terminal: tables keep to it where that can be; 0: of any width */
    int n_ways;
    const char **ways; /* [n_ways] that the book is added up in as well: "asset", or a tag */
};

/* Writes the rows, what went wrong with whom, what the risk found, and one line of totals. Errors
 * stay in the stream. */
void table_write(FILE *out, const struct results *results, const struct table_look *look);

/* Writes one line for each trade in trouble, with its place in the book and the reason; refused
 * ones, which its reader has complained of, where they are wanted. */
void troubles_write(FILE *out, const struct results *results, bool refused);

/* ---- in files: of the type that the name tells, .csv or .json, on standard output (-, -.csv,
 * -.json), or in a folder (FOLDER/) of files with a row for each number (results_file.c) ---- */

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
