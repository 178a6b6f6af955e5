/* models/math/normal.h over its 2^32 inputs (by symmetry 2^31; all of them with --long), and
 * against GSL. Limits are what was measured, rounded up. */
#include "models/math/normal.h"
#include "validation/tests/models/make_normal_table.h"
#include "validation/tests/test.h"

TEST(table_is_what_its_program_writes)
{
    static float table[NORMAL_ROWS][4];
    make_normal_table(table);
    assert_memory_equal(table, normal_cubic, sizeof table);
}

/* What one pass over all h finds. Sums are over h < 2^31, of even powers: odd ones vanish by
 * symmetry. */
struct sweep {
    uint64_t falls;        /* places where z is less than at the h before */
    uint64_t not_negative; /* z that are not below 0 */
    uint64_t digest;       /* FNV-1a of the sums of bits of 4096 at a time */
    double power2, power4, power6;
};

static void sweep_all(struct sweep *s)
{
    enum { chunk = 4096 };
    float z[chunk];
    float before = -100.0f;
    *s = (struct sweep){.digest = 0xcbf29ce484222325u};
    for (uint32_t first = 0; first < 0x80000000u; first += chunk) {
        uint64_t bits = 0;
        uint32_t not_negative = 0;
        double power2 = 0.0, power4 = 0.0, power6 = 0.0;
        for (int i = 0; i < chunk; i++) z[i] = normal_from_bits(first + (uint32_t)i, normal_cubic);
        uint32_t falls = before > z[0] ? 1u : 0u;
        for (int i = 1; i < chunk; i++) falls += z[i] < z[i - 1] ? 1u : 0u;
        for (int i = 0; i < chunk; i++) not_negative += z[i] < 0.0f ? 0u : 1u;
        for (int i = 0; i < chunk; i++) bits += (uint64_t)bits_of_float(z[i]);
        for (int i = 0; i < chunk; i++) {
            const double square = (double)z[i] * (double)z[i];
            power2 += square;
            power4 += square * square;
            power6 += square * square * square;
        }
        before = z[chunk - 1];
        s->falls += falls;
        s->not_negative += not_negative;
        s->digest = (s->digest ^ bits) * 0x100000001b3u;
        s->power2 += power2;
        s->power4 += power4;
        s->power6 += power6;
    }
}

LONG_TEST(every_input)
{
    struct sweep s;
    sweep_all(&s);
    const double m2 = s.power2 * 0x1p-31, m4 = s.power4 * 0x1p-31, m6 = s.power6 * 0x1p-31;
    print_message("all inputs: E z^2 - 1 = %.3g, E z^4 - 3 = %.3g, E z^6 - 15 = %.3g\n", m2 - 1.0,
                  m4 - 3.0, m6 - 15.0);
    print_message("digest %016llx\n", (unsigned long long)s.digest);
    assert_int_equal(s.falls, 0);
    assert_int_equal(s.not_negative, 0);
    assert_true(fabs(m2 - 1.0) < 2e-9);
    assert_true(fabs(m4 - 3.0) < 2e-8);
    assert_true(fabs(m6 - 15.0) < 2e-6);
    /* a change of it changes prices: note it in the changelog */
    assert_true(s.digest == 0xc855300df2666bcau);
}

TEST(odd_to_the_bit)
{
    for (uint64_t k = 0; k <= UINT32_MAX; k += k < 1000000 ? 1 : 257) {
        const float z = normal_from_bits((uint32_t)k, normal_cubic);
        const float mirror = normal_from_bits(~(uint32_t)k, normal_cubic);
        if (bits_of_float(z) != (bits_of_float(mirror) ^ 0x80000000u))
            fail_msg("k = %lu", (unsigned long)k);
        if ((z < 0.0f) != (k < 0x80000000u)) fail_msg("sign at k = %lu", (unsigned long)k);
    }
}

static double error_at(uint32_t h)
{
    const double exact = gsl_cdf_ugaussian_Pinv((h + 0.5) * 0x1p-32);
    return fabs((double)normal_from_bits(h, normal_cubic) - exact);
}

TEST(close_to_the_inverse)
{
    double tail = 0.0, all = 0.0;
    for (uint32_t h = 0; h < 1u << 20; h++) tail = fmax(tail, error_at(h));
    for (uint32_t h = 0; h < 0x80000000u; h += 331) all = fmax(all, error_at(h));
    for (uint32_t i = 0; i < 100000; i++) all = fmax(all, error_at(0x7fffffffu - i));
    print_message("largest error: first 2^20 h %.3g, all h %.3g\n", tail, all);
    assert_true(tail <= 4.6e-7);
    assert_true(all <= 4.2e-7);
    assert_true(fabs((double)normal_from_bits(0, normal_cubic) + 6.337957754553790) < 5e-7);
}

/* How many of the 2^32 inputs give |z| > LEVEL: by bisection, as z is monotone. */
static uint64_t inputs_beyond(double level)
{
    uint64_t below = 0, above = 0x80000000u; /* z(h) < -level exactly where h < result */
    while (below < above) {
        const uint64_t middle = (below + above) / 2;
        if ((double)normal_from_bits((uint32_t)middle, normal_cubic) < -level) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    return 2 * below;
}

/* Counts can be off by the error of z at the level (1.2e-7 there) times the density, and by the
 * rounding to whole inputs on both sides. */
TEST(tails_hold_their_share)
{
    for (int level = 1; level <= 6; level++) {
        const double expected = 0x1p32 * erfc(level * sqrt(0.5));
        const double found = (double)inputs_beyond(level);
        const double density = exp(-0.5 * level * level) / 2.5066282746310002;
        print_message("|z| > %d: %.0f inputs, exact share %.2f\n", level, found, expected);
        assert_true(fabs(found - expected) <= 0x1p33 * density * 1.2e-7 + 2.0);
    }
}

ALL_TESTS(math_normal_test)
