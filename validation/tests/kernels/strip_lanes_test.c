/* The processor's lanes look at two barriers as one path does, and so does a GPU, which leaves out
 * what changes no bit: alive or not, near the barriers, between them, beyond and far from them,
 * over moments and over years. */
#include "validation/tests/test.h"

#include "kernels/cpu/simulate.h"
#include "validation/tests/dice.h"
#include "validation/tests/kernels/left_out.h"

#include "kernels/cpu/observe_lanes.h"

enum { ROUNDS = 2000 };

/* State and what is looked at of PATH_LANES paths. */
struct strip_lanes {
    double x[PATH_LANES], clock[PATH_LANES], state[4 * PATH_LANES];
};

/* Rolls them about barriers at 0 and w: in a round all between these, about them, or as far as the
 * paths go. */
static void roll_lanes(struct dice *dice, struct observation *t, struct strip_lanes *lanes)
{
    const double variance = dice_scale(dice, 1e-7, 7.0), w = dice_scale(dice, 0.02, 2.7),
                 far = 6.0 * sqrt(variance),
                 ends[3][2] = {{0.4 * w, 0.6 * w}, {-0.5 * w, 1.5 * w}, {-0.2 * far, 1.2 * far}};
    const double *end = ends[dice_below(dice, 3)];
    *t = (struct observation){.c = {0.0, -2.88539008177792681472 / variance, w, 4.0}};
    for (int l = 0; l < PATH_LANES; l++) {
        double *a = lanes->state + l, *from = a + 2 * PATH_LANES;
        *a = dice_chance(dice, 0.7) ? dice_real(dice, 0.0, 1.0) : dice_chance(dice, 0.5);
        a[PATH_LANES] = 0.125;
        *from = dice_real(dice, end[0], end[1]);
        from[PATH_LANES] = 3.0;
        lanes->clock[l] = 3.0 + variance;
        lanes->x[l] = *from + sqrt(variance) * dice_real(dice, -3.0, 3.0);
    }
}

/* Looks at every lane by the function of its kind. */
static void look_one_by_one(int kind, const struct observation *t, struct strip_lanes *lanes)
{
    for (int l = 0; l < PATH_LANES; l++) {
        double *s = lanes->state + l;
        struct memory m = {s[0], s[PATH_LANES], s[2 * PATH_LANES], s[3 * PATH_LANES],
                           .clock = lanes->clock[l]},
                      left_out = m;
        if (kind == OBSERVATION_STRIP) observe_strip(t, lanes->x[l], 0.0, 0.0, &m);
        else observe_clock_strip(t, lanes->x[l], 0.0, 0.0, &m);
        observe_leaving_out(kind, t, lanes->x[l], &left_out);
        assert_memory_equal(&left_out, &m, sizeof m);
        s[0] = m.a, s[PATH_LANES] = m.b, s[2 * PATH_LANES] = m.c;
        if (kind == OBSERVATION_CLOCK_STRIP) s[3 * PATH_LANES] = m.d;
    }
}

static void check_kind(int kind)
{
    struct dice dice = {.state = (uint64_t)kind};
    int lost = 0, kept = 0;
    for (int i = 0; i < ROUNDS; i++) {
        static struct strip_lanes lanes, others;
        struct observation t;
        roll_lanes(&dice, &t, &lanes);
        others = lanes;
        const struct observation_inputs inputs = {.x = lanes.x, .clock = lanes.clock};
        observe_kind(kind, &t, &inputs, lanes.state);
        look_one_by_one(kind, &t, &others);
        assert_memory_equal(lanes.state, others.state, sizeof lanes.state);
        for (int l = 0; l < PATH_LANES; l++)
            lost += lanes.state[l] == 0.0, kept += lanes.state[PATH_LANES + l] == 0.0;
    }
    assert_true(lost > ROUNDS && kept > ROUNDS);
}

TEST(lanes_have_the_bits_of_one_path)
{
    check_kind(OBSERVATION_STRIP);
    check_kind(OBSERVATION_CLOCK_STRIP);
}

ALL_TESTS(strip_lanes_test)
