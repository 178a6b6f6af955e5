/* The command line. */
#ifndef PRICER_APP_COMMAND_OPTIONS_H
#define PRICER_APP_COMMAND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/api/pricer.h"
#include "kernels/ranks.h"
#include "models/base/status.h"

enum { OPTIONS_GPUS = 64 };

/* What was asked for; pointers are to the arguments themselves, lists are allocated. */
struct options {
    struct pricer_options library; /* what it is opened with, without callbacks */
    const char *book;              /* NULL only with help, version or list_kernels */
    const char *explain;           /* identifier of a trade; NULL: none */
    const char *bench;             /* "", or "ladder"; NULL where nothing is to be timed */
    const char *calibrate;         /* "heston" or "bates" */
    const char *database;          /* that the run is written to */
    const char *resume;            /* the same, where an interrupted run of it is to be finished */
    const char *report;            /* page of the results */
    const char *charts;            /* folder of its charts, ends in / */
    const char *since;             /* FILE.db[:RUN] that the page compares this run with */
    int compile;                   /* a compute capability, as 90; 0 where not given */
    double max_time;               /* seconds; 0 where not given */
    int gpus[OPTIONS_GPUS];        /* [library.n_gpus] */
    int n_sets, n_bys, n_outputs;
    const char **sets;         /* [n_sets] PATH=VALUE */
    char *fixings;             /* the one of --fixings=FILE; owned, NULL where not given */
    const char **bys;          /* [n_bys] "asset", or tags */
    const char **outputs;      /* [n_outputs] FILE.csv, FILE.json, FOLDER/, -, -.csv, -.json, with
                                  --calibrate      FILE.cfg; databases are above */
    const struct ranks *ranks; /* who else works on the run; not of the command line */
    bool list_kernels, plan, all_errors, quiet, help, version;
};

/* Leaves out what a rank that follows does not do: it writes nothing. */
void options_follow(struct options *options);

/* Reads the arguments of main, which getopt may reorder. STATUS_BAD_INPUT with a sentence in `why`,
 * STATUS_NO_MEMORY. Not thread safe: getopt is not. The caller frees with options_free in any case.
 */
enum status options_read(int argc, char **argv, struct options *options, struct message *why);

/* Writes the help, made of the same table as the options. */
void options_help(FILE *stream);

void options_free(struct options *options);

/* Tells whether a path has this ending, and something before it. */
bool ends_in(const char *path, const char *end);

#endif
