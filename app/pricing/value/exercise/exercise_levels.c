#include "app/pricing/value/exercise/exercise_levels.h"

#include <math.h>

#include "app/pricing/value/exercise/exercise_dates.h"
#include "app/pricing/value/exercise/exercise_regression.h"

enum { BISECTIONS = 40, LEVEL_ENDS = 64 };
#define INDIFFERENT 1e-7 /* of the strike: what exercise must bring more than waiting */
#define NEAR_LEVEL 0.03  /* of the strike */

/* What exercise brings more than going on does, in units of the strike, given its gain y. */
struct decision {
    const struct observation *date;
    const struct value_function *function;
    double g;
};

static double advantage(const struct decision *d, double y)
{
    return y - value_at(d->function, d->date->c[0] * y, d->g) / d->date->c[2] - INDIFFERENT;
}

static double gain_at_end(const struct decision *d, int i)
{
    const struct value_axis *axis = &d->function->f;
    return d->date->c[0] * value_feature(axis->low + i / axis->per_cell);
}

/* Finds the level between two gains of which one alone is worth exercising. */
static double level_between(const struct decision *d, double low, double high)
{
    bool above = advantage(d, high) > 0.0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        if ((advantage(d, middle) > 0.0) == above) high = middle;
        else low = middle;
    }
    return 0.5 * (low + high);
}

/* Finds gains, increasing, from each of which on it is worth exercising where it was not, or the
 * other way round; how many, LEVELS_MOST at most. At no gain nobody exercises. */
static int find_levels(const struct decision *d, double *levels)
{
    int cells = d->function->f.n, n = 0;
    bool put = d->date->c[0] < 0.0, exercised = false;
    double last = 0.0;
    for (int i = 0; i <= cells && n < LEVELS_MOST; i++) {
        double y = gain_at_end(d, put ? cells - i : i);
        if (y <= 0.0) continue;
        if ((advantage(d, y) > 0.0) != exercised) {
            levels[n++] = level_between(d, last, y);
            exercised = !exercised;
        }
        last = y;
    }
    return n;
}

void policy_of_levels(double sign, int n, const double *levels, float *p)
{
    double c[LEVELS_MOST + 1] = {n % 2 ? -1.0 : 1.0}, power = 1.0;
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i >= 0; i--) c[i] = (i ? c[i - 1] : 0.0) - levels[k] * c[i];
    c[1] += 1.0;
    decide_for_all(n > 0, p);
    for (int i = 0; i <= LEVELS_MOST && n; i++, power *= sign) p[i] = (float)(power * c[i]);
}

int levels_of_policy(double sign, const float *p, double *levels)
{
    for (int i = 3; i < EXERCISE_TERMS; i++)
        if (p[i] != 0.0f) return -1;
    if (!policy_decides(p)) return 0;
    if (p[2] == 0.0f && p[1] == 0.0f) {
        levels[0] = (double)p[0];
        return 1;
    }
    /* (y - a) (y - b) = y^2 - 2 middle y + p[0] */
    double middle = 0.5 * (1.0 - sign * (double)p[1]);
    double half = sqrt(fmax(middle * middle - (double)p[0], 0.0));
    if (p[2] != 1.0f) return -1;
    levels[0] = middle - half, levels[1] = middle + half;
    return 2;
}

/* Finds the critical level as a function of the second feature: through its ends of cells, then a
 * cubic, with most of the weight where states are near it. */
static void level_of_two(const struct observation *t, const struct value_function *function,
                         const struct date_states *states, float *p)
{
    const double *f = states->f, *g = states->g;
    double found[LEVELS_MOST], ends[LEVEL_ENDS], beyond = 0.0;
    double coefficients[LEVEL_ENDS + 2];
    struct value_function level = {.f = function->g, .c = coefficients};
    struct policy_moments sums = {.lowest = 0.0};
    int any = 0;
    for (int j = 0; j <= function->g.n; j++) {
        double w = function->g.low + j / function->g.per_cell;
        struct decision d = {t, function, value_feature(w)};
        int levels = find_levels(&d, found);
        beyond = gain_at_end(&d, t->c[0] < 0.0 ? 0 : function->f.n);
        ends[j] = levels ? found[0] : beyond;
        any += levels > 0;
    }
    decide_for_all(false, p);
    if (!any) return;
    value_through(ends, &level);
    for (size_t i = 0; i < states->n; i++) {
        double y = value_at(&level, g[i], 0.0), away = exercise_gain(t, f[i]) - y;
        double power = NEAR_LEVEL * NEAR_LEVEL / (NEAR_LEVEL * NEAR_LEVEL + away * away);
        for (int b = 0; b <= MOMENT_DEGREE; b++, power *= g[i]) {
            sums.powers[b][0] += power;
            if (b <= MOMENT_DEGREE / 2) sums.value_powers[b][0] += power * y;
        }
    }
    float line[EXERCISE_TERMS];
    if (!regress_up_to(&sums, 1.0, false, HUGE_VAL, line)) return;
    for (int i = 0; i < LEVEL_TERMS; i++) p[level_terms[i]] = line[i];
}

void levels_policy(const struct observation *t, const struct value_function *function,
                   const struct date_states *states, float *p)
{
    double levels[LEVELS_MOST];
    struct decision d = {t, function, 0.0};
    if (function->g.n) level_of_two(t, function, states, p);
    else policy_of_levels(t->c[0], find_levels(&d, levels), levels, p);
}
