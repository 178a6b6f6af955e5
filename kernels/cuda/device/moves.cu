/* Moves of underlyings under Heston, which several markets share.
 *
 * Spots and rates that are bumped change no move of log2 S but its growth, and a volatility or a
 * correlation those of few underlyings. So the moves of each underlying are made once for all
 * markets that have the same, by one thread a path, and path code adds them up under each market
 * (specialised.cuh, S::MOVED). They are floats, as the model has them: no bit is lost. */
#include "kernels/cuda/device/launch.h"
#include "models/dynamics/heston.h"

enum { MOVES_BLOCK = 128, MOVES_BLOCKS = 10, HESTON_FACTORS = 2 };

/* Returns the normals of four steps of a factor of a path. */
static __device__ __forceinline__ float4 load_four(const struct path_launch &w, int four,
                                                   int factor, size_t path)
{
    const float4 *normals = reinterpret_cast<const float4 *>(w.normals);
    return __ldg(normals + ((size_t)four * (size_t)w.n_factors + (size_t)factor) * w.paths + path);
}

/* Noise of an underlying's spot over four steps: in the order of kernels/plan.h. */
static __device__ __forceinline__ void correlate_four(const struct path_launch &w,
                                                      const struct device_mover *mover, int four,
                                                      size_t path, double *noise)
{
    const double own = __ldg(&mover->loadings[0]);
    float4 z = load_four(w, four, 0, path);
    noise[0] = own * (double)z.x, noise[1] = own * (double)z.y;
    noise[2] = own * (double)z.z, noise[3] = own * (double)z.w;
#pragma unroll 2
    for (int i = 1; i <= mover->underlying; i++) {
        const double loading = __ldg(&mover->loadings[i]);
        z = load_four(w, four, HESTON_FACTORS * i, path);
        noise[0] = fma(loading, (double)z.x, noise[0]);
        noise[1] = fma(loading, (double)z.y, noise[1]);
        noise[2] = fma(loading, (double)z.z, noise[2]);
        noise[3] = fma(loading, (double)z.w, noise[3]);
    }
}

/* Returns the move of step j; 0 past the last. */
static __device__ __forceinline__ float move_step(const struct path_launch &w,
                                                  const struct device_mover *mover, int j,
                                                  struct path_state *state, double noise, float own)
{
    if (j >= w.n_steps) return 0.0f;
    double c[HESTON_COEFFICIENTS];
    const double *from = mover->coefficients + (size_t)j * (size_t)mover->width;
#pragma unroll
    for (int k = 0; k < HESTON_COEFFICIENTS; k += 2) {
        const double2 two = __ldg(reinterpret_cast<const double2 *>(from + k));
        c[k] = two.x, c[k + 1] = two.y;
    }
    const double z[HESTON_FACTORS] = {noise, (double)own};
    return heston_log_move(c, state, z);
}

/* The first index of a block is its mover: neighbouring blocks read the same normals. */
static __global__ void __launch_bounds__(MOVES_BLOCK, MOVES_BLOCKS)
    make_moves_of_paths(const struct device_mover *movers,
                        const __grid_constant__ struct path_launch w, float4 *moves)
{
    const struct device_mover *mover = &movers[blockIdx.x];
    const size_t path = (size_t)blockIdx.y * blockDim.x + threadIdx.x;
    const int fours = (w.n_steps + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    float4 *to = moves + (size_t)blockIdx.x * (size_t)fours * w.paths + path;
    struct path_state state = {0.0, mover->variance, 0.0};
    for (int four = 0; four < fours; four++, to += w.paths) {
        double noise[NORMALS_TOGETHER];
        const int j = four * NORMALS_TOGETHER;
        const float4 own = load_four(w, four, HESTON_FACTORS * mover->underlying + 1, path);
        float4 move;
        correlate_four(w, mover, four, path, noise);
        move.x = move_step(w, mover, j, &state, noise[0], own.x);
        move.y = move_step(w, mover, j + 1, &state, noise[1], own.y);
        move.z = move_step(w, mover, j + 2, &state, noise[2], own.z);
        move.w = move_step(w, mover, j + 3, &state, noise[3], own.w);
        *to = move;
    }
}

cudaError_t make_moves(const struct device_mover *movers, int n_movers,
                       const struct path_launch *path_launch, float *moves, cudaStream_t stream)
{
    static_assert(CHUNK_PATHS % MOVES_BLOCK == 0, "a launch has whole blocks");
    dim3 grid((unsigned)n_movers, (unsigned)(path_launch->paths / MOVES_BLOCK));
    make_moves_of_paths<<<grid, MOVES_BLOCK, 0, stream>>>(movers, *path_launch,
                                                          reinterpret_cast<float4 *>(moves));
    return cudaGetLastError();
}
