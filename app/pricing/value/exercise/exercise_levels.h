/* The policy of a date from the value of going on: its critical levels.
 *
 * Waiting may be told by any function that crosses the gain where its value does. So the policy is
 * not what waiting is worth but the gain from which on exercise brings more, found as the root of
 * the difference. On the value alone a level that is off by d costs d^2; on how the value changes
 * under another market, where the level should change as well, it costs d. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_LEVELS_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_LEVELS_H

#include "app/pricing/value/exercise/exercise_steps.h"

enum { LEVELS_MOST = 3, LEVEL_TERMS = 4 };

/* Where the coefficients of a level are in a policy: of 1, g, g^2, g^3. */
static const int level_terms[LEVEL_TERMS] = {0, 4, 7, 9};

/* Makes the policy p [EXERCISE_TERMS] of the date t, given the value of going on from it. Of one
 * feature up to three levels are kept to the last bit of a float; of two the level is a cubic in
 * the second, fitted with most of the weight where the states are near it. */
void levels_policy(const struct observation *t, const struct value_function *function,
                   const struct date_states *states, float *p);

/* Makes the policy of levels of gain, increasing, from each of which on one exercises where one did
 * not, or the other way round: y - (y - level) (y - level) ... for a last level from which on one
 * exercises, with the other sign else. `sign` is 1 for a call, -1 for a put. */
void policy_of_levels(double sign, int n, const double *levels, float *p);

/* Tells whether a policy decides path by path, and not for all. */
static inline bool policy_decides(const float *p)
{
    return p[0] != EXERCISE_NEVER && p[0] != 0.0f;
}

/* Reads up to two levels back, and returns how many; 0 where the policy decides for all alike, -1
 * where it is of other levels. */
int levels_of_policy(double sign, const float *p, double *levels);

#endif
