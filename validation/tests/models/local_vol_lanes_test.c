/* Tables of local_vol's steps have the same bits in every build, and quantiles of a law are the
 * inverse of its probabilities. */
#include "models/dynamics/local_vol_make.h"
#include "validation/tests/test.h"

enum { EXPIRIES = 3, STRIKES = 3 };

static double k[STRIKES] = {-0.3, 0.0, 0.25}, curve[STRIKES] = {0.0, 0.08, 0.0};
static double w[EXPIRIES][STRIKES] = {
    {0.0175, 0.0081, 0.0072}, {0.035, 0.0185, 0.017}, {0.075, 0.041, 0.038}};
static const double times[EXPIRIES] = {0.2, 0.5, 1.1};

static struct smile smiles[EXPIRIES];
static const struct implied_surface surface = {EXPIRIES, STRIKES, smiles, NULL};
static struct table_tray tray;
static struct table_room room;
static struct local_vol_work work;

static void begin(void)
{
    for (int j = 0; j < EXPIRIES; j++)
        smiles[j] = (struct smile){.time = times[j],
                                   .k = k,
                                   .w = w[j],
                                   .curve = curve,
                                   .left = 0.03,
                                   .left_reach = 0.4,
                                   .right = -0.004,
                                   .right_reach = 0.3};
    room.tray = &tray;
    local_vol_work_begin(&work, &surface, -log(100.0), &room);
}

/* All that one build makes: from today, within an expiry, over two of them, after the last one. */
enum { STEPS = 4 };
static const double dates[STEPS][2] = {{0.0, 0.1}, {0.1, 0.12}, {0.15, 0.6}, {1.2, 1.3}};

struct made {
    double c[STEPS][LOCAL_VOL_COEFFICIENTS];
    float rows[STEPS][2 * LOCAL_VOL_ROWS];
    struct forward_moves moves[STEPS];
};

static void make(table_build *build, struct made *made)
{
    begin();
    for (int i = 0; i < STEPS; i++) {
        double from = dates[i][0], to = dates[i][1];
        const struct tabled_step step = {
            .from = from, .to = to, .laid_from = from, .laid_to = to, .drift = 0.01 * i};
        assert_ok(build(&work, &step, 4.6, 4.7, made->c[i], made->rows[i], &made->moves[i]));
    }
}

TEST(builds_have_the_same_bits)
{
    static struct made plain, other;
    int compared = 0;
#define BUILD(name, idea, supported)                                                               \
    extern table_build local_vol_##name;                                                           \
    if (supported) {                                                                               \
        make(local_vol_##name, compared ? &other : &plain);                                        \
        if (compared++) assert_memory_equal(&plain, &other, sizeof plain);                         \
    }
#include "models/base/builds.def"
#undef BUILD
    assert_true(compared > 1);
    for (int i = 0; i < STEPS; i++)
        assert_true(isfinite(plain.c[i][LOCAL_VOL_LINE]) && plain.rows[i][2 * LOCAL_VOL_ROWS - 1]);
}

TEST(quantiles_are_the_inverse_of_probabilities)
{
    double places[TOGETHER];
    begin();
    marginal_lay(&work.marginals[0], places_for(&work, 0.4, NULL), &surface, 0.4, &room);
    for (int is_below = 0; is_below < 2; is_below++) {
        int from = NODES / 2;
        for (int i = 0; i < TOGETHER; i++) places[i] = (i + 0.5) / TOGETHER;
        find_quantiles(&work.marginals[0], TOGETHER, is_below, &from, places, &room);
        for (int i = 0; i < TOGETHER; i++) {
            double there = marginal_probability(&work.marginals[0], places[i], is_below);
            assert_true(fabs(there - (i + 0.5) / TOGETHER) < 1e-9);
        }
    }
}

ALL_TESTS(local_vol_lanes_test)
