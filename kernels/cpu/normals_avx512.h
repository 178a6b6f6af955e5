/* Philox words and normals for 16 paths at a time with AVX-512: the bits of philox.h and normal.h,
 * sooner.
 *
 * The 64 central rows of the table of cubics stay in registers, where vpermi2ps looks them up; a
 * word outside them (one in 256) goes the way of normal.h. For files compiled with
 * -march=x86-64-v4; empty in others. */
#ifndef PRICER_KERNELS_CPU_NORMALS_AVX512_H
#define PRICER_KERNELS_CPU_NORMALS_AVX512_H

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define PRICER_NORMALS_AVX512 1

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "models/math/normal.h"

/* Returns the column COLUMN of the central rows at the places of BITS, the bits of f. */
static inline __attribute__((always_inline)) __m512 central_column_avx512(int column, __m512i cell,
                                                                          __mmask16 upper)
{
    const float *c = normal_central[column];
    const __m512 low = _mm512_permutex2var_ps(_mm512_load_ps(c), cell, _mm512_load_ps(c + 16));
    const __m512 high =
        _mm512_permutex2var_ps(_mm512_load_ps(c + 32), cell, _mm512_load_ps(c + 48));
    return _mm512_mask_blend_ps(upper, low, high);
}

/* Returns normal_from_bits() of 16 words; of those outside the central rows, which are set in TAIL,
 * the word itself. */
static inline __attribute__((always_inline)) __m512 central_normals_avx512(__m512i k,
                                                                           __mmask16 *tail)
{
    const __m512i h = _mm512_xor_si512(k, _mm512_srai_epi32(k, 31)); /* min(k, ~k) */
    const __m512 f = _mm512_add_ps(_mm512_cvtepi32_ps(h), _mm512_set1_ps(0.5f));
    const __m512i bits = _mm512_castps_si512(f);
    const __m512i start = _mm512_and_si512(bits, _mm512_set1_epi32((int)0xfff00000u));
    const __m512 v = _mm512_sub_ps(f, _mm512_castsi512_ps(start));
    const __m512i cell = _mm512_srli_epi32(bits, 20); /* lookups read the low five bits */
    const __mmask16 upper = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(1 << 25));
    const __m512 c0 = central_column_avx512(0, cell, upper),
                 c1 = central_column_avx512(1, cell, upper),
                 c2 = central_column_avx512(2, cell, upper),
                 c3 = central_column_avx512(3, cell, upper);
    /* 2^23 as a float */
    const __m512i beyond = _mm512_sub_epi32(bits, _mm512_set1_epi32(0x4b000000));
    *tail = _mm512_cmpge_epu32_mask(beyond, _mm512_set1_epi32(0x04000000));
    const __m512 z = _mm512_fmadd_ps(_mm512_fmadd_ps(_mm512_fmadd_ps(c3, v, c2), v, c1), v, c0);
    const __m512i sign = _mm512_and_si512(k, _mm512_set1_epi32((int)0x80000000u));
    const __m512i signed_z = _mm512_xor_si512(_mm512_castps_si512(z), sign);
    return _mm512_castsi512_ps(_mm512_mask_blend_epi32(*tail, signed_z, k));
}

enum { TAIL_VECTORS = 64 }; /* vectors whose tails are taken together */

/* Takes normal_from_bits() of the words among NORMALS that TAILS, a bit for each, says are still
 * words. */
static inline void tail_normals_avx512(const __mmask16 tails[TAIL_VECTORS], float *normals)
{
    for (int i = 0; i < TAIL_VECTORS; i += 4, normals += 64) {
        uint64_t rest;
        memcpy(&rest, tails + i, sizeof rest);
        for (; rest != 0; rest &= rest - 1) {
            float *z = normals + __builtin_ctzll(rest);
            *z = normal_from_bits(bits_of_float(*z), normal_cubic);
        }
    }
}

/* Takes normal_from_bits() of COUNT words, a multiple of 16, which may lie where the normals go.
 * Those in the tails come one by one after the others: a branch at each vector would be foretold
 * wrongly one time in 16. */
static inline void normals_from_bits_avx512(const void *words, float *normals, size_t count)
{
    const __m512i *from = words;
    while (count > 0) {
        __mmask16 tails[TAIL_VECTORS] = {0};
        const size_t most = 16 * TAIL_VECTORS, n = count < most ? count : most;
        for (size_t i = 0; i < n / 16; i++)
            _mm512_storeu_ps(normals + 16 * i,
                             central_normals_avx512(_mm512_loadu_si512(from + i), &tails[i]));
        tail_normals_avx512(tails, normals);
        from += TAIL_VECTORS;
        normals += n;
        count -= n;
    }
}

#define WIDE(name) name##_avx512
#define PAIRS 8
#define EVEN_NUMBERS ((words_avx512){0, 2, 4, 6, 8, 10, 12, 14})
#define LOW_PRODUCT(a, b) ((words_avx512)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define ODD_OVER_EVEN(a, b)                                                                        \
    ((words_avx512)_mm512_mask_blend_epi32(0xaaaa, (__m512i)(a), (__m512i)(b)))
#include "kernels/cpu/philox_wide.h"

/* Draws the words of one block of PATHS paths from FIRST_PATH on, PATHS a multiple of 16: word j of
 * path first_path + i goes to words[j * paths + i], of 32 bits each. */
static inline void draw_words_avx512(uint64_t seed, uint64_t first_path, uint32_t stream,
                                     uint32_t block, int paths, void *words)
{
    __m512i *to = words;
    for (int i = 0; i < paths; i += 16, to++) {
        words_avx512 drawn[4];
        philox_avx512(seed, first_path + (uint64_t)i, stream, block, drawn);
        for (int j = 0; j < 4; j++)
            _mm512_storeu_si512(to + (ptrdiff_t)j * paths / 16, (__m512i)drawn[j]);
    }
}

/* Draws the four normals of the same: normal j of path first_path + i goes to normals[j * paths +
 * i]. First the words of all paths, into the same places: a word is ready some sixty cycles after
 * its counter, and a processor looks ahead over too few instructions to begin the next counters
 * meanwhile where each word's normal is made in between. */
static inline void draw_block_avx512(uint64_t seed, uint64_t first_path, uint32_t stream,
                                     uint32_t block, int paths, float *normals)
{
    draw_words_avx512(seed, first_path, stream, block, paths, normals);
    normals_from_bits_avx512(normals, normals, 4 * (size_t)paths);
}

#endif
#endif
