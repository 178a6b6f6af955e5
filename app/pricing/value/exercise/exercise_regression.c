#include "app/pricing/value/exercise/exercise_regression.h"

#include <math.h>

/* Powers of f and g in the terms of exercise_terms(). */
static const struct {
    int f, g;
} term_powers[EXERCISE_TERMS] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1},
                                 {1, 1}, {2, 1}, {0, 2}, {1, 2}, {0, 3}};

/* Normal equations: gram[i][j], j <= i, and right[i], of the terms as they are. */
struct normal_equations {
    double gram[EXERCISE_TERMS][EXERCISE_TERMS], right[EXERCISE_TERMS];
};

static void equations_of(const struct policy_moments *sums, int n, struct normal_equations *e)
{
    for (int i = 0; i < n; i++) {
        e->right[i] = sums->value_powers[term_powers[i].f][term_powers[i].g];
        for (int j = 0; j <= i; j++)
            e->gram[i][j] = sums->powers[term_powers[i].f + term_powers[j].f]
                                        [term_powers[i].g + term_powers[j].g];
    }
}

/* Solves the equations with each term scaled to unit length; false where a pivot is next to
 * nothing. */
static bool solve(int n, struct normal_equations *e, double *x)
{
    double scale[EXERCISE_TERMS];
    for (int i = 0; i < n; i++) {
        if (!(e->gram[i][i] > 0.0)) return false;
        scale[i] = 1.0 / sqrt(e->gram[i][i]);
    }
    for (int i = 0; i < n; i++) {
        x[i] = e->right[i] * scale[i];
        for (int j = 0; j <= i; j++) e->gram[i][j] *= scale[i] * scale[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = e->gram[i][j];
            for (int k = 0; k < j; k++) sum = fma(-e->gram[i][k], e->gram[j][k], sum);
            if (i == j && !(sum > 1e-13)) return false;
            e->gram[i][j] = i == j ? sqrt(sum) : sum / e->gram[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] = fma(-e->gram[i][k], x[k], x[i]);
        x[i] /= e->gram[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] = fma(-e->gram[k][i], x[k], x[i]);
        x[i] /= e->gram[i][i];
    }
    for (int i = 0; i < n; i++) x[i] *= scale[i];
    return true;
}

bool regress(const struct policy_moments *sums, double worth, int n_terms, float *p)
{
    struct normal_equations equations;
    double x[EXERCISE_TERMS] = {0};
    equations_of(sums, n_terms, &equations);
    if (!solve(n_terms, &equations, x)) return false;
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = i < n_terms ? (float)(x[i] / worth) : 0.0f;
    return true;
}
