/* What one reference may take: operations and bytes, counted by rules that depend on the trade and its market
 * alone and never timed, so that a book has the same statuses on every machine, however busy.
 *
 * An operation is about as long as an exponential and what goes with it: some nanoseconds. What a method will
 * take is counted before it is begun, or stretch by stretch with how many are to come, so that what is too
 * much is refused at once and can be named. */
#ifndef PRICER_VALIDATION_REFERENCE_EFFORT_H
#define PRICER_VALIDATION_REFERENCE_EFFORT_H

#include <stddef.h>

#include "models/math/status.h"

#define EFFORT_WORK 4e9     /* operations */
#define EFFORT_MEMORY 2.6e8 /* bytes */

/* What is left to one reference. It belongs to one thread. */
struct effort {
    const volatile int *stop;        /* nonzero: the end is asked for; may be NULL */
    double work, memory;             /* left */
    double work_asked, memory_asked; /* in all, by what was refused; 0: nothing was */
};

/* The whole budget. `stop` may be NULL. */
struct effort effort_full(const volatile int *stop);

/* Spends `work` operations now, of a stretch like which `times` are to come, this one included. To be called
 * at least every 2e7 operations, for it looks at the stop flag. An effort of NULL has no end.
 * STATUS_INTERRUPTED; STATUS_FAILED where all of them are more than is left. */
enum status effort_spend(struct effort *effort, double work, double times);

/* STATUS_FAILED where so many bytes, which a library is about to allocate for a short while, are more than is
 * left. */
enum status effort_room(struct effort *effort, double bytes);

/* Hands out an array of n zeros in `*array`, a pointer to a pointer; free with effort_free, which gives its
 * bytes back. STATUS_FAILED where they are more than is left, STATUS_NO_MEMORY; then *array is NULL. */
enum status effort_array(struct effort *effort, size_t n, size_t size, void *array);
void effort_free(void *array);

/* Whether something was refused; says what it would have needed. */
int effort_refused(const struct effort *effort, struct message *why);

#endif
