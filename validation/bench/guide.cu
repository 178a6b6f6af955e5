/* The paths of the memory guide. */
#include "validation/bench/guide.h"

#include "models/dynamics/black_scholes.h"
#include "models/math/exact.h"

static __constant__ double2 constant_steps[GUIDE_STEPS];

enum { BLOCK = 128 };

template <int COEFFICIENTS>
static __device__ __forceinline__ double2 coefficients_of(const struct guide_walk &w, int j)
{
    const double2 *steps = reinterpret_cast<const double2 *>(w.steps) + j;
    if (COEFFICIENTS == COEFFICIENTS_CONSTANT) return constant_steps[j];
    if (COEFFICIENTS == COEFFICIENTS_SMALL) return constant_steps[j % (1024 / sizeof *steps)];
    return COEFFICIENTS == COEFFICIENTS_LDG ? __ldg(steps) : *steps;
}

template <int COEFFICIENTS>
static __global__ void simulate_sums(const struct guide_walk w)
{
    size_t path = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (path >= w.paths) return;
    double x = w.start, sum = 0.0;
    for (int j = 0; j < GUIDE_STEPS; j++) {
        double z = w.normals[(size_t)j * w.paths + path];
        double2 step = coefficients_of<COEFFICIENTS>(w, j);
        x = black_scholes_move(x, step.x, step.y, z);
        sum = sum + path_exp2(x);
    }
    w.sums[path] = sum;
}

cudaError_t launch_guide_walk(const struct guide_walk *path_launch, cudaStream_t stream)
{
    unsigned blocks = (unsigned)((path_launch->paths + BLOCK - 1) / BLOCK);
    switch (path_launch->coefficients) {
    case COEFFICIENTS_PLAIN:
        simulate_sums<COEFFICIENTS_PLAIN><<<blocks, BLOCK, 0, stream>>>(*path_launch);
        break;
    case COEFFICIENTS_LDG:
        simulate_sums<COEFFICIENTS_LDG><<<blocks, BLOCK, 0, stream>>>(*path_launch);
        break;
    case COEFFICIENTS_CONSTANT:
        simulate_sums<COEFFICIENTS_CONSTANT><<<blocks, BLOCK, 0, stream>>>(*path_launch);
        break;
    case COEFFICIENTS_SMALL:
        simulate_sums<COEFFICIENTS_SMALL><<<blocks, BLOCK, 0, stream>>>(*path_launch);
        break;
    }
    return cudaGetLastError();
}

cudaError_t guide_set_constants(const struct gaussian_step *steps)
{
    return cudaMemcpyToSymbol(constant_steps, steps, sizeof constant_steps);
}
