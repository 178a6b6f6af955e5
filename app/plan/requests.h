/* Which observable of a draft is for a request: a hash table from requests to indices, so that a book of many
 * dates takes its number of trades, not the square of it. */
#ifndef PRICER_APP_PLAN_REQUESTS_H
#define PRICER_APP_PLAN_REQUESTS_H

#include "models/math/status.h"
#include "models/payoffs/observable.h"

/* Begin with {0}; free with requests_free, which leaves it so. */
struct requests {
    int n;
    int room;   /* of `next`; the number of buckets, a power of two */
    int *first; /* [room] index of the last observable that was added to the bucket, -1: none */
    int *next;  /* [n] the one added before it */
};

/* Index of the observable for an equal request, -1 where there is none. */
int requests_find(const struct requests *requests, const struct observable *observables,
                  const struct request *request);

/* Adds observable requests->n. STATUS_NO_MEMORY. */
enum status requests_add(struct requests *requests, const struct observable *observables);

/* Takes out the observable that was added last. */
void requests_forget_last(struct requests *requests, const struct observable *observables);

void requests_free(struct requests *requests);

#endif
