/* Stored normals from Sobol points: a warp shares what the words of its 32 paths have in common,
 * and each thread simulates the bridge of its path (kernels/bridge.h). Words and normals have the
 * bits of kernels/cpu/draw_lanes.h. */
#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/points.cuh"
#include "kernels/cuda/device/stored.cuh"

enum { BLOCK = 256 };
static_assert(CHUNK_PATHS % BLOCK == 0, "every warp is full, and begins at a multiple of 32 paths");

/* Thread: one path of one factor, every step of it. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    simulate_bridge(NORMAL *normals, struct normal_place place, int factor, size_t paths,
                    uint64_t first_path, uint64_t seed, const struct launch_points points)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    double stack[BRIDGE_DEPTH], passed = 0.0;
    int depth = 0, step = 0;
    for (int p = 0; p < points.n_steps; p++) {
        const struct bridge_node node = points.nodes[p];
        double top = depth ? stack[depth - 1] : passed;
        double normal = table.normal(
            point_word(&points, node.rank * place.stride + factor, first_path + path, seed));
        stack[depth++] = bridge_value(&node, passed, top, normal);
        for (int i = 0; i < node.passes; i++, step++) {
            double next = stack[--depth];
            *stored_normal(normals, place, step, paths, path) =
                (NORMAL)bridge_normal(points.scales[step], passed, next);
            passed = next;
        }
    }
}

/* Thread: one path of number blockIdx.y, which is a dimension as it is. */
template <class NORMAL>
static __global__ void __launch_bounds__(BLOCK)
    take_rows(NORMAL *normals, struct normal_place place, int dimension, size_t paths,
              uint64_t first_path, uint64_t seed, const struct launch_points points)
{
    __shared__ float4 copy[normal_table::SIZE];
    struct normal_table table = normal_table::load(copy);
    size_t path = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    int number = (int)blockIdx.y;
    *stored_normal(normals, place, number, paths, path) =
        (NORMAL)table.normal(point_word(&points, dimension + number, first_path + path, seed));
}

cudaError_t draw_bridge(void *normals, int width, struct normal_place place, int factor,
                        const struct path_launch *path_launch, cudaStream_t stream)
{
    unsigned blocks = (unsigned)(path_launch->paths / BLOCK);
    const struct path_launch *w = path_launch;
    if (width == sizeof(float))
        simulate_bridge<<<blocks, BLOCK, 0, stream>>>((float *)normals, place, factor, w->paths,
                                                      w->first_path, w->seed, w->points);
    else
        simulate_bridge<<<blocks, BLOCK, 0, stream>>>((double *)normals, place, factor, w->paths,
                                                      w->first_path, w->seed, w->points);
    return cudaGetLastError();
}

cudaError_t draw_dimensions(void *normals, int width, struct normal_place place, int dimension,
                            int n, const struct path_launch *path_launch, cudaStream_t stream)
{
    dim3 grid((unsigned)(path_launch->paths / BLOCK), (unsigned)n);
    const struct path_launch *w = path_launch;
    if (!n) return cudaSuccess;
    if (width == sizeof(float))
        take_rows<<<grid, BLOCK, 0, stream>>>((float *)normals, place, dimension, w->paths,
                                              w->first_path, w->seed, w->points);
    else
        take_rows<<<grid, BLOCK, 0, stream>>>((double *)normals, place, dimension, w->paths,
                                              w->first_path, w->seed, w->points);
    return cudaGetLastError();
}
