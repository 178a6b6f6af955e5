/* models/math/normal.h over all of its 2^32 inputs (by symmetry 2^31), against GSL, and on 10^8
 * draws; both of these with --long.
 *
 * Limits on exact numbers are what was measured, rounded up; limits on draws are |z| <= 4 at a
 * fixed seed. */
#include "models/math/normal.h"
#include "models/math/philox.h"
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

static inline __attribute__((always_inline)) void sweep_all(struct sweep *s)
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

static void sweep_plain(struct sweep *s)
{
    sweep_all(s);
}

#if defined(__x86_64__) && !defined(__AVX__)
#define SWEEP_AVX2 1
__attribute__((target("arch=x86-64-v3"))) static void sweep_avx2(struct sweep *s)
{
    sweep_all(s);
}
#endif

LONG_TEST(every_input)
{
    struct sweep s;
#ifdef SWEEP_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        sweep_avx2(&s);
    } else {
        sweep_plain(&s);
    }
#else
    sweep_plain(&s);
#endif
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

enum { draws = 100000000, bins = 1 << 20, block = 4096 };

/* Moments and a histogram in BINS bins of equal probability by the exact distribution function. */
static void draw(double sums[7], uint32_t *histogram)
{
    static float z[4][block];
    for (uint32_t first = 0; first < draws / 4; first += block) {
        const uint32_t paths = first + block < draws / 4 ? block : draws / 4 - first;
        for (uint32_t i = 0; i < paths; i++) {
            const struct philox_words w = philox_block(20261121, first + i, 0, 0);
            z[0][i] = normal_from_bits(w.word0, normal_cubic);
            z[1][i] = normal_from_bits(w.word1, normal_cubic);
            z[2][i] = normal_from_bits(w.word2, normal_cubic);
            z[3][i] = normal_from_bits(w.word3, normal_cubic);
        }
        for (uint32_t i = 0; i < 4 * paths; i++) {
            const double x = (double)z[i / paths][i % paths];
            double power = 1.0;
            for (int j = 1; j <= 6; j++) sums[j] += power *= x;
            const uint32_t bin = (uint32_t)(0.5 * erfc(-x * 0.70710678118654752) * bins);
            histogram[bin < bins ? bin : bins - 1]++;
        }
    }
}

/* Chi square over 4096 bins of equal probability, as a z-score. (Over all 2^20 bins the rounding of
 * z to float, a few hundredths of so narrow a bin, shows at this number of draws: the score
 * is 5.1.) */
static double chi_square_score(const uint32_t *histogram)
{
    enum { coarse = 4096 };
    const double expected = (double)draws / coarse;
    double chi_square = 0.0;
    for (int i = 0; i < coarse; i++) {
        double found = 0.0;
        for (int j = 0; j < bins / coarse; j++) found += histogram[i * (bins / coarse) + j];
        chi_square += (found - expected) * (found - expected) / expected;
    }
    return (chi_square - (coarse - 1)) / sqrt(2.0 * (coarse - 1));
}

/* Kolmogorov and Smirnov's sqrt(n) sup |F_n - F| and Anderson and Darling's n integral of (F_n -
 * F)^2 / (F (1
 * - F)), both at the bins' edges: a resolution of 10^-6 in F, where the first's 0.1 % limit is 2e-4
 * for this many draws. */
static void distribution_statistics(const uint32_t *histogram, double *kolmogorov, double *anderson)
{
    double below = 0.0, largest = 0.0, integral = 0.0;
    for (int i = 1; i < bins; i++) {
        const double f = (double)i / bins;
        below += histogram[i - 1];
        const double gap = below / draws - f;
        largest = fmax(largest, fabs(gap));
        integral += gap * gap / (f * (1.0 - f)) / bins;
    }
    *kolmogorov = largest * sqrt((double)draws);
    *anderson = integral * draws;
}

LONG_TEST(draws_are_normal)
{
    const double moments[7] = {1.0, 0.0, 1.0, 0.0, 3.0, 0.0, 15.0};
    const double variances[7] = {0.0,  1.0,   2.0,    15.0,
                                 96.0, 945.0, 10170.0}; /* of z^j: E z^2j - (E z^j)^2 */
    double sums[7] = {0.0}, kolmogorov, anderson;
    uint32_t *histogram = calloc(bins, sizeof *histogram);
    assert_non_null(histogram);
    draw(sums, histogram);
    for (int j = 1; j <= 6; j++) {
        const double score = (sums[j] / draws - moments[j]) / sqrt(variances[j] / draws);
        print_message("moment %d: z-score %.2f\n", j, score);
        assert_true(fabs(score) <= 4.0);
    }
    distribution_statistics(histogram, &kolmogorov, &anderson);
    const double chi_score = chi_square_score(histogram);
    print_message("Kolmogorov-Smirnov %.3f, Anderson-Darling %.3f\n", kolmogorov, anderson);
    print_message("chi square: z-score %.2f\n", chi_score);
    free(histogram);
    assert_true(kolmogorov <= 1.95); /* 0.1 % */
    assert_true(anderson <= 6.0);    /* 0.1 % */
    assert_true(fabs(chi_score) <= 4.0);
}

ALL_TESTS(math_normal_test)
