/* Which observable of a draft is for a functional: a hash table from functionals to indices, so
 * that a book of many dates takes its number of trades, not the square of it. */
#ifndef PRICER_APP_PRICING_PLAN_OBSERVABLE_INDEX_H
#define PRICER_APP_PRICING_PLAN_OBSERVABLE_INDEX_H

#include "models/base/status.h"
#include "models/observables/observable.h"

/* Begin with {0}; free with observable_index_free, which leaves it so. */
struct observable_index {
    int n;
    int room;   /* of `next`; the number of buckets, a power of two */
    int *first; /* [room] index of the last observable that was added to the bucket, -1: none */
    int *next;  /* [n] the one added before it */
};

/* Returns the index of the observable for an equal functional, -1 where there is none. */
int observable_index_find(const struct observable_index *index,
                          const struct observable *observables,
                          const struct functional *functional);

/* Adds observable functionals->n. STATUS_NO_MEMORY. */
enum status observable_index_add(struct observable_index *index,
                                 const struct observable *observables);

/* Takes out the observable that was added last. */
void observable_index_forget_last(struct observable_index *index,
                                  const struct observable *observables);

void observable_index_free(struct observable_index *index);

#endif
