/* Inner paths of one asset that jumps, in two strata: those without a jump and those with one, half
 * of the points each. A few paths of one step meet a jump by chance alone, and then too often;
 * weighted by the probabilities of the strata their average has the right mean, and hardly any
 * noise from jumps (stratified sampling: Glasserman 2004, section 4.3). */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_STRATA_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_STRATA_H

#include "kernels/plan.h"

/* Returns the least word whose normal is above z. */
uint32_t word_above(double z);

/* Returns the normal of a step, of a group of one asset, that gives the number of jumps; -1 where
 * there is none. */
int jump_factor(const struct group *group);

/* Returns the least word of it that gives `count` jumps in a step. */
uint32_t jump_word(const struct group *group, int step, int count);

/* The strata of the paths of PATH_LANES points, even ones without a jump and odd ones with one. */
struct strata {
    int factor;         /* jump_factor(); -1: there is one stratum */
    double none;        /* probability that there is no jump in all steps, */
    double none_before; /* in those before the present one */
    uint8_t jumped[PATH_LANES];
};

/* Begins paths over the steps begin .. end. */
struct strata strata_begin(const struct group *group, int begin, int end);

/* Makes the words of the number of jumps in a step, in words [factor][PATH_LANES], those of the
 * strata: even points have none, odd ones the first one here with its probability given that it is
 * here or later. */
void strata_take(const struct group *group, int step, struct strata *strata, uint32_t *words);

/* Returns the mean over the points of a state, a multiple of 16. */
double strata_mean(const struct strata *strata, uint32_t points, const double *values);

#endif
