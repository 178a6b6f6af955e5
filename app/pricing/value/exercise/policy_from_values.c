/* The policy of a date from the value of going on: its critical levels.
 *
 * Waiting may be told by any function that crosses the gain where its value does. So the policy is
 * not what waiting is worth but the gain from which on exercise brings more, found as the root of
 * the difference. On the value alone a level that is off by d costs d^2; on how the value changes
 * under another market, where the level should change as well, it costs d. */
#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_regression.h"
#include "models/observables/accrual_period.h"

/* ---- critical levels ------------------------------------------------------------------------- */

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

/* ---- the policy ------------------------------------------------------------------------------ */

enum {
    LEAST_STATES = 4, /* states a term that a regression must have */
    SMALL_FIT = 100   /* steps of one feature that one thread does before others wake: two
                       * milliseconds */
};
#define NEAR 0.003

/* Sums over the states that gain, whose number it returns, each with weight d^2 / (d^2 + (gain -
 * waiting)^2) for a d of NEAR deviations of waiting: the policy is to be right where the decision
 * is close. Waiting in units of the strike. */
static double sum_states(const struct observation *t, const struct date_states *states,
                         struct policy_moments *sums)
{
    const double *f = states->f, *g = states->g, *averages = states->averages;
    double count = 0.0, mean = 0.0, squares = 0.0, waiting;
    *sums = (struct policy_moments){.lowest = HUGE_VAL, .highest = -HUGE_VAL};
    for (size_t i = 0; i < states->n; i++) {
        if (exercise_gain(t, f[i]) <= 0.0) continue;
        waiting = averages[i] / t->c[2];
        mean += waiting, squares += waiting * waiting, count += 1.0;
    }
    double variance =
        count > 0.0 ? fmax(squares / count - mean / count * (mean / count), 0.0) : 0.0;
    double near = fmax(NEAR * NEAR * variance, 1e-24);
    for (size_t i = 0; i < states->n; i++) {
        double gain = exercise_gain(t, f[i]);
        if (gain <= 0.0) continue;
        waiting = averages[i] / t->c[2];
        double power = near / (near + (gain - waiting) * (gain - waiting));
        for (int a = 0; a < MOMENT_POWERS; a++, power *= f[i]) {
            double product = power;
            for (int b = 0; b <= MOMENT_DEGREE - a; b++, product *= g[i]) {
                sums->powers[a][b] += product;
                if (a + b <= MOMENT_DEGREE / 2) sums->value_powers[a][b] += product * waiting;
            }
        }
    }
    return count;
}

/* Decides for all on the date that stands for today, by most of them: all states are today's spot,
 * and a polynomial through them would say anything of a spot that is bumped. */
static void decide_today(const struct valuation *valuation, int date, float *p)
{
    const struct exercise *exercise = valuation->exercise;
    const struct observation *t = exercise->dates[date];
    const struct date_states states = valuation_states(valuation, date);
    bool led = valuation->leaders > 1;
    size_t taken = 0;
    for (size_t i = 0; i < states.n; i++) {
        double gain = exercise_gain(t, states.f[i]),
               waiting = led ? states.averages[i] / t->c[2]
                             : exercise_continuation(p, states.f[i], states.g[i]);
        taken += gain > 0.0 && gain >= waiting;
    }
    if (led) memset(p, 0, exercise_numbers(exercise) * sizeof *p);
    decide_for_all(2 * taken >= states.n, p);
}

/* Makes the cubic of each asset that leads, behind one of all which is 0. */
static void led_policy(const struct valuation *valuation, int date, float *p)
{
    const struct observation *t = valuation->exercise->dates[date];
    double room[3 * FIT_STATES_TWO];
    memset(p, 0, exercise_numbers(valuation->exercise) * sizeof *p);
    for (int a = 0; a < valuation->leaders; a++) {
        const struct date_states led = valuation_led(valuation, date, a, room);
        struct policy_moments sums;
        double count = sum_states(t, &led, &sums);
        float *cubic = p + EXERCISE_TERMS * (1 + a);
        decide_for_all(false, cubic);
        regress_up_to(&sums, 1.0, true, count / LEAST_STATES, cubic);
    }
}

/* Makes the policy of a date from its function, or its states. */
static void take_policy(void *context, int date)
{
    const struct valuation *valuation = context;
    const struct exercise *exercise = valuation->exercise;
    const struct observation *t = exercise->dates[date];
    const struct date_states states = valuation_states(valuation, date);
    float *p = exercise_policy(exercise, date);
    if (valuation->leaders > 1) {
        led_policy(valuation, date, p);
    } else if (exercise_leads(exercise)) {
        struct policy_moments sums;
        double count = sum_states(t, &states, &sums);
        regress_up_to(&sums, 1.0, true, count / LEAST_STATES, p);
    } else levels_policy(t, &valuation->functions[date], &states, p);
    if (exercise->group->times[exercise->steps[date]] <= FIRST_EXERCISE)
        decide_today(valuation, date, p);
}

enum status policy_from_values(const struct fit_setup *setup, const struct exercise *exercise)
{
    bool small = grid_possible(exercise) && !exercise_has_second(exercise) &&
                 exercise->steps[exercise->n_dates - 1] < SMALL_FIT;
    struct valuation valuation = {.exercise = exercise,
                                  .draws = {.seed = setup->plan.seed},
                                  .stop = setup->options.stop,
                                  .team = small ? NULL : setup->options.team};
    enum status status = valuation_fit(&valuation);
    if (!status) team_loop(valuation.team, exercise->n_dates - 1, take_policy, &valuation);
    valuation_free(&valuation);
    return status;
}
