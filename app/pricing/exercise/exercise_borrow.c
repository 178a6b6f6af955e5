#include "app/pricing/exercise/exercise_borrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/exercise/exercise_grid.h"
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
               EXERCISE_TERMS * sizeof *lent);
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
    struct states states = {rows, f, g};
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

/* The price S / K at a level of gain as a cubic in g; false where the policy is no such level. */
static bool price_of(const float *p, double sign, double *price)
{
    static const int others[] = {1, 2, 3, 5, 6, 8};
    if (p[0] == EXERCISE_NEVER || p[0] == 0.0f) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (p[others[i]] != 0.0f) return false;
    for (int i = 0; i < LEVEL_TERMS; i++)
        price[i] = (i == 0 ? 1.0 : 0.0) + sign * (double)p[level_terms[i]];
    return true;
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

/* Moves the policy of a date. The level's logarithm is moved; it is straight about the level at the
 * mean of the variance. */
static void move_policy(const struct observation *t, const struct spread *own,
                        const struct spread *partner, double level, float *p)
{
    double price[LEVEL_TERMS], sign = t->c[0];
    struct line x = line_to(own, partner, 0), v = line_to(own, partner, 1);
    if (!price_of(p, sign, price)) return;
    bool two = t->kind == OBSERVATION_EXERCISE_VARIANCE;
    double middle = two ? t->c[4] * 0.5 * (own->mean[1] + partner->mean[1]) - 1.0 : 0.0;
    double from = cubic_at(price, middle);
    if (!(from > 0.0)) return;
    double to = level * exact_exp2(x.start + x.slope * exact_log2(from / level));
    double scale = to / from * x.slope;
    for (int i = 0; i < LEVEL_TERMS; i++) price[i] *= scale;
    price[0] += to - scale * from;
    /* g = unit v - 1 */
    if (two) substitute(t->c[4] * v.start + v.slope - 1.0, v.slope, price);
    for (int i = 0; i < LEVEL_TERMS; i++)
        p[level_terms[i]] = (float)(sign * (price[i] - (i == 0 ? 1.0 : 0.0)));
}

static enum status move_to_own(struct plan *plan, const struct exercise *own,
                               const struct exercise *partner, struct step_scratch *step_scratch)
{
    enum status status = STATUS_OK;
    double level;
    size_t n = (size_t)own->n_dates;
    float *table = plan->groups[own->group].lookup.table;
    struct spread *spreads = malloc(2 * n * sizeof *spreads);
    if (!spreads) return STATUS_NO_MEMORY;
    TRY(spreads_of(plan, partner, step_scratch, spreads + n, &level));
    TRY(spreads_of(plan, own, step_scratch, spreads, &level));
    for (size_t d = 0; d + 1 < n; d++)
        move_policy(own->dates[d], &spreads[d], &spreads[n + d], level,
                    table + (int)own->dates[d]->c[5]);
done:
    free(spreads);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

enum status borrow_policies(struct plan *plan, int n, int fitted, const struct exercise *exercises,
                            const struct stop *stop)
{
    enum status status = STATUS_OK;
    struct step_scratch step_scratch = {.words = NULL};
    if (fitted == n) return STATUS_OK;
    TRY(step_scratch_make(plan, stop, NULL, &step_scratch));
    for (int i = fitted, rank = 0; i < n; i++) {
        const struct exercise *own = &exercises[i];
        const struct group *group = &plan->groups[own->group];
        int first = own->group;
        rank = i > fitted && exercises[i - 1].group == own->group ? rank + 1 : 0;
        while (!plan->groups[first].scenario_set) first--;
        const struct exercise *lender = same_in(first, fitted, exercises, own, rank);
        if (!lender) continue;
        copy_policy(plan, lender, own);
        if (!group->to_partner || !grid_possible(group, own)) continue;
        const struct exercise *partner =
            same_in(own->group + group->to_partner, n, exercises, own, rank);
        if (partner) TRY(move_to_own(plan, own, partner, &step_scratch));
    }
done:
    step_scratch_free(&step_scratch);
    return status;
}
