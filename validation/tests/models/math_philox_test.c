/* models/math/philox.h: known answers, and word for word against Random123 and cuRAND's own header
 * where they are found. cuRAND's header is compiled for the host here; give the compiler the
 * toolkit's include folder to run that part. */
#include "models/math/philox.h"
#include "validation/tests/test.h"

#if __has_include(<Random123/philox.h>)
#define HAVE_RANDOM123 1
#include <Random123/philox.h>
#else
#define HAVE_RANDOM123 0
#endif

#if __has_include(<curand_philox4x32_x.h>) && __has_include(<vector_types.h>) && __has_include(<nv/target>)
#define HAVE_CURAND 1
#include <vector_types.h>
/* The header is C++ by one overloaded function: count its arguments and give the two their own
 * names. */
#define QUALIFIERS static inline __attribute__((unused))
#define mulhilo32 curand_mulhilo32
#define _philox4x32round curand_philox4x32round
#define PICK(first, second, name, ...) name
#define Philox_State_Incr(...) PICK(__VA_ARGS__, increment_by, increment_once, 0)(__VA_ARGS__)
#include <curand_philox4x32_x.h>
#undef mulhilo32
#undef _philox4x32round
#else
#define HAVE_CURAND 0
#endif

static void assert_words(struct philox_words w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    assert_int_equal(w.word0, a);
    assert_int_equal(w.word1, b);
    assert_int_equal(w.word2, c);
    assert_int_equal(w.word3, d);
}

/* The three vectors of Random123's kat_vectors for philox4x32 with 10 rounds. */
TEST(known_answers)
{
    const uint32_t ones = 0xffffffffu;
    const struct philox_words zero = {0, 0, 0, 0}, full = {ones, ones, ones, ones};
    const struct philox_words pi = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
    assert_words(philox4x32_10(zero, 0, 0), 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u);
    assert_words(philox4x32_10(full, ones, ones), 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u,
                 0x6d5451fdu);
    const struct philox_words of_pi = philox4x32_10(pi, 0xa4093822u, 0x299f31d0u);
    assert_words(of_pi, 0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u);
}

/* The i-th of the cases below: seeds, paths, streams and blocks with few and with many bits. */
struct place {
    uint64_t seed, path;
    uint32_t stream, block;
};

static struct place case_number(uint32_t i)
{
    const struct philox_words r = philox_block(4, i, 0, 0), q = philox_block(4, i, 0, 1);
    struct place p = {(uint64_t)r.word0 << 32 | r.word1, (uint64_t)r.word2 << 32 | r.word3, q.word0,
                      q.word1};
    const uint32_t kind = i % 4;
    if (kind == 1) p = (struct place){i, i / 7, i % 3, i % 11};
    if (kind == 2) p.path >>= 33, p.stream = 0;
    if (kind == 3) p.seed >>= 32, p.block = UINT32_MAX - i;
    return p;
}

enum { cases = 1000000 };

TEST(place_of_the_words)
{
    for (uint32_t i = 0; i < cases; i++) {
        const struct place p = case_number(i);
        const struct philox_words counter = {p.block, p.stream, (uint32_t)p.path,
                                             (uint32_t)(p.path >> 32)};
        const struct philox_words a = philox_block(p.seed, p.path, p.stream, p.block);
        const struct philox_words b =
            philox4x32_10(counter, (uint32_t)p.seed, (uint32_t)(p.seed >> 32));
        assert_memory_equal(&a, &b, sizeof a);
    }
}

TEST(same_words_as_random123)
{
#if HAVE_RANDOM123
    for (uint32_t i = 0; i < cases; i++) {
        const struct place p = case_number(i);
        const philox4x32_ctr_t counter = {
            {p.block, p.stream, (uint32_t)p.path, (uint32_t)(p.path >> 32)}};
        const philox4x32_key_t key = {{(uint32_t)p.seed, (uint32_t)(p.seed >> 32)}};
        const philox4x32_ctr_t w = philox4x32(counter, key);
        assert_words(philox_block(p.seed, p.path, p.stream, p.block), w.v[0], w.v[1], w.v[2],
                     w.v[3]);
    }
#else
    print_message("SKIPPED: Random123/philox.h was not found when this test was compiled\n");
    skip();
#endif
}

TEST(same_words_as_curand)
{
#if HAVE_CURAND
    for (uint32_t i = 0; i < cases; i++) {
        const struct place p = case_number(i);
        curandStatePhilox4_32_10_t s = {.key = {(uint32_t)p.seed, (uint32_t)(p.seed >> 32)}};
        /* as curand_init does for the subsequence, then for offset / 4 */
        Philox_State_Incr_hi(&s, p.path);
        Philox_State_Incr(&s, (unsigned long long)p.stream << 32 | p.block);
        const uint4 w = curand_Philox4x32_10(s.ctr, s.key);
        assert_words(philox_block(p.seed, p.path, p.stream, p.block), w.x, w.y, w.z, w.w);
    }
#else
    print_message("SKIPPED: curand_philox4x32_x.h was not found when this test was compiled\n");
    skip();
#endif
}

enum { loop_length = 4099 };

/* A loop over paths, which the compiler vectorises, gives the words that single calls give.
 * math_wide_normals_test has those written by hand. */
TEST(loops_give_the_same_words)
{
    static uint32_t words[4][loop_length];
    static volatile uint64_t hidden =
        0xffffff00u; /* the low word of the path overflows inside the loop */
    const uint64_t first = hidden;
    for (int i = 0; i < loop_length; i++) {
        const struct philox_words w = philox_block(77, first + (uint64_t)i, 5, 6);
        words[0][i] = w.word0;
        words[1][i] = w.word1;
        words[2][i] = w.word2;
        words[3][i] = w.word3;
    }
    for (uint64_t i = 0; i < loop_length; i++) {
        volatile uint64_t path = first + i; /* one call at a time */
        const struct philox_words w = philox_block(77, path, 5, 6);
        assert_words(w, words[0][i], words[1][i], words[2][i], words[3][i]);
    }
}

ALL_TESTS(math_philox_test)
