#include "models/math/sobol.h"

#include "models/math/philox.h"
#include "models/math/sobol_numbers.h"

/* Keeps the scrambles' Philox blocks apart from those that paths are drawn from. */
#define SCRAMBLE_KEY 0x5851f42d4c957f2du

static int degree_of(uint32_t polynomial)
{
    int degree = 0;
    while (polynomial >> (degree + 1)) degree++;
    return degree;
}

/* Returns where the initial numbers of a dimension begin: behind those of the dimensions before. */
static int first_number(int dimension)
{
    int at = 0;
    for (int d = 1; d < dimension; d++) at += degree_of(sobol_polynomials[d - 1]);
    return at;
}

/* Makes the published vectors of a dimension: vector b is m[b] / 2^(b + 1) as a binary fraction of
 * 32 digits. With s the degree of the polynomial x^s + a[1] x^(s-1) + ... + a[s-1] x + 1, m[b] = 2
 * a[1] m[b-1] ^ ... ^ 2^(s-1) a[s-1] m[b-s+1] ^ 2^s m[b-s] ^ m[b-s], which for the vectors reads
 * v[b] = a[1] v[b-1] ^ ... ^ v[b-s] ^ v[b-s] >> s. */
struct sobol_dimension sobol_published(int dimension)
{
    struct sobol_dimension sobol = {.shift = 0};
    uint32_t *v = sobol.vectors;
    if (dimension == 0) {
        for (int b = 0; b < SOBOL_BITS; b++) v[b] = 1u << (SOBOL_BITS - 1 - b);
        return sobol;
    }
    uint32_t polynomial = sobol_polynomials[dimension - 1];
    int s = degree_of(polynomial), first = first_number(dimension);
    for (int b = 0; b < s; b++) v[b] = (uint32_t)sobol_initial[first + b] << (SOBOL_BITS - 1 - b);
    for (int b = s; b < SOBOL_BITS; b++) {
        v[b] = v[b - s] ^ v[b - s] >> s;
        for (int i = 1; i < s; i++)
            if (polynomial >> (s - i) & 1u) v[b] ^= v[b - i];
    }
    return sobol;
}

/* Draws columns[p], what digit p of a word, counted from the last, becomes: itself and random
 * digits behind. */
static void draw_columns(uint64_t seed, uint32_t replicate, int dimension, uint32_t *columns,
                         uint32_t *shift)
{
    enum { DRAWS = 4 };
    uint32_t words[SOBOL_BITS + DRAWS];
    for (uint32_t block = 0; block <= SOBOL_BITS / DRAWS; block++) {
        struct philox_words w =
            philox_block(seed ^ SCRAMBLE_KEY, replicate, (uint32_t)dimension, block);
        uint32_t *to = words + DRAWS * block;
        to[0] = w.word0, to[1] = w.word1, to[2] = w.word2, to[3] = w.word3;
    }
    for (int p = 0; p < SOBOL_BITS; p++) columns[p] = 1u << p | (words[p] & ((1u << p) - 1u));
    *shift = words[SOBOL_BITS];
}

struct sobol_dimension sobol_scrambled(uint64_t seed, uint32_t replicate, int dimension)
{
    struct sobol_dimension plain = sobol_published(dimension), sobol;
    uint32_t columns[SOBOL_BITS];
    draw_columns(seed, replicate, dimension, columns, &sobol.shift);
    for (int b = 0; b < SOBOL_BITS; b++) {
        sobol.vectors[b] = 0;
        for (int p = 0; p < SOBOL_BITS; p++)
            sobol.vectors[b] ^= columns[p] & (0u - (plain.vectors[b] >> p & 1u));
    }
    return sobol;
}
