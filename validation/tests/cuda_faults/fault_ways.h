/* A run of the program as main makes it, in this process, for a sweep of faults. */
#ifndef PRICER_VALIDATION_TESTS_FAULT_WAYS_H
#define PRICER_VALIDATION_TESTS_FAULT_WAYS_H

#include <stdbool.h>

#include "validation/tests/fault_sweep.h"

enum { WAY_ARGUMENTS = 16 };

/* A way of running the program. */
struct way {
    const char *arguments[WAY_ARGUMENTS]; /* of the command line but the output, ended by NULL */
    bool digest; /* of its results only the digest counts: engines are named in the others */
};

/* Makes and removes the folder that runs write to; their path code is kept there, too. */
void ways_begin(void);
void ways_end(void);

/* The run of a sweep; its context is a struct way. A run that takes more than 100 s ends the
 * program. */
void run_way(void *way, struct outcome *outcome);

#endif
