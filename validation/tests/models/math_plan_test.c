/* The functions of plans against the C library's in long double, over all of their range, and the
 * digest of their bits: the same on every machine. */
#include "models/math/bits.h"
#include "models/math/plan_functions.h"
#include "validation/tests/test.h"

enum { POINTS = 200000 };

/* Each function with what it is to be, where it is looked at, and the units of the last place that
 * it may be off by. */
static const struct function {
    const char *name;
    double (*of)(double x);
    long double (*right)(long double x);
    double from, to, allowed;
} functions[] = {
    {"exp", exact_exp, expl, -708.0, 709.7, 0.54},
    {"exp near 0", exact_exp, expl, -1.0, 1.0, 0.54},
    {"log near 1", exact_log, logl, 0.5, 2.0, 0.66},
    {"log", exact_log, logl, 1e-6, 1e6, 0.56},
    {"erf", exact_erf, erfl, -6.0, 6.0, 1.9},
    {"erfc", exact_erfc, erfcl, -6.0, 26.5, 5.6},
    {"erfc near 0", exact_erfc, erfcl, -1.0, 1.0, 5.6},
};

static double point(const struct function *f, int i)
{
    return f->from + (f->to - f->from) * ((double)i + 0.37) / POINTS;
}

/* Units of the last place of `right` between it and x. */
static double units_off(double x, long double right)
{
    double near = (double)right, place = nextafter(fabs(near), HUGE_VAL) - fabs(near);
    return (double)fabsl(((long double)x - right) / (long double)place);
}

TEST(they_are_right)
{
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        double worst = 0.0;
        for (int i = 0; i < POINTS; i++) {
            double x = point(&functions[f], i);
            worst = fmax(worst, units_off(functions[f].of(x), functions[f].right((long double)x)));
        }
        printf("%s: %.3f units of the last place\n", functions[f].name, worst);
        if (sizeof(long double) > sizeof(double)) assert_true(worst <= functions[f].allowed);
    }
}

TEST(powers_come_with_erfc)
{
    for (int i = 0; i < POINTS; i++) {
        double x = -6.0 + 32.0 * i / POINTS, power;
        assert_true(exact_erfc_with_power(x, &power) == exact_erfc(x));
        assert_true(units_off(power, expl(-(long double)x * (long double)x)) < 1.0 + x * x);
    }
}

TEST(ends_of_the_range)
{
    assert_true(exact_exp(0.0) == 1.0 && exact_exp(-800.0) == 0.0 && isinf(exact_exp(800.0)));
    assert_true(isnan(exact_exp(NAN)) && isnan(exact_log(NAN)) && isnan(exact_log(-1.0)));
    assert_true(exact_log(1.0) == 0.0 && isinf(exact_log(0.0)) && isinf(exact_log(HUGE_VAL)));
    assert_true(units_off(exact_log(0x1p-1060), logl(0x1p-1060L)) < 0.56);
    assert_true(exact_erfc(0.0) == 1.0 && exact_erfc(HUGE_VAL) == 0.0 &&
                exact_erfc(-HUGE_VAL) == 2.0);
    assert_true(exact_erf(0.0) == 0.0 && exact_erf(HUGE_VAL) == 1.0 && isnan(exact_erfc(NAN)));
}

/* FNV-1a of all values' bits: one wrong bit of one of them is another number. */
TEST(bits_are_those_of_every_machine)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int i = 0; i < POINTS; i += 7)
            hash =
                (hash ^ bits_of_double(functions[f].of(point(&functions[f], i)))) * 0x100000001b3u;
    printf("%016llx\n", (unsigned long long)hash);
    assert_true(hash == 0xa33a705fdf14e75cu);
}

ALL_TESTS(math_plan_test)
