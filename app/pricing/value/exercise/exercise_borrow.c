/* Policies that one scenario borrows from another (docs/method.md, 7.1).
 *
 * In a plan with contrasts policies are those of scenario 0. Two scenarios that are contrasted,
 * partners, are the better compared the fewer paths exercise in one and go on in the other. So the
 * critical level, halfway between theirs and taken for one of the market in the middle, is moved to
 * each by how x = log2 S is distributed there on that date: it stays at as many deviations from the
 * mean. The variance of heston is moved alike.
 *
 * On several assets the prices that decide are another basket than the one that is paid
 * (exercise_apart): of the spots that the path would have in the market in the middle, each log2 S
 * being moved as above. (V. Piterbarg, Computing deltas of callable Libor exotics in forward Libor
 * models, Journal of Computational Finance 7 (2004), holds the date of exercise of each path.) */
#include "app/pricing/value/exercise/policy_makers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/math/exact.h"

/* The partners of a plan while threads share them. */
struct meetings {
    const struct plan *plan;
    int n;
    const struct exercise *exercises; /* [n] */
    const struct stop *stop;
};

/* ---- lenders --------------------------------------------------------------------------------- */

/* Finds the exercise of the same trades as that of a borrower in another group; NULL where its
 * dates are others. A scenario set has the same trades in the same order, so ranks tell exercises
 * apart. */
static const struct exercise *same_in(const struct group *group, int n,
                                      const struct exercise *exercises,
                                      const struct exercise *borrower)
{
    for (int i = 0; i < n; i++)
        if (exercises[i].group == group && exercises[i].rank == borrower->rank)
            return exercises[i].n_dates == borrower->n_dates ? &exercises[i] : NULL;
    return NULL;
}

/* Returns the observation of a group that is to be changed. */
static struct observation *observation_of(const struct group *group, const struct observation *t)
{
    return &group->observations[t - group->observations];
}

static void copy_policy(const struct exercise *from, const struct exercise *to)
{
    for (int d = 0; d < to->n_dates; d++) {
        memcpy(exercise_policy(to, d), exercise_policy(from, d),
               exercise_numbers(to) * sizeof(float));
        observation_of(to->group, to->dates[d])->c[4] = from->dates[d]->c[4];
    }
}

/* ---- how partners' states are spread --------------------------------------------------------- */

/* How a state is distributed on a date: the mean and the sum of squares about it of x and sqrt(v).
 */
struct spread {
    double mean[2], squares[2];
};

/* Two exercises that are partners, and how states are spread under both. */
struct partners {
    const struct exercise *exercises[2];
    bool by_one_law[UNDERLYINGS_MAX]; /* underlyings that move alike, of which no spread is looked
                                         at */
    struct spread *spreads[2];        /* [date][underlying]; NULL where all move alike */
    double level;                     /* of one asset: (1 + f) / 2^x */
};

static void spread_of(const double *rows, struct spread *spread)
{
    static const int row[2] = {ROW_X, ROW_V};
    for (int i = 0; i < 2; i++) {
        const double *values = rows + row[i] * PATH_LANES;
        double sum = 0.0, squares = 0.0, seen[PATH_LANES];
        for (int l = 0; l < PATH_LANES; l++)
            seen[l] = row[i] == ROW_V ? sqrt(fmax(values[l], 0.0)) : values[l];
        for (int l = 0; l < PATH_LANES; l++) sum += seen[l];
        double mean = sum / PATH_LANES;
        for (int l = 0; l < PATH_LANES; l++) squares += (seen[l] - mean) * (seen[l] - mean);
        spread->mean[i] = mean, spread->squares[i] = squares;
    }
}

