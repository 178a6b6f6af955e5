/* Value functions of an exercise on one asset, on a grid of its states.
 *
 * The state of one asset is its spot, and under heston and bates its variance. On every step of the
 * grid of dates, from the last date of exercise backwards, the value of going on from each node is
 * a sum over weighted normals of the value one step later: quadrature in the place of paths (A. D.
 * Andricopoulos, M. Widdicks, P. W. Duck and D. P. Newton, Universal option valuation using
 * quadrature methods, Journal of Financial Economics 67 (2003) 447-471), whose points the CPU
 * engine moves as it moves paths. A cubic spline goes through the nodes; where it is a date, the
 * greater of it and the gain is taken after the spline, so that the kink stays where it is. Where a
 * variance may become 0 in a step it takes sixteen points in what moves it, not three in a factor:
 * its law is an atom and a tail there, and means by three were up to 45 % off.
 *
 * Nodes, points and sums have one order: the functions have the same bits on every machine. They
 * are those of the plan's own steps, to about 1e-6 of the strike, and without noise: critical
 * levels can be read from them. */
#include "app/pricing/value/exercise/exercise_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_lanes.h"
#include "models/base/stop.h"
#include "models/dynamics/heston.h"
#include "models/math/constants.h"
#include "models/math/exact.h"

enum {
    CELLS_ALONE = 511, /* of the spot, where that is the state; nodes are one more */
    CELLS_FIRST = 127, /* where the variance is, too */
    CELLS_SECOND = 15,
    CELLS_NEAR_ZERO = 255,   /* of the spot, where the variance may become 0, */
    VARIANCE_NEAR_ZERO = 31, /* and of that */
    CELLS_LEAST = 63,        /* where steps are so many that more would take more than */
    GRID_STEPS = 1 << 24,    /* steps of points, */
    STEPS_NEAR_ZERO = 1 << 28,
    FACTORS_MOST = 4,
    POINTS_MOST = 128,
    RULE_MOST = 64,
    RANGE_STATES = 2 * PATH_LANES, /* paths that say how far the grid goes */
    SHARES_MOST = 32, /* of the nodes, each moved and summed by one thread at a time, */
    SHARE_LEAST = 32, /* of so many */
    STEPS_LANDED = 4  /* kinds of steps whose landings are kept */
};
_Static_assert((int)RANGE_STATES <= (int)FIT_STATES_LEAST, "which are known");
#define GRID_MARGIN 0.1    /* of their range that it goes beyond them on each side, */
#define STRIKE_MARGIN 0.25 /* and beyond the strike at least */
#define LEAST_RANGE 1e-3
#define FARTHEST 0.9999 /* (S - K) / (S + K) */
#define RARE 1e-4       /* a probability of two jumps in a step */

/* ---- points of a step ------------------------------------------------------------------------ */

/* Weighted points of one normal. */
struct rule {
    int n;
    double z[RULE_MOST], weights[RULE_MOST];
};

/* Words of weighted points of a step, [point][factor]. */
struct points {
    int n, n_factors;
    uint32_t words[POINTS_MOST * FACTORS_MOST];
    double weights[POINTS_MOST];
};

/* Makes n points at equal steps h, exact to exp(-2 (pi / h)^2) where nothing turns. */
static void equal_steps(int n, double h, struct rule *rule)
{
    double sum = 0.0;
    rule->n = n;
    for (int i = 0; i < n; i++) {
        double z = (i - 0.5 * (n - 1)) * h;
        rule->z[i] = z;
        rule->weights[i] = exact_exp2(-0.5 * z * z * LOG2_E);
        sum += rule->weights[i];
    }
    for (int i = 0; i < n; i++) rule->weights[i] /= sum;
}

/* Makes the points z of a rule of Gauss and Hermite, exact to the degree 2 n - 1. */
static void gauss_points(int n, const double *z, const double *weights, struct rule *rule)
{
    rule->n = n;
    for (int i = 0; i < n; i++) rule->z[i] = z[i], rule->weights[i] = weights[i];
}

/* A rule for the spot's normals times one for the variance's, and the words of both factors,
 * [of spot][of variance][2]. */
struct product_rule {
    struct rule spot, variance;
    uint32_t words[2 * POINTS_MOST];
};

/* The rules of a fit, and where a model's normals are: -1 where it has none. */
struct rules {
    struct product_rule smooth, last, near_zero, jumped;
    struct rule jump, one;
    int variance, count; /* of jumps, whose size comes next */
};

/* Finds the words, where the variance goes with the spot's factor as rho says: its rule is that of
 * what moves it, the other one of what is left of the spot's noise. With rho 0 they are those of
 * the factors themselves. */
