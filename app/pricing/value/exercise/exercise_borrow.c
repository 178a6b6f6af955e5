#include "app/pricing/value/exercise/exercise_borrow.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_grid.h"
#include "app/pricing/value/exercise/exercise_levels.h"
#include "models/math/exact.h"

/* ---- lenders --------------------------------------------------------------------------------- */

static bool borrows(const struct plan *plan, const struct exercise *exercise)
{
    return plan->groups[exercise->group].borrows_policies;
}

int borrowers_last(const struct plan *plan, int n, struct exercise *exercises)
{
    int fitted = 0;
    for (int i = 0; i < n; i++) {
        struct exercise own = exercises[i];
        if (borrows(plan, &own)) continue;
        for (int at = i; at > fitted; at--) exercises[at] = exercises[at - 1];
        exercises[fitted++] = own;
    }
    return fitted;
}

/* The exercise of the same trades as that of a borrower, number `rank` of its group, in another
 * group; NULL where its dates are others. A scenario set has the same trades in the same order, so
 * slots tell them apart in the same order too. */
static const struct exercise *same_in(int group, int n, const struct exercise *exercises,
                                      const struct exercise *borrower, int rank)
{
    for (int i = 0; i < n; i++) {
        if (exercises[i].group != group || rank-- > 0) continue;
        return exercises[i].n_dates == borrower->n_dates ? &exercises[i] : NULL;
    }
    return NULL;
}

static void copy_policy(struct plan *plan, const struct exercise *from, const struct exercise *to)
{
    struct group *group = &plan->groups[to->group];
    const float *lent = plan->groups[from->group].lookup.table;
    for (int d = 0; d < to->n_dates; d++) {
        struct observation *t = &group->observations[to->dates[d] - group->observations];
        memcpy(group->lookup.table + (int)t->c[5], lent + (int)from->dates[d]->c[5],
               exercise_numbers(to) * sizeof *lent);
        t->c[4] = from->dates[d]->c[4];
    }
}

/* ---- partners -------------------------------------------------------------------------------- */

/* How a state is distributed on a date: the mean and the sum of squares about it of x and v. */
struct spread {
    double mean[2], squares[2];
};

static void spread_of(const double *rows, struct spread *spread)
{
    static const int row[2] = {ROW_X, ROW_V};
    for (int i = 0; i < 2; i++) {
        const double *values = rows + row[i] * PATH_LANES;
        double sum = 0.0, squares = 0.0;
        for (int l = 0; l < PATH_LANES; l++) sum += values[l];
        double mean = sum / PATH_LANES;
        for (int l = 0; l < PATH_LANES; l++) squares += (values[l] - mean) * (values[l] - mean);
        spread->mean[i] = mean, spread->squares[i] = squares;
    }
}

/* The spreads [date] of an exercise, from PATH_LANES paths that are the same in all groups. `level`
 * = (1 + f) / 2^x. */
static enum status spreads_of(const struct plan *plan, const struct exercise *exercise,
                              struct step_scratch *step_scratch, struct spread *spreads,
                              double *level)
{
    const struct valuation valuation = {.exercise = exercise,
                                        .group = &plan->groups[exercise->group]};
    double rows[STATE_ROWS * PATH_LANES], f[PATH_LANES], g[PATH_LANES];
    struct states states = {.rows = rows, .f = f, .g = g};
    begin_states(valuation.group, &states);
    for (int k = 0; k < exercise->n_dates; k++) {
        simulate_states(&valuation, plan->seed, 0, k, step_scratch, &states);
        if (asked_to_stop(step_scratch->stop)) return STATUS_INTERRUPTED;
        spread_of(rows, &spreads[k]);
    }
    *level = (1.0 + f[0]) / exact_exp2(rows[ROW_X * PATH_LANES]);
    return STATUS_OK;
}

/* What is `middle` in the middle between two spreads is start + slope middle under the first. */
struct line {
    double start, slope;
};

static struct line line_to(const struct spread *own, const struct spread *partner, int i)
{
    double slope = own->squares[i] > 0.0 && partner->squares[i] > 0.0
                       ? sqrt(own->squares[i] / partner->squares[i])
                       : 1.0;
    double start = own->mean[i] - slope * partner->mean[i];
    return (struct line){start / (1.0 + slope), 2.0 * slope / (1.0 + slope)};
}

