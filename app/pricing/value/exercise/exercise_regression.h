/* Least squares on the terms of a policy (models/observables/exercise.h), by the normal equations
 * of scaled terms, factored by Cholesky. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H

#include "app/pricing/value/exercise/exercise_lanes.h"

/* Regresses value / worth on the first n_terms of exercise_terms(f, g), from the sums of values,
 * into p [EXERCISE_TERMS], the others 0. Returns false where the terms are not independent. */
bool regress(const struct policy_moments *sums, double worth, int n_terms, float *p);

#endif
