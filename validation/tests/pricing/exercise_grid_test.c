/* Value functions on a grid: a step takes over where the nodes of another get to only where it
 * moves them alike, by as many points. */
#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/plan/plan_build.h"
#include "models/math/normal.h"
#include "validation/tests/flat_market.h"
#include "validation/tests/price_trades.h"

enum { DATES = 32, MOVED = DATES / 2 };

/* Plans a put with a date of exercise at the end of each of its steps, which are equal. */
static void make_plan(enum model model, double intensity, struct plan *plan)
{
    static double times[] = {1.0}, strikes[] = {100.0}, vols[] = {0.2};
    double dates[DATES];
    struct flat_market flat;
    struct trade trade = option_on(0, OPTION_PUT, 100.0, 1.0);
    const struct plan_settings settings = {
        .paths = CHUNK_PATHS, .seed = 7, .max_step = 1.0 / DATES};
    for (int i = 0; i < DATES; i++) dates[i] = (i + 1.0) / DATES;
    flat_market_make(&flat, model, 0.05, 0.02, 0.2);
    flat.asset.jumps = (struct jumps){.intensity = intensity, .mean = -0.1, .stdev = 0.1};
    flat.asset.surface = (struct surface){1, 1, times, strikes, vols, false};
    trade.product = PRODUCT_AMERICAN;
    trade.exercise = (struct schedule){.n = DATES, .times = dates};
    plan_trades(&flat.market, 1, &trade, &settings, plan);
    assert_int_equal(plan->groups[0].n_steps, DATES);
}

static double *coefficient(const struct group *group, int step, int which)
{
    return group->coefficients + (size_t)step * (size_t)group->width +
           group->underlyings[0].coefficient + which;
}

/* The values of the first date at features from -0.2 to 0.2. */
static void fit(const struct plan *plan, double *values)
{
    struct exercise *exercises = NULL;
    int n = 0, fitted;
    double f[PATH_LANES], g[PATH_LANES] = {0};
    const struct states states = {NULL, f, g};
    for (int l = 0; l < PATH_LANES; l++) f[l] = 0.4 * l / PATH_LANES - 0.2;
    assert_ok(exercises_find(plan, &n, &fitted, &exercises));
    struct valuation valuation = {.exercise = exercises, .draws = {.seed = 7}};
    assert_true(n == 1 && grid_possible(exercises));
    assert_ok(valuation_fit(&valuation));
    values_of(&valuation, 0, &states, values);
    valuation_free(&valuation);
    exercises_free(n, exercises);
}

/* All steps are one, then one of them refers to the next table, in which all is higher: nearer to
 * its own than rounding may make another coefficient. */
TEST(a_table_is_not_its_neighbour)
{
    struct plan plan;
    double alike[PATH_LANES], moved[PATH_LANES];
    make_plan(MODEL_LOCAL_VOL, 0.0, &plan);
    struct group *group = &plan.groups[0];
    double next = *coefficient(group, MOVED + 1, LOCAL_VOL_FIRST);
    for (int j = 0; j < DATES; j++)
        memcpy(coefficient(group, j, 0), coefficient(group, MOVED, 0),
               LOCAL_VOL_COEFFICIENTS * sizeof(double));
    fit(&plan, alike);
    *coefficient(group, MOVED, LOCAL_VOL_FIRST) = next;
    float *table = group->lookup.table +
                   2 * (local_vol_first(coefficient(group, MOVED, 0)) + LOCAL_VOL_ROW_ZERO);
    for (int i = 0; i < LOCAL_VOL_ROWS; i++) table[2 * i] += 0.1f;
    fit(&plan, moved);
    for (int l = 0; l < PATH_LANES; l++) assert_true(fabs(moved[l] - alike[l]) > 1e-3);
    plan_free(&plan);
}

/* Two jumps in a step are as rare as can be in the last of them, and less rare by a bit of the
 * number that tells before it: three kinds of points, where the last has two. */
TEST(points_may_be_more)
{
    struct plan plan;
    double rare[PATH_LANES], values[PATH_LANES];
    make_plan(MODEL_MERTON, 0.45, &plan);
    struct group *group = &plan.groups[0];
    uint32_t word = (uint32_t)(0x1p32 - 1e-4 * 0x1p32); /* of 1e-4 or more: the last such */
    double edge = normal_from_bits(word, normal_cubic);
    assert_true(fabs(*coefficient(group, MOVED, MERTON_THRESHOLD + 1) - edge) < 0.5);
    for (int j = 0; j < DATES; j++) *coefficient(group, j, MERTON_THRESHOLD + 1) = edge;
    assert_true(jump_word(group, DATES - 1, 2) > word);
    fit(&plan, rare);
    for (int j = 0; j < MOVED; j++)
        *coefficient(group, j, MERTON_THRESHOLD + 1) = nextafter(edge, 0.0);
    assert_true(jump_word(group, 0, 2) <= word);
    fit(&plan, values);
    for (int l = 0; l < PATH_LANES; l++) assert_true(fabs(values[l] - rare[l]) < 5e-3);
    plan_free(&plan);
}

ALL_TESTS(exercise_grid_test)
