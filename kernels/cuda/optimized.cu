/* optimized: normals stored as float, which costs no bit of the price because normals are float by nature; a
 * 16-byte asynchronous copy brings those of four paths DEPTH steps ahead into a slot-major ring, a double2
 * load the coefficients of the step, and launch bounds leave the registers for it. The default for stored
 * normals. */
#include "kernels/cuda/record.cuh"
#include "kernels/cuda/ring.cuh"

enum { PATHS = 4, DEPTH = 6, BLOCK = 128 };

template <int RECORD>
static __global__ void __launch_bounds__(BLOCK, 4) optimized(const struct walk w)
{
    extern __shared__ float4 shared4[];
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    if (path >= w.paths) return;
    struct ring<DEPTH, float4> ring = {
        shared4 + threadIdx.x,
            (const char *)((const float *)w.normals + path), w.paths * sizeof(float), w.n_steps
    };
    struct recorder<RECORD, PATHS> recorder;
    recorder.begin(w, reinterpret_cast<double *>(shared4 + DEPTH * blockDim.x) + threadIdx.x * PATHS);
    double x[PATHS] = {w.start, w.start, w.start, w.start};
    ring.fill();
    for (int j0 = 0; j0 < w.n_steps; j0 += DEPTH) {
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            int j = j0 + d;
            if (j >= w.n_steps) break;
            float4 z = ring.next(d);
            double2 step = load_step(w, j);
            x[0] = black_scholes_step(x[0], step.x, step.y, (double)z.x);
            x[1] = black_scholes_step(x[1], step.x, step.y, (double)z.y);
            x[2] = black_scholes_step(x[2], step.x, step.y, (double)z.z);
            x[3] = black_scholes_step(x[3], step.x, step.y, (double)z.w);
            recorder.step(w, j, x, path, stored_bridges_of<float>(w, path));
        }
    }
    recorder.end(w, path);
}

cudaError_t launch_optimized(const struct walk *walk, enum record record, int block, cudaStream_t stream)
{
    if (!block) block = record == RECORD_SUM ? BLOCK : BLOCK / 2;
    if (block > BLOCK) block = BLOCK;
    return LAUNCH_RECORD(optimized, walk, record, PATHS, block, DEPTH * sizeof(float4), stream);
}
