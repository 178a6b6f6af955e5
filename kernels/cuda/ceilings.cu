/* The kernels of the ceilings: nothing but reading, nothing but multiplying and adding. */
#include "kernels/cuda/ceilings.h"

enum { BLOCK = 256, BLOCKS_A_MULTIPROCESSOR = 8 };

/* Sums the array; a result that cannot be, tested for at the end, keeps the compiler from leaving it out. */
template <int LOADS>
static __global__ void __launch_bounds__(BLOCK) read_all(const double2 *array, size_t n, double *sink)
{
    const size_t threads = (size_t)gridDim.x * BLOCK, thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    double sums[LOADS] = {};
    size_t i = thread;
    for (; i + (LOADS - 1) * threads < n; i += LOADS * threads) {
        double2 loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) loaded[k] = __ldg(array + i + k * threads);
#pragma unroll
        for (int k = 0; k < LOADS; k++) sums[k] = sums[k] + (loaded[k].x + loaded[k].y);
    }
    for (; i < n; i += threads) sums[0] = sums[0] + (array[i].x + array[i].y);
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) sum = sum + sums[k];
    if (sum == 1e300) *sink = sum;
}

cudaError_t read_array(void *argument, cudaStream_t stream)
{
    const struct reading *r = (const struct reading *)argument;
    const double2 *array = (const double2 *)r->array;
    size_t n = r->bytes / sizeof *array;
    unsigned blocks = (unsigned)(r->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
    if (r->way == 0) read_all<1><<<blocks, BLOCK, 0, stream>>>(array, n, r->sink);
    if (r->way == 1) read_all<2><<<blocks, BLOCK, 0, stream>>>(array, n, r->sink);
    if (r->way == 2) read_all<4><<<blocks, BLOCK, 0, stream>>>(array, n, r->sink);
    if (r->way == 3) read_all<8><<<blocks, BLOCK, 0, stream>>>(array, n, r->sink);
    return cudaGetLastError();
}

/* CHAINS numbers a thread, each x -> a x + b with a and b from the launch, so that nothing folds. */
template <int CHAINS>
static __global__ void __launch_bounds__(BLOCK) multiply(double a, double b, double *sink)
{
    double x[CHAINS];
#pragma unroll
    for (int k = 0; k < CHAINS; k++) x[k] = (double)(threadIdx.x + k);
#pragma unroll 8
    for (int round = 0; round < FMA_ROUNDS; round++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++) x[k] = fma(a, x[k], b);
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < CHAINS; k++) sum = sum + x[k];
    if (sum == 1e300) *sink = sum;
}

cudaError_t multiply_add(void *argument, cudaStream_t stream)
{
    const struct multiplying *m = (const struct multiplying *)argument;
    unsigned blocks = (unsigned)(m->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
    if (m->way == 0) multiply<4><<<blocks, BLOCK, 0, stream>>>(0.999, 0.001, m->sink);
    if (m->way == 1) multiply<8><<<blocks, BLOCK, 0, stream>>>(0.999, 0.001, m->sink);
    return cudaGetLastError();
}

double fma_done(const struct multiplying *m)
{
    return (m->way ? 8.0 : 4.0) * FMA_ROUNDS * BLOCK * BLOCKS_A_MULTIPROCESSOR * m->multiprocessors;
}
