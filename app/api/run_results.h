/* What a run has to show: the trades with their estimates, and how these came about. */
#ifndef PRICER_APP_API_RUN_RESULTS_H
#define PRICER_APP_API_RUN_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/pricing/base/book.h"
#include "app/pricing/risk/book_sums.h"
#include "app/pricing/base/estimate.h"
#include "app/pricing/base/risk.h"
#include "app/pricing/value/rounds.h"
#include "kernels/route.h"
#include "models/base/text.h"

/* Seconds of wall clock of each phase. */
struct phases {
    double load, plan, start, price, check, risk; /* start: making the device ready */
    double check_sample; /* what a check of a sample would have taken; 0 where not known */
    double gpu_busy; /* of price, with a kernel on the GPU, the mean over several; 0 on the CPU */
    /* Of seconds_now(): files tell what the output took up to the moment of writing it */
    double output_began;
};

/* A way that groups of a plan are simulated in, and how many are. */
struct route_count {
    struct route route;
    int groups;
};

/* The facts of a run that its results state: book, plan, engine, seconds. */
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
    int n_routes;
    const struct route_count *routes; /* [n_routes] */
    struct phases phases;
};

/* All that outputs show. Nothing is owned. */
struct results {
    const struct market *market;
    int n;
    const struct trade *trades;       /* [n] in the book's order */
    const struct estimate *estimates; /* [n] */
    /* All notes of the book in the order of its file, and [n] those that a trade is priced with,
     * joined; NULL: none */
    const struct complaints *notes;
    char *const *trade_notes;
    int currency;            /* that totals are in: index into market->currencies */
    const struct risk *risk; /* Greeks, scenarios, value at risk; NULL where none were asked for */
    struct manifest manifest;
    const struct book_sums *sums; /* of the same rows */
    /* Of the trades that were priced: row i is that of trade i less the expired and refused rows
     * before it. NULL: not known */
    const struct round_log *rounds;
};

/* How many numbers a Greek, a value at risk and a contribution begin with, in the order of every
 * output. */
enum { GREEK_NUMBERS = 6, VALUE_AT_RISK_NUMBERS = 9, CONTRIBUTION_NUMBERS = 8 };
_Static_assert(offsetof(struct greek_value, method) == GREEK_NUMBERS * sizeof(double) &&
                   sizeof(struct value_at_risk) == VALUE_AT_RISK_NUMBERS * sizeof(double) &&
                   sizeof(struct risk_contribution) == CONTRIBUTION_NUMBERS * sizeof(double),
               "each is that many doubles");

/* Name of the currency that totals are in. */
const char *results_total_currency(const struct results *results);

/* Name of the currency that a trade is paid in; "" of a refused one whose assets are not known. */
const char *results_currency(const struct results *results, int trade);

/* Names of a trade's assets, and of their models without repetition, joined by '+'. */
struct joined_names {
    char assets[TRADE_ASSETS_MAX * (NAME_BYTES + 1)], models[128];
};
void join_names(const struct results *results, int trade, struct joined_names *names);

/* Adds a name to a list of that kind. */
void join_name(char *list, size_t room, const char *name);

/* ---- the columns of the rows ----------------------------------------------------------------- */

/* Decimals that show a number to the second digit of its error; 6 where it is certain, but for
 * rounding. */
int results_decimals(double number, double error);

/* One field of a row. `text` is NULL in a number, and number NaN where there is none, nor a text
 * that there might be. */
struct result_field {
    const char *text;
    double number;
    int decimals; /* that a person reads; AS_GIVEN: as many as it has */
};
enum { AS_GIVEN = -1 };

/* The rows of columns.def. Every file has every column, the report and the terminal a choice. */
enum {
#define COLUMN(name, field, traits, heading, title) COLUMN_##name,
#include "app/api/columns.def"
    N_COLUMNS
};

enum column_trait {
    IN_FILES = 0, /* and nowhere else */
    ON_PAGE = 1,
    ON_TERMINAL = 2,
    IS_TEXT = 4,
    WHERE_ANY = 8,   /* a person sees it only where a trade has something there */
    YIELDS = 16,     /* and not on too narrow a terminal */
    WHERE_MIXED = 32 /* a terminal has it where trades are paid in several currencies */
};

struct result_column {
    const char *name;
    int traits; /* of enum column_trait */
    const char *heading;
    const char *title; /* what the heading does not say; may be NULL */
    bool in_prices;    /* a column of the table `prices` of a database as well */
};
extern const struct result_column result_columns[N_COLUMNS];

/* Fills the fields [N_COLUMNS] of a trade; some of them point into `names`. NULL: those are left
 * empty. */
void results_row(const struct results *results, int trade, struct joined_names *names,
                 struct result_field *fields);

#endif
