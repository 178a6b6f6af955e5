/* models/math/exact.h against long double: errors in ulp over the whole range, special values, and
 * the same bits at every vector width. The limits are what was measured, rounded up in the third
 * digit. */
#include <gsl/gsl_cdf.h>

#include "models/math/exact.h"
#include "models/math/normal_cdf.h"
#include "models/math/philox.h"
#include "validation/tests/test.h"

static const uint32_t points = 2000000;
static const double pi_double = 3.14159265358979323846;
static const long double pi_long = 3.14159265358979323846264338327950288L;

/* A uniform number in (0, 1) with 53 bits, and 64 plain bits. */
static double uniform(uint32_t i)
{
    const struct philox_words w = philox_block(20261121, i, 0, 0);
    return ((double)(w.word0 & 0x1fffff) * 0x1p32 + w.word1 + 0.5) * 0x1p-53;
}

static uint64_t random_bits(uint32_t i)
{
    const struct philox_words w = philox_block(20261121, i, 1, 0);
    return (uint64_t)w.word0 << 32 | w.word1;
}

/* |value - exact| in units in the last place of EXACT as a double; subnormal numbers have the unit
 * 2^-1074. */
static double error_in_ulp(double value, long double exact)
{
    int exponent = 0;
    if (exact == 0.0L) return value == 0.0 ? 0.0 : INFINITY;
    (void)frexpl(exact, &exponent);
    if (exponent < -1021) exponent = -1021;
    return (double)(fabsl((long double)value - exact) / ldexpl(1.0L, exponent - 53));
}

static void keep_larger(double *largest, double value)
{
    if (!(value <= *largest)) *largest = value; /* a NaN is kept too, and fails every limit */
}

TEST(normal_cdf_has_its_error)
{
    double error = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double range = i % 2 == 0 ? 80.0 : 12.0;
        const double x = (uniform(i) - 0.5) * range;
        keep_larger(&error, fabs(normal_cdf(x) - gsl_cdf_ugaussian_P(x)));
    }
    print_message("normal_cdf: %.3g\n", error);
    assert_true(error <= 4.1e-13);
    assert_true(fabs(normal_cdf(0.0) - 0.5) <= 2.2e-14);
    assert_true(normal_cdf(1000.0) == 1.0 && normal_cdf(INFINITY) == 1.0);
    assert_true(normal_cdf(-1000.0) < 1e-297 && normal_cdf(-INFINITY) < 1e-297);
}

TEST(path_exp2_has_its_error)
{
    double ulp = 0.0, relative = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double range = i % 2 == 0 ? 2000.0 : 20.0;
        const double x = (uniform(i) - 0.5) * range;
        const long double exact = exp2l((long double)x);
        keep_larger(&ulp, error_in_ulp(path_exp2(x), exact));
        keep_larger(&relative, (double)fabsl((long double)path_exp2(x) / exact - 1.0L));
    }
    print_message("path_exp2: %.2f ulp, relative %.4g\n", ulp, relative);
    assert_true(ulp <= 9500.0);
    assert_true(relative <= 1.08e-12);
    for (int n = -1000; n <= 1000; n++) assert_true(path_exp2(n) == ldexp(1.0, n));
}

/* Where the nearest integer changes, the polynomial's two ends meet. */
TEST(path_exp2_has_no_step)
{
    for (int n = -999; n < 999; n++) {
        const double left = nextafter(n + 0.5, -2000.0), right = nextafter(n + 0.5, 2000.0);
        const double below = path_exp2(left), above = path_exp2(right);
        const double slope = log(2.0) * (right - left);
        assert_true(fabs(above / below - 1.0) <= slope + 4e-16);
    }
}

TEST(exact_exp2_is_within_one_ulp)
{
    double normal = 0.0, subnormal = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double x = (uniform(i) - 0.5) * (i % 2 == 0 ? 2044.0 : 4.0);
        keep_larger(&normal, error_in_ulp(exact_exp2(x), exp2l((long double)x)));
        const double small = -1022.0 - 54.0 * uniform(i);
        keep_larger(&subnormal, error_in_ulp(exact_exp2(small), exp2l((long double)small)));
    }
    print_message("exact_exp2: %.3f ulp, subnormal results %.3f ulp\n", normal, subnormal);
    assert_true(normal <= 0.94);
    assert_true(subnormal <= 0.94);
}