static void words_make(double rho, struct product_rule *rule)
{
    double rest = sqrt(1.0 - rho * rho);
    uint32_t *words = rule->words;
    for (int i = 0; i < rule->spot.n; i++)
        for (int j = 0; j < rule->variance.n; j++) {
            double left = rule->spot.z[i], moves = rule->variance.z[j];
            *words++ = word_above(rho * moves + rest * left);
            *words++ = word_above(rest * moves - rho * left);
        }
}

/* Returns the coefficients of a step. */
static const double *coefficients_of_step(const struct group *group, int j)
{
    return group->coefficients + (size_t)j * (size_t)group->width +
           (size_t)group->underlyings[0].coefficient;
}

/* Tells whether the variance of Heston or Bates may become 0 in a step. */
static bool may_become_zero(const struct group *group, int j)
{
    float scheme = heston_float(coefficients_of_step(group, j), HESTON_SCHEME);
    return scheme == (float)HESTON_QUADRATIC_EXPONENTIAL;
}

static void rules_make(const struct group *group, struct rules *rules)
{
    static const double five[] = {-2.85697001387280565416, -1.35562617997426586584, 0.0,
                                  1.35562617997426586584, 2.85697001387280565416};
    static const double of_five[] = {0.01125741132772068893, 0.22207592200561264440,
                                     0.53333333333333333333, 0.22207592200561264440,
                                     0.01125741132772068893};
    static const double three[] = {-1.73205080756887729353, 0.0, 1.73205080756887729353};
    static const double of_three[] = {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0};
    static const double one[] = {0.0}, of_one[] = {1.0};
    bool variance = model_has(group->underlyings[0].model, REMEMBERS_VARIANCE);
    gauss_points(1, one, of_one, &rules->one);
    rules->smooth.variance = rules->last.variance = rules->jumped.variance = rules->one;
    equal_steps(16, 0.7, &rules->smooth.spot);
    equal_steps(64, 0.17, &rules->last.spot);
    equal_steps(2, 2.0, &rules->jumped.spot);
    equal_steps(8, 1.0, &rules->jump);
    double rho = 0.0;
    if (variance) {
        rho = (double)heston_float(coefficients_of_step(group, 0), HESTON_RHO);
        gauss_points(5, five, of_five, &rules->smooth.spot);
        gauss_points(3, three, of_three, &rules->smooth.variance);
        rules->near_zero.spot = rules->smooth.spot;
        equal_steps(16, 0.6, &rules->near_zero.variance);
    }
    words_make(0.0, &rules->smooth);
    words_make(0.0, &rules->last);
    words_make(0.0, &rules->jumped);
    words_make(rho, &rules->near_zero);
    rules->variance = variance ? 1 : -1;
    rules->count = jump_factor(group);
}

/* What a step takes where so many jumps have a probability. */
struct step_rules {
    const struct product_rule *rule;
    const struct rule *size; /* of the jumps */
    uint32_t count;          /* word of their number */
    double probability;
};

/* Adds the products of the points of each rule. */
static void add_products(const struct rules *rules, const struct step_rules *step,
                         struct points *points)
{
    const struct rule *spot = &step->rule->spot, *variance = &step->rule->variance,
                      *size = step->size;
    for (int i = 0; i < spot->n; i++)
        for (int j = 0; j < variance->n; j++)
            for (int k = 0; k < size->n; k++) {
                uint32_t *words = points->words + points->n * points->n_factors;
                const uint32_t *both = step->rule->words + 2 * (i * variance->n + j);
                words[0] = both[0];
                if (rules->variance >= 0) words[rules->variance] = both[1];
                if (rules->count >= 0) words[rules->count] = step->count;
                if (rules->count >= 0) words[rules->count + 1] = word_above(size->z[k]);
                points->weights[points->n++] =
                    step->probability * spot->weights[i] * variance->weights[j] * size->weights[k];
            }
}

/* Makes the points of step j; `last`: to the last date, where the value has its kink at the strike.
 * One jump and two, as often as gives their number its mean L and variance: a third left out is a
 * hundredth of the drift of all jumps. Where two are rare, one as often as there are jumps. */
