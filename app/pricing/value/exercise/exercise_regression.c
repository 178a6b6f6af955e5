#include "app/pricing/value/exercise/exercise_regression.h"

#include <math.h>

/* Powers of f and g in the terms of exercise_terms(). */
static const struct {
    int f, g;
} term_powers[EXERCISE_TERMS] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 1},
                                 {1, 1}, {2, 1}, {0, 2}, {1, 2}, {0, 3}};

bool equations_solve(struct normal_equations *e, double least, double *x)
{
    double scale[EQUATIONS_MOST];
    bool all = true;
    for (int i = 0; i < e->n; i++) {
        scale[i] = e->gram[i][i] > 0.0 ? 1.0 / sqrt(e->gram[i][i]) : 0.0;
        x[i] = e->right[i] * scale[i];
        for (int j = 0; j <= i; j++) e->gram[i][j] *= scale[i] * scale[j];
    }
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = e->gram[i][j];
            for (int k = 0; k < j; k++) sum = fma(-e->gram[i][k], e->gram[j][k], sum);
            if (i == j) e->gram[i][j] = sum > least ? sqrt(sum) : 0.0;
            else e->gram[i][j] = e->gram[j][j] > 0.0 ? sum / e->gram[j][j] : 0.0;
        }
    for (int i = 0; i < e->n; i++) {
        for (int k = 0; k < i; k++) x[i] = fma(-e->gram[i][k], x[k], x[i]);
        x[i] = e->gram[i][i] > 0.0 ? x[i] / e->gram[i][i] : 0.0;
        all &= e->gram[i][i] > 0.0;
    }
    for (int i = e->n - 1; i >= 0; i--) {
        for (int k = i + 1; k < e->n; k++) x[i] = fma(-e->gram[k][i], x[k], x[i]);
        x[i] = e->gram[i][i] > 0.0 ? x[i] / e->gram[i][i] : 0.0;
    }
    for (int i = 0; i < e->n; i++) x[i] *= scale[i];
    return all;
}

bool banded_solve(struct banded *m)
{
    for (int i = 0; i < m->n; i++) {
        int first = i > m->band ? i - m->band : 0;
        for (int j = first; j <= i; j++) {
            int from = j > m->band && j - m->band > first ? j - m->band : first;
            double sum = *banded_entry(m, i, j);
            const double *a = banded_entry(m, i, from), *b = banded_entry(m, j, from);
            for (int k = 0; k < j - from; k++) sum -= a[k] * b[k];
            if (i == j && !(sum > 0.0)) return false;
            *banded_entry(m, i, j) = i == j ? sqrt(sum) : sum / *banded_entry(m, j, j);
        }
    }
    for (int i = 0; i < m->n; i++) {
        for (int k = i > m->band ? i - m->band : 0; k < i; k++)
            m->right[i] -= *banded_entry(m, i, k) * m->right[k];
        m->right[i] /= *banded_entry(m, i, i);
    }
    for (int i = m->n - 1; i >= 0; i--) {
        for (int k = i + 1; k < m->n && k <= i + m->band; k++)
            m->right[i] -= *banded_entry(m, k, i) * m->right[k];
        m->right[i] /= *banded_entry(m, i, i);
    }
    return true;
}

bool regress(const struct policy_moments *sums, double unit, int n_terms, float *p)
{
    struct normal_equations equations = {.n = n_terms};
    double x[EXERCISE_TERMS] = {0};
    for (int i = 0; i < n_terms; i++) {
        equations.right[i] = sums->value_powers[term_powers[i].f][term_powers[i].g];
        for (int j = 0; j <= i; j++)
            equations.gram[i][j] = sums->powers[term_powers[i].f + term_powers[j].f]
                                               [term_powers[i].g + term_powers[j].g];
    }
    if (!equations_solve(&equations, 1e-13, x)) return false;
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = i < n_terms ? (float)(x[i] / unit) : 0.0f;
    return true;
}

bool regress_up_to(const struct policy_moments *sums, double unit, bool two, double max_terms,
                   float *p)
{
    static const int terms[] = {EXERCISE_TERMS, 4, 2, 1};
    for (int k = two ? 0 : 1; k < 4; k++)
        if (terms[k] <= max_terms && regress(sums, unit, terms[k], p)) return true;
    return false;
}

void decide_for_all(bool exercise, float *p)
{
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = 0.0f;
    if (!exercise) p[0] = EXERCISE_NEVER;
}