TEST(exact_exp2_special_values)
{
    for (int n = -1074; n < 1024; n++) assert_true(exact_exp2(n) == ldexp(1.0, n));
    assert_true(exact_exp2(0.0) == 1.0 && exact_exp2(-0.0) == 1.0);
    assert_true(isinf(exact_exp2(1024.0)) && isinf(exact_exp2(1e300)) &&
                isinf(exact_exp2(INFINITY)));
    assert_true(isfinite(exact_exp2(nextafter(1024.0, 0.0))));
    assert_true(exact_exp2(-1075.0) == 0.0 && exact_exp2(-1076.0) == 0.0 &&
                exact_exp2(-1e300) == 0.0);
    assert_true(exact_exp2(nextafter(-1075.0, 0.0)) == 0x1p-1074);
    assert_true(exact_exp2(-INFINITY) == 0.0 && signbit(exact_exp2(-INFINITY)) == 0);
    assert_true(isnan(exact_exp2(NAN)) && isnan(exact_exp2(-NAN)));
    assert_true(exact_exp2(0x1p-1074) == 1.0 && exact_exp2(-0x1p-1074) == 1.0);
}

TEST(exact_log2_is_within_one_ulp)
{
    double whole = 0.0, near_one = 0.0, subnormal = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double x = double_of_bits(random_bits(i) & 0x7fffffffffffffffu);
        if (isfinite(x)) keep_larger(&whole, error_in_ulp(exact_log2(x), log2l((long double)x)));
        const double y = 1.0 + (uniform(i) - 0.5) * ldexp(1.0, -(int)(i % 53));
        keep_larger(&near_one, error_in_ulp(exact_log2(y), log2l((long double)y)));
        const double small = double_of_bits((random_bits(i) & 0xfffffffffffffu) >> i % 52);
        if (small > 0.0)
            keep_larger(&subnormal, error_in_ulp(exact_log2(small), log2l((long double)small)));
    }
    print_message("exact_log2: %.3f ulp, near one %.3f, subnormal x %.3f\n", whole, near_one,
                  subnormal);
    assert_true(whole <= 0.53);
    assert_true(near_one <= 0.57);
    assert_true(subnormal <= 0.51);
}

TEST(exact_log2_special_values)
{
    for (int n = -1074; n < 1024; n++) assert_true(exact_log2(ldexp(1.0, n)) == n);
    assert_true(exact_log2(0.0) == -INFINITY && exact_log2(-0.0) == -INFINITY);
    assert_true(exact_log2(INFINITY) == INFINITY);
    assert_true(isnan(exact_log2(-1.0)) && isnan(exact_log2(-INFINITY)) &&
                isnan(exact_log2(-0x1p-1074)));
    assert_true(isnan(exact_log2(NAN)) && isnan(exact_log2(-NAN)));
    assert_true(exact_log2(1.0) == 0.0 && signbit(exact_log2(1.0)) == 0);
}

