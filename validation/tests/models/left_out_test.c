/* What a GPU leaves out of a look at two barriers changes no bit of it: on paths near them and far
 * from them, alive and not, over moments and over years. */
#include "validation/tests/test.h"

#include <string.h>

#include "models/observables/observables.h"
#include "validation/tests/dice.h"
#include "validation/tests/models/left_out.h"

enum { LOOKS = 400000 };

/* A look from and to somewhere around two barriers, 0 and w. */
static void roll_look(struct dice *dice, struct observation *t, double *x, struct memory *m)
{
    const double variance = dice_scale(dice, 1e-7, 7.0), w = dice_scale(dice, 0.02, 2.7),
                 reach = dice_chance(dice, 0.5) ? w : 6.0 * sqrt(variance);
    *t = (struct observation){.c = {0.0, -2.88539008177792681472 / variance, w, 4.0}};
    *m = (struct memory){.a = dice_real(dice, 0.0, 1.0), .b = 0.125, .clock = 3.0};
    if (dice_chance(dice, 0.25)) m->a = dice_chance(dice, 0.5) ? 0.0 : 1.0;
    m->c = dice_real(dice, -0.2, 1.2) * reach;
    m->d = m->clock - variance;
    *x = m->c + sqrt(variance) * dice_real(dice, -3.0, 3.0);
}

static void check_kind(int kind)
{
    struct dice dice = {.state = (uint64_t)kind};
    int lost = 0, kept = 0;
    for (int i = 0; i < LOOKS; i++) {
        struct observation t;
        struct memory all, left_out;
        double x;
        roll_look(&dice, &t, &x, &all);
        left_out = all;
        if (kind == OBSERVATION_STRIP) observe_strip(&t, x, 0.0, 0.0, &all);
        if (kind == OBSERVATION_CLOCK_STRIP) observe_clock_strip(&t, x, 0.0, 0.0, &all);
        observe_leaving_out(kind, &t, x, &left_out);
        assert_memory_equal(&all, &left_out, sizeof all);
        lost += all.a == 0.0, kept += all.a > 0.0 && all.b == 0.0;
    }
    assert_true(lost > LOOKS / 50 && kept > LOOKS / 50);
}

TEST(what_is_left_out_changes_no_bit)
{
    check_kind(OBSERVATION_STRIP);
    check_kind(OBSERVATION_CLOCK_STRIP);
}

ALL_TESTS(left_out_test)