/* Where the coefficients of a level are: of 1, g, g^2, g^3. */
enum { LEVEL_TERMS = 4 };
static const int level_terms[LEVEL_TERMS] = {0, 4, 7, 9};

/* The price S / K at a level of gain as a cubic in g. */
static void price_of(const float *p, double sign, double *price)
{
    for (int i = 0; i < LEVEL_TERMS; i++)
        price[i] = (i == 0 ? 1.0 : 0.0) + sign * (double)p[level_terms[i]];
}

static double cubic_at(const double *c, double g)
{
    return ((c[3] * g + c[2]) * g + c[1]) * g + c[0];
}

/* c(g) becomes c((g - start) / slope). */
static void substitute(double start, double slope, double *c)
{
    double to[LEVEL_TERMS] = {c[3]};
    for (int k = 2; k >= 0; k--) { /* to = to (g - start) / slope + c[k] */
        for (int i = LEVEL_TERMS - 1; i >= 0; i--)
            to[i] = ((i ? to[i - 1] : 0.0) - start * to[i]) / slope;
        to[0] += c[k];
    }
    memcpy(c, to, sizeof to);
}

/* A price S / K, which is S / (level 2^x), moved along the line of x = log2 S. */
static double moved(const struct line *x, double level, double price)
{
    return level * exact_exp2(x->start + x->slope * exact_log2(price / level));
}

/* Moves the levels of a date, of one feature: up to two. */
static void move_levels(const struct line *x, double sign, double level, float *p)
{
    double levels[LEVELS_MOST];
    int n = levels_of_policy(sign, p, levels);
    for (int i = 0; i < n; i++) levels[i] = sign * (moved(x, level, 1.0 + sign * levels[i]) - 1.0);
    if (n > 0) policy_of_levels(sign, n, levels, p);
}

/* Moves the level of a date as a cubic in a variance. Its logarithm is moved; it is straight about
 * the level at the mean of the variance. */
static void move_cubic(const struct observation *t, const struct spread *own,
                       const struct spread *partner, const struct line *x, double level, float *p)
{
    double price[LEVEL_TERMS], sign = t->c[0];
    struct line v = line_to(own, partner, 1);
    price_of(p, sign, price);
    double from = cubic_at(price, t->c[4] * 0.5 * (own->mean[1] + partner->mean[1]) - 1.0);
    if (p[0] == EXERCISE_NEVER || p[0] == 0.0f || !(from > 0.0)) return;
    double to = moved(x, level, from), scale = to / from * x->slope;
    for (int i = 0; i < LEVEL_TERMS; i++) price[i] *= scale;
    price[0] += to - scale * from;
    substitute(t->c[4] * v.start + v.slope - 1.0, v.slope, price); /* g = unit v - 1 */
    for (int i = 0; i < LEVEL_TERMS; i++)
        p[level_terms[i]] = (float)(sign * (price[i] - (i == 0 ? 1.0 : 0.0)));
}

static void move_policy(const struct observation *t, const struct spread *own,
                        const struct spread *partner, double level, float *p)
{
    struct line x = line_to(own, partner, 0);
    if (exercise_sees_variance(t->kind)) move_cubic(t, own, partner, &x, level, p);
    else move_levels(&x, t->c[0], level, p);
}

/* Makes the policies of a date of two partners one, halfway between them; false where they are of
 * two kinds. */
static bool meet(float *p, float *q)
{
    bool decides_p = p[0] != EXERCISE_NEVER && p[0] != 0.0f,
         decides_q = q[0] != EXERCISE_NEVER && q[0] != 0.0f;
    if (!decides_p || !decides_q || p[2] != q[2]) return false;
    for (int i = 0; i < EXERCISE_TERMS; i++) p[i] = q[i] = 0.5f * (p[i] + q[i]);
    return true;
}

static float *policy_of(struct plan *plan, const struct exercise *exercise, size_t date)
{
    return plan->groups[exercise->group].lookup.table + (int)exercise->dates[date]->c[5];
}

