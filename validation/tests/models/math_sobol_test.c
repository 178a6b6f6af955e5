/* Sobol points: primitive polynomials, the direction vectors of cuRAND where its library is found,
 * the worked example of Joe and Kuo, and what makes the points a net before and after a scramble.
 */
#include <dlfcn.h>
#include "models/math/sobol.h"
#include "models/math/sobol_numbers.h"
#include "validation/tests/test.h"

/* a b modulo a polynomial of degree s, all over two elements. */
static uint32_t product(uint32_t a, uint32_t b, uint32_t polynomial, int s)
{
    uint32_t sum = 0;
    for (; b; b >>= 1) {
        if (b & 1u) sum ^= a;
        a <<= 1;
        if (a >> s & 1u) a ^= polynomial;
    }
    return sum;
}

static uint32_t power_of_x(uint32_t exponent, uint32_t polynomial, int s)
{
    uint32_t base = s > 1 ? 2u : 2u ^ polynomial, result = 1u;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1u) result = product(result, base, polynomial, s);
        base = product(base, base, polynomial, s);
    }
    return result;
}

/* x has order 2^s - 1: none of its powers by a proper divisor of that is 1. */
TEST(every_polynomial_is_primitive)
{
    int n = (int)(sizeof sobol_polynomials / sizeof *sobol_polynomials);
    size_t numbers = 0;
    assert_int_equal(n, SOBOL_DIMENSIONS - 1);
    for (int i = 0; i < n; i++) {
        uint32_t polynomial = sobol_polynomials[i], order;
        int s = 0;
        while (polynomial >> (s + 1)) s++;
        order = (1u << s) - 1u;
        assert_true(i == 0 || polynomial > sobol_polynomials[i - 1]);
        assert_int_equal(power_of_x(order, polynomial, s), 1);
        for (uint32_t q = 2; q <= order; q++)
            if (order % q == 0) assert_int_not_equal(power_of_x(order / q, polynomial, s), 1);
        for (int k = 0; k < s; k++, numbers++) {
            assert_true(sobol_initial[numbers] % 2 == 1);
            assert_true(sobol_initial[numbers] < 1 << (k + 1));
        }
    }
    assert_int_equal(numbers, sizeof sobol_initial / sizeof *sobol_initial);
}

/* The polynomial x^3 + x^2 + 1 with the numbers 1, 3, 1 goes on with m = 5, 31, 29, 81: the fourth
 * dimension of new-joe-kuo-6. The first points of the first two dimensions are those of every
 * textbook. */
TEST(first_points_are_known)
{
    static const uint32_t m[7] = {1, 3, 1, 5, 31, 29, 81};
    static const double expected[2][8] = {{0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875},
                                          {0, 0.5, 0.75, 0.25, 0.625, 0.125, 0.375, 0.875}};
    struct sobol_dimension fourth = sobol_published(3);
    for (int b = 0; b < 7; b++) assert_int_equal(fourth.vectors[b] >> (31 - b), m[b]);
    for (int d = 0; d < 2; d++) {
        struct sobol_dimension of = sobol_published(d);
        for (uint32_t i = 0; i < 8; i++)
            assert_true(sobol_word(&of, i) * 0x1p-32 == expected[d][i]);
    }
}

/* cuRAND has Joe and Kuo's vectors for 20,000 dimensions. Its host library needs no GPU for them.
 */
TEST(vectors_are_those_of_curand)
{
    typedef int get_vectors(uint32_t(**vectors)[32], int set);
    void *library = dlopen("libcurand.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("/usr/local/cuda/lib64/libcurand.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) skip();
    get_vectors *get;
    void *symbol = dlsym(library, "curandGetDirectionVectors32");
    assert_non_null(symbol);
    memcpy(&get, &symbol, sizeof get);
    uint32_t(*vectors)[32];
    assert_int_equal(get(&vectors, 101), 0); /* CURAND_DIRECTION_VECTORS_32_JOEKUO6 */
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        struct sobol_dimension of = sobol_published(d);
        assert_memory_equal(of.vectors, vectors[d], sizeof of.vectors);
    }
    /* The library stays: it would leave memory of the C++ runtime behind. */
}

/* Points first .. first + 2^m - 1 hold one word in each of 2^m equal intervals. */
static void assert_even(const struct sobol_dimension *of, uint32_t first, int m)
{
    static uint8_t seen[1 << 10];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < 1u << m; i++) {
        uint32_t interval = sobol_word(of, first + i) >> (32 - m);
        assert_int_equal(seen[interval], 0);
        seen[interval] = 1;
    }
}

TEST(every_dimension_is_even)
{
    for (int d = 0; d < SOBOL_DIMENSIONS; d++) {
        struct sobol_dimension plain = sobol_published(d), scrambled = sobol_scrambled(7, 3, d);
        assert_even(&plain, 0, 10);
        assert_even(&scrambled, 0, 10);
        assert_even(&scrambled, 5 << 10, 10);
        assert_memory_not_equal(&plain, &scrambled, sizeof plain);
    }
}

/* Every box of 2^-a by 2^-(m - t - a) holds 2^t of 2^m points: dimensions 0 and 1 are a net with t
 * = 0; t is at most the sum of the degrees of the polynomials less one each. */
TEST(pairs_of_dimensions_are_nets)
{
    enum { M = 10 };
    static const struct {
        int a, b, t;
    } pairs[] = {{0, 1, 0}, {1, 2, 1}, {0, 2, 1}, {0, 3, 2}, {2, 3, 3}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        for (uint32_t replicate = 0; replicate < 4; replicate++) {
            struct sobol_dimension x = sobol_scrambled(11, replicate, pairs[k].a);
            struct sobol_dimension y = sobol_scrambled(11, replicate, pairs[k].b);
            int m = M - pairs[k].t;
            for (int a = 1; a < m; a++) {
                static int count[1 << M];
                memset(count, 0, sizeof count);
                for (uint32_t i = 0; i < 1u << M; i++)
                    count[sobol_word(&x, i) >> (32 - a) << (m - a) |
                          sobol_word(&y, i) >> (32 - m + a)]++;
                for (int box = 0; box < 1 << m; box++)
                    assert_int_equal(count[box], 1 << pairs[k].t);
            }
        }
}

/* Over scrambles a point is uniform, and so is its difference from another one: bits are one half
 * each. */
TEST(scrambled_points_are_uniform)
{
    enum { SCRAMBLES = 4096, BITS = 12 };
    int point[BITS] = {0}, difference[BITS] = {0};
    for (uint32_t r = 0; r < SCRAMBLES; r++) {
        struct sobol_dimension of = sobol_scrambled(5, r, 2);
        uint32_t word = sobol_word(&of, 6), apart = word ^ sobol_word(&of, 7);
        for (int b = 0; b < BITS; b++) {
            point[b] += (int)(word >> (31 - b) & 1u);
            difference[b] += (int)(apart >> (31 - b) & 1u);
        }
    }
    for (int b = 0; b < BITS; b++) { /* 5 deviations of 32 */
        assert_in_range(point[b], SCRAMBLES / 2 - 160, SCRAMBLES / 2 + 160);
        if (b == 0)
            assert_int_equal(difference[b], SCRAMBLES); /* neighbours lie in different halves */
        else assert_in_range(difference[b], SCRAMBLES / 2 - 160, SCRAMBLES / 2 + 160);
    }
}

ALL_TESTS(math_sobol_test)