/* Finds the spreads of exercise i from PATH_LANES paths that are the same in all groups.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
static enum status find_spreads(struct partners *partners, int i, const struct meetings *meetings)
{
    enum status status = STATUS_OK;
    const struct exercise *exercise = partners->exercises[i];
    struct valuation valuation = {.exercise = exercise,
                                  .draws = {exercise->group, meetings->plan->seed, 0},
                                  .stop = meetings->stop};
    size_t n = (size_t)exercise->group->n_underlyings;
    struct spread *spread = malloc(n * (size_t)exercise->n_dates * sizeof *spread);
    partners->spreads[i] = spread;
    TRY(valuation_blocks(&valuation, 1));
    if (!spread) TRY(STATUS_NO_MEMORY);
    struct states states = valuation.scratch->states;
    begin_states(exercise->group, states.rows);
    for (int k = 0; k < exercise->n_dates; k++) {
        simulate_states(&valuation, 0, k, valuation.scratch, &states);
        if (asked_to_stop(meetings->stop)) TRY(STATUS_INTERRUPTED);
        for (size_t u = 0; u < n; u++, spread++)
            if (!partners->by_one_law[u])
                spread_of(states.rows + u * PATH_ROWS * PATH_LANES, spread);
    }
    partners->level = (1.0 + states.f[0]) / exact_exp2(states.rows[ROW_X * PATH_LANES]);
done:
    valuation_free(&valuation);
    return status;
}

/* What is `middle` in the middle between two spreads is start + slope middle under the first. */
struct line {
    double start, slope;
};

static struct line line_to(const struct spread *spread, const struct spread *partner, int i)
{
    double slope = spread->squares[i] > 0.0 && partner->squares[i] > 0.0
                       ? sqrt(spread->squares[i] / partner->squares[i])
                       : 1.0;
    double start = spread->mean[i] - slope * partner->mean[i];
    return (struct line){start / (1.0 + slope), 2.0 * slope / (1.0 + slope)};
}

/* ---- partners on one asset ------------------------------------------------------------------- */

/* Turns c(g) into c((g - start) / slope). */
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

/* Returns a price S / K, which is S / (level 2^x), moved along the line of x = log2 S. */
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
static void move_cubic(const struct observation *t, const struct spread *spread,
                       const struct spread *partner, const struct line *x, double level, float *p)
{
    double price[LEVEL_TERMS] = {1.0}, sign = t->c[0]; /* S / K at the level, as a cubic in g */
    struct line v = line_to(spread, partner, 1);
    for (int i = 0; i < LEVEL_TERMS; i++) price[i] += sign * (double)p[level_terms[i]];
    double g = t->c[4] * 0.5 * (spread->mean[1] + partner->mean[1]) - 1.0;
    double from = ((price[3] * g + price[2]) * g + price[1]) * g + price[0];
    if (!policy_decides(p) || !(from > 0.0)) return;
    double to = moved(x, level, from), scale = to / from * x->slope;
    for (int i = 0; i < LEVEL_TERMS; i++) price[i] *= scale;
    price[0] += to - scale * from;
    substitute(t->c[4] * v.start + v.slope - 1.0, v.slope, price); /* g = unit sqrt(v) - 1 */
    price[0] -= 1.0;
    for (int i = 0; i < LEVEL_TERMS; i++) p[level_terms[i]] = (float)(sign * price[i]);
}

/* Makes the policies of a date of both one, halfway between them, and moves that to each; leaves
 * them where they are of two kinds. */
static void move_policies(const struct partners *partners, int date)
{
    float *p[2];
    for (int i = 0; i < 2; i++) p[i] = exercise_policy(partners->exercises[i], date);
    if (!policy_decides(p[0]) || !policy_decides(p[1]) || p[0][2] != p[1][2]) return;
    for (int i = 0; i < EXERCISE_TERMS; i++) p[0][i] = p[1][i] = 0.5f * (p[0][i] + p[1][i]);
    for (int i = 0; i < 2; i++) {
        const struct observation *t = partners->exercises[i]->dates[date];
        const struct spread *spread = &partners->spreads[i][date],
                            *partner = &partners->spreads[!i][date];
        struct line x = line_to(spread, partner, 0);
        if (exercise_sees_variance(t->kind))
            move_cubic(t, spread, partner, &x, partners->level, p[i]);
        else move_levels(&x, t->c[0], partners->level, p[i]);
    }
}

/* ---- partners on several assets -------------------------------------------------------------- */

/* What is moved is kept to this: what rounding adds from date to date is no move. */
#define MOVE_UNIT 0x1p-36

static double without_rounding(double move)
{
    return MOVE_UNIT * nearbyint(move / MOVE_UNIT);
}

