#include "kernels/cuda/host/device_parts.h"

#include "kernels/cuda/host/specialise.h"

/* The group's points where they lie. */
static struct launch_points points_of(const struct device *device, const struct group *group,
                                      const struct device_layout *layout)
{
    const char *inputs = device->memory;
    if (!layout->n_dimensions) return (struct launch_points){0};
    return (struct launch_points){.dimensions = (const void *)(inputs + layout->dimensions),
                                  .n = layout->n_dimensions,
                                  .n_steps = group->n_steps,
                                  .nodes = (const void *)(inputs + layout->nodes),
                                  .scales = (const void *)(inputs + layout->scales)};
}

static struct path_launch simulate_of(const struct device_job *job, const struct device *device,
                                      const struct stream_slot *stream_slot, int g,
                                      uint64_t first_path, size_t paths)
{
    const struct group *group = &job->plan->groups[g];
    const struct device_layout *layout = &device->layouts[g];
    const char *inputs = device->memory;
    const struct underlying *first = &group->underlyings[0];
    return (struct path_launch){.steps = (const void *)(inputs + layout->coefficients),
                                .observations = (const void *)(inputs + layout->observations),
                                .initial = (const void *)(inputs + layout->initial),
                                .results = (const void *)(inputs + layout->results),
                                .observed = stream_slot->observed,
                                .register_sum = layout->register_sum,
                                .start = first->start,
                                .paths = paths,
                                .first_path = job->plan->first_path + first_path,
                                .seed = job->plan->seed,
                                .keys = philox_keys(job->plan->seed),
                                .stream = factor_stream(first, 0),
                                .n_steps = group->n_steps,
                                .n_slots = group->n_slots,
                                .n_results = group->n_results - (layout->register_sum.steps > 0),
                                .bridge_row = bridge_row(group, layout->width),
                                .coefficients = (const void *)(inputs + layout->coefficients),
                                .table = (const void *)(inputs + layout->table),
                                .dividends = (const void *)(inputs + layout->dividends),
                                .underlyings = (const void *)(inputs + layout->underlyings),
                                .starts = (const void *)(inputs + layout->starts),
                                .loadings = (const void *)(inputs + layout->loadings),
                                .model = first->model,
                                .n_underlyings = group->n_underlyings,
                                .n_factors = group->n_factors,
                                .width = group->width,
                                .state_width = layout->state_width,
                                .antithetic = job->plan->antithetic,
                                .points = points_of(device, group, layout)};
}

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

enum status draw_alike(struct device_job *job, const struct device *device,
                       struct batch_launch *batch_launch, int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[batch_launch->g + first];
    const struct device_layout *layout = &device->layouts[batch_launch->g + first];
    struct path_launch *path_launches = &batch_launch->path_launches[first];
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    if (!layout->width) return STATUS_OK;
    CUDA_TRY(
        draw_group(group, path_launches, layout->width, stream_slot->normals, stream_slot->stream));
    for (int s = 0; s < group->n_alike; s++) path_launches[s].normals = stream_slot->normals;
done:
    return status;
}

uint64_t launch_paths(const struct device_job *job, const struct device *device,
                      const struct batch_launch *batch_launch, uint64_t path)
{
    const uint64_t first = batch_launch->first * BATCH_PATHS, left = job->plan->paths - first,
                   all = batch_launch->batches * BATCH_PATHS, end = left < all ? left : all,
                   most = all / (uint64_t)device->launch_parts;
    return end - path < most ? end - path : most;
}

