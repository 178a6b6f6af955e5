/* Philox words for 2 PAIRS paths at a time: part of normals_avx2.h and normals_avx512.h, which say
 * how wide that is. WIDE(name) names a function of theirs, EVEN_NUMBERS are the first PAIRS even
 * numbers, LOW_PRODUCT() multiplies the low 32 bits of each lane, ODD_OVER_EVEN() takes the upper
 * halves of its second vector and the lower ones of its first.
 *
 * Words are kept in 64-bit lanes, where vpmuludq gives a whole product in one instruction and
 * ignores what is above the low word (gcc rebuilds the products from pieces): even paths in one
 * register, odd paths in another. */

typedef uint64_t WIDE(words) __attribute__((vector_size(8 * PAIRS)));

/* Counters on their way through the rounds; what is above the low 32 bits of a lane means nothing.
 */
struct WIDE(philox_lanes) {
    WIDE(words) word0, word1, word2, word3;
};

static inline __attribute__((always_inline)) struct WIDE(philox_lanes)
    WIDE(philox_round)(struct WIDE(philox_lanes) c, uint32_t key_low, uint32_t key_high)
{
    const WIDE(words) none = {0}, product0 = LOW_PRODUCT(c.word0, none + 0xd2511f53u),
                      product2 = LOW_PRODUCT(c.word2, none + 0xcd9e8d57u);
    struct WIDE(philox_lanes) next;
    next.word0 = (product2 >> 32) ^ (c.word1 ^ (none + key_low));
    next.word1 = product2;
    next.word2 = (product0 >> 32) ^ (c.word3 ^ (none + key_high));
    next.word3 = product0;
    return next;
}

/* Makes philox_block() of the paths from FIRST_PATH on: words[j] holds word j of each, in order of
 * path. */
static inline __attribute__((always_inline)) void WIDE(philox)(uint64_t seed, uint64_t first_path,
                                                               uint32_t stream, uint32_t block,
                                                               WIDE(words) words[4])
{
    const WIDE(words) none = {0}, even_path = EVEN_NUMBERS + first_path, odd_path = even_path + 1,
                      word0 = none + block, word1 = none + stream;
    struct WIDE(philox_lanes) even = {word0, word1, even_path, even_path >> 32};
    struct WIDE(philox_lanes) odd = {word0, word1, odd_path, odd_path >> 32};
    uint32_t key_low = (uint32_t)seed, key_high = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        even = WIDE(philox_round)(even, key_low, key_high);
        odd = WIDE(philox_round)(odd, key_low, key_high);
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
    words[0] = ODD_OVER_EVEN(even.word0, odd.word0 << 32);
    words[1] = ODD_OVER_EVEN(even.word1, odd.word1 << 32);
    words[2] = ODD_OVER_EVEN(even.word2, odd.word2 << 32);
    words[3] = ODD_OVER_EVEN(even.word3, odd.word3 << 32);
}

#undef WIDE
#undef PAIRS
#undef EVEN_NUMBERS
#undef LOW_PRODUCT
#undef ODD_OVER_EVEN
