/* --bench: the time of every kernel of an engine on one plan and with every setting, printed only
 * where its prices are right. */
#ifndef PRICER_APP_OUTPUT_BENCH_H
#define PRICER_APP_OUTPUT_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/engine.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The times of one kernel: the median of each phase over `runs` runs after a warm-up, in
 * seconds. */
struct bench_row {
    const char *kernel;
    int scenarios;  /* markets that it was timed under: 1, or all of the plan of scenarios */
    bool timed;     /* false: `why` says why there is no time */
    bool disagrees; /* its prices are not those of the engine's default */
    char why[160];
    int runs;
    double normals, paths, payoffs;
    struct engine_report report; /* of the last run: registers and the like */
};

/* The times of all kernels of an engine on one plan. */
struct bench {
    const char *engine;
    char device[160];
    double paths;      /* of all groups, under one scenario */
    double path_steps; /* of all groups, under one scenario */
    int n;
    struct bench_row *rows; /* [n] in the order of the engine's settings; owned */
};

/* The figures that follow from a row's times; NaN where it has none, or where there is nothing to
 * compare with. */
struct bench_figures {
    double total;             /* seconds of the three phases */
    double paths, path_steps; /* per second, of the paths phase */
    /* How many times as fast as `baseline`: the paths phase, all phases */
    double ratio, total_ratio;
};

/* Runs every kernel on the plan (or `baseline` and the one that the options name, with all its
 * settings), and those with a setting of scenarios on the plan of `scenarios` (NULL: not at all),
 * one phase after the other: prices must have the bits of the engine's default, those of `baseline`
 * may differ by 1e-12 of what a trade turns on. Kernels that this machine cannot run, or has no
 * memory for, get a row that says so. The caller frees with bench_free, whatever is returned.
 * STATUS_NO_MEMORY (of the rest), STATUS_ENGINE, STATUS_INTERRUPTED. */
enum status bench_run(const struct engine *engine, const struct plan *plan,
                      const struct plan *scenarios, const struct engine_options *options,
                      const struct market *market, const struct trade *trades, struct bench *bench,
                      struct message *why);

struct bench_figures bench_figures(const struct bench *bench, const struct bench_row *row);

/* Tells whether any kernel, or any measurement of the memory guide, disagrees. */
bool bench_disagrees(const struct bench *bench);

void bench_free(struct bench *bench);

/* Write the times for a person, in 120 columns, and as a file with every figure. Errors stay in the
 * stream. */
void bench_table(FILE *out, const struct bench *bench);
void bench_csv(FILE *out, const struct bench *bench);

#endif
