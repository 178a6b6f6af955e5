/* Scrambled Sobol points: words of 32 bits, one a dimension, that fill the unit cube evenly.
 *
 * I. M. Sobol', On the distribution of points in a cube and the approximate evaluation of
 * integrals, USSR Computational Mathematics and Mathematical Physics 7 (1967) 86-112; direction
 * numbers of S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional
 * projections, SIAM Journal on Scientific Computing 30 (2008) 2635-2654. A point's word in a
 * dimension is the sum modulo 2 of the direction vectors that the bits of its number name: bit b
 * names vector b. Any 2^k points that begin at a multiple of 2^k hold one word in each of 2^k equal
 * intervals of every dimension.
 *
 * The scramble is a random linear one and a digital shift: each word's digits, from the first, are
 * multiplied by a random lower triangular matrix with ones on its diagonal, and a random word is
 * added (J. Matousek, On the L2-discrepancy for anchored boxes, Journal of Complexity 14 (1998)
 * 527-556). Each point is then uniform, the mean of any function over the points is unbiased, and
 * its variance is that of the nested scramble of A. B. Owen, Randomly permuted (t,m,s)-nets and
 * (t,s)-sequences (1995), as he shows in Variance with alternative scramblings of digital nets, ACM
 * Transactions on Modeling and Computer Simulation 13 (2003) 363-378. It costs nothing a point, for
 * the vectors are scrambled instead. Integers alone: exact on every machine. */
#ifndef PRICER_MODELS_MATH_SOBOL_H
#define PRICER_MODELS_MATH_SOBOL_H

#include <stdint.h>

#include "host_device.h"

enum {
    SOBOL_BITS = 32,         /* bits of a word, and of a point's number */
    SOBOL_DIMENSIONS = 1111, /* those of polynomials of degree 13 or less, and the first */
};

/* One dimension of some points: 32 direction vectors and a shift. */
struct sobol_dimension {
    uint32_t vectors[SOBOL_BITS]; /* [bit of the point's number], the least first */
    uint32_t shift;
};

/* The dimensions that an engine draws points from. */
struct sobol_points {
    int n;                              /* dimensions there are; words of others come from Philox */
    struct sobol_dimension *dimensions; /* [n] */
};

/* Returns dimension 0 .. SOBOL_DIMENSIONS - 1 as it is published, without a shift. */
struct sobol_dimension sobol_published(int dimension);

/* Returns the same dimension scrambled. The scrambles of seeds, of replicates and of dimensions are
 * independent. */
struct sobol_dimension sobol_scrambled(uint64_t seed, uint32_t replicate, int dimension);

/* Returns the word of point `index`. */
HOST_DEVICE uint32_t sobol_word(const struct sobol_dimension *dimension, uint32_t index)
{
    uint32_t word = dimension->shift;
    for (int b = 0; b < SOBOL_BITS; b++) word ^= dimension->vectors[b] & (0u - (index >> b & 1u));
    return word;
}

#endif
