/* Every price beside an independent one: runs the references in parallel and judges where the two
 * disagree, as judge.h has it. */
#ifndef PRICER_APP_PRICING_VALUE_CHECK_H
#define PRICER_APP_PRICING_VALUE_CHECK_H

#include <stdbool.h>

#include "app/pricing/base/settings.h"
#include "app/pricing/base/estimate.h"
#include "app/pricing/base/store.h"
#include "kernels/plan.h"
#include "kernels/ranks.h"

struct check_options {
    /* That the trades were priced by, for upper bounds; NULL: none are made */
    const struct plan *plan;
    /* a sample is a tenth, drawn by seed and id, and each product at least once; a fifth is drawn
     * by id alone */
    enum check_mode mode;
    const char *also; /* ids of more trades to be checked, each after a comma; NULL: none */
    const bool *only; /* [n] the trades to be checked and judged, of those; NULL: all */
    uint64_t seed;    /* of the sample, and of references by Monte Carlo */
    /* Widest interval of an early exercise that is a check, as a share of the price */
    double exercise_width;
    int threads;               /* at least 1 */
    const struct store *store; /* what is kept there is not computed again; may be NULL */
    /* May be NULL; calls do not overlap */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
    const struct stop *stop;   /* may be NULL; ends the check with STATUS_INTERRUPTED */
    const struct ranks *ranks; /* who else checks; NULL: nobody. A follower checks what the leader
                                * asks for, and knows nothing of it */
    double *seconds; /* [trade] of a thread, to which what its check took is added; may be NULL */
};

/* To be called once, before any thread: reference_begin(). */
void check_begin(void);

/* Gives each priced trade with early exercise that is to be checked its upper bound, and each that
 * is to be checked its reference, z, and verdict; where the reference fails, or no path pays and
 * there is none, a message. Neither the number of threads nor the order of the trades changes a
 * bit. STATUS_NO_MEMORY, STATUS_INTERRUPTED; STATUS_FILE and one line, of the store. */
enum status check_book(const struct market *market, int n, const struct trade *trades,
                       const struct check_options *options, struct estimate *estimates,
                       struct message *why);

/* The share of the seconds [n] that a check of a sample would have taken. STATUS_NO_MEMORY. */
enum status check_sample_share(int n, const struct trade *trades, uint64_t seed,
                               const struct estimate *estimates, const double *seconds,
                               double *share);

#endif
