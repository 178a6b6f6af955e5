/* The noises of a step of many assets, w = L z with L lower triangular, by the matrix units.
 *
 * mma.m8n8k4 multiplies 8 x 4 loadings by 4 x 8 normals, of eight paths, and adds 8 x 8 sums: a
 * warp's 32 paths are four such columns of normals. Normals are drawn by the lane that hands them
 * to the unit, so none is moved; noises go through shared memory to the thread whose path they
 * move. By the PTX ISA ("Matrix Fragments for mma.m8n8k4 with .f64 floating point type") a lane
 * holds
 *     of the loadings   row lane / 4, column lane % 4,
 *     of the normals    row lane % 4, column lane / 4,
 *     of the sums       row lane / 4, columns 2 (lane % 4) and the next.
 *
 * Why the bits are those of the order of kernels/plan.h, fma after fma from L[u][0] z[0] on: the
 * unit takes its four products in their order, each by one fma (held against that on a device
 * before an architecture enters the table of kernels/cuda/host/shape.c; gpu_assets_test holds the
 * prices). Two things are added. The first product is added to 0, and products of zeros above the
 * diagonal follow. Both can change a zero's sign and nothing else. No normal is a zero
 * (math_normal_test), and shapes that come here have no zero on the diagonal, so the last product
 * on or below it is not a zero: after it both orders have the same sum, whatever the sign of a zero
 * was before. Nor is that sum a zero with the sign -, which alone the later zeros could change:
 * products are multiples of 2^-701 (shape.c refuses smaller loadings), so no sum is rounded to a
 * zero, and one that cancels is +0. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_MATRIX_NOISE_CUH
#define PRICER_KERNELS_CUDA_DEVICE_MATRIX_NOISE_CUH

#include "kernels/cuda/device/shape_contract.h"
#include "models/math/philox.h"

static __device__ __forceinline__ void multiply_tile(double (&sum)[2], double loading,
                                                     double normal)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sum[0]), "+d"(sum[1])
        : "d"(loading), "d"(normal));
}

/* What a lane has of the noises of N assets, each of one normal a step. */
template <int N>
struct matrix_noise {
    static const int ROWS = MATRIX_TILES(N, MATRIX_ROWS), COLUMNS = MATRIX_TILES(N, MATRIX_COLUMNS);
    static const int TILES = ROWS * (ROWS + 1);          /* on and below the diagonal, of L */
    static const int GROUPS = MATRIX_WARP / MATRIX_ROWS; /* of eight paths */
    static const int STEP = COLUMNS * GROUPS * MATRIX_WARP;
    double loading[TILES];
    uint32_t *words; /* [step of four][column of tiles][group of paths][lane], from the lane's on */
    const uint32_t *next; /* those of the next step */
    double *noises;       /* [asset][path], halves of a row exchanged where the asset is odd */

    static __device__ __forceinline__ int lane()
    {
        return (int)threadIdx.x % MATRIX_WARP;
    }

    /* Where a path's noise of an asset is in the asset's row: so stores meet no bank twice. */
    static __device__ __forceinline__ int swapped(int asset, int path)
    {
        return path ^ asset % 2 * MATRIX_ROWS;
    }

    /* Takes the warp's part of the block's shared memory, and the lane's part of the loadings
     * [asset / 4][asset][4]. */
    __device__ __forceinline__ void begin(void *shared, const double *loadings)
    {
        const int row = lane() / MATRIX_COLUMNS, column = lane() % MATRIX_COLUMNS;
        char *own = (char *)shared + (int)threadIdx.x / MATRIX_WARP * MATRIX_WARP_BYTES(N);
        words = (uint32_t *)own + lane();
        noises = (double *)(own + NORMALS_TOGETHER * STEP * (int)sizeof *words);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int c = 0; c < COLUMNS && c < 2 * (r + 1); c++) {
                const int u = MATRIX_ROWS * r + row, i = MATRIX_COLUMNS * c + column;
                loading[r * (r + 1) + c] =
                    u < N && i < N ? __ldg(loadings + (u / 4 * N + i) * 4 + u % 4) : 0.0;
            }
    }

    /* Draws the next four normals of every asset for the warp's paths, of which `number` is the
     * first. A column past the last asset meets loadings of 0 alone. */
    __device__ __forceinline__ void draw(const struct philox_keys &keys, const uint32_t *stream,
                                         uint64_t number, int four)
    {
        next = words;
#pragma unroll 1
        for (int c = 0; c < COLUMNS; c++) {
            const uint32_t own = stream[MATRIX_COLUMNS * c + lane() % MATRIX_COLUMNS];
#pragma unroll
            for (int g = 0; g < GROUPS; g++) {
                const uint64_t path =
                    number + (uint64_t)(MATRIX_ROWS * g + lane() / MATRIX_COLUMNS);
                struct philox_words block = {(uint32_t)four, own, (uint32_t)path,
                                             (uint32_t)(path >> 32)};
                block = philox_rounds(block, &keys);
                uint32_t *to = words + (c * GROUPS + g) * MATRIX_WARP;
                to[0] = block.word0, to[STEP] = block.word1;
                to[2 * STEP] = block.word2, to[3 * STEP] = block.word3;
            }
        }
    }

    __device__ __forceinline__ void shift()
    {
        next += STEP;
    }

    /* Makes the noises of the next step of all the warp's paths. */
    template <class TABLE>
    __device__ __forceinline__ void multiply(const TABLE &table) const
    {
        const int row = lane() / MATRIX_COLUMNS, column = lane() % MATRIX_COLUMNS;
        __syncwarp(); /* those of the last step have been read */
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            double sum[ROWS][2] = {};
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                const double normal = table.normal(next[(c * GROUPS + g) * MATRIX_WARP]);
#pragma unroll
                for (int r = c / 2; r < ROWS; r++)
                    multiply_tile(sum[r], loading[r * (r + 1) + c], normal);
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int asset = MATRIX_ROWS * r + row;
                double *to =
                    noises + asset * MATRIX_WARP + swapped(asset, MATRIX_ROWS * g + 2 * column);
                *reinterpret_cast<double2 *>(to) = make_double2(sum[r][0], sum[r][1]);
            }
        }
        __syncwarp();
    }

    /* Returns the noise of an asset of the thread's path. */
    __device__ __forceinline__ double noise(int asset) const
    {
        return noises[asset * MATRIX_WARP + swapped(asset, lane())];
    }
};

#endif