static enum status move_partners(struct plan *plan, const struct exercise *one,
                                 const struct exercise *other, struct step_scratch *step_scratch)
{
    enum status status = STATUS_OK;
    double level;
    size_t n = (size_t)one->n_dates;
    struct spread *spreads = malloc(2 * n * sizeof *spreads);
    if (!spreads) return STATUS_NO_MEMORY;
    TRY(spreads_of(plan, one, step_scratch, spreads, &level));
    TRY(spreads_of(plan, other, step_scratch, spreads + n, &level));
    for (size_t d = 0; d + 1 < n; d++) {
        float *p = policy_of(plan, one, d), *q = policy_of(plan, other, d);
        if (!meet(p, q)) continue;
        move_policy(one->dates[d], &spreads[d], &spreads[n + d], level, p);
        move_policy(other->dates[d], &spreads[n + d], &spreads[d], level, q);
    }
done:
    free(spreads);
    return status;
}

/* ---- partners on several assets -------------------------------------------------------------- */

/* What is moved is kept to this: what rounding adds from date to date is no move. */
#define MOVE_UNIT 0x1p-36

static double without_rounding(double move)
{
    return MOVE_UNIT * nearbyint(move / MOVE_UNIT);
}

/* An exercise, its partner, and how prices are spread under both. */
struct partners {
    struct plan *plan;
    const struct exercise *exercises[2];
    bool alike[UNDERLYINGS_MAX];
    struct spread *spreads[2]; /* [date][underlying]; NULL where all move alike */
};

static struct group *group_of(const struct partners *partners, int i)
{
    return &partners->plan->groups[partners->exercises[i]->group];
}

/* What is log2 S under one of them in the market in the middle, as start + slope log2 S. */
static struct line line_to_middle(const struct partners *partners, int own, size_t date, int u)
{
    const struct group *group = group_of(partners, own), *other = group_of(partners, !own);
    if (partners->alike[u])
        return (struct line){0.5 * (other->underlyings[u].start.x - group->underlyings[u].start.x),
                             1.0};
    size_t at = date * (size_t)group->n_underlyings + (size_t)u;
    struct line x = line_to(&partners->spreads[own][at], &partners->spreads[!own][at], 0);
    return (struct line){-x.start / x.slope, 1.0 / x.slope};
}

/* Moves the prices that decide whether one of them is exercised on a date into the middle; `again`:
 * those of the assets were moved for another exercise. */
static void move_prices(const struct partners *partners, int own, size_t date, bool again)
{
    struct group *group = group_of(partners, own);
    const struct exercise *exercise = partners->exercises[own];
    const struct observation *decides = exercise->dates[date];
    double whole = 0.0;
    int j = exercise->steps[date];
    for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
        struct observation *t = &group->observations[i];
        if (observation_in_row(t->kind) || t->slot != decides->source) continue;
        struct line x = line_to_middle(partners, own, date, t->underlying);
        double slope = without_rounding(x.slope), start = without_rounding(x.start);
        if (decides->c[3] == (double)EXERCISE_LOG) {
            whole += (again ? t->c[0] / slope : t->c[0]) * start;
            if (!again) t->c[0] *= slope;
            continue;
        }
        if (again) return;
        if (decides->c[3] == (double)EXERCISE_MONEY) t->c[0] *= exact_exp2(start);
        else t->c[0] += start;
        t->c[1] = slope;
    }
    group->observations[decides - group->observations].c[1] *= exact_exp2(whole);
}

/* The spreads of an exercise on PATH_LANES paths that are the same in all groups, but of the
 * underlyings that are `still`. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
static enum status all_spreads(const struct plan *plan, const struct exercise *exercise,
                               const bool *still, struct step_scratch *step_scratch,
                               struct spread **spreads)
{
    const struct valuation valuation = {.exercise = exercise,
                                        .group = &plan->groups[exercise->group]};
    size_t n = (size_t)valuation.group->n_underlyings;
    double f[PATH_LANES], g[PATH_LANES];
    double *rows = malloc(n * STATE_ROWS * PATH_LANES * sizeof *rows);
    struct states states = {.rows = rows, .f = f, .g = g, .still = still};
    *spreads = malloc(n * (size_t)exercise->n_dates * sizeof **spreads);
    if (rows && *spreads) begin_states(valuation.group, &states);
    for (int k = 0; rows && *spreads && k < exercise->n_dates; k++) {
        if (asked_to_stop(step_scratch->stop)) break;
        simulate_states(&valuation, plan->seed, 0, k, step_scratch, &states);
        for (size_t u = 0; u < n; u++)
            if (!still[u])
                spread_of(rows + u * STATE_ROWS * PATH_LANES, *spreads + (size_t)k * n + u);
    }
    bool there = rows && *spreads;
    free(rows);
    if (!there) return STATUS_NO_MEMORY;
    return asked_to_stop(step_scratch->stop) ? STATUS_INTERRUPTED : STATUS_OK;
}

/* Whether an earlier exercise of the group is decided by the same prices. */
static bool moved_before(const struct exercise *exercises, const struct exercise *exercise)
{
    for (const struct exercise *before = exercise;
         before > exercises && before[-1].group == exercise->group; before--)
        if (before[-1].dates[0]->source == exercise->dates[0]->source) return true;
    return false;
}

