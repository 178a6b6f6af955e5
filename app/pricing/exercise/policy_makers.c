#include "app/pricing/exercise/policy_makers.h"

#include <math.h>
#include <string.h>

#include "app/pricing/exercise/exercise_lanes.h"
#include "app/pricing/exercise/exercise_levels.h"
#include "app/pricing/exercise/exercise_regression.h"
#include "app/pricing/exercise/exercise_steps.h"
#include "models/observables/accrual_period.h"

enum { LEAST_STATES = 4 }; /* states a term that a policy from value functions must have */
#define NEAR 0.003

/* ---- a policy from value functions ----------------------------------------------------------- */

/* Where the policy of an exercise goes. */
struct policy {
    const struct exercise *exercise;
    const struct group *group;
    float *table;
};

/* Numbers of terms to try, from many to few. */
static const int most_terms[] = {EXERCISE_TERMS, 4, 2, 1};

/* Sums over the n states that gain, each with weight d^2 / (d^2 + (gain - waiting)^2) for a d of
 * NEAR deviations of waiting: the policy is to be right where the decision is close. Waiting in
 * units of the strike. */
static void sum_states(const struct observation *t, size_t n, const double *f, const double *g,
                       const double *averages, bool two, struct policy_moments *sums, double *count)
{
    double mean = 0.0, squares = 0.0, waiting;
    *sums = (struct policy_moments){.lowest = HUGE_VAL, .highest = -HUGE_VAL};
    *count = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (exercise_gain(t, f[i]) <= 0.0) continue;
        waiting = averages[i] / t->c[2];
        mean += waiting, squares += waiting * waiting, *count += 1.0;
    }
    double variance =
        *count > 0.0 ? fmax(squares / *count - mean / *count * (mean / *count), 0.0) : 0.0;
    double near = fmax(NEAR * NEAR * variance, 1e-24);
    for (size_t i = 0; i < n; i++) {
        double gain = exercise_gain(t, f[i]);
        if (gain <= 0.0) continue;
        waiting = averages[i] / t->c[2];
        double power = near / (near + (gain - waiting) * (gain - waiting));
        for (int a = 0; a < MOMENT_POWERS; a++, power *= f[i]) {
            double product = power;
            for (int b = 0; b <= (two ? MOMENT_DEGREE - a : 0); b++, product *= g[i]) {
                sums->powers[a][b] += product;
                if (a + b <= MOMENT_DEGREE / 2) sums->value_powers[a][b] += product * waiting;
            }
        }
    }
}

/* On the date that stands for today all states are today's spot, and most of them decide for all: a
 * polynomial through them would say anything of a spot that is bumped. */
static void decide_today(const struct observation *t, size_t n, const double *f, const double *g,
                         float *p)
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++) {
        double gain = exercise_gain(t, f[i]);
        taken += gain > 0.0 && gain >= exercise_continuation(p, f[i], g[i]);
    }
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = 0.0f;
    if (2 * taken < n) p[0] = EXERCISE_NEVER;
}

/* The regression of waiting over the states that gain. */
static void take_regression(const struct observation *t, bool two, size_t n, const double *f,
                            const double *g, const double *averages, float *p)
{
    struct policy_moments sums;
    bool fitted = false;
    double count;
    sum_states(t, n, f, g, averages, two, &sums, &count);
    for (int k = two ? 0 : 1; k < 4 && !fitted; k++)
        if (count >= LEAST_STATES * most_terms[k]) fitted = regress(&sums, 1.0, most_terms[k], p);
}

static void take_policy(void *context, int date, const struct valuation *valuation, size_t n,
                        const double *f, const double *g, const double *averages)
{
    const struct policy *policy = context;
    const struct observation *t = policy->exercise->dates[date];
    float *p = policy->table + (int)t->c[5];
    if (averages) take_regression(t, exercise_has_second(policy->exercise), n, f, g, averages, p);
    else levels_policy(t, &valuation->functions[date], n, f, g, p);
    if (policy->group->times[policy->exercise->steps[date]] <= FIRST_EXERCISE)
        decide_today(t, n, f, g, p);
}

