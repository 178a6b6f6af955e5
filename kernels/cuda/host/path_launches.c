#include "kernels/cuda/host/device_parts.h"

#include <string.h>

/* ---- normals --------------------------------------------------------------------------------- */

/* Draws the normals of the paths of one underlying, or indices in their place. */
static cudaError_t draw_underlying(const struct group *group, const struct underlying *underlying,
                                   struct normal_draw *draw, const struct path_launch *path_launch,
                                   int width, void *normals, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    draw->rows = group->n_steps;
    draw->place = (struct normal_place){underlying->factor, group->n_factors};
    if (draws_indices(underlying))
        return draw_indices(normals, width, draw->place, factor_number(group, underlying, 0),
                            path_launch, factor_stream(underlying, 0),
                            path_launch->coefficients + underlying->coefficient, stream);
    draw->stream = factor_stream(underlying, 0);
    draw->further = model_factors(underlying->model) - 1;
    if (!path_launch->points.dimensions) return draw_normals(normals, width, draw, stream);
    for (int f = 0; f <= draw->further && error == cudaSuccess; f++) {
        draw->place.first = underlying->factor + f;
        error = draw_bridge(normals, width, draw->place, draw->place.first, path_launch, stream);
    }
    return error;
}

/* Draws the normals of all underlyings of a group, then those of its bridges between dates. */
static cudaError_t draw_group(const struct group *group, const struct path_launch *path_launch,
                              int width, void *normals, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    struct normal_draw draw = {.paths = path_launch->paths,
                               .first_path = path_launch->first_path,
                               .seed = path_launch->seed,
                               .keys = path_launch->keys,
                               .antithetic = path_launch->antithetic};
    for (int u = 0; u < group->n_underlyings && error == cudaSuccess; u++)
        error = draw_underlying(group, &group->underlyings[u], &draw, path_launch, width, normals,
                                stream);
    if (error != cudaSuccess) return error;
    draw.place = (struct normal_place){path_launch->bridge_row, 1};
    draw.further = 0;
    draw.rows = 2 * group->n_pairs;
    draw.stream = path_launch->stream | BRIDGE_STREAM;
    if (path_launch->points.dimensions)
        return draw_dimensions(normals, width, draw.place, group->n_steps * group->n_factors,
                               draw.rows, path_launch, stream);
    return draw_normals(normals, width, &draw, stream);
}

enum status draw_alike(struct device_job *job, struct batch_launch *batch_launch, int first)
{
    const struct group *group = &batch_launch->groups[first];
    struct path_launch *path_launches = &batch_launch->path_launches[first];
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    const int width = batch_launch->layouts[first].width;
    if (!width) return STATUS_OK;
    CUDA_MUST(draw_group(group, path_launches, width, stream_slot->normals, stream_slot->stream));
    for (int s = 0; s < group->n_markets; s++) path_launches[s].normals = stream_slot->normals;
    return STATUS_OK;
}

/* ---- paths by general kernels ---------------------------------------------------------------- */

enum status simulate_alone(struct device_job *job, const struct batch_launch *batch_launch, int s,
                           cudaStream_t stream)
{
    const struct device_layout *layout = &batch_launch->layouts[s];
    const struct path_launch *path_launch = &batch_launch->path_launches[s];
    if (layout->way == WAY_TILE)
        return CUDA_STATUS(look_back(&layout->looks.looks, path_launch, stream));
    return CUDA_STATUS(job->rung->launch[layout->group_class](path_launch, layout->record,
                                                              job->options->block, stream));
}

/* Lets the first n side streams wait for the slot's own stream. */
static enum status fork_streams(struct device_job *job, const struct stream_slot *stream_slot,
                                int n)
{
    if (n) CUDA_MUST(cudaEventRecord(stream_slot->forked, stream_slot->stream));
    for (int i = 0; i < n; i++)
        CUDA_MUST(cudaStreamWaitEvent(stream_slot->side_streams[i], stream_slot->forked, 0));
    return STATUS_OK;
}

/* Lets the slot's own stream wait for them. */
static enum status join_streams(struct device_job *job, const struct stream_slot *stream_slot,
                                int n)
{
    for (int i = 0; i < n; i++) {
        CUDA_MUST(cudaEventRecord(stream_slot->joined[i], stream_slot->side_streams[i]));
        CUDA_MUST(cudaStreamWaitEvent(stream_slot->stream, stream_slot->joined[i], 0));
    }
    return STATUS_OK;
}

