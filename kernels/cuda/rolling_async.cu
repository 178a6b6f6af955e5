/* rolling-async: one path a thread, its normals prefetched DEPTH steps ahead into a ring in shared memory. */
#include "kernels/cuda/record.cuh"
#include "kernels/cuda/ring.cuh"

enum { DEPTH = 8 };

template <int RECORD>
static __global__ void rolling_async(const struct walk w)
{
    extern __shared__ double shared[];
    size_t path = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= w.paths) return;
    struct ring<DEPTH, 1> ring = {shared + threadIdx.x, w.normals + path, w.paths, w.n_steps};
    double *slots = shared + DEPTH * blockDim.x + threadIdx.x;
    int width = (int)blockDim.x;
    double x = w.start, sum = 0.0;
    if (RECORD == RECORD_SUM) sum = w.initial[0];
    if (RECORD == RECORD_TOUCHES) record_begin<1>(w, slots, width);
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double z = ring.next(j, d);
            double2 step = load_step(w, j);
            x = black_scholes_step(x, step.x, step.y, z);
            if (RECORD == RECORD_SUM) sum = sum + path_exp2(x);
            if (RECORD == RECORD_TOUCHES) record_touches<1>(w, j, &x, slots, width, path, stored_bridges_of(w, path));
        }
    }
    if (RECORD == RECORD_SUM) w.observed[path] = sum;
    if (RECORD == RECORD_TOUCHES) record_end<1>(w, slots, width, path);
}

cudaError_t launch_rolling_async(const struct walk *walk, enum recorder recorder, int block, cudaStream_t stream)
{
    if (!block) block = 128;
    size_t doubles = (size_t)DEPTH + (recorder == RECORD_SUM ? 0 : (size_t)walk->n_slots);
    size_t shared = sizeof(double) * doubles * (size_t)block;
    if (recorder == RECORD_SUM) return launch_walk(rolling_async<RECORD_SUM>, walk, 1, block, shared, stream);
    return launch_walk(rolling_async<RECORD_TOUCHES>, walk, 1, block, shared, stream);
}