enum status policy_from_values(const struct plan *plan, const struct exercise *exercise,
                               const struct stop *stop, struct team *team)
{
    struct step_scratch step_scratch;
    struct valuation valuation = {.functions = NULL};
    const struct group *group = &plan->groups[exercise->group];
    struct policy policy = {exercise, group, group->lookup.table};
    enum status status = step_scratch_make(plan, stop, team, &step_scratch);
    if (!status)
        status = valuation_fit(plan, exercise, plan->seed, &step_scratch, take_policy, &policy,
                               &valuation);
    valuation_free(&valuation);
    step_scratch_free(&step_scratch);
    return status;
}

/* ---- a policy from paths --------------------------------------------------------------------- */

/* Where the first feature hardly differs from path to path, a regression on it is noise: the error
 * of its values, s sqrt(terms / n) with s the deviation of what it is fitted to, is more than the
 * feature has to say. (A first date that stands for today is one.) */
static bool all_alike(const struct policy_moments *sums, double worth)
{
    double n = sums->powers[0][0], mean = sums->value_powers[0][0] / n;
    double deviation = sqrt(fmax(sums->squares / n - mean * mean, 0.0)) / worth;
    return sums->highest - sums->lowest < ALIKE * deviation / sqrt(n);
}

/* Then all exercise, where they gain at all, or none. */
static void decide_for_all(const struct observation *t, const struct policy_moments *sums, float *p)
{
    double gains = t->c[0] * sums->powers[1][0], waiting = sums->value_powers[0][0] / t->c[2];
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = 0.0f;
    if (gains < waiting) p[0] = EXERCISE_NEVER;
}

/* Deviations of waiting within which a decision is close. */
#define CLOSE 0.05
#define CLOSE_LEAST 1000.0 /* paths' weights that a regression on close ones must have */

/* Finds the growth [asset] of prices from date d to the next, by the means of all paths; false
 * where a price is not above 0 on the mean. */
static bool growth_of(const struct exercise *exercise, const struct path_features *fit, int d,
                      double *growth)
{
    size_t n = (size_t)fit->n_assets, dates = (size_t)exercise->n_dates;
    for (size_t a = 0; a < n; a++) {
        double here = 0.0, then = 0.0;
        for (size_t c = 0; c < FIT_PATHS / CHUNK_PATHS; c++) {
            here += fit->sums[(c * dates + (size_t)d) * n + a];
            then += fit->sums[(c * dates + (size_t)d + 1) * n + a];
        }
        if (!(here > 0.0 && then > 0.0)) return false;
        growth[a] = then / here;
    }
    return true;
}

/* Takes from the values what they owe to how prices move from date d to the next: a hedge by the
 * slopes of the value, whose gains have no mean as long as prices grow by what they are. */
static void hedge_date(const struct exercise *exercise, const struct path_features *fit, int d,
                       bool two)
{
    const struct exercise_lanes lanes = fastest_lanes();
    const struct observation *t = exercise->dates[d];
    struct policy_moments sums;
    float p[EXERCISE_TERMS];
    double growth[FOLLOWED_MOST];
    size_t at = (size_t)d * FIT_PATHS;
    const struct followed to = {fit->next.first + at, two ? fit->next.second + at : NULL,
                                fit->next.of_first + at, fit->next.of_second + at};
    lanes.moments(FIT_PATHS, fit->f + at, fit->g + at, fit->value, 0.0, -1.0, two, NULL, 0.0,
                  &sums);
    if (!regress(&sums, t->c[2], two ? EXERCISE_TERMS : 4, p)) return;
    if (!growth_of(exercise, fit, d, growth)) return;
    lanes.hedge(FIT_PATHS, fit->f + at, fit->g + at, p, t->c[0], t->c[2], &to, growth, fit->value);
}

/* The regression on as many terms as there are paths for; false where there is none. */
static bool regress_date(const struct observation *t, const struct policy_moments *sums, bool two,
                         float *p)
{
    for (int k = two ? 0 : 1; k < 4; k++)
        if (sums->powers[0][0] >= FIT_LEAST * most_terms[k] &&
            regress(sums, t->c[2], most_terms[k], p))
            return true;
    return false;
}

/* How near gain and waiting are where a decision is close, over the strike. */
static double close_to(const struct policy_moments *sums, double worth)
{
    double n = sums->powers[0][0], mean = sums->value_powers[0][0] / n;
    return CLOSE * sqrt(fmax(sums->squares / n - mean * mean, 0.0)) / worth;
}