/* sin and cos of pi x in long double, reduced to |r| <= 1/4 by steps that are exact. */
static void reference_sincospi(double x, long double *sine, long double *cosine)
{
    const long double y = fmodl((long double)x, 2.0L);
    const long double k = rintl(2.0L * y);
    const long double r = pi_long * (y - 0.5L * k);
    const int quarter = (int)k & 3;
    const long double s = sinl(r), c = cosl(r);
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

TEST(exact_sincospi_is_within_one_ulp)
{
    double ulp_sine = 0.0, ulp_cosine = 0.0, tiny = 0.0;
    for (uint32_t i = 0; i < points; i++) {
        const double whole = double_of_bits(random_bits(i));
        const double near = (uniform(i) - 0.5) * (i % 4 < 2 ? 1.0 : 1e6);
        const double x = i % 2 == 0 && isfinite(whole) ? whole : near;
        double sine, cosine;
        long double s, c;
        exact_sincospi(x, &sine, &cosine);
        reference_sincospi(x, &s, &c);
        keep_larger(fabs(x) < 1e-300 ? &tiny : &ulp_sine, error_in_ulp(sine, s));
        keep_larger(&ulp_cosine, error_in_ulp(cosine, c));
    }
    print_message("exact_sincospi: sine %.3f ulp (%.3f for |x| < 1e-300), cosine %.3f\n", ulp_sine,
                  tiny, ulp_cosine);
    assert_true(ulp_sine <= 1.0);
    assert_true(ulp_cosine <= 1.0);
    assert_true(tiny <= 1.0);
}

TEST(exact_sincospi_special_values)
{
    double s, c;
    for (int n = -64; n <= 64; n++) {
        exact_sincospi(n, &s, &c);
        assert_true(s == 0.0 && (signbit(s) != 0) == (n < 0));
        assert_true(c == (n % 2 == 0 ? 1.0 : -1.0));
        exact_sincospi(n + 0.5, &s, &c);
        assert_true(s == (n % 2 == 0 ? 1.0 : -1.0));
        assert_true(c == 0.0 && signbit(c) == 0);
    }
    exact_sincospi(-0.0, &s, &c);
    assert_true(s == 0.0 && signbit(s) != 0 && c == 1.0);
    const double large[] = {0x1p51 + 0.5, 0x1p52 - 0.5, 0x1p52 + 1.0, 0x1p53 - 1.0,
                            0x1p53,       0x1p53 + 2.0, 1e300};
    const double sines[] = {1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double cosines[] = {0.0, 0.0, -1.0, -1.0, 1.0, 1.0, 1.0};
    for (int i = 0; i < 7; i++) {
        exact_sincospi(large[i], &s, &c);
        assert_true(s == sines[i] && c == cosines[i]);
        exact_sincospi(-large[i], &s, &c);
        assert_true(s == -sines[i] && c == cosines[i]);
    }
    const double bad[] = {INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        exact_sincospi(bad[i], &s, &c);
        assert_true(isnan(s) && isnan(c));
    }
    exact_sincospi(0x1p-1074, &s, &c);
    assert_true(s == 3.0 * 0x1p-1074 && c == 1.0);
    exact_sincospi(1e-200, &s, &c);
    assert_true(fabs(s / (1e-200 * pi_double) - 1.0) < 3e-16);
}

TEST(exact_sqrt_is_correctly_rounded)
{
    for (uint32_t i = 0; i < points; i++) {
        const double x = double_of_bits(random_bits(i) & 0x7fefffffffffffffu);
        assert_true(error_in_ulp(exact_sqrt(x), sqrtl((long double)x)) <= 0.5);
    }
    assert_true(exact_sqrt(0.0) == 0.0 && isnan(exact_sqrt(-1.0)) &&
                exact_sqrt(INFINITY) == INFINITY);
}

enum { digest_points = 65536 };

/* A digest of the bits of every function over the same points; compiled below for three instruction
 * sets. */
static inline __attribute__((always_inline)) uint64_t digest_of_bits(void)
{
    static double x[digest_points], y[digest_points][5];
    for (uint32_t i = 0; i < digest_points; i++) x[i] = (uniform(i) - 0.5) * 1000.0;
    for (int i = 0; i < digest_points; i++) y[i][0] = path_exp2(x[i]);
    for (int i = 0; i < digest_points; i++) y[i][1] = exact_exp2(x[i]);
    for (int i = 0; i < digest_points; i++) y[i][2] = exact_log2(fabs(x[i]));
    for (int i = 0; i < digest_points; i++) exact_sincospi(x[i], &y[i][3], &y[i][4]);
    uint64_t digest = 0xcbf29ce484222325u; /* FNV-1a over 64-bit words */
    for (int i = 0; i < digest_points; i++) {
        for (int j = 0; j < 5; j++) digest = (digest ^ bits_of_double(y[i][j])) * 0x100000001b3u;
    }
    return digest;
}

static uint64_t digest_plain(void)
{
    return digest_of_bits();
}

/* A build for one processor (-march=native) has its own instruction set alone. */
#if defined(__x86_64__) && !defined(__AVX__)
#define EVERY_WIDTH 1
__attribute__((target("arch=x86-64-v3"))) static uint64_t digest_avx2(void)
{
    return digest_of_bits();
}

__attribute__((target("arch=x86-64-v4,prefer-vector-width=512"))) static uint64_t
digest_avx512(void)
{
    return digest_of_bits();
}
#endif

TEST(bits_are_the_same_everywhere)
{
    const uint64_t golden =
        0xb9f54ee7b63c28e4u; /* a change of it changes prices: note it in the changelog */
    print_message("digest %016llx\n", (unsigned long long)digest_plain());
    assert_true(digest_plain() == golden);
#ifdef EVERY_WIDTH
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        assert_true(digest_avx2() == golden);
    } else {
        print_message("SKIPPED: AVX2, which this processor has not\n");
    }
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        assert_true(digest_avx512() == golden);
    } else {
        print_message("SKIPPED: AVX-512, which this processor has not\n");
    }
#endif
}

ALL_TESTS(math_exact_test)
