/* The loops of a fit of early exercise over many paths at once: every build that this processor can
 * run has the bits of the plain one; and sums over few paths are those of plain loops. */
#include "app/pricing/value/exercise/exercise_lanes.h"
#include "validation/tests/test.h"

enum { ASSETS = 5, COLUMNS = CHUNK_PATHS / PATH_LANES };

/* What a build makes of a chunk's paths. */
struct made {
    struct seen_date dates[2];
    double sums[2][ASSETS * MOMENT_LANES];
    double values[CHUNK_PATHS];
    struct policy_moments all, gaining, few;
    struct leader_sums leads[ASSETS];
    struct landing landing;
    double landed[PATH_LANES];
};

/* Numbers from 0 to 1, always the same ones. */
static double number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static void see(const struct exercise_lanes *lanes, uint64_t *state, double sign, struct made *made)
{
    static double x[ASSETS][PATH_LANES];
    const struct observation date = {.c = {sign, 0.01, 99.0, EXERCISE_TWO_LOGS, 0.01}};
    struct observation looks[ASSETS];
    const struct observation *parts[ASSETS];
    const double *from[ASSETS];
    for (int a = 0; a < ASSETS; a++) {
        looks[a] = (struct observation){
            .kind = sign > 0.0 ? OBSERVATION_TOP_OF : OBSERVATION_BOTTOM_OF, .c = {0.01 * a, 1.0}};
        parts[a] = &looks[a], from[a] = x[a];
    }
    for (int d = 0; d < 2; d++)
        for (int c = 0; c < COLUMNS; c++) {
            for (int i = 0; i < ASSETS * PATH_LANES; i++)
                x[i / PATH_LANES][i % PATH_LANES] = 6.2 + number(state);
            const struct shown_paths shown = {&date, ASSETS, parts, from, c * PATH_LANES};
            lanes->see(&shown, made->sums[d], &made->dates[d], d ? &made->dates[0] : NULL, 0.01);
        }
}

static void land(const struct exercise_lanes *lanes, uint64_t *state, bool two, struct made *made)
{
    static double c[20 * 12], x[PATH_LANES], v[PATH_LANES];
    const struct value_axis f = {.n = 17, .low = -0.3, .per_cell = 25.0},
                            g = {.n = two ? 9 : 0, .low = -0.3, .per_cell = 15};
    const struct value_exercise end = {.level = 0.01, .unit = 5.0};
    const struct landing_ground ground = {c, f.n + SPLINES - 1, two, 90.0};
    for (int i = 0; i < 20 * 12; i++) c[i] = number(state);
    for (int i = 0; i < PATH_LANES; i++) x[i] = 6.2 + number(state), v[i] = 0.1 * number(state);
    lanes->land(&f, &g, &end, x, v, &made->landing);
    for (int first = 0; first < PATH_LANES; first += 64)
        lanes->add_landed(&ground, &made->landing, first, 64, 0.25, made->landed);
}

static void make(const struct exercise_lanes *lanes, double sign, bool two, struct made *made)
{
    static const float p[EXERCISE_TERMS + ASSETS * LEADER_TERMS] = {
        0.05f, 0.4f, 0.3f, 0.1f, 0.2f, 0.1f, 0.05f, -0.1f, 0.02f, 0.01f, 0.003f, -0.01f, 0.02f};
    const double growth[ASSETS] = {1.001, 0.999, 1.002, 1.0, 1.003};
    const struct seen_date *seen = &made->dates[0];
    uint64_t state = 7;
    memset(made, 0, sizeof *made);
    see(lanes, &state, sign, made);
    for (int i = 0; i < CHUNK_PATHS; i++) made->values[i] = 40.0 * number(&state);
    const struct path_sample all = {CHUNK_PATHS, seen->f, seen->g, made->values},
                             few = {13, seen->f, seen->g, made->values};
    const struct fitted_date everyone = {.two = two},
                             date = {sign, 99.0, two, LEADER_TERMS, p, 0.03};
    lanes->moments(&all, &everyone, &made->all);
    lanes->hedge(seen, &date, p, growth, made->values);
    lanes->moments(&all, &date, &made->gaining);
    lanes->moments(&few, &everyone, &made->few);
    lanes->lead(seen, made->values, &date, ASSETS, made->leads);
    lanes->exercise_paths(seen, &date, made->values);
    land(lanes, &state, two, made);
}

