/* How the path kernels remember: device code shared by all rungs.
 *
 * RECORD_TOUCHES keeps the state of a path's observables in shared memory, slot-major: slot s of path q of the block is
 * slots[s * width + q], width the paths of a block, so a warp's accesses are consecutive. RECORD_SUM keeps one sum in a
 * register. PATHS is the number of paths a thread walks; they are consecutive. */
#ifndef PRICER_KERNELS_CUDA_RECORD_CUH
#define PRICER_KERNELS_CUDA_RECORD_CUH

#include "kernels/cuda/launch.h"
#include "models/dynamics/black_scholes.h"

/* Where a thread's bridge normals come from. */
enum bridge_source { BRIDGES_STORED, BRIDGES_DRAWN };

/* One kind of touch on one path: state is loaded, changed by touch_<kind>() and stored. */
#define OBSERVABLE(NAME, name, n_slots, uses)                                                                  \
    static __device__ __forceinline__ void record_##name(const struct touch &t, double x, double z0, double z1, \
                                                         double *own, const double *of, int width)             \
    {                                                                                                          \
        struct memory m = {};                                                                                  \
        m.a = own[0];                                                                                          \
        if (n_slots > 1) m.b = own[width];                                                                     \
        if (n_slots > 2) m.c = own[2 * width];                                                                 \
        if (uses) m.of_b = of[width];                                                                          \
        touch_##name(&t, x, z0, z1, &m);                                                                       \
        own[0] = m.a;                                                                                          \
        if (n_slots > 1) own[width] = m.b;                                                                     \
        if (n_slots > 2) own[2 * width] = m.c;                                                                 \
    }
#include "models/payoffs/observables.def"
#undef OBSERVABLE

/* The touches of step j on the thread's paths. `slots` points to the thread's first path; `path` is that path's index in
 * the launch; bridge(pair, q, &z0, &z1) gives the pair's normals for path q of the thread. */
template <int PATHS, class BRIDGE>
static __device__ __forceinline__ void record_touches(const struct walk &w, int j, const double *x, double *slots,
                                                      int width, size_t path, BRIDGE bridge)
{
    int end = __ldg(&w.first_touch[j + 1]);
    for (int i = __ldg(&w.first_touch[j]); i < end; i++) {
        const struct touch &t = w.touches[i];
        int on = t.on;
#pragma unroll
        for (int q = 0; q < PATHS; q++) {
            if (on == TOUCH_SPOT) {
                w.observed[(size_t)t.slot * w.paths + path + q] = x[q];
                continue;
            }
            double *own = slots + t.slot * width + q;
            const double *of = slots + t.of * width + q;
            double z0 = 0.0, z1 = 0.0;
            if (t.pair >= 0) bridge(t.pair, q, &z0, &z1);
            switch (on) {
#define OBSERVABLE(NAME, name, n_slots, uses) \
    case TOUCH_##NAME: record_##name(t, x[q], z0, z1, own, of, width); break;
#include "models/payoffs/observables.def"
#undef OBSERVABLE
            }
        }
    }
}

/* Before the first step: state as of today. */
template <int PATHS>
static __device__ __forceinline__ void record_begin(const struct walk &w, double *slots, int width)
{
    for (int s = 0; s < w.n_slots; s++)
        for (int q = 0; q < PATHS; q++) slots[s * width + q] = w.initial[s];
}

/* After the last step: results go to their rows. */
template <int PATHS>
static __device__ __forceinline__ void record_end(const struct walk &w, const double *slots, int width, size_t path)
{
    for (int r = 0; r < w.n_results; r++) {
        struct result result = w.results[r];
        for (int q = 0; q < PATHS; q++)
            w.observed[(size_t)result.row * w.paths + path + q] = slots[result.slot * width + q];
    }
}

/* Bridge normals that lie behind the steps' in normals[row][path]. */
struct stored_bridges {
    const double *normals; /* of the thread's first path, first bridge row */
    size_t paths;
    __device__ __forceinline__ void operator()(int pair, int q, double *z0, double *z1) const
    {
        const double *pair_row = normals + (size_t)(2 * pair) * paths + q;
        *z0 = pair_row[0];
        *z1 = pair_row[paths];
    }
};

static __device__ __forceinline__ struct stored_bridges stored_bridges_of(const struct walk &w, size_t path)
{
    struct stored_bridges bridges = {w.normals + (size_t)w.n_steps * w.paths + path, w.paths};
    return bridges;
}

/* The coefficients of one step in one 16-byte load. */
static __device__ __forceinline__ double2 load_step(const struct walk &w, int j)
{
    return __ldg(reinterpret_cast<const double2 *>(w.steps) + j);
}

/* A launch of KERNEL<recorder> over all paths, with shared memory for slots and for `ring` more doubles a thread. */
template <class KERNEL>
static cudaError_t launch_walk(KERNEL kernel, const struct walk *walk, int paths_a_thread, int block, size_t shared,
                               cudaStream_t stream)
{
    if (shared > 48 * 1024) {
        cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (error != cudaSuccess) return error;
    }
    size_t paths_a_block = (size_t)block * (size_t)paths_a_thread;
    unsigned blocks = (unsigned)((walk->paths + paths_a_block - 1) / paths_a_block);
    kernel<<<blocks, (unsigned)block, shared, stream>>>(*walk);
    return cudaGetLastError();
}

#endif
