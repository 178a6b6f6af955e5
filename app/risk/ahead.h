/* Jobs of two stages: while one is run, the next is prepared on another thread. */
#ifndef PRICER_APP_RISK_AHEAD_H
#define PRICER_APP_RISK_AHEAD_H

#include "models/math/status.h"

/* A stage of job i. */
typedef enum status stage(void *context, int i, struct message *why);

/* Runs jobs 0 .. n - 1 in their order; prepare(i + 1) may go on beside run(i), but no two of one stage. The
 * first error ends it, in the order of jobs, and is returned with its line. */
enum status run_ahead(int n, stage *prepare, stage *run, void *context, struct message *why);

#endif
