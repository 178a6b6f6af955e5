#include <string.h>

#include "kernels/cuda/host/specialise.h"

/* Writes the arguments of a market, which moves by the movers [underlying], if by any. */
static void put_arguments(const struct group *group, const struct shape *shape, int market,
                          const double *records, const int *movers,
                          const struct path_launch *path_launch, char *to)
{
    struct specialised_arguments in = {.table = path_launch->table,
                                       .normals = path_launch->normals,
                                       .observed = path_launch->observed,
                                       .paths = path_launch->paths,
                                       .first_path = path_launch->first_path,
                                       .keys = path_launch->keys,
                                       .n_steps = path_launch->n_steps,
                                       .pair_row = path_launch->bridge_row};
    in.records = records + (size_t)market * shape_records(group, shape);
    for (int u = 0; u < group->n_underlyings; u++)
        in.stream[u] = (uint32_t)group->underlyings[u].stream;
    memcpy(to, &in, sizeof in);
    shape_numbers(group, shape, market, movers, path_launch->paths, (double *)(to + sizeof in));
}

/* Threads of a block: so many as are asked for, cut to a power of two, of whose paths those of a
 * launch are a multiple; a warp at least. */
static int full_block(int asked, int most)
{
    int block = most;
    while (asked && block > asked && block > SHAPE_WARP) block /= 2;
    return block;
}

cudaError_t launch_specialised(const void *kernel, const struct group *groups,
                               const struct shape *shape, const double *records,
                               const struct shared_moves *shared, const float *moves,
                               const struct path_launch *path_launches, int block,
                               cudaStream_t stream)
{
    _Alignas(16) char arguments[SHAPE_ARGUMENT_BYTES];
    void *list[] = {arguments};
    block = full_block(block, shape->block);
    size_t shared_bytes = shape_shared(shape, block), bytes = shape_argument(groups, shape);
    size_t a_block = (size_t)block * (size_t)shape->paths;
    cudaError_t error = cudaSuccess;
    if (path_launches->facts)
        error = find_launch_facts(kernel, block, shared_bytes, path_launches->facts);
    for (int first = 0, n; first < shape->n_markets && error == cudaSuccess; first += n) {
        n = shape->n_markets - first < shape->at_once ? shape->n_markets - first : shape->at_once;
        for (int m = 0; m < n; m++) {
            struct path_launch path_launch = path_launches[first + m];
            const int *movers =
                shared->of ? shared->of + (first + m) * groups->n_underlyings : NULL;
            if (movers) path_launch.normals = moves;
            put_arguments(&groups[first + m], shape, first + m, records, movers, &path_launch,
                          arguments + bytes * (size_t)m);
        }
        dim3 grid = {(unsigned)n, (unsigned)(path_launches->paths / a_block), 1},
             threads = {(unsigned)block, 1, 1};
        error = cudaLaunchKernel(kernel, grid, threads, list, shared_bytes, stream);
    }
    return error;
}
