/* kernels/cpu/normals_avx512.h and normals_avx2.h give the bits of models/math/philox.h and
 * normal.h: on random words, on words that are all in the tails, and where the number of a path
 * runs over its low word. */
#include "models/math/normal.h"
#include "models/math/philox.h"
#include "validation/tests/test.h"

#ifdef __x86_64__
#include <immintrin.h>

/* A build for one processor (-march=native) has what its instruction set has; others bring in both
 * here. */
#pragma GCC push_options
#ifndef __AVX__
#define EVERY_WIDTH 1
#pragma GCC target("arch=x86-64-v3")
#endif
#include "kernels/cpu/normals_avx2.h"
#ifdef PRICER_NORMALS_AVX2

static void words_to_normals_avx2(const uint32_t *words, float *normals, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        const __m256i k = _mm256_loadu_si256((const __m256i *)(const void *)(words + i));
        _mm256_storeu_ps(normals + i, normals_avx2(k));
    }
}

static void block_avx2(uint64_t seed, uint64_t path, uint32_t stream, uint32_t block, int paths,
                       float *out)
{
    draw_block_avx2(seed, path, stream, block, paths, out);
}
#endif
#pragma GCC pop_options

#pragma GCC push_options
#ifdef EVERY_WIDTH
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")
#endif
#include "kernels/cpu/normals_avx512.h"
#ifdef PRICER_NORMALS_AVX512

static void words_to_normals_avx512(const uint32_t *words, float *normals, size_t count)
{
    normals_from_bits_avx512(words, normals, count);
}

static void block_avx512(uint64_t seed, uint64_t path, uint32_t stream, uint32_t block, int paths,
                         float *out)
{
    draw_block_avx512(seed, path, stream, block, paths, out);
}
#endif
#pragma GCC pop_options
#endif

struct wide {
    const char *name;
    void (*normals)(const uint32_t *, float *, size_t);
    void (*block)(uint64_t, uint64_t, uint32_t, uint32_t, int, float *);
};

/* The implementations that this processor can run; at most two. */
static int implementations(struct wide found[2])
{
    int n = 0;
    (void)found;
#ifdef PRICER_NORMALS_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        found[n++] = (struct wide){"AVX2", words_to_normals_avx2, block_avx2};
#endif
#ifdef PRICER_NORMALS_AVX512
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found[n++] = (struct wide){"AVX-512", words_to_normals_avx512, block_avx512};
#endif
    for (int i = n; i < 2; i++)
        print_message("SKIPPED: %s\n", i == 0 ? "AVX2 and AVX-512" : "AVX-512 or AVX2");
    return n;
}

enum { chunk = 4096 };

static uint32_t words[chunk];

static void compare_words(const struct wide *wide)
{
    static float found[chunk], expected[chunk];
    wide->normals(words, found, chunk);
    for (int i = 0; i < chunk; i++) expected[i] = normal_from_bits(words[i], normal_cubic);
    if (memcmp(found, expected, sizeof found) != 0)
        fail_msg("%s differs near word %u", wide->name, words[0]);
}

TEST(random_words)
{
    struct wide wide[2];
    const int n = implementations(wide);
    for (uint32_t c = 0; c < 4096; c++) {
        for (uint32_t i = 0; i < chunk; i++) words[i] = philox_block(1, i, 0, c).word0;
        for (int w = 0; w < n; w++) compare_words(&wide[w]);
    }
}

/* Every h below 2^23, where no lane is central, with both signs; and the last ones before 2^31,
 * which round up to it. */
TEST(words_in_the_tails_and_the_middle)
{
    struct wide wide[2];
    const int n = implementations(wide);
    for (uint32_t first = 0; first < 1u << 23; first += chunk) {
        for (uint32_t i = 0; i < chunk; i++) words[i] = i % 2 == 0 ? first + i : ~(first + i);
        for (int w = 0; w < n; w++) compare_words(&wide[w]);
    }
    for (uint32_t i = 0; i < chunk; i++) words[i] = 0x80000000u - chunk / 2 + i;
    for (int w = 0; w < n; w++) compare_words(&wide[w]);
    for (uint32_t i = 0; i < chunk; i++) words[i] = (1u << 23) - chunk / 2 + i;
    for (int w = 0; w < n; w++) compare_words(&wide[w]);
}

TEST(blocks_of_paths)
{
    enum { paths = 256 };
    static float found[4][paths], expected[4][paths];
    const uint64_t seeds[] = {0, 20261121, UINT64_MAX},
                   firsts[] = {0, 0xffffff80u, UINT64_MAX - 255, 1ull << 40};
    struct wide wide[2];
    const int n = implementations(wide);
    for (int place = 0; place < 12; place++) {
        const uint64_t seed = seeds[place % 3], first = firsts[place / 3];
        const uint32_t stream = 0x80000003u * (uint32_t)place,
                       block = UINT32_MAX - 5u * (uint32_t)place;
        for (int i = 0; i < paths; i++) {
            const struct philox_words w = philox_block(seed, first + (uint64_t)i, stream, block);
            expected[0][i] = normal_from_bits(w.word0, normal_cubic);
            expected[1][i] = normal_from_bits(w.word1, normal_cubic);
            expected[2][i] = normal_from_bits(w.word2, normal_cubic);
            expected[3][i] = normal_from_bits(w.word3, normal_cubic);
        }
        for (int w = 0; w < n; w++) {
            memset(found, 0, sizeof found);
            wide[w].block(seed, first, stream, block, paths, &found[0][0]);
            assert_memory_equal(found, expected, sizeof found);
        }
    }
}

TEST(central_columns_are_the_rows)
{
    for (int row = 192; row < 256; row++)
        for (int column = 0; column < 4; column++)
            assert_true(normal_central[column][(row + NORMAL_FIRST_ROW) % 64] ==
                        normal_cubic[row][column]);
}

ALL_TESTS(math_wide_normals_test)
