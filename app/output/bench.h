/* --bench: the time that each kernel of an engine takes for one plan, told only where its prices
 * are right. */
#ifndef PRICER_APP_OUTPUT_BENCH_H
#define PRICER_APP_OUTPUT_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "kernels/engine.h"
#include "models/market/market.h"
#include "models/payoffs/trade.h"

/* The parts of a run, each by itself, and the whole of an ordinary run, whose parts overlap. */
enum bench_phase { BENCH_NORMALS, BENCH_PATHS, BENCH_PAYOFFS, BENCH_TOTAL, N_BENCH_PHASES };

enum { BENCH_RUNS = 20 }; /* of a kernel, at most */

/* The times of one kernel. */
struct bench_row {
    const char *kernel;
    bool timed;     /* false: `why` says why there is no time */
    bool disagrees; /* its prices are not those of the engine's default */
    char why[160];
    double runs[N_BENCH_PHASES][BENCH_RUNS]; /* seconds */
    double median[N_BENCH_PHASES];
    struct engine_report report; /* of the last run: registers and the like */
};

struct bench {
    /* what is timed; the caller's */
    const struct engine *engine;
    struct engine_options options;
    struct plan plan; /* its paths become those that are timed */
    const struct market *market;
    const struct trade *trades;
    bool ladder;     /* every kernel */
    double patience; /* seconds for all runs of all kernels */

    /* what comes of it */
    uint64_t book_paths; /* that the plan had */
    int runs;            /* of each kernel, after a first one */
    double seconds;      /* that they will take, about */
    int n;
    struct bench_row *rows;           /* [n] in the order of the engine's kernels; owned */
    struct tally *expected, *tallies; /* [trade]; owned */
};

/* Chooses the kernels: those that the engine shows of itself, or with `ladder` all; or `baseline`
 * and the one that the options name. Then paths and runs, so that all takes no longer than
 * one is patient, where a run of 1024 paths does not. Each kernel runs once on these paths and must
 * give the bits of the engine's default (`baseline` may differ by 1e-12 of what a trade turns on);
 * one that disagrees or cannot run here will not be timed. Release with bench_free.
 * STATUS_NO_MEMORY, or what an engine returns. */
enum status bench_begin(struct bench *bench, struct message *why);

/* Runs the kernels in turn, as often as was chosen and time allows, and takes medians. What an
 * engine returns. */
enum status bench_time(struct bench *bench, struct message *why);

/* Returns whether the prices of some kernel were wrong. */
bool bench_disagrees(const struct bench *bench);

void bench_free(struct bench *bench);

/* Write what will be timed, and the times for a person, in 120 columns; and a file with every
 * figure of a struct bench, as output_file_write() calls it. Errors stay in the stream. */
void bench_head(FILE *out, const struct bench *bench);
void bench_table(FILE *out, const struct bench *bench);
void bench_csv(FILE *out, const void *bench);

#endif
