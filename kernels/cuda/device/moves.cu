/* Moves of underlyings under Heston, which several markets share.
 *
 * Spots and rates that are bumped change no move of log2 S but its growth, and a volatility or a
 * correlation those of few underlyings. So the moves of each underlying are made once for all
 * markets that have the same, by one thread a path, and path code adds them up under each market
 * (specialised.cuh, S::MOVED). They are floats, as the model has them: no bit is lost.
 *
 * A block has a warp for each of a few movers, and all of them the same paths: what they read of
 * four steps is copied into shared memory while they make the four before (rolling asynchronous
 * prefetch), the normals of spots once for all of them. */
#include <cuda_pipeline.h>

#include "kernels/cuda/device/launch.h"
#include "models/dynamics/heston.h"

/* Movers of a block, and blocks that a multiprocessor has room for at least: more would leave less
 * to the path code of other markets, which runs beside them. */
enum { MOVERS = 8, MOVES_BLOCKS = 3 };

enum { WARP = 32, HESTON_FACTORS = 2, COEFFICIENT_PAIRS = HESTON_COEFFICIENTS / 2 };

/* What the warp of a mover reads of four steps. */
struct mover_four {
    double2 coefficients[NORMALS_TOGETHER][COEFFICIENT_PAIRS];
    float4 variance_normals[WARP]; /* normals of its variance: [path] */
};

/* And what all warps of a block read: [underlying] normals of the spots, [path]. */
typedef float4 spot_normals[WARP];

/* Returns where the normals of four steps of a factor are, of a path. */
static __device__ __forceinline__ const float4 *four_of(const struct path_launch &w, int four,
                                                        int factor, size_t path)
{
    const float4 *normals = reinterpret_cast<const float4 *>(w.normals);
    return normals + ((size_t)four * (size_t)w.n_factors + (size_t)factor) * w.paths + path;
}

/* Sends for what the warp reads of four steps, and for its part of the spots' normals, of which
 * there are n_spots. */
static __device__ __forceinline__ void send_four(const struct device_mover *mover, int n_spots,
                                                 const struct path_launch &w, int four, size_t path,
                                                 spot_normals *spots, struct mover_four *mover_four)
{
    static_assert(NORMALS_TOGETHER * COEFFICIENT_PAIRS <= WARP, "a lane for each pair");
    const int lane = (int)threadIdx.x, pair = lane % COEFFICIENT_PAIRS;
    const int step = lane / COEFFICIENT_PAIRS, j = four * NORMALS_TOGETHER + step;
    const double *coefficients = mover->coefficients + (size_t)j * (size_t)mover->width;
    if (four * NORMALS_TOGETHER < w.n_steps) {
        for (int i = (int)threadIdx.y; i < n_spots; i += MOVERS)
            __pipeline_memcpy_async(&spots[i][lane], four_of(w, four, HESTON_FACTORS * i, path),
                                    sizeof(float4));
        __pipeline_memcpy_async(&mover_four->variance_normals[lane],
                                four_of(w, four, HESTON_FACTORS * mover->underlying + 1, path),
                                sizeof(float4));
        if (step < NORMALS_TOGETHER && j < w.n_steps)
            __pipeline_memcpy_async(&mover_four->coefficients[step][pair], coefficients + 2 * pair,
                                    sizeof(double2));
    }
    __pipeline_commit();
}

/* Noise of an underlying's spot over four steps: in the order of kernels/plan.h. */
static __device__ __forceinline__ void correlate_four(const struct device_mover *mover,
                                                      const spot_normals *spots, double *noise)
{
    const double first_loading = __ldg(&mover->loadings[0]);
    float4 z = spots[0][threadIdx.x];
    noise[0] = first_loading * (double)z.x, noise[1] = first_loading * (double)z.y;
    noise[2] = first_loading * (double)z.z, noise[3] = first_loading * (double)z.w;
#pragma unroll 2
    for (int i = 1; i <= mover->underlying; i++) {
        const double loading = __ldg(&mover->loadings[i]);
        z = spots[i][threadIdx.x];
        noise[0] = fma(loading, (double)z.x, noise[0]);
        noise[1] = fma(loading, (double)z.y, noise[1]);
        noise[2] = fma(loading, (double)z.z, noise[2]);
        noise[3] = fma(loading, (double)z.w, noise[3]);
    }
}