/* Decides two partners by the prices of the market in the middle between them; `again` as above. */
static enum status meet_in_prices(struct plan *plan, const struct exercise *one,
                                  const struct exercise *other, bool again,
                                  struct step_scratch *step_scratch)
{
    enum status status = STATUS_OK;
    struct partners partners = {.plan = plan, .exercises = {one, other}};
    bool all_alike = true;
    for (int u = 0; u < group_of(&partners, 0)->n_underlyings; u++) {
        partners.alike[u] = moves_alike(group_of(&partners, 0), u, group_of(&partners, 1), u);
        all_alike &= partners.alike[u];
    }
    for (int i = 0; i < 2 && !all_alike; i++)
        TRY(all_spreads(plan, partners.exercises[i], partners.alike, step_scratch,
                        &partners.spreads[i]));
    for (size_t d = 0; d + 1 < (size_t)one->n_dates; d++)
        for (int i = 0; i < 2; i++) move_prices(&partners, i, d, again);
done:
    for (int i = 0; i < 2; i++) free(partners.spreads[i]);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* The place of exercises[i] among those of its group, which are next to each other. */
static int rank_of(const struct exercise *exercises, int i)
{
    int rank = 0;
    while (rank < i && exercises[i - rank - 1].group == exercises[i].group) rank++;
    return rank;
}

/* The partners of a plan while threads share them. */
struct meetings {
    struct plan *plan;
    int n;
    const struct exercise *exercises; /* [n] */
    const struct stop *stop;
    atomic_int status;
};

/* Moves the exercises of the group that exercises[i] is the first of, and of its partner. */
static void meet_group(void *context, int i)
{
    enum status status = STATUS_OK;
    struct meetings *meetings = context;
    struct plan *plan = meetings->plan;
    const struct exercise *exercises = meetings->exercises;
    struct step_scratch step_scratch = {.words = NULL};
    int group = exercises[i].group, to_partner = plan->groups[group].to_partner;
    if (to_partner <= 0 || rank_of(exercises, i) || atomic_load(&meetings->status)) return;
    for (; i < meetings->n && exercises[i].group == group; i++) {
        bool apart = exercise_keeps_apart(exercises[i].dates[0]->kind);
        const struct exercise *partner = same_in(group + to_partner, meetings->n, exercises,
                                                 &exercises[i], rank_of(exercises, i));
        if (!partner || !(apart || grid_possible(&plan->groups[group], &exercises[i]))) continue;
        if (!step_scratch.words) TRY(step_scratch_make(plan, meetings->stop, NULL, &step_scratch));
        if (apart)
            TRY(meet_in_prices(plan, &exercises[i], partner, moved_before(exercises, &exercises[i]),
                               &step_scratch));
        else TRY(move_partners(plan, &exercises[i], partner, &step_scratch));
    }
done:
    if (status) atomic_store(&meetings->status, (int)status);
    step_scratch_free(&step_scratch);
}

enum status borrow_policies(struct plan *plan, int n, int fitted, const struct exercise *exercises,
                            const struct stop *stop, struct team *team)
{
    struct meetings meetings = {.plan = plan, .n = n, .exercises = exercises, .stop = stop};
    for (int i = fitted; i < n; i++) {
        int first = exercises[i].group;
        while (!plan->groups[first].scenario_set) first--;
        const struct exercise *lender =
            same_in(first, n, exercises, &exercises[i], rank_of(exercises, i));
        if (lender) copy_policy(plan, lender, &exercises[i]);
    }
    team_loop(team, n, meet_group, &meetings);
    return (enum status)atomic_load(&meetings.status);
}