#define LEADER_LEAST 100.0 /* weight that an asset's own policy has against that of all */

/* Finds what waiting is worth more where an asset leads, p = a + b f + c g, from its paths. */
static void fit_leader(const struct leader_sums *sums, float *p)
{
    double m[LEADER_TERMS][LEADER_TERMS], x[LEADER_TERMS], scale = sums->terms[0][0];
    if (!(scale > 0.0)) return;
    for (int i = 0; i < LEADER_TERMS; i++) {
        for (int j = 0; j <= i; j++) m[i][j] = sums->terms[i][j];
        m[i][i] *= 1.0 + LEADER_LEAST / scale;
        x[i] = sums->rests[i];
    }
    for (int i = 0; i < LEADER_TERMS; i++)
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) m[i][j] -= m[i][k] * m[j][k];
            if (i == j && !(m[i][i] > 0.0)) return;
            m[i][j] = i == j ? sqrt(m[i][i]) : m[i][j] / m[j][j];
        }
    for (int i = 0; i < LEADER_TERMS; i++) {
        for (int k = 0; k < i; k++) x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = LEADER_TERMS - 1; i >= 0; i--) {
        for (int k = i + 1; k < LEADER_TERMS; k++) x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = 0; i < LEADER_TERMS; i++) p[i] = (float)x[i];
}

/* Fits the policy of a date twice: by all paths that gain, then by those that the first fit puts
 * close to a decision; then what is left where each asset leads. */
static void fit_date(const struct observation *t, const float *f, const float *g,
                     const unsigned char *leaders, int n_leaders, double *value, float *p)
{
    const struct exercise_lanes lanes = fastest_lanes();
    struct policy_moments sums;
    bool two = t->c[3] == (double)EXERCISE_TWO_LOGS;
    double near = 0.0;
    lanes.moments(FIT_PATHS, f, g, value, t->c[0], 0.0, two, NULL, 0.0, &sums);
    if (sums.powers[0][0] < FIT_LEAST) return; /* the table says that nobody exercises */
    if (all_alike(&sums, t->c[2])) decide_for_all(t, &sums, p);
    else if (regress_date(t, &sums, two, p)) {
        float first[EXERCISE_TERMS];
        near = close_to(&sums, t->c[2]);
        memcpy(first, p, sizeof first);
        if (near > 0.0) {
            lanes.moments(FIT_PATHS, f, g, value, t->c[0], 0.0, two, first, near, &sums);
            if (sums.powers[0][0] >= CLOSE_LEAST) regress_date(t, &sums, two, p);
        }
    }
    for (int a = 0; near > 0.0 && a < n_leaders; a++) {
        struct leader_sums of_leader;
        lanes.lead(FIT_PATHS, f, g, value, leaders, a, t->c[0], t->c[2], p, near, &of_leader);
        fit_leader(&of_leader, p + EXERCISE_TERMS + a * LEADER_TERMS);
    }
    lanes.exercising(FIT_PATHS, f, g, n_leaders ? leaders : NULL, p, t->c[0], t->c[2], value);
}

enum status policy_from_paths(const struct exercise *exercise, struct group *group,
                              const struct path_features *fit, const struct stop *stop)
{
    int last = exercise->n_dates - 1;
    const struct observation *end = exercise->dates[last];
    bool two = exercise_has_second(exercise);
    bool hedged = !group->n_dividends && valuation_possible(group);
    for (size_t i = 0; i < FIT_PATHS; i++) {
        double gain = exercise_gain(end, (double)fit->f[(size_t)last * FIT_PATHS + i]);
        fit->value[i] = gain > 0.0 ? end->c[2] * gain : 0.0;
    }
    for (int d = last - 1; d >= 0; d--) {
        const struct observation *t = exercise->dates[d];
        size_t at = (size_t)d * FIT_PATHS;
        if (asked_to_stop(stop)) return STATUS_INTERRUPTED;
        if (hedged) hedge_date(exercise, fit, d, two);
        fit_date(t, fit->f + at, fit->g + at, fit->next.of_first + at, exercise->n_leaders,
                 fit->value, group->lookup.table + (int)t->c[5]);
    }
    return STATUS_OK;
}
