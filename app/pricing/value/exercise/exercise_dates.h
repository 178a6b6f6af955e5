/* The early exercises of a plan, gathered from its observations. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_DATES_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_DATES_H

#include "kernels/plan.h"
#include "models/base/status.h"
#include "models/math/exact.h"

enum { FIT_CHUNKS = 16, FIT_PATHS = FIT_CHUNKS * CHUNK_PATHS }; /* that a price is fitted on */

/* One exercise: a slot of a group. Trades that may be exercised on the same dates into the same
 * share it. */
struct exercise {
    const struct group *group;
    int slot, n_dates;
    int rank;           /* among the exercises of its group */
    int n_leaders;      /* assets under which waiting is worth something of its own; 0: none, */
    int leader_terms;   /* and the numbers of each: LEADER_TERMS or EXERCISE_TERMS */
    bool complete;      /* its features tell all of a state that further paths depend on, or of a
                           basket for Greeks as good as all: value functions make its policy */
    bool starts_differ; /* those paths begin apart */
    int chunks;         /* of the paths that its policy is fitted on, where it is fitted on paths */
    const struct observation **dates; /* [date] in order of time; owned, as the others */
    int *steps;                       /* [date] step of the group that ends on it */
    const struct observation **parts; /* what looks at assets for it, date after date */
    int *first_part;                  /* [date + 1] where those of a date begin */
    uint64_t key;                     /* of its policy, where that is remembered */
};

/* Finds every exercise of the plan: first the *fitted ones whose policies are fitted, then those
 * that borrow them, both by group and by first observation. Free with exercises_free, whatever is
 * returned; the plan's groups must outlive them. STATUS_NO_MEMORY. */
enum status exercises_find(const struct plan *plan, int *n, int *fitted,
                           struct exercise **exercises);
void exercises_free(int n, struct exercise *exercises);

/* Tells whether further paths of a group depend on a state alone: not where steps are drawn from
 * history.
 */
bool group_has_states(const struct group *group);

/* Tells whether an exercise looks at a second feature (models/observables/exercise.h). */
bool exercise_has_second(const struct exercise *exercise);

/* Tells whether it is on the best or worst of several, of which one leads. */
bool exercise_leads(const struct exercise *exercise);

/* Returns how many assets an exercise looks at on a date. */
static inline int exercise_parts(const struct exercise *exercise, int date)
{
    return exercise->first_part[date + 1] - exercise->first_part[date];
}

/* Returns how many numbers a date's policy has, one after the other, */
static inline size_t exercise_numbers(const struct exercise *exercise)
{
    return EXERCISE_TERMS + (size_t)(exercise->leader_terms * exercise->n_leaders);
}

/* and where they are in the group's table. */
static inline float *exercise_policy(const struct exercise *exercise, int date)
{
    return exercise->group->lookup.table + (int)exercise->dates[date]->c[5];
}

/* Tells whether an underlying of a group and one of another on the same dates, or of the same, move
 * by one law: on the same normals their log2 S then differ by what they differ by today. */
bool same_law(const struct group *a, int u, const struct group *b, int v);

/* Returns the chunks of paths that a policy for Greeks on several assets is fitted on: as many as
 * the run has, so that its error falls as that of the run does, within what memory there is. */
int chunks_for_greeks(uint64_t paths, int n_dates);

/* Returns how much nearer to the decision they are looked at than FIT_CHUNKS, and how much less is
 * left of the policy's bias. */
static inline double chunks_narrow(int chunks)
{
    return exact_exp2(exact_log2((double)FIT_CHUNKS / chunks) / 3.0);
}

/* Returns what exercise on a date brings, in units of the strike, given the first feature. */
static inline double exercise_gain(const struct observation *t, double f)
{
    return t->c[0] * f;
}

#endif
