/* Failing the calls of a library one after another, and judging what a run makes of it.
 *
 * A wrapper of each call asks fault_at() whether it fails this time. A sweep counts the calls of a
 * clean run, then fails each of them in turn, once alone and once with all after it, and has the
 * run made again without a fault. */
#ifndef PRICER_VALIDATION_TESTS_FAULT_SWEEP_H
#define PRICER_VALIDATION_TESTS_FAULT_SWEEP_H

#include <stdbool.h>

/* What a call can leave behind. */
enum held { HELD_NOTHING, HELD_EVENT, HELD_STREAM, HELD_MEMORY, HELD_PINNED, N_HELD };

/* Which call fails. */
struct fault {
    long at;          /* the at-th of those counted, from 1; 0: none */
    const char *only; /* count calls of that name alone; NULL: all */
    bool onwards;     /* and every call after it */
    bool hidden; /* it is not made, and says that all is well: what a test must be able to see */
};

/* Begins to count. */
void fault_begin(struct fault fault);

/* Ends it: every call succeeds. Returns how many were counted; *failed, which may be NULL, becomes
 * the name of the call that failed, NULL where none was reached. */
long fault_end(const char **failed);

enum fault_verdict { FAULT_NONE, FAULT_FAILS, FAULT_HIDDEN };

/* Of this call, from any thread. `name` must live on. */
enum fault_verdict fault_at(const char *name);

/* Whether a call of that name was counted, or made to fail, since the program began. */
bool fault_was_called(const char *name);
bool fault_has_failed(const char *name);

/* Counts what is held: 1 more, or -1. */
void fault_hold(enum held held, int more);

/* What a run came to. */
struct outcome {
    int status;        /* of exit */
    int lines;         /* on standard error */
    char line[512];    /* the first of them */
    char *results;     /* owned; what must not differ; NULL where there are none */
    bool results_stay; /* those of yesterday, where there are no new ones */
    long held[N_HELD]; /* after it */
};

void outcome_free(struct outcome *outcome);

struct sweep {
    const char *name;
    void (*run)(void *context, struct outcome *outcome); /* fills all but `held` */
    void *context;
    bool may_do_without; /* one line and the results are well: there is something to fall back on */
    int calls;           /* parts of a run that may be under way at once, or one by one; 0: as 1 */
    struct outcome clean;
    int runs, failures;
};

/* Makes the clean runs, and returns how many calls one has. Free with sweep_end. */
long sweep_begin(struct sweep *sweep);

/* For a sweep without sweep_begin: the one clean run. */
void sweep_hold(struct sweep *sweep);

/* One run with the fault, judged; complaints are printed. False where the call was not reached:
 * then all must be well. */
bool sweep_run(struct sweep *sweep, struct fault fault);

/* The same, and one run without a fault behind it. */
bool sweep_fault(struct sweep *sweep, struct fault fault);

/* Every step-th call up to `most`, in both ways. */
void sweep_calls(struct sweep *sweep, long most, long step);

void sweep_end(struct sweep *sweep);

/* What is wrong with the outcome of a run with a fault, NULL where nothing is. */
const char *outcome_wrong(const struct sweep *sweep, const struct outcome *outcome);

#endif