/* Returns the move of a step. */
static __device__ __forceinline__ float move_step(const double2 *pairs, double noise,
                                                  float variance_normal, struct path_state *state)
{
    double c[HESTON_COEFFICIENTS];
#pragma unroll
    for (int k = 0; k < COEFFICIENT_PAIRS; k++) c[2 * k] = pairs[k].x, c[2 * k + 1] = pairs[k].y;
    const double z[HESTON_FACTORS] = {noise, (double)variance_normal};
    return heston_log_move(c, state, z);
}

/* Returns the moves of four steps, of which `left` are left; 0 past the last. */
static __device__ __forceinline__ float4 move_four(const struct mover_four &four, int left,
                                                   const double *noise, struct path_state *state)
{
    const float4 variance_normals = four.variance_normals[threadIdx.x];
    float4 move = {0.0f, 0.0f, 0.0f, 0.0f};
    move.x = move_step(four.coefficients[0], noise[0], variance_normals.x, state);
    if (left > 1) move.y = move_step(four.coefficients[1], noise[1], variance_normals.y, state);
    if (left > 2) move.z = move_step(four.coefficients[2], noise[2], variance_normals.z, state);
    if (left > 3) move.w = move_step(four.coefficients[3], noise[3], variance_normals.w, state);
    return move;
}

/* A block has MOVERS movers on 32 paths. Neighbouring blocks have other movers on the same paths,
 * whose normals they find in the cache. */
static __global__ void __launch_bounds__(WARP *MOVERS, MOVES_BLOCKS)
    make_moves_of_paths(const struct device_mover *movers, int n_movers,
                        const __grid_constant__ struct path_launch w, float4 *moves)
{
    extern __shared__ spot_normals spots[]; /* [2][underlying] */
    __shared__ struct mover_four mover_fours[2][MOVERS];
    const int n_groups = (n_movers + MOVERS - 1) / MOVERS;
    const int fours = (w.n_steps + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
    const int first = (int)blockIdx.x % n_groups * MOVERS, which = first + (int)threadIdx.y;
    const int last = min(first + MOVERS, n_movers) - 1;
    const struct device_mover *mover = &movers[min(which, last)];
    const int n_spots = movers[last].underlying + 1; /* movers are in their order */
    const size_t path = (size_t)((int)blockIdx.x / n_groups) * WARP + threadIdx.x;
    float4 *to = moves + (size_t)which * (size_t)fours * w.paths + path;
    struct path_state state = {0.0, mover->variance, 0.0};
    send_four(mover, n_spots, w, 0, path, spots, &mover_fours[0][threadIdx.y]);
    for (int four = 0; four < fours; four++, to += w.paths) {
        const int now = four % 2, next = 1 - now;
        double noise[NORMALS_TOGETHER];
        __pipeline_wait_prior(0);
        __syncthreads();
        send_four(mover, n_spots, w, four + 1, path, spots + next * n_spots,
                  &mover_fours[next][threadIdx.y]);
        if (which > last) continue;
        correlate_four(mover, spots + now * n_spots, noise);
        *to = move_four(mover_fours[now][threadIdx.y], w.n_steps - four * NORMALS_TOGETHER, noise,
                        &state);
    }
}

cudaError_t make_moves(const struct device_mover *movers, int n_movers,
                       const struct path_launch *path_launch, float *moves, cudaStream_t stream)
{
    static_assert(CHUNK_PATHS % WARP == 0, "a launch has whole warps");
    static_assert(
        2 * (UNDERLYINGS_MAX * sizeof(spot_normals) + MOVERS * sizeof(struct mover_four)) <=
            48 * 1024,
        "a block has room for its two fours");
    const size_t n_groups = (size_t)(n_movers + MOVERS - 1) / MOVERS;
    const size_t n_spots = (size_t)path_launch->n_factors / HESTON_FACTORS;
    make_moves_of_paths<<<(unsigned)(n_groups * (path_launch->paths / WARP)), dim3(WARP, MOVERS),
                          2 * n_spots * sizeof(spot_normals), stream>>>(
        movers, n_movers, *path_launch, reinterpret_cast<float4 *>(moves));
    return cudaGetLastError();
}
