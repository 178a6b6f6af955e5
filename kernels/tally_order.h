/* The one order in which the values of a chunk are added, on every engine.
 *
 * Lane l of TALLY_LANES takes the values of paths l, l + TALLY_LANES, ... one after the other, as
 * differences from a centre (the value of the chunk's first path, which keeps the squares small).
 * The lanes are then added in pairs, l and l + 16, then l and l + 8, ... to one sum: a vector
 * register on the CPU, a warp and its shuffles on the GPU. Of antithetic paths a chunk has half as
 * many values, each of a pair. */
#ifndef PRICER_KERNELS_TALLY_ORDER_H
#define PRICER_KERNELS_TALLY_ORDER_H

#include "kernels/plan.h"
#include "models/math/tally.h"

enum { TALLY_LANES = 32, TALLY_ROUNDS = CHUNK_PATHS / TALLY_LANES };

/* Sum and sum of squares of differences from the centre. */
struct tally_sums {
    double sum, squares;
};

HOST_DEVICE struct tally_sums tally_sums_take(struct tally_sums sums, double value, double centre)
{
    double difference = value - centre;
    sums.sum = sums.sum + difference;
    sums.squares = fma(difference, difference, sums.squares);
    return sums;
}

/* Returns the value of a path and its antithetic one, which lies PAIR_PATHS behind it in their
 * chunk. */
HOST_DEVICE double tally_pair(double value, double antithetic)
{
    return 0.5 * (value + antithetic);
}

/* Returns the tally of a whole chunk from the sums of its n values: CHUNK_PATHS, or PAIR_PATHS of
 * antithetic ones. */
HOST_DEVICE struct tally tally_of_sums(struct tally_sums sums, double centre, int n)
{
    struct tally tally;
    double mean = sums.sum * (1.0 / n), m2 = fma(-sums.sum, mean, sums.squares);
    tally.n = n;
    tally.mean = centre + mean;
    tally.m2 = m2 > 0.0 ? m2 : sums.squares - sums.squares;
    return tally;
}

#endif
