/* Jobs of three stages, several at a time. */
#ifndef PRICER_APP_RISK_AHEAD_H
#define PRICER_APP_RISK_AHEAD_H

#include "models/math/status.h"

/* A stage of job i. */
typedef enum status stage(void *context, int i, struct message *why);

struct stages {
    stage *prepare, *run, *finish;
};

enum { JOBS_AT_ONCE = 6 }; /* between prepare and finish, at most */

/* Does jobs 0 .. n - 1, each on some thread. What stages of different jobs do goes on at the same time, but
 * `running` jobs at most are in `run`, and finish(i) follows finish(i - 1) and is beside no other. From
 * prepare to finish job i alone may use what is kept for i % JOBS_AT_ONCE. The first error in the order of
 * jobs ends it and is returned with its line; later jobs are left where they are, without finish. */
enum status run_side_by_side(int n, int running, const struct stages *stages, void *context,
                             struct message *why);

#endif