static void points_of_step(const struct group *group, const struct rules *rules, int j, bool last,
                           struct points *points)
{
    bool variance = rules->variance >= 0, jumps = rules->count >= 0;
    uint32_t first = jumps ? jump_word(group, j, 1) : 0,
             second = jumps ? jump_word(group, j, 2) : 0;
    double expected = jumps ? -exact_log2(first * 0x1p-32) / LOG2_E : 0.0;
    double two = 0.5 * expected * expected < RARE ? 0.0 : 0.5 * expected * expected;
    double one = expected - 2.0 * two;
    const struct product_rule *rule = last && !variance && !jumps ? &rules->last : &rules->smooth;
    if (variance && may_become_zero(group, j)) rule = &rules->near_zero;
    points->n = 0;
    points->n_factors = group->n_factors;
    const struct step_rules steps[] = {{rule, &rules->one, 0, 1.0 - one - two},
                                       {&rules->jumped, &rules->jump, first, one},
                                       {&rules->jumped, &rules->jump, second, two}};
    for (int i = 0; i < 3; i++)
        if (!i || steps[i].probability > 0.0) add_products(rules, &steps[i], points);
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* Where the nodes of a grid get to by the points of a step. */
struct landed_step {
    struct landing *landings; /* [share][points side by side] */
    size_t room;              /* for so many */
    int j;                    /* the step; 0: none that others may take over; */
    int n;                    /* of so many points */
    int used;                 /* the step that did so last; they go from many to few */
};

struct grid {
    struct valuation *valuation;
    struct value_exercise sees; /* what a state does */
    struct value_axis f, g;     /* cells; their ends are nodes */
    int n;                      /* nodes, a multiple of PATH_LANES: [of f][of g] */
    int share;                  /* nodes of a share, a divisor of PATH_LANES */
    double *x, *v;              /* [n] */
    double *sums;               /* [n] */
    struct rules rules;
    struct points points;
    struct landed_step landed[STEPS_LANDED];
    struct value_function between[2]; /* of steps that end on no date, in turn */
    double *turned;                   /* [of g][of f] coefficients of the step's end */
};

/* Widens a range to a number. */
static void widen(double number, double *low, double *high)
{
    *low = number < *low ? number : *low;
    *high = number > *high ? number : *high;
}

static struct value_axis axis_between(double low, double high, int cells)
{
    return (struct value_axis){.n = cells, .low = low, .per_cell = cells / (high - low)};
}

/* Makes axes over the range of the paths, and about the strike and today's variance. */
static void axes_make(struct grid *grid)
{
    const struct known_states *known = &grid->valuation->known;
    const struct exercise *exercise = grid->valuation->exercise;
    const struct group *group = exercise->group;
    bool two = exercise_has_second(exercise);
    double today = value_narrowed(grid->sees.unit * sqrt(group->underlyings[0].start.v) - 1.0);
    double low[2] = {HUGE_VAL, today}, high[2] = {-HUGE_VAL, today};
    for (int k = 0; k < exercise->n_dates; k++)
        for (int i = 0; i < RANGE_STATES; i++) {
            widen(value_narrowed(known->f[k * known->n + i]), &low[0], &high[0]);
            widen(value_narrowed(known->g[k * known->n + i]), &low[1], &high[1]);
        }
    for (int i = 0; i < 2; i++) {
        double range = fmax(high[i] - low[i], LEAST_RANGE);
        low[i] -= GRID_MARGIN * range, high[i] += GRID_MARGIN * range;
        if (i == 0) low[i] = fmin(low[i], -STRIKE_MARGIN * range);
        if (i == 0) high[i] = fmax(high[i], STRIKE_MARGIN * range);
        low[i] = fmax(low[i], i ? -1.0 : -FARTHEST), high[i] = fmin(high[i], FARTHEST);
        low[i] = fmin(low[i], high[i] - LEAST_RANGE);
    }
    bool near_zero = two && may_become_zero(group, 0);
    int cells = near_zero ? CELLS_NEAR_ZERO
                : two     ? CELLS_FIRST
                          : CELLS_ALONE,
        cells_g = near_zero ? VARIANCE_NEAR_ZERO
                  : two     ? CELLS_SECOND
                            : 0,
        most = near_zero ? STEPS_NEAR_ZERO : GRID_STEPS, nodes_g = cells_g + 1;
    points_of_step(group, &grid->rules, exercise->steps[0], false, &grid->points);
    double steps = (double)grid->points.n * nodes_g * (exercise->steps[exercise->n_dates - 1] + 1);
    while ((cells / 2 + 1) * nodes_g % PATH_LANES == 0 && cells > CELLS_LEAST &&
           steps * (cells + 1) > most)
        cells /= 2;
    grid->f = axis_between(low[0], high[0], cells);
    if (two) grid->g = axis_between(low[1], high[1], cells_g);
}

static enum status grid_make(struct grid *grid)
{
    const struct known_states *known = &grid->valuation->known;
    const struct exercise *exercise = grid->valuation->exercise;
    int last = exercise->n_dates - 1; /* of which any state has f = level 2^x - 1 */
    double x = known_rows(known, last, 1)[ROW_X * PATH_LANES];
    grid->sees.unit = exercise->dates[0]->c[4];
    grid->sees.level = (1.0 + known->f[last * known->n + PATH_LANES]) / exact_exp2(x);
    axes_make(grid);
    int nodes_g = grid->g.n + 1;
    grid->n = (grid->f.n + 1) * nodes_g;
    grid->x = malloc(3 * (size_t)grid->n * sizeof(double));
    if (!grid->x) return STATUS_NO_MEMORY;
    grid->v = grid->x + grid->n, grid->sums = grid->v + grid->n;
    for (int i = 0; i < grid->n; i++) {
        double of_f = grid->f.low + i / nodes_g / grid->f.per_cell,
               of_g = grid->g.n ? grid->g.low + i % nodes_g / grid->g.per_cell : 0.0;
        grid->x[i] = exact_log2((1.0 + value_feature(of_f)) / grid->sees.level);
        double deviation = grid->g.n ? (1.0 + value_feature(of_g)) / grid->sees.unit : 0.0;
        grid->v[i] = deviation * deviation;
    }
    grid->share = grid->n / SHARES_MOST > SHARE_LEAST ? grid->n / SHARES_MOST : SHARE_LEAST;
    for (int i = 0; i < 2; i++) MUST(value_room(grid->f, grid->g, &grid->between[i]));
    grid->turned = malloc((size_t)value_along(&grid->f) * (size_t)value_along(&grid->g) *
                          sizeof *grid->turned);
    if (!grid->turned) return STATUS_NO_MEMORY;
    return STATUS_OK;
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* What the nodes of a step are summed by. */
struct step_sum {
    struct grid *grid;
    int j;                        /* the step */
    bool known;                   /* where its nodes get to, */
    struct landing *landings;     /* [share][points side by side] */
    struct landing_ground ground; /* V at its end; nothing, but on a date */
};

/* Tells whether two steps move paths by the same coefficients, to rounding; by the very same where
 * one says which table is read. */
static bool same_step(const struct group *group, int j, int k)
{
    const int64_t rounding = /* units in the last place */
        model_takes(group->underlyings[0].model, TAKES_SURFACE) ? 0 : 1024;
    for (int d = 0; d < group->n_dividends; d++)
        if (group->dividends[d].step == j || group->dividends[d].step == k) return false;
    for (int i = 0; i < group->width; i++) {
        int64_t a, b;
        memcpy(&a, group->coefficients + (size_t)j * (size_t)group->width + i, sizeof a);
        memcpy(&b, group->coefficients + (size_t)k * (size_t)group->width + i, sizeof b);
        if ((a < 0) != (b < 0) || a - b > rounding || b - a > rounding) return false;
    }
    return true;
}

/* Returns how many points of a share's nodes are moved side by side, and how often that is done. */
static int points_of_landing(const struct grid *grid)
{
    return PATH_LANES / grid->share;
}

static int landings_of_share(const struct grid *grid)
{
    return (grid->points.n + points_of_landing(grid) - 1) / points_of_landing(grid);
}

/* Finds where the nodes from `first` on get to by the points from p on, or by the last one where
 * there is none. */
static void land_points(const struct step_sum *step, int first, int p,
                        struct step_scratch *step_scratch, struct landing *landing)
{
    const struct grid *grid = step->grid;
    const struct group *group = grid->valuation->exercise->group;
    double *x = step_scratch->lanes.paths + ROW_X * PATH_LANES,
           *v = step_scratch->lanes.paths + ROW_V * PATH_LANES;
    for (int at = 0; at < PATH_LANES; at += grid->share, p += p + 1 < grid->points.n) {
        memcpy(x + at, grid->x + first, (size_t)grid->share * sizeof *x);
        memcpy(v + at, grid->v + first, (size_t)grid->share * sizeof *v);
        for (int k = 0; k < group->n_factors; k++)
            for (int l = at; l < at + grid->share; l++)
                step_scratch->words[k * PATH_LANES + l] =
                    grid->points.words[p * group->n_factors + k];
    }
    step_scratch->lanes.step(group, step->j, step_scratch->words, step_scratch->lanes.scratch,
                             NULL);
    exercise_lanes()->land(&grid->f, &grid->g, &grid->sees, x, v, landing);
}

/* Moves the nodes of a share, unless it is known where they get to, and sums V there. */
static void sum_share(void *context, int i)
{
    const struct step_sum *step = context;
    const struct grid *grid = step->grid;
    int points = points_of_landing(grid), first = i * grid->share;
    struct landing *landing = &step->landings[i * landings_of_share(grid)];
    double *sums = grid->sums + first;
    memset(sums, 0, (size_t)grid->share * sizeof *sums);
    for (int p = 0; p < grid->points.n; p++) {
        if (p && p % points == 0) landing++;
        if (!step->known && p % points == 0)
            land_points(step, first, p, scratch_of_block(grid->valuation, i), landing);
        exercise_lanes()->add_landed(&step->ground, landing, p % points * grid->share, grid->share,
                                     grid->points.weights[p], sums);
    }
}

/* Lays the coefficients of f side by side. */
static struct landing_ground ground_of(const struct value_function *function, double feature_value,
                                       double *turned)
{
    if (!function) return (struct landing_ground){.feature_value = feature_value};
    int f = value_along(&function->f), g = value_along(&function->g);
    for (int i = 0; i < f && g > 1; i++)
        for (int j = 0; j < g; j++) turned[j * f + i] = function->c[i * g + j];
    return (struct landing_ground){g > 1 ? turned : function->c, f, g > 1, feature_value};
}

/* Finds what is known of a step's landings: true; or room for them, where they were used the
 * longest ago. */
static bool find_landed(struct grid *grid, int j, struct landed_step **found)
{
    struct landed_step *oldest = grid->landed;
    for (int i = 0; i < STEPS_LANDED; i++) {
        struct landed_step *landed = *found = &grid->landed[i];
        if (landed->j && landed->n == grid->points.n &&
            same_step(grid->valuation->exercise->group, j, landed->j))
            return true;
        if (!landed->j || (oldest->j && landed->used > oldest->used)) oldest = landed;
    }
    *found = oldest;
    return false;
}

static enum status landings_room(const struct grid *grid, struct landed_step *landed)
{
    size_t n = (size_t)(grid->n / grid->share) * (size_t)landings_of_share(grid);
    if (n <= landed->room) return STATUS_OK;
    free(landed->landings);
    landed->landings = malloc(n * sizeof *landed->landings);
    landed->room = landed->landings ? n : 0;
    return landed->landings ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Finds V at the beginning of step j from that at its end, `function` where that is not NULL, which
 * on a date is no less than worth f. Where steps before it are the same, they are told where its
 * nodes get to. */
static enum status go_back(struct grid *grid, int j, const struct value_function *function,
                           const struct observation *date, struct value_function *here)
{
    struct landed_step *landed;
    struct step_sum step = {
        .grid = grid,
        .j = j,
        .ground = ground_of(function, date ? date->c[0] * date->c[2] : 0.0, grid->turned)};
    step.known = find_landed(grid, j, &landed) && function;
    if (!step.known) MUST(landings_room(grid, landed));
    if (!step.known) landed->j = function ? j : 0, landed->n = grid->points.n;
    landed->used = j;
    step.landings = landed->landings;
    team_loop(grid->valuation->team, grid->n / grid->share, sum_share, &step);
    value_through(grid->sums, here);
    return STATUS_OK;
}

enum status grid_fit(struct valuation *valuation)
{
    enum status status = STATUS_OK;
    const struct exercise *exercise = valuation->exercise;
    const struct group *group = exercise->group;
    struct grid grid = {.valuation = valuation};
    const struct value_function *next = NULL; /* of the step's end; NULL: nothing is left there */
    int k = exercise->n_dates - 1;
    if (!k) return STATUS_OK;
    rules_make(group, &grid.rules);
    TRY(valuation_blocks(valuation, SHARES_MOST));
    TRY(grid_make(&grid));
    for (int j = exercise->steps[k]; j > exercise->steps[0]; j--) {
        const struct observation *date = NULL;
        if (asked_to_stop(valuation->stop)) TRY(STATUS_INTERRUPTED);
        if (exercise->steps[k] == j) date = exercise->dates[k--];
        points_of_step(group, &grid.rules, j, !next, &grid.points);
        struct value_function *here = &grid.between[j % 2];
        if (exercise->steps[k] == j - 1) {
            here = &valuation->functions[k];
            TRY(value_room(grid.f, grid.g, here));
        }
        TRY(go_back(&grid, j, next, date, here));
        next = here;
    }
done:
    for (int i = 0; i < 2; i++) value_free(&grid.between[i]);
    free(grid.x);
    for (int i = 0; i < STEPS_LANDED; i++) free(grid.landed[i].landings);
    free(grid.turned);
    return status;
}

bool grid_possible(const struct exercise *exercise)
{
    return exercise->complete && exercise->group->n_underlyings == 1;
}
