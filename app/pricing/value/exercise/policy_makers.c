#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "app/pricing/value/exercise/exercise_levels.h"
#include "app/pricing/value/exercise/exercise_regression.h"
#include "app/pricing/value/exercise/exercise_steps.h"
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
    struct plan alone = *plan; /* working memory is for this group */
    alone.groups = plan->groups + exercise->group, alone.n_groups = 1;
    enum status status = step_scratch_make(&alone, stop, team, &step_scratch);
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
/* The same for cubics of an asset that leads, where 10 terms must be told apart along the line on
 * which the decision turns: more of CLOSE; and less for what these leave, since waiting differs
 * little from exercise far beyond that line, where a cubic is off by more. */
#define OWN_CLOSE 8.0
#define OWN_CLOSER 0.25
#define CLOSE_LEAST 1000.0 /* paths' weights that a regression on close ones must have, */
#define ALL_LEAST 5000.0   /* and that of all terms on the closest, or it is of f alone */

/* A date's fit while threads share its chunks of paths. */
struct date_fit {
    const struct exercise *exercise;
    const struct path_features *fit;
    struct team *team;
    int d;
    bool two;
    double sign, worth;
    const float *p;   /* the policy so far, */
    double near;      /* what is close to it, over the strike; 0: nothing */
    double band;      /* the same of cubics of an asset that leads, or */
    bool rests;       /* of what is left of them */
    const float *due; /* that of the date after it, which no value has yet; NULL: there is none */
    double due_worth;
    bool known_growth, hedged;
    float slopes[EXERCISE_TERMS];
    double growth[UNDERLYINGS_MAX];
    struct policy_moments *moments; /* [chunk], or [chunk][leader], */
    struct policy_moments sums;     /* and of those that are done */
    struct leader_sums *leads;      /* [chunk][leader]; those of the first chunk become the sums */
};

static const struct seen_date *chunk_of(const struct date_fit *date, int c)
{
    return &date->fit->dates[(size_t)c * date->fit->n_dates + (size_t)date->d];
}

static double *values_of_chunk(const struct date_fit *date, int c)
{
    return date->fit->value + (size_t)c * CHUNK_PATHS;
}

/* Exercises on the date after this one, by the policy that was found for it. */
static void exercise_due(const struct date_fit *date, int c)
{
    const struct seen_date *of = chunk_of(date, c) + 1;
    if (date->due)
        fastest_lanes().exercising(CHUNK_PATHS, of->f, of->g,
                                   date->exercise->n_leaders ? of->of_first : NULL,
                                   date->exercise->own_terms, date->due, date->sign,
                                   date->due_worth, values_of_chunk(date, c));
}

/* Sums over all paths. */
static void sum_all(void *context, int c)
{
    const struct date_fit *date = context;
    const struct seen_date *of = chunk_of(date, c);
    exercise_due(date, c);
    fastest_lanes().moments(CHUNK_PATHS, of->f, of->g, values_of_chunk(date, c), 0.0, -1.0,
                            date->two, NULL, 0.0, &date->moments[c]);
}

/* Hedges the values up to the next date, and sums over those that gain. */
static void sum_gaining(void *context, int c)
{
    const struct date_fit *date = context;
    const struct seen_date *of = chunk_of(date, c);
    double *value = values_of_chunk(date, c);
    if (!date->known_growth) exercise_due(date, c);
    if (date->hedged)
        fastest_lanes().hedge(of, date->two, date->slopes, date->sign, date->worth, date->growth,
                              value);
    fastest_lanes().moments(CHUNK_PATHS, of->f, of->g, value, date->sign, 0.0, date->two, NULL, 0.0,
                            &date->moments[c]);
}

static void sum_close(void *context, int c)
{
    const struct date_fit *date = context;
    const struct seen_date *of = chunk_of(date, c);
    double *value = values_of_chunk(date, c);
    fastest_lanes().moments(CHUNK_PATHS, of->f, of->g, value, date->sign, 0.0, date->two, date->p,
                            date->near, &date->moments[c]);
}

static void sum_leaders(void *context, int c)
{
    const struct date_fit *date = context;
    int n = date->exercise->n_leaders;
    fastest_lanes().lead(chunk_of(date, c), values_of_chunk(date, c), n, date->sign, date->worth,
                         date->p, date->near, &date->leads[c * n]);
}

static void add_moments(const struct policy_moments *of, struct policy_moments *total)
{
    for (int a = 0; a < MOMENT_POWERS; a++)
        for (int b = 0; a + b < MOMENT_POWERS; b++) {
            total->powers[a][b] += of->powers[a][b];
            total->value_powers[a][b] += of->value_powers[a][b];
        }
    total->squares += of->squares;
    total->lowest = fmin(total->lowest, of->lowest);
    total->highest = fmax(total->highest, of->highest);
}

