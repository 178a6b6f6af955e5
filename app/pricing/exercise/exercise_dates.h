/* The early exercises of a plan, gathered from its observations. */
#ifndef PRICER_APP_PRICING_EXERCISE_EXERCISE_DATES_H
#define PRICER_APP_PRICING_EXERCISE_EXERCISE_DATES_H

#include "kernels/plan.h"
#include "models/base/status.h"

/* One exercise: a slot of a group. Trades that may be exercised on the same dates into the same
 * share it. */
struct exercise {
    int group, slot, n_dates;
    const struct observation **dates; /* [date] in order of time; owned */
    int *steps;                       /* [date] step of the group that ends on it; owned */
};

/* Every exercise of the plan, by group and by first observation. Free with exercises_free, whatever
 * is returned; the plan must outlive them. STATUS_NO_MEMORY. */
enum status exercises_find(const struct plan *plan, int *n, struct exercise **exercises);
void exercises_free(int n, struct exercise *exercises);

/* Whether an exercise looks at a second feature (models/observables/exercise.h). */
bool exercise_has_second(const struct exercise *exercise);

/* What exercise on a date brings, in units of the strike, given the first feature. */
static inline double exercise_gain(const struct observation *t, double f)
{
    return t->c[0] * f;
}

#endif
