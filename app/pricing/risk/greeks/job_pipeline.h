/* Jobs of three stages, several at a time. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_JOB_PIPELINE_H
#define PRICER_APP_PRICING_RISK_GREEKS_JOB_PIPELINE_H

#include <stdint.h>

#include "models/base/status.h"

/* A stage of job i. */
typedef enum status job_stage(void *context, int i, struct message *why);

/* Jobs 0 .. n - 1 of one kind. */
struct job_series {
    int n;
    uint64_t payoffs; /* that a job plans at most: what the memory of its plan goes with */
    void *context;    /* of its stages: */
    job_stage *prepare, *run, *finish;
};

enum {
    JOB_SERIES_MAX = 4,
    JOBS_AT_ONCE = 256, /* between prepare and finish, at most */
    /* In prepare, at most: those that run first are to be ready first, and what a team helps with
     * takes the longer, the more there is of it. Measured on 16 cores beside an H200 */
    PREPARED_AT_ONCE = 4,
    /* Payoffs of all plans that are held at once, at most: a plan takes about 700 bytes for each,
     * of which 80 are the payoff and the others its observations (scripts/make-book) */
    PAYOFFS_PLANNED = 3 << 19
};

/* Counts finished jobs; may be NULL. */
typedef void jobs_finished(void *context, uint64_t done, uint64_t total);

/* Does the jobs of up to JOB_SERIES_MAX series, each stage on some thread. Jobs are begun in one
 * order: each series in its own, and all series side by side, from the first job of each to the
 * last ones; so what is long to prepare is prepared while others run. Stages of different jobs go
 * on at the same time, but `running` jobs at most are in `run`, PREPARED_AT_ONCE in prepare, few
 * enough are between prepare and the end of `run` for their payoffs to fit into memory, and each
 * job's finish follows that of the job before and is beside no other. From prepare to finish job i
 * alone may use what its series keeps for i % JOBS_AT_ONCE. The first error in the order of jobs
 * ends it and is returned with its line; later jobs are left where they are, without finish. */
enum status run_job_pipeline(int n_series, const struct job_series *series, int running,
                             jobs_finished *progress, void *progress_context, struct message *why);

#endif
