/* Least squares on the terms of a policy (models/observables/exercise.h), by the normal equations
 * of scaled terms, factored by Cholesky, which those of scripts (program_policy.h) share. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "models/programs/policy.h"

/* Normal equations of n terms as they are: gram[i][j], j <= i, and right[i]. */
struct normal_equations {
    int n;
    double gram[POLICY_TERMS_MOST][POLICY_TERMS_MOST], right[POLICY_TERMS_MOST];
};
_Static_assert((int)EXERCISE_TERMS <= (int)POLICY_TERMS_MOST,
               "equations have room for both policies");

/* Solves them with each term scaled to unit length, in place. A term whose pivot is no more than
 * `least`, which those before it determine, gets x = 0; false where there is one. */
bool equations_solve(struct normal_equations *e, double least, double *x);

/* Regresses value / worth on the first n_terms of exercise_terms(f, g), from the sums of values,
 * into p [EXERCISE_TERMS], the others 0. Returns false where the terms are not independent. */
bool regress(const struct policy_moments *sums, double worth, int n_terms, float *p);

#endif
