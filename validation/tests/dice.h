/* Random numbers for random books: the same on every machine (S. Vigna's splitmix64), and as
 * hostile as asked. */
#ifndef PRICER_VALIDATION_TESTS_DICE_H
#define PRICER_VALIDATION_TESTS_DICE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct dice {
    uint64_t state;
    double hostility; /* chance that a number is one that nobody would expect */
};

static inline uint64_t dice_bits(struct dice *dice)
{
    uint64_t z = dice->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Returns a number from `low` to `high`. */
static inline double dice_real(struct dice *dice, double low, double high)
{
    return low + (high - low) * (double)(dice_bits(dice) >> 11) * 0x1p-53;
}

/* Returns one whose logarithm is uniform; both ends are above 0. */
static inline double dice_scale(struct dice *dice, double low, double high)
{
    return exp(dice_real(dice, log(low), log(high)));
}

/* Returns a whole number from 0 to n - 1. */
static inline int dice_below(struct dice *dice, int n)
{
    return (int)(dice_bits(dice) % (uint64_t)n);
}

static inline bool dice_chance(struct dice *dice, double chance)
{
    return dice_real(dice, 0.0, 1.0) < chance;
}

static inline bool dice_hostile(struct dice *dice)
{
    return dice_chance(dice, dice->hostility);
}

/* Returns about a standard normal number: a sum of twelve uniform ones. */
static inline double dice_normal(struct dice *dice)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++) sum += dice_real(dice, 0.0, 1.0);
    return sum;
}

#endif
