/* The kernels of the ceilings: nothing but reading, nothing but multiplying and adding. */
#include "validation/bench/ceilings.h"

enum { BLOCK = 256, BLOCKS_A_MULTIPROCESSOR = 8, FMA_ROUNDS = 4096 };

/* A result that cannot be, tested for at the end of a kernel, keeps the compiler from leaving its
 * work out. */
static __device__ __forceinline__ void keep(double sum, double *sink)
{
    if (sum == 1e300) *sink = sum;
}

/* Sums LOADS elements `stride` apart, all on their way at once. */
template <int LOADS>
static __device__ __forceinline__ double sum_of(const double2 *array, size_t stride)
{
    double2 loaded[LOADS];
    double sum = 0.0;
#pragma unroll
    for (int k = 0; k < LOADS; k++) loaded[k] = __ldg(array + k * stride);
#pragma unroll
    for (int k = 0; k < LOADS; k++) sum = sum + (loaded[k].x + loaded[k].y);
    return sum;
}

/* As many threads as the device holds at once go over the array together. */
template <int LOADS>
static __global__ void __launch_bounds__(BLOCK)
    read_in_turns(const double2 *array, size_t n, double *sink)
{
    const size_t threads = (size_t)gridDim.x * BLOCK;
    double sum = 0.0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i + (LOADS - 1) * threads < n;
         i += LOADS * threads)
        sum = sum + sum_of<LOADS>(array + i, threads);
    keep(sum, sink);
}

/* A block reads one piece of the array and ends; the device hands the next piece to whoever is
 * free. */
template <int LOADS>
static __global__ void __launch_bounds__(BLOCK) read_once(const double2 *array, double *sink)
{
    keep(sum_of<LOADS>(array + (size_t)blockIdx.x * BLOCK * LOADS + threadIdx.x, BLOCK), sink);
}

template <int LOADS>
static void launch_reading(const struct array_read *r, cudaStream_t stream)
{
    const double2 *array = (const double2 *)r->array;
    size_t n = r->bytes / sizeof *array;
    unsigned resident = (unsigned)(r->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
    if (r->in_turns) read_in_turns<LOADS><<<resident, BLOCK, 0, stream>>>(array, n, r->sink);
    else read_once<LOADS><<<(unsigned)(n / (BLOCK * LOADS)), BLOCK, 0, stream>>>(array, r->sink);
}

cudaError_t read_array(void *argument, cudaStream_t stream)
{
    const struct array_read *r = (const struct array_read *)argument;
    if (r->loads == 1) launch_reading<1>(r, stream);
    if (r->loads == 2) launch_reading<2>(r, stream);
    if (r->loads == 4) launch_reading<4>(r, stream);
    if (r->loads == 8) launch_reading<8>(r, stream);
    return cudaGetLastError();
}

/* CHAINS numbers a thread, each x -> a x + b with a and b from the launch, so that nothing folds.
 */
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
    keep(sum, sink);
}

cudaError_t multiply_add(void *argument, cudaStream_t stream)
{
    const struct fma_chains *m = (const struct fma_chains *)argument;
    unsigned blocks = (unsigned)(m->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
    if (m->chains == 4) multiply<4><<<blocks, BLOCK, 0, stream>>>(0.999, 0.001, m->sink);
    if (m->chains == 8) multiply<8><<<blocks, BLOCK, 0, stream>>>(0.999, 0.001, m->sink);
    return cudaGetLastError();
}

double fma_done(const struct fma_chains *m)
{
    return (double)m->chains * FMA_ROUNDS * BLOCK * BLOCKS_A_MULTIPROCESSOR * m->multiprocessors;
}
