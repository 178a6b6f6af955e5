/* Jobs of three stages, several at a time. */
#ifndef PRICER_APP_RISK_AHEAD_H
#define PRICER_APP_RISK_AHEAD_H

#include <stdint.h>

#include "models/math/status.h"

/* A stage of job i. */
typedef enum status stage(void *context, int i, struct message *why);

struct stages {
    stage *prepare, *run, *finish;
};

/* Jobs 0 .. n - 1 of one kind. */
struct series {
    int n;
    const struct stages *stages;
    void *context;
};

enum {
    SERIES_MAX = 4,
    JOBS_AT_ONCE = 16 /* between prepare and finish, at most */
};

/* Counts finished jobs; may be NULL. */
typedef void jobs_finished(void *context, uint64_t done, uint64_t total);

/* Does the jobs of up to SERIES_MAX series, each stage on some thread. Jobs are begun in one order: each
 * series in its own, and all series side by side, from the first job of each to the last ones; so what is
 * long to prepare is prepared while others run. Stages of different jobs go on at the same time, but
 * `running` jobs at most are in `run`, and each job's finish follows that of the job before and is beside no
 * other. From prepare to finish job i alone may use what its series keeps for i % JOBS_AT_ONCE. The first
 * error in the order of jobs ends it and is returned with its line; later jobs are left where they are,
 * without finish. */
enum status run_side_by_side(int n_series, const struct series *series, int running, jobs_finished *tell,
                             void *tell_context, struct message *why);

#endif