/* Adds the sums of chunk c to those before it. */
static void add_chunk(void *context, int c)
{
    struct date_fit *date = context;
    if (c) add_moments(&date->moments[c], &date->sums);
    else date->sums = date->moments[0];
}

/* Sums over all chunks, in their order. */
static struct policy_moments sum_by(struct date_fit *date, team_piece *sum)
{
    team_loop_own(date->team, date->exercise->chunks, sum, add_chunk, date);
    return date->sums;
}

/* Finds the growth [asset] of prices to the next date, by the means of all paths; false where a
 * price is not above 0 on the mean. */
static bool growth_of(const struct date_fit *date, double *growth)
{
    const struct path_features *fit = date->fit;
    size_t n = (size_t)fit->n_assets, dates = (size_t)date->exercise->n_dates, d = (size_t)date->d;
    for (size_t a = 0; a < n; a++) {
        double here = 0.0, then = 0.0;
        for (size_t c = 0; c < (size_t)date->exercise->chunks; c++) {
            here += fit->sums[(c * dates + d) * n + a];
            then += fit->sums[(c * dates + d + 1) * n + a];
        }
        if (!(here > 0.0 && then > 0.0)) return false;
        growth[a] = then / here;
    }
    return true;
}

/* Finds how values are to be hedged up to the next date: by the slopes of their regression on all
 * paths. What that brings has no mean as long as prices grow by what they are. */
