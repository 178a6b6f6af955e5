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
    struct ring<DEPTH, double> ring = {
        shared + threadIdx.x,
            (const char *)((const double *)w.normals + path), w.paths * sizeof(double), w.n_steps
    };
    struct recorder<RECORD, 1> recorder;
    recorder.begin(w, shared + DEPTH * blockDim.x + threadIdx.x);
    double x = w.start;
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            double z = ring.next(d);
            double2 step = load_step(w, j);
            x = black_scholes_step(x, step.x, step.y, z);
            recorder.step(w, j, &x, path, stored_bridges_of<double>(w, path));
        }
    }
    recorder.end(w, path);
}

cudaError_t launch_rolling_async(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = 128;
    return LAUNCH_RECORD(rolling_async, walk, record, 1, block, DEPTH * sizeof(double), stream);
}
