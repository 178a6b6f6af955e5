/* Results that no run has found, with everything that a report can show: hostile names, a trade
 * that failed, one that disagrees, Greeks, scenarios with a grid, a past. */
#ifndef PRICER_VALIDATION_TESTS_MADE_UP_NIGHT_H
#define PRICER_VALIDATION_TESTS_MADE_UP_NIGHT_H

#include "app/output/results.h"

enum { NIGHT_TRADES = 40, NIGHT_ASSETS = 4 };

extern const char hostile_id[];    /* of trade 3 */
extern const char hostile_asset[]; /* of the last asset */

/* The results point into the night, which must stay where it is. */
struct stored_run {
    struct currency currencies[2];
    struct asset assets[NIGHT_ASSETS];
    int indices[NIGHT_ASSETS];
    struct market market;
    char ids[NIGHT_TRADES][64];
    struct trade trades[NIGHT_TRADES];
    struct estimate estimates[NIGHT_TRADES];
    struct risk risk;
    struct book_sums sums;
    struct results results; /* with the risk */
};

/* Says that a trade depends on everything. */
bool has_any_greek(const void *context, int sensitivity, int trade);

/* Makes the sums of made-up rows. Aborts without memory. */
void sum_up(struct results *results, struct book_sums *sums);

/* Aborts without memory. Free with night_free. */
void night_make(struct stored_run *night);
void night_free(struct stored_run *night);

#endif