/* Simulates the groups alike from the launch's `first` on, each by itself: side by side where there
 * are streams for that. */
static enum status simulate_each(struct device_job *job, const struct batch_launch *batch_launch,
                                 int first)
{
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    const int n = batch_launch->groups[first].n_markets;
    int beside = n - 1 < SIDE_STREAMS ? n - 1 : SIDE_STREAMS;
    if (!stream_slot->forked) beside = 0;
    MUST(fork_streams(job, stream_slot, beside));
    for (int s = 0; s < n; s++) {
        int i = s % (beside + 1);
        MUST(simulate_alone(job, batch_launch, first + s,
                            i ? stream_slot->side_streams[i - 1] : stream_slot->stream));
    }
    return join_streams(job, stream_slot, beside);
}

/* ---- paths by path code ---------------------------------------------------------------------- */

cudaError_t find_launch_facts(const void *kernel, int block, size_t shared,
                              struct launch_facts *facts)
{
    struct cudaFuncAttributes attributes;
    int device = 0, most = 0, blocks = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared);
    if (error != cudaSuccess) return error;
    *facts = (struct launch_facts){.registers = attributes.numRegs,
                                   .shared_bytes = (int)(attributes.sharedSizeBytes + shared),
                                   .block = block,
                                   .occupancy = (double)(blocks * block) / most};
    return cudaSuccess;
}

/* Writes the arguments of a market, whose moves are there where groups alike share any. */
static void put_arguments(const struct group *group, const struct device_layout *layout, int market,
                          const struct path_launch *path_launch, const float *moves, char *to)
{
    const struct shape *shape = &layout->shape;
    const int *movers = layout->shared_moves.mover_of;
    if (movers) movers += market * group->n_underlyings;
    struct specialised_arguments in = {.records = layout->records +
                                                  (size_t)market * shape_records(group, shape),
                                       .table = path_launch->table,
                                       .normals = movers ? moves : path_launch->normals,
                                       .observed = path_launch->observed,
                                       .paths = path_launch->paths,
                                       .first_path = path_launch->first_path,
                                       .keys = path_launch->keys,
                                       .n_steps = path_launch->n_steps,
                                       .pair_row = path_launch->bridge_row};
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

/* Simulates groups alike by their kernel, as path_launch_function of launch.h. */
static cudaError_t launch_specialised(const struct group *groups,
                                      const struct device_layout *layout,
                                      const struct path_launch *path_launches, const float *moves,
                                      int asked, cudaStream_t stream)
{
    _Alignas(16) char arguments[SHAPE_ARGUMENT_BYTES];
    void *list[] = {arguments};
    const struct shape *shape = &layout->shape;
    const int block = full_block(asked, shape->block);
    size_t shared_bytes = shape_shared(shape, block), bytes = shape_argument(groups, shape);
    size_t a_block = (size_t)block * (size_t)shape->paths;
    cudaError_t error = cudaSuccess;
    if (path_launches->facts)
        error = find_launch_facts(layout->kernel, block, shared_bytes, path_launches->facts);
    for (int first = 0, n; first < shape->n_markets && error == cudaSuccess; first += n) {
        n = shape->n_markets - first < shape->at_once ? shape->n_markets - first : shape->at_once;
        for (int m = first; m < first + n; m++)
            put_arguments(&groups[m], layout, m, &path_launches[m], moves,
                          arguments + bytes * (size_t)(m - first));
        dim3 grid = {(unsigned)n, (unsigned)(path_launches->paths / a_block), 1},
             threads = {(unsigned)block, 1, 1};
        error = cudaLaunchKernel(layout->kernel, grid, threads, list, shared_bytes, stream);
    }
    return error;
}

enum status simulate_paths(struct device_job *job, const struct batch_launch *batch_launch,
                           int first)
{
    const struct device_layout *layout = &batch_launch->layouts[first];
    const struct path_launch *path_launches = &batch_launch->path_launches[first];
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    if (layout->way != WAY_SPECIALISED) return simulate_each(job, batch_launch, first);
    if (layout->shared_moves.n)
        CUDA_MUST(make_moves(layout->movers.device, layout->shared_moves.n, path_launches,
                             stream_slot->moves, stream_slot->stream));
    return CUDA_STATUS(launch_specialised(&batch_launch->groups[first], layout, path_launches,
                                          stream_slot->moves, job->options->block,
                                          stream_slot->stream));
}
