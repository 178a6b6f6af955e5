/* Philox4x32-10: random integers as a pure function of a counter and a key.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2,
 * 3, SC'11, ACM 2011. There is no state: any path can be drawn at any time on any machine. The
 * words are those of Random123 and of cuRAND's CURAND_RNG_PSEUDO_PHILOX4_32_10 on the device, which
 * validation/tests/models/math_philox_test.c checks. Integers alone: exact. */
#ifndef PRICER_MODELS_MATH_PHILOX_H
#define PRICER_MODELS_MATH_PHILOX_H

#include <stdint.h>

#include "host_device.h"

/* Four words of 32 bits: a counter, or a block of random integers. */
struct philox_words {
    uint32_t word0, word1, word2, word3;
};

/* Takes one round: two products of 32 by 32 bits, their high words mixed with the other two words
 * and the key. */
HOST_DEVICE struct philox_words philox_round(struct philox_words c, uint32_t key_low,
                                             uint32_t key_high)
{
    const uint64_t product0 = (uint64_t)c.word0 * 0xd2511f53u;
    const uint64_t product2 = (uint64_t)c.word2 * 0xcd9e8d57u;
    struct philox_words next;
    next.word0 = (uint32_t)(product2 >> 32) ^ c.word1 ^ key_low;
    next.word1 = (uint32_t)product2;
    next.word2 = (uint32_t)(product0 >> 32) ^ c.word3 ^ key_high;
    next.word3 = (uint32_t)product0;
    return next;
}

/* The keys of the ten rounds: the seed, moved on by Weyl's sequence. Many blocks share them. */
struct philox_keys {
    uint32_t low[10], high[10];
};

HOST_DEVICE struct philox_keys philox_keys(uint64_t seed)
{
    struct philox_keys keys;
    for (uint32_t r = 0; r < 10; r++) {
        keys.low[r] = (uint32_t)seed + r * 0x9e3779b9u;          /* golden ratio */
        keys.high[r] = (uint32_t)(seed >> 32) + r * 0xbb67ae85u; /* sqrt(3) - 1 */
    }
    return keys;
}

/* Takes ten rounds, written out, for a compiler vectorises a loop over counters only where there is
 * no loop inside. */
HOST_DEVICE struct philox_words philox_rounds(struct philox_words c, const struct philox_keys *keys)
{
    c = philox_round(c, keys->low[0], keys->high[0]);
    c = philox_round(c, keys->low[1], keys->high[1]);
    c = philox_round(c, keys->low[2], keys->high[2]);
    c = philox_round(c, keys->low[3], keys->high[3]);
    c = philox_round(c, keys->low[4], keys->high[4]);
    c = philox_round(c, keys->low[5], keys->high[5]);
    c = philox_round(c, keys->low[6], keys->high[6]);
    c = philox_round(c, keys->low[7], keys->high[7]);
    c = philox_round(c, keys->low[8], keys->high[8]);
    return philox_round(c, keys->low[9], keys->high[9]);
}

HOST_DEVICE struct philox_words philox4x32_10(struct philox_words c, uint32_t key_low,
                                              uint32_t key_high)
{
    const struct philox_keys keys = philox_keys((uint64_t)key_high << 32 | key_low);
    return philox_rounds(c, &keys);
}

/* Returns the four words of one block of one stream of one path. In cuRAND's terms
 * curand_init(seed, path, offset, ...) with subsequence = path and offset = 4 (block + 2^32
 * stream). */
HOST_DEVICE struct philox_words philox_block(uint64_t seed, uint64_t path, uint32_t stream,
                                             uint32_t block)
{
    struct philox_words counter;
    counter.word0 = block;
    counter.word1 = stream;
    counter.word2 = (uint32_t)path;
    counter.word3 = (uint32_t)(path >> 32);
    return philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

#endif
