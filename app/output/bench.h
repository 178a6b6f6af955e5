/* --bench: the time of every kernel of an engine on one plan, printed only where its prices are right. */
#ifndef PRICER_APP_OUTPUT_BENCH_H
#define PRICER_APP_OUTPUT_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/engine.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* What one kernel took, in seconds: the run of median time out of five, after a warm-up. */
struct bench_row {
    const char *kernel;
    double normals, paths, payoffs;
    double total;   /* their sum */
    bool timed;     /* false: `why` says why there is no time */
    bool disagrees; /* its prices are not those of the engine's default */
    char why[160];
};

struct bench {
    const char *engine;
    char device[160];
    double path_steps;
    int n;
    struct bench_row *rows; /* [n] in the order of the engine's table; owned */
};

/* Runs every kernel on the plan, one phase after the other. Prices must have the bits of the engine's
 * default; those of `baseline` may differ by 1e-12 of what a trade turns on. Kernels that this machine cannot
 * run, or has no memory for, get a row that says so. The caller frees with bench_free, whatever is returned.
 * STATUS_NO_MEMORY (of the rest), STATUS_ENGINE, STATUS_INTERRUPTED. */
enum status bench_run(const struct engine *engine, const struct plan *plan,
                      const struct engine_options *options, const struct market *market,
                      const struct trade *trades, struct bench *bench, struct message *why);

/* Whether any kernel disagrees. */
bool bench_disagrees(const struct bench *bench);

void bench_free(struct bench *bench);

/* For a person, and as a file with the same columns. Errors stay in the stream. */
void bench_table(FILE *out, const struct bench *bench);
void bench_csv(FILE *out, const struct bench *bench);

#endif