void make_path_launches(struct device_job *job, const struct device *device,
                        struct batch_launch *batch_launch, uint64_t path, size_t paths)
{
    const struct plan *plan = job->plan;
    uint64_t first_path = batch_launch->first * BATCH_PATHS + path;
    size_t before = 0;
    for (int s = 0; s < launched_together(plan, batch_launch->g); s++) {
        struct path_launch *path_launch = &batch_launch->path_launches[s];
        *path_launch = simulate_of(job, device, &device->stream_slots[batch_launch->stream_slot],
                                   batch_launch->g + s, first_path, paths);
        path_launch->observed += before;
        before += paths * rows_before_next(&plan->groups[batch_launch->g + s],
                                           &device->layouts[batch_launch->g + s]);
        if (job->options->timed) path_launch->facts = &job->facts;
    }
}

/* Lets the first n side streams wait for the slot's own stream. */
static enum status fork_streams(struct device_job *job, const struct stream_slot *stream_slot,
                                int n)
{
    enum status status = STATUS_OK;
    if (n) CUDA_TRY(cudaEventRecord(stream_slot->forked, stream_slot->stream));
    for (int i = 0; i < n; i++)
        CUDA_TRY(cudaStreamWaitEvent(stream_slot->side_streams[i], stream_slot->forked, 0));
done:
    return status;
}

/* Lets the slot's own stream wait for them. */
static enum status join_streams(struct device_job *job, const struct stream_slot *stream_slot,
                                int n)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < n; i++) {
        CUDA_TRY(cudaEventRecord(stream_slot->joined[i], stream_slot->side_streams[i]));
        CUDA_TRY(cudaStreamWaitEvent(stream_slot->stream, stream_slot->joined[i], 0));
    }
done:
    return status;
}

enum status simulate_alone(struct device_job *job, const struct device *device,
                           const struct batch_launch *batch_launch, int s, cudaStream_t stream)
{
    enum status status = STATUS_OK;
    const struct device_layout *layout = &device->layouts[batch_launch->g + s];
    if (layout->way == WAY_TILE) {
        const struct device_looks looks = looks_on_device(&layout->looks, device->memory);
        CUDA_TRY(look_back(&looks, &batch_launch->path_launches[s], stream));
        return STATUS_OK;
    }
    CUDA_TRY(job->rung->launch[layout->group_class](
        &batch_launch->path_launches[s],
        record_of(&job->plan->groups[batch_launch->g + s], &layout->register_sum),
        job->options->block, stream));
done:
    return status;
}

/* Simulates the groups alike from the launch's `first` on, each by itself: side by side where there
 * are streams for that. */
static enum status simulate_each(struct device_job *job, struct device *device,
                                 const struct batch_launch *batch_launch, int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[batch_launch->g + first];
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    int beside = group->n_alike - 1 < SIDE_STREAMS ? group->n_alike - 1 : SIDE_STREAMS;
    if (!stream_slot->forked) beside = 0;
    TRY(fork_streams(job, stream_slot, beside));
    for (int s = 0; s < group->n_alike; s++) {
        int i = s % (beside + 1);
        TRY(simulate_alone(job, device, batch_launch, first + s,
                           i ? stream_slot->side_streams[i - 1] : stream_slot->stream));
    }
    TRY(join_streams(job, stream_slot, beside));
done:
    return status;
}

enum status simulate_paths(struct device_job *job, struct device *device,
                           const struct batch_launch *batch_launch, int first)
{
    enum status status = STATUS_OK;
    const struct device_layout *layout = &device->layouts[batch_launch->g + first];
    if (layout->way != WAY_SPECIALISED) return simulate_each(job, device, batch_launch, first);
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    if (layout->shared_moves.n)
        CUDA_TRY(make_moves((const void *)(device->memory + layout->movers), layout->shared_moves.n,
                            &batch_launch->path_launches[first], stream_slot->moves,
                            stream_slot->stream));
    CUDA_TRY(launch_specialised(layout->kernel, &job->plan->groups[batch_launch->g + first],
                                &layout->shape, (const double *)(device->memory + layout->records),
                                &layout->shared_moves, stream_slot->moves,
                                &batch_launch->path_launches[first], job->options->block,
                                stream_slot->stream));
done:
    return status;
}
