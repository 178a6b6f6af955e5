/* Policies of early exercise that all ranks of a run fit, each some, and all have. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_RANKED_FITS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_RANKED_FITS_H

#include "app/pricing/value/exercise/exercise_dates.h"
#include "kernels/plan.h"
#include "kernels/ranks.h"

/* The exercises of a plan, and who fits them; every rank has the same. */
struct ranked_fits {
    const struct ranks *ranks; /* NULL: nobody else */
    const struct plan *plan;   /* whose tables the policies go to */
    uint64_t key;              /* of the plan as it is without policies */
    int n;
    const struct exercise *exercises; /* [n] */
    uint64_t least;                   /* that keep this process busy */
    const struct stop *stop;
    /* Fits those of them that are wanted, in this process */
    enum status (*fit)(void *context, int n, const bool *wanted, struct message *why);
    void *context;
};

/* Fits n of them, in that order, by all ranks: the leader's. */
enum status ranked_fits_make(const struct ranked_fits *fits, int n, const int *which,
                             struct message *why);

/* Tells the followers all n policies; a follower fits until then what the leader asks for. */
enum status ranked_fits_tell(const struct ranked_fits *fits, struct message *why);

/* Copies the numbers of a policy [date][term] from their places in the group's table; or back. */
void policy_numbers(const struct plan *plan, const struct exercise *exercise, bool back,
                    float *numbers);

#endif
