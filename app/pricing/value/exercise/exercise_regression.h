/* Least squares on the terms of a policy (models/observables/exercise.h), and the equations that
 * lead to them, which those of scripts (program_policy.c) and value functions share. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_REGRESSION_H

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "models/programs/policy.h"

/* Those of a policy, and two controls of each asset (program_policy.c). */
enum { EQUATIONS_MOST = POLICY_TERMS_MOST + 2 * POLICY_FEATURES_MOST };

/* Normal equations of n terms as they are: gram[i][j], j <= i, and right[i]. */
struct normal_equations {
    int n;
    double gram[EQUATIONS_MOST][EQUATIONS_MOST], right[EQUATIONS_MOST];
};
_Static_assert((int)EXERCISE_TERMS <= (int)POLICY_TERMS_MOST,
               "equations have room for both policies");

/* Solves them with each term scaled to unit length, in place. A term whose pivot is no more than
 * `least`, which those before it determine, gets x = 0; false where there is one. */
bool equations_solve(struct normal_equations *e, double least, double *x);

/* Equations of a symmetric matrix whose entries are 0 further than `band` from the diagonal. */
struct banded {
    int n, band;
    double *rows;  /* [i][band - (i - j)], j <= i */
    double *right; /* [n], where the solution comes to be */
};

static inline double *banded_entry(const struct banded *m, int i, int j)
{
    return &m->rows[(size_t)i * (size_t)(m->band + 1) + (size_t)(m->band - (i - j))];
}

/* Solves them in place, by Cholesky; false where a pivot is not above 0, and then nothing is said
 * of `right`. */
bool banded_solve(struct banded *m);

/* Regresses value / unit on the first n_terms of exercise_terms(f, g), from the sums of values,
 * into p [EXERCISE_TERMS], the others 0. Returns false, and leaves p alone, where the terms are not
 * independent. */
bool regress(const struct policy_moments *sums, double unit, int n_terms, float *p);

/* Does so on as many as `max_terms` allows and are independent: all, or those of f alone, as always
 * where g is not looked at (`two`), or fewer of these. */
bool regress_up_to(const struct policy_moments *sums, double unit, bool two, double max_terms,
                   float *p);

/* Makes the policy by which all exercise, where they gain at all, or none do. */
void decide_for_all(bool exercise, float *p);

#endif
