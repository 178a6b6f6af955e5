/* The results of a run as every output shows them: its columns, its totals. */
#ifndef PRICER_APP_OUTPUT_RESULTS_H
#define PRICER_APP_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "models/base/text.h"
#include "app/api/run_results.h"
#include "kernels/engine.h"

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

#endif
