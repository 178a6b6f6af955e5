#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>

#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/value/exercise/exercise_levels.h"
#include "app/pricing/value/exercise/exercise_regression.h"
#include "models/observables/accrual_period.h"

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
static void decide_today(const struct observation *t, const struct date_states *states, float *p)
{
    size_t taken = 0;
    for (size_t i = 0; i < states->n; i++) {
        double gain = exercise_gain(t, states->f[i]);
        taken += gain > 0.0 && gain >= exercise_continuation(p, states->f[i], states->g[i]);
    }
    decide_for_all(2 * taken >= states->n, p);
}

/* Makes the policy of a date from its function, or its states. */
static void take_policy(void *context, int date)
{
    const struct valuation *valuation = context;
    const struct exercise *exercise = valuation->exercise;
    const struct observation *t = exercise->dates[date];
    const struct date_states states = valuation_states(valuation, date);
    float *p = exercise_policy(exercise, date);
    if (states.averages && exercise_has_second(exercise)) {
        struct policy_moments sums;
        double count = sum_states(t, &states, &sums);
        regress_up_to(&sums, 1.0, true, count / LEAST_STATES, p);
    } else levels_policy(t, &valuation->functions[date], &states, p);
    if (exercise->group->times[exercise->steps[date]] <= FIRST_EXERCISE)
        decide_today(t, &states, p);
}

int64_t values_steps(const struct exercise *exercise)
{
    int64_t steps = exercise->steps[exercise->n_dates - 1] + 1;
    return exercise_has_second(exercise) ? 8 * steps : steps;
}

enum status policy_from_values(const struct fit_setup *setup, const struct exercise *exercise)
{
    bool small = grid_possible(exercise) && values_steps(exercise) < SMALL_FIT;
    struct valuation valuation = {.exercise = exercise,
                                  .draws = {.seed = setup->plan.seed},
                                  .stop = setup->options.stop,
                                  .team = small ? NULL : setup->options.team};
    enum status status = valuation_fit(&valuation);
    if (!status) team_loop(valuation.team, exercise->n_dates - 1, take_policy, &valuation);
    valuation_free(&valuation);
    return status;
}