static void check_sums(const struct made *made, bool two)
{
    double square = 0.0, product = 0.0, lowest = HUGE_VAL;
    const struct seen_date *seen = &made->dates[0];
    for (int i = 0; i < 13; i++) {
        square += (double)seen->f[i] * (double)seen->f[i];
        product += (double)seen->f[i] * (double)seen->g[i];
        lowest = fmin(lowest, (double)seen->f[i]);
    }
    assert_true(made->few.powers[0][0] == 13.0);
    assert_true(fabs(made->few.powers[2][0] - square) < 1e-12);
    assert_true(fabs(made->few.powers[1][1] - (two ? product : 0.0)) < 1e-12);
    assert_true(made->few.lowest == lowest);
    for (int i = 0; i < CHUNK_PATHS; i++) assert_true(seen->of_first[i] != seen->of_second[i]);
}

TEST(builds_have_the_same_bits)
{
    static struct made plain, other;
    for (int i = 0; i < 4; i++) {
        double sign = i % 2 ? -1.0 : 1.0;
        bool two = i / 2;
        int compared = 0;
#define BUILD(name, idea, supported)                                                               \
    if (supported && strcmp(#name, "baseline")) {                                                  \
        make(&exercise_lanes_##name, sign, two, compared ? &other : &plain);                       \
        if (compared++) assert_memory_equal(&plain, &other, sizeof plain);                         \
    }
#include "models/base/builds.def"
#undef BUILD
        check_sums(&plain, two);
        assert_true(compared > 0);
    }
}

/* Sums of a regression, and values of a function, are those of the baseline too. */
TEST(builds_sum_and_evaluate_alike)
{
    enum { N = 1003, ROOM = 1008, FITTED = 256, PLACES = 512 };
    float f[ROOM], g[ROOM];
    double values[ROOM], x[PLACES], y[PLACES], at[PLACES], taken = 0.0;
    for (int i = 0; i < N; i++) {
        f[i] = (float)sin(i), g[i] = (float)cos(2.3 * i), values[i] = exp(sin(0.7 * i));
        taken += f[i] < 0.0f;
    }
    for (int i = 0; i < PLACES; i++) x[i] = 2.0 * sin(i), y[i] = exp(0.5 * cos(1.7 * i)) - 1.0;
    for (int two = 0; two < 2; two++) {
        struct value_function function = {.c = NULL};
        struct policy_moments sums[2];
        const struct path_sample sample = {N, f, g, values};
        const struct fitted_date put = {.sign = -1.0, .two = two};
        int compared = 0;
        assert_ok(value_fit(FITTED, x, y, x, two, &function));
        memset(sums, 0, sizeof sums);
#define BUILD(name, idea, supported)                                                               \
    if (supported) {                                                                               \
        exercise_lanes_##name.moments(&sample, &put, &sums[compared > 0]);                         \
        if (compared++) assert_memory_equal(&sums[0], &sums[1], sizeof *sums);                     \
        exercise_lanes_##name.values(PLACES, &function, x, y, at);                                 \
        for (int i = 0; i < PLACES; i++) assert_true(at[i] == value_at(&function, x[i], y[i]));    \
    }
#include "models/base/builds.def"
#undef BUILD
        assert_true(compared > 1 && sums->powers[0][0] == taken && sums->highest < 0.0);
        value_free(&function);
    }
}

ALL_TESTS(exercise_lanes_test)
