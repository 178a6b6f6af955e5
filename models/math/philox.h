/* Philox4x32-10: random integers as a pure function of a counter and a key.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC'11,
 * ACM 2011. There is no state: any path can be drawn at any time on any machine. The words are those of
 * Random123 and of cuRAND's CURAND_RNG_PSEUDO_PHILOX4_32_10 on the device, which
 * validation/tests/math_philox_test.c checks. Integers alone: exact. */
#ifndef PRICER_MODELS_MATH_PHILOX_H
#define PRICER_MODELS_MATH_PHILOX_H

#include <stdint.h>

#include "host_device.h"

struct philox_words {
    uint32_t word0, word1, word2, word3;
};

/* One round: two products of 32 by 32 bits, their high words mixed with the other two words and the key. */
HOST_DEVICE struct philox_words philox_round(struct philox_words c, uint32_t key_low, uint32_t key_high)
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

/* Ten rounds, the key moved on by Weyl's sequence between them. Written out, for a compiler vectorises a loop
 * over counters only where there is no loop inside. */
HOST_DEVICE struct philox_words philox4x32_10(struct philox_words c, uint32_t key_low, uint32_t key_high)
{
    const uint32_t a = 0x9e3779b9u; /* golden ratio */
    const uint32_t b = 0xbb67ae85u; /* sqrt(3) - 1 */
    c = philox_round(c, key_low, key_high);
    c = philox_round(c, key_low + a, key_high + b);
    c = philox_round(c, key_low + 2 * a, key_high + 2 * b);
    c = philox_round(c, key_low + 3 * a, key_high + 3 * b);
    c = philox_round(c, key_low + 4 * a, key_high + 4 * b);
    c = philox_round(c, key_low + 5 * a, key_high + 5 * b);
    c = philox_round(c, key_low + 6 * a, key_high + 6 * b);
    c = philox_round(c, key_low + 7 * a, key_high + 7 * b);
    c = philox_round(c, key_low + 8 * a, key_high + 8 * b);
    return philox_round(c, key_low + 9 * a, key_high + 9 * b);
}

/* The four words of one block of one stream of one path. In cuRAND's terms curand_init(seed, path, offset,
 * ...) with subsequence = path and offset = 4 (block + 2^32 stream). */
HOST_DEVICE struct philox_words philox_block(uint64_t seed, uint64_t path, uint32_t stream, uint32_t block)
{
    struct philox_words counter;
    counter.word0 = block;
    counter.word1 = stream;
    counter.word2 = (uint32_t)path;
    counter.word3 = (uint32_t)(path >> 32);
    return philox4x32_10(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
}

#endif