static bool find_hedge(struct date_fit *date)
{
    struct policy_moments sums = sum_by(date, sum_all);
    return regress(&sums, date->worth, date->two ? EXERCISE_TERMS : 4, date->slopes) &&
           growth_of(date, date->growth);
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

/* Adds the sums of chunk c under each leader to those before it. */
static void add_leaders(void *context, int c)
{
    const struct date_fit *date = context;
    int n = date->exercise->n_leaders;
    for (int a = 0; c && a < n; a++)
        for (int i = 0; i < LEADER_TERMS; i++) {
            date->leads[a].rests[i] += date->leads[c * n + a].rests[i];
            for (int j = 0; j <= i; j++)
                date->leads[a].terms[i][j] += date->leads[c * n + a].terms[i][j];
        }
}

/* Finds what waiting is worth more where an asset leads, p = a + b f + c g, from the sums of its
 * paths. */
static void fit_leader(const struct leader_sums *sums, float *p)
{
    double m[LEADER_TERMS][LEADER_TERMS], x[LEADER_TERMS];
    memcpy(m, sums->terms, sizeof m);
    memcpy(x, sums->rests, sizeof x);
    double scale = m[0][0];
    if (!(scale > 0.0)) return;
    for (int i = 0; i < LEADER_TERMS; i++) m[i][i] *= 1.0 + LEADER_LEAST / scale;
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

/* Sums over the paths of a chunk that each asset leads, weighted by how close they are to a
 * decision: what waiting brought, or where `rests`, what that is over the asset's own cubic. */
static void sum_led(void *context, int c)
{
    const struct date_fit *date = context;
    const struct seen_date *of = chunk_of(date, c);
    const double *value = values_of_chunk(date, c);
    int n = date->exercise->n_leaders;
    float f[CHUNK_PATHS], g[CHUNK_PATHS], cubic[EXERCISE_TERMS];
    double values[CHUNK_PATHS];
    for (int a = 0; a < n; a++) {
        const float *own = date->p + EXERCISE_TERMS * (1 + a);
        size_t led = 0;
        for (int i = 0; i < EXERCISE_TERMS; i++)
            cubic[i] = date->rests ? date->p[i] + own[i] : date->p[i];
        for (int i = 0; i < CHUNK_PATHS; i++) {
            if (of->of_first[i] != a) continue;
            double waiting = exercise_continuation(cubic, (double)of->f[i], (double)of->g[i]);
            f[led] = of->f[i], g[led] = of->g[i];
            values[led++] = date->rests ? value[i] - date->worth * waiting : value[i];
        }
        fastest_lanes().moments(led, f, g, values, date->sign, 0.0, date->two, cubic, date->band,
                                &date->moments[c * n + a]);
    }
}

/* Adds the sums of chunk c under each leader to those before it. */
static void add_led(void *context, int c)
{
    const struct date_fit *date = context;
    int n = date->exercise->n_leaders;
    for (int a = 0; c && a < n; a++) add_moments(&date->moments[c * n + a], &date->moments[a]);
}

/* Fits the cubic of each asset that leads, where enough of its paths are close to a decision, from
 * what was found with fewer terms: a Greek is off by what the policy is off where the decision
 * turns. The cubic is regressed on a wide band about that, along which ten terms can be told apart,
 * and once more on what is left in a narrow one. */
static void fit_own_cubics(struct date_fit *date, float *p)
{
    int n = date->exercise->n_leaders;
    for (int a = 0; a < n; a++) { /* terms 1, f, g, where a cubic has them */
        float *own = p + EXERCISE_TERMS * (1 + a);
        own[4] = own[2], own[2] = 0.0f;
    }
    for (int pass = 0; pass < 2; pass++) {
        date->rests = pass;
        date->band =
            date->near * (pass ? OWN_CLOSER * chunks_narrow(date->exercise->chunks) : OWN_CLOSE);
        team_loop_own(date->team, date->exercise->chunks, sum_led, add_led, date);
        for (int a = 0; a < n; a++) {
            float found[EXERCISE_TERMS], *own = p + EXERCISE_TERMS * (1 + a);
            double weight = date->moments[a].powers[0][0];
            int terms = pass && weight < ALL_LEAST ? 4 : EXERCISE_TERMS;
            if (weight < CLOSE_LEAST || !regress(&date->moments[a], date->worth, terms, found))
                continue;
            for (int i = 0; i < EXERCISE_TERMS; i++) own[i] = found[i] + (pass ? own[i] : -p[i]);
        }
    }
}

/* Fits the policy of a date, p, twice: by all paths that gain, then by those that the first fit
 * puts close to a decision; then what is left where each asset leads. */
static void fit_date(const struct observation *t, struct date_fit *date, float *p)
{
    struct policy_moments sums = sum_by(date, sum_gaining);
    int n = date->exercise->n_leaders;
    date->p = p, date->near = 0.0, date->due = NULL;
    if (sums.powers[0][0] < FIT_LEAST) return; /* the table says that nobody exercises */
    if (all_alike(&sums, date->worth)) decide_for_all(t, &sums, p);
    else if (regress_date(t, &sums, date->two, p)) {
        float first[EXERCISE_TERMS];
        date->near = close_to(&sums, date->worth);
        memcpy(first, p, sizeof first);
        date->p = first;
        if (date->near > 0.0) sums = sum_by(date, sum_close);
        if (date->near > 0.0 && sums.powers[0][0] >= CLOSE_LEAST)
            regress_date(t, &sums, date->two, p);
        date->p = p;
    }
    if (n && date->near > 0.0)
        team_loop_own(date->team, date->exercise->chunks, sum_leaders, add_leaders, date);
    for (int a = 0; date->near > 0.0 && a < n; a++)
        fit_leader(date->leads + a, p + EXERCISE_TERMS + a * date->exercise->own_terms);
    if (n && date->near > 0.0 && date->exercise->own_terms == EXERCISE_TERMS)
        fit_own_cubics(date, p);
    date->due = p, date->due_worth = date->worth;
}

enum status policy_from_paths(const struct exercise *exercise, struct group *group,
                              const struct path_features *fit, const struct stop *stop,
                              struct team *team)
{
    enum status status = STATUS_OK;
    int last = exercise->n_dates - 1;
    const struct observation *end = exercise->dates[last];
    struct date_fit date = {.exercise = exercise,
                            .fit = fit,
                            .team = team,
                            .two = exercise_has_second(exercise),
                            .sign = end->c[0],
                            .known_growth = !group->n_dividends && valuation_possible(group)};
    size_t room = (size_t)exercise->chunks * ((size_t)exercise->n_leaders + 1);
    date.moments = malloc(room * sizeof *date.moments);
    date.leads = malloc(room * sizeof *date.leads);
    if (!date.moments || !date.leads) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < (size_t)exercise->chunks * CHUNK_PATHS; i++) {
        const struct seen_date *seen = &fit->dates[i / CHUNK_PATHS * fit->n_dates + (size_t)last];
        double gain = exercise_gain(end, (double)seen->f[i % CHUNK_PATHS]);
        fit->value[i] = gain > 0.0 ? end->c[2] * gain : 0.0;
    }
    for (int d = last - 1; d >= 0; d--) {
        const struct observation *t = exercise->dates[d];
        if (asked_to_stop(stop)) TRY(STATUS_INTERRUPTED);
        date.d = d, date.worth = t->c[2];
        date.hedged = date.known_growth && find_hedge(&date);
        fit_date(t, &date, group->lookup.table + (int)t->c[5]);
    }
done:
    free(date.moments);
    free(date.leads);
    return status;
}