/* Returns what log2 S under one of them is in the market in the middle: start + slope log2 S. */
static struct line line_to_middle(const struct partners *partners, int i, int date, int u)
{
    const struct group *group = partners->exercises[i]->group,
                       *other = partners->exercises[!i]->group;
    if (partners->by_one_law[u])
        return (struct line){0.5 * (other->underlyings[u].start.x - group->underlyings[u].start.x),
                             1.0};
    int at = date * group->n_underlyings + u;
    struct line x = line_to(&partners->spreads[i][at], &partners->spreads[!i][at], 0);
    return (struct line){-x.start / x.slope, 1.0 / x.slope};
}

/* Moves the prices that decide whether one of them is exercised on a date into the middle;
 * `assets_moved`: those of the assets were moved for another exercise. */
static void move_prices(const struct partners *partners, int i, int date, bool assets_moved)
{
    const struct exercise *exercise = partners->exercises[i];
    const struct observation *decides = exercise->dates[date];
    double basket_move = 0.0;
    for (int part = exercise->first_part[date]; part < exercise->first_part[date + 1]; part++) {
        struct observation *t = observation_of(exercise->group, exercise->parts[part]);
        struct line x = line_to_middle(partners, i, date, t->underlying);
        double slope = without_rounding(x.slope), start = without_rounding(x.start);
        if (decides->c[3] == (double)EXERCISE_LOG) {
            basket_move += (assets_moved ? t->c[0] / slope : t->c[0]) * start;
            if (!assets_moved) t->c[0] *= slope;
            continue;
        }
        if (assets_moved) return;
        if (!keeps_logs(decides)) t->c[0] *= exact_exp2(start);
        else t->c[0] += start;
        t->c[1] = slope;
    }
    observation_of(exercise->group, decides)->c[1] *= exact_exp2(basket_move);
}

/* Tells whether an earlier exercise of the group is decided by the same prices. */
static bool moved_before(const struct exercise *exercise)
{
    for (int back = 1; back <= exercise->rank; back++)
        if (exercise[-back].dates[0]->source == exercise->dates[0]->source) return true;
    return false;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Decides two partners alike: one asset by policies that are moved, several by prices that are. */
static enum status meet_partner(const struct meetings *meetings, const struct exercise *one,
                                const struct exercise *other)
{
    enum status status = STATUS_OK;
    struct partners partners = {.exercises = {one, other}};
    bool by_prices = exercise_keeps_apart(one->dates[0]->kind), all_by_one_law = by_prices;
    if (!by_prices && !grid_possible(one)) return STATUS_OK;
    for (int u = 0; by_prices && u < one->group->n_underlyings; u++) {
        partners.by_one_law[u] = same_law(one->group, u, other->group, u);
        all_by_one_law &= partners.by_one_law[u];
    }
    for (int i = 0; i < 2 && !all_by_one_law; i++) TRY(find_spreads(&partners, i, meetings));
    for (int d = 0; d + 1 < one->n_dates; d++) {
        if (!by_prices) move_policies(&partners, d);
        for (int i = 0; i < 2 && by_prices; i++) move_prices(&partners, i, d, moved_before(one));
    }
done:
    for (int i = 0; i < 2; i++) free(partners.spreads[i]);
    return status;
}

/* Moves the exercises of the group that exercises[i] is the first of, and of its partner. */
static enum status meet_group(void *context, int i, struct message *why)
{
    const struct meetings *meetings = context;
    const struct exercise *exercises = meetings->exercises;
    const struct group *group = exercises[i].group;
    (void)why;
    if (group->to_partner <= 0 || exercises[i].rank) return STATUS_OK;
    for (; i < meetings->n && exercises[i].group == group; i++) {
        const struct exercise *partner =
            same_in(group + group->to_partner, meetings->n, exercises, &exercises[i]);
        if (partner) MUST(meet_partner(meetings, &exercises[i], partner));
    }
    return STATUS_OK;
}

enum status borrow_policies(const struct plan *plan, int n, int fitted,
                            const struct exercise *exercises, const struct stop *stop,
                            struct team *team)
{
    struct meetings meetings = {.plan = plan, .n = n, .exercises = exercises, .stop = stop};
    for (int i = fitted; i < n; i++) {
        const struct group *first = exercises[i].group;
        while (!first->scenario_set) first--;
        const struct exercise *lender = same_in(first, n, exercises, &exercises[i]);
        if (lender) copy_policy(lender, &exercises[i]);
    }
    return team_try(team, n, n, meet_group, &meetings, &(struct message){""});
}
