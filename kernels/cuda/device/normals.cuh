/* The table of the normal inverse in shared memory. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_NORMALS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_NORMALS_CUH

#include "models/math/normal.h"

static __device__ __align__(16) const
    float device_normal_cubic[NORMAL_ROWS][4] = NORMAL_CUBIC_INITIALISER;

/* One copy a block. A row is one 16-byte load; the random rows of eight neighbouring lanes, which
 * are served together, fall on the same banks about two and a half times over. */
struct normal_table {
    static const int SIZE = NORMAL_ROWS; /* float4 */
    const float4 *rows;

    /* Fills the table with every thread of the block; ends with a barrier. */
    static __device__ __forceinline__ struct normal_table load(float4 *shared)
    {
        for (int i = (int)threadIdx.x; i < SIZE; i += (int)blockDim.x)
            shared[i] = reinterpret_cast<const float4 *>(device_normal_cubic)[i];
        __syncthreads();
        struct normal_table table = {shared};
        return table;
    }

    __device__ __forceinline__ double normal(uint32_t word) const
    {
        return (double)normal_from_bits(word, reinterpret_cast<const float(*)[4]>(rows));
    }
};

/* Eight copies, interleaved by rows, one for every eighth lane: the eight lanes that are served
 * together never meet on a bank. The bytes of a row and those before the lane's copy of it have no
 * bit in common, so that the same operation that takes the row's bits out of a number puts the
 * lane's in. Where steps are not written out in a row, the compiler would find the table's place
 * anew at each of them, in eight instructions: there it is KEPT in a register, and each look-up
 * adds to it. */
template <bool KEPT>
struct spread_normal_table {
    static const int COPIES = 8, SIZE = COPIES * NORMAL_ROWS; /* float4 */
    const char *first; /* the first row, or the lane's copy of it */
    uint32_t lane;     /* bytes before this lane's copy of a row, unless `first` has them */

    static __device__ __forceinline__ struct spread_normal_table load(float4 *shared)
    {
        for (int i = (int)threadIdx.x; i < SIZE; i += (int)blockDim.x)
            shared[i] = reinterpret_cast<const float4 *>(device_normal_cubic)[i / COPIES];
        __syncthreads();
        const uint32_t lane = threadIdx.x % COPIES * (uint32_t)sizeof(float4);
        if constexpr (!KEPT) return {reinterpret_cast<const char *>(shared), lane};
        uint32_t lane_address = (uint32_t)__cvta_generic_to_shared(shared) + lane;
        asm volatile("" : "+r"(lane_address)); /* nothing that can be found anew */
        return {static_cast<const char *>(__cvta_shared_to_generic(lane_address)), 0};
    }

    __device__ __forceinline__ double normal(uint32_t word) const
    {
        const struct normal_cell at = normal_cell(word);
        const uint32_t row =
            (uint32_t)(at.row4 + 4 * NORMAL_FIRST_ROW) * COPIES * (uint32_t)sizeof(float);
        const char *from = first - COPIES * NORMAL_FIRST_ROW * (int)sizeof(float4);
        const float4 c = *reinterpret_cast<const float4 *>(from + (row | lane));
        return (double)normal_cubic_at(word, at.v, c.x, c.y, c.z, c.w);
    }
};

#endif
