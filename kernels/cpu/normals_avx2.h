/* Philox words and normals for 8 paths at a time with AVX2: the bits of philox.h and normal.h,
 * sooner.
 *
 * A row of the table of cubics is one load of 16 bytes, and eight rows are turned into four columns
 * in registers: one load for four gathered ones. For files compiled with -march=x86-64-v3 or above;
 * empty in others. */
#ifndef PRICER_KERNELS_CPU_NORMALS_AVX2_H
#define PRICER_KERNELS_CPU_NORMALS_AVX2_H

#if defined(__AVX2__) && defined(__FMA__)
#define PRICER_NORMALS_AVX2 1

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "models/math/normal.h"

/* Returns the rows at OFFSETS a and b (in floats), side by side. */
static inline __attribute__((always_inline)) __m256 two_rows_avx2(int a, int b)
{
    const float *flat = &normal_cubic[0][0];
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(flat + a)),
                                _mm_load_ps(flat + b), 1);
}

/* Returns normal_from_bits() of 8 words. */
static inline __attribute__((always_inline)) __m256 normals_avx2(__m256i k)
{
    const __m256i h = _mm256_xor_si256(k, _mm256_srai_epi32(k, 31)); /* min(k, ~k) */
    const __m256 f = _mm256_add_ps(_mm256_cvtepi32_ps(h), _mm256_set1_ps(0.5f));
    const __m256i bits = _mm256_castps_si256(f);
    const __m256i start = _mm256_and_si256(bits, _mm256_set1_epi32((int)0xfff00000u));
    const __m256 v = _mm256_sub_ps(f, _mm256_castsi256_ps(start));
    const __m256i quadruple = _mm256_srli_epi32(start, 18);
    int offset[8] __attribute__((aligned(32)));
    _mm256_store_si256((__m256i *)(void *)offset,
                       _mm256_sub_epi32(quadruple, _mm256_set1_epi32(4 * NORMAL_FIRST_ROW)));
    const __m256 r0 = two_rows_avx2(offset[0], offset[4]), r1 = two_rows_avx2(offset[1], offset[5]);
    const __m256 r2 = two_rows_avx2(offset[2], offset[6]), r3 = two_rows_avx2(offset[3], offset[7]);
    const __m256d low01 = _mm256_castps_pd(_mm256_unpacklo_ps(r0, r1)),
                  low23 = _mm256_castps_pd(_mm256_unpacklo_ps(r2, r3));
    const __m256d high01 = _mm256_castps_pd(_mm256_unpackhi_ps(r0, r1)),
                  high23 = _mm256_castps_pd(_mm256_unpackhi_ps(r2, r3));
    const __m256 c0 = _mm256_castpd_ps(_mm256_unpacklo_pd(low01, low23));
    const __m256 c1 = _mm256_castpd_ps(_mm256_unpackhi_pd(low01, low23));
    const __m256 c2 = _mm256_castpd_ps(_mm256_unpacklo_pd(high01, high23));
    const __m256 c3 = _mm256_castpd_ps(_mm256_unpackhi_pd(high01, high23));
    const __m256 z = _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(c3, v, c2), v, c1), v, c0);
    const __m256i sign = _mm256_and_si256(k, _mm256_set1_epi32((int)0x80000000u));
    return _mm256_castsi256_ps(_mm256_xor_si256(_mm256_castps_si256(z), sign));
}

#define WIDE(name) name##_avx2
#define PAIRS 4
#define EVEN_NUMBERS ((words_avx2){0, 2, 4, 6})
#define LOW_PRODUCT(a, b) ((words_avx2)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define ODD_OVER_EVEN(a, b) ((words_avx2)_mm256_blend_epi32((__m256i)(a), (__m256i)(b), 0xaa))
#include "kernels/cpu/philox_wide.h"

/* Draws the four normals of one block of PATHS paths from FIRST_PATH on, PATHS a multiple of 8:
 * normal j of path first_path + i goes to normals[j * paths + i]. */
static inline void draw_block_avx2(uint64_t seed, uint64_t first_path, uint32_t stream,
                                   uint32_t block, int paths, float *normals)
{
    for (int i = 0; i < paths; i += 8) {
        words_avx2 words[4];
        philox_avx2(seed, first_path + (uint64_t)i, stream, block, words);
        for (int j = 0; j < 4; j++)
            _mm256_storeu_ps(normals + (ptrdiff_t)j * paths + i, normals_avx2((__m256i)words[j]));
    }
}

#endif
#endif
