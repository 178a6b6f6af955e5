/* What one reference may take: operations and bytes, counted by rules that depend on the trade and
 * its market alone and never timed, so that a book has the same statuses on every machine, however
 * busy.
 *
 * An operation is about as long as an exponential and what goes with it: some nanoseconds. A method
 * spends row by row, and where it has many intervals says after each what the others will take, so
 * that what is too much is refused early. */
#ifndef PRICER_VALIDATION_REFERENCE_EFFORT_H
#define PRICER_VALIDATION_REFERENCE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "models/base/status.h"
#include "models/base/stop.h"

#define EFFORT_WORK 2e9     /* operations */
#define EFFORT_MEMORY 512e6 /* bytes */

/* What is left to one reference, and all that it has allocated. It belongs to one thread. */
struct effort {
    const struct stop *stop;         /* may be NULL */
    double work, memory;             /* left */
    double work_asked, memory_asked; /* in all, by what was refused; 0: nothing was */
    bool errors_known;               /* a quadrature need not be done twice to tell its error */
    struct message why;              /* what a method said last that failed */
    struct effort_block *blocks;     /* what it owns, the newest first */
};

/* The whole budget. `stop` may be NULL. */
struct effort effort_full(const struct stop *stop);

/* Spends so many operations, which are about to be done. To be called at least every 2e7 of them,
 * for it looks at the stop flag. STATUS_INTERRUPTED; STATUS_FAILED where they are more than is
 * left, and ever after. */
enum status effort_spend(struct effort *effort, double work);

/* STATUS_FAILED, like effort_spend, where so many operations, still to come, are more than is
 * left. */
enum status effort_foresee(struct effort *effort, double work);

/* The same of `to_come` intervals, where `done` ones took what is gone since `before` was left; of
 * fewer than 16 nothing is foreseen. */
enum status effort_foresee_rest(struct effort *effort, double before, int done, int to_come);

/* STATUS_FAILED where so many bytes, which a library is about to allocate, are more than is
 * left. */
enum status effort_room(struct effort *effort, double bytes);

/* Hands out an array of n zeros in `*array`, the address of a pointer, which lives until the effort
 * ends: what is made for a reference is freed with it, and says nothing of who frees it.
 * STATUS_FAILED where its bytes are more than is left, STATUS_NO_MEMORY; then *array is NULL. */
#define effort_array(effort, n, array) effort_take(effort, (size_t)(n), sizeof **(array), array)
enum status effort_take(struct effort *effort, size_t n, size_t size, void *array);

/* Frees an array, NULL is accepted, before the effort ends: one that is large, or one of many. */
void effort_free(void *array);

/* Gives the effort an object of a library, which `release` frees. STATUS_NO_MEMORY where it is
 * NULL; as effort_array. */
enum status effort_own(struct effort *effort, void *object, void (*release)(void *object));

/* Makes a generator of random numbers, which the effort owns. As effort_own. */
enum status effort_generator(struct effort *effort, const gsl_rng_type *type, uint64_t seed,
                             gsl_rng **generator);

/* Frees all that the effort owns, and gives its bytes back. */
void effort_end(struct effort *effort);

/* Says why the reference cannot be had, as printf does. Returns STATUS_FAILED, which any function
 * here returns with the reason said, or where its effort was refused. */
__attribute__((format(printf, 2, 3))) enum status effort_fail(struct effort *effort,
                                                              const char *format, ...);

/* Whether something was refused; then `why` says what it would have needed. */
bool effort_refused(struct effort *effort);

/* Forgets a refusal, and what was said: something smaller is tried in its place. */
void effort_forgive(struct effort *effort);

#endif
