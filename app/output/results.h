/* What a run has to show: the trades with their estimates, and how these came about. Nothing is
 * owned. */
#ifndef PRICER_APP_OUTPUT_RESULTS_H
#define PRICER_APP_OUTPUT_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/base/text.h"
#include "app/pricing/estimate.h"
#include "app/pricing/risk.h"
#include "kernels/engine.h"

/* Seconds of wall clock of each phase. */
struct phases {
    double load, plan, start, price, check, risk; /* start: making the device ready */
    double check_sample; /* what a check of a sample would have taken; 0 where not known */
    double gpu_busy; /* of price, with a kernel on the GPU, the mean over several; 0 on the CPU */
    double output_began; /* of seconds_now(): files tell what the output took up to the moment of
                            writing it */
};

struct manifest {
    const char *book; /* path as given */
    const char *book_name;
    const char *valuation_date; /* "" where the book gives none */
    uint64_t seed, paths, path_steps;
    uint64_t plan_digest, results_digest;
    const char *engine;
    const char *kernel;
    const char *device;
    int threads;
    struct phases phases;
};

struct results {
    const struct market *market;
    int n;
    const struct trade *trades;       /* [n] in the book's order */
    const struct estimate *estimates; /* [n] */
    int currency;                     /* that totals are in: index into market->currencies */
    const struct risk *risk; /* Greeks, scenarios, value at risk; NULL where none were asked for */
    struct manifest manifest;
};

/* Name of the currency that totals are in. */
const char *results_total_currency(const struct results *results);

/* Today's rate from a trade's currency into that of the totals; NaN where no FX rates lead there.
 */
double results_rate(const struct results *results, int trade);

/* A sum over trades in the currency of the totals, at today's FX rates. */
struct money_total {
    int n;        /* trades in it */
    int left_out; /* that no FX rate leads from */
    double value;
    double error; /* sum of the standard errors: what it is at most */
};
void money_add(struct money_total *total, double rate, double value, double std_error);

/* The sum of one Greek: money for each unit of the same denominator, so that trades of all
 * currencies add. */
struct money_total results_greek(const struct results *results, int sensitivity);

/* How many trades have each verdict: counts [N_VERDICTS]. */
void results_count(const struct results *results, int *counts);

/* Whether a trade has control variates. */
bool results_have_controls(const struct results *results);

/* Decimals that show a number to the second digit of its error; 6 where it is certain, but for
 * rounding. */
int results_decimals(double number, double error);

/* One field of a row. `text` is NULL in a number, and number NaN where there is none, nor a text
 * that there might be. */
struct result_field {
    const char *text;
    double number;
};

/* The columns of every file: the rows of columns.def. */
enum {
#define COLUMN(name, field) COLUMN_##name,
#include "app/output/columns.def"
    N_COLUMNS
};

struct result_column {
    const char *name;
    bool in_prices; /* a column of the table `prices` of a database as well */
};
extern const struct result_column result_columns[N_COLUMNS];

/* Name of the currency that a trade is paid in; "" of a refused one whose assets are not known. */
const char *results_currency(const struct results *results, int trade);

/* Names of a trade's assets, and of their models without repetition, joined by '+'. */
struct joined_names {
    char assets[TRADE_ASSETS_MAX * (NAME_BYTES + 1)], models[128];
};
void join_names(const struct results *results, int trade, struct joined_names *names);

/* Fills the fields [N_COLUMNS] of a trade; some of them point into `names`. */
void results_row(const struct results *results, int trade, struct joined_names *names,
                 struct result_field *fields);

#endif
