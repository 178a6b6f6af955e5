#include "kernels/cuda/device_parts.h"

#include "kernels/cuda/specialise.h"
#include "kernels/cuda/stretches.h"

/* The group's points where they lie. */
static struct walk_points points_of(const struct device *device, const struct group *group,
                                    const struct group_place *place)
{
    const char *inputs = device->memory;
    if (!place->n_dimensions) return (struct walk_points){0};
    return (struct walk_points){.dimensions = (const void *)(inputs + place->dimensions),
                                .n = place->n_dimensions,
                                .n_steps = group->n_steps,
                                .places = (const void *)(inputs + place->places),
                                .scales = (const void *)(inputs + place->scales)};
}

static struct walk walk_of(const struct device_job *job, const struct device *device, const struct lane *lane,
                           int g, uint64_t first_path, size_t paths)
{
    const struct group *group = &job->plan->groups[g];
    const struct group_place *place = &device->places[g];
    const char *inputs = device->memory;
    const struct underlying *first = &group->underlyings[0];
    return (struct walk){.steps = (const void *)(inputs + place->coefficients),
                         .touches = (const void *)(inputs + place->touches),
                         .initial = (const void *)(inputs + place->initial),
                         .results = (const void *)(inputs + place->results),
                         .normals = lane->normals,
                         .observed = lane->observed,
                         .carried = place->carried,
                         .start = first->start,
                         .paths = paths,
                         .first_path = job->plan->first_path + first_path,
                         .seed = job->plan->seed,
                         .keys = philox_keys(job->plan->seed),
                         .stream = factor_stream(first, 0),
                         .n_steps = group->n_steps,
                         .n_slots = group->n_slots,
                         .n_results = group->n_results - (place->carried.steps > 0),
                         .bridge_row = group->n_steps * group->n_factors,
                         .coefficients = (const void *)(inputs + place->coefficients),
                         .table = (const void *)(inputs + place->table),
                         .dividends = (const void *)(inputs + place->dividends),
                         .placed = (const void *)(inputs + place->underlyings),
                         .starts = (const void *)(inputs + place->starts),
                         .loadings = (const void *)(inputs + place->loadings),
                         .model = first->model,
                         .n_underlyings = group->n_underlyings,
                         .n_factors = group->n_factors,
                         .width = group->width,
                         .state_width = place->state_width,
                         .pages = (const void *)(inputs + place->pages),
                         .first_page = place->first_page,
                         .largest_page = place->largest_page,
                         .antithetic = job->plan->antithetic,
                         .points = points_of(device, group, place),
                         .variant = job->rung->variant};
}

/* Normals of the paths of one underlying, or indices in their place, `width` bytes each: those of factor f of
 * step j in row j * n_factors + f. */
static cudaError_t draw_underlying(const struct lane *lane, const struct group *group,
                                   const struct underlying *underlying, const struct walk *walk, int width)
{
    cudaError_t error = cudaSuccess;
    int n = group->n_factors;
    if (draws_indices(underlying))
        return draw_indices(lane->normals, width, underlying->factor, n, factor_number(group, underlying, 0),
                            walk, factor_stream(underlying, 0), walk->coefficients + underlying->coefficient,
                            lane->stream);
    for (int f = 0; f < model_factors(underlying->model) && error == cudaSuccess; f++) {
        if (walk->points.dimensions)
            error = draw_bridge(lane->normals, width, n, underlying->factor + f, walk, lane->stream);
        else
            error = draw_normals(lane->normals, width, underlying->factor + f, n, group->n_steps, walk->paths,
                                 walk->first_path, walk->seed, factor_stream(underlying, f), walk->antithetic,
                                 lane->stream);
    }
    return error;
}

cudaError_t draw_group(const struct lane *lane, const struct group *group, const struct walk *walk, int width)
{
    cudaError_t error = cudaSuccess;
    if (!width) return cudaSuccess;
    for (int u = 0; u < group->n_underlyings && error == cudaSuccess; u++)
        error = draw_underlying(lane, group, &group->underlyings[u], walk, width);
    if (error != cudaSuccess) return error;
    if (walk->points.dimensions)
        return draw_dimensions(lane->normals, width, walk->bridge_row, 2 * group->n_pairs, walk,
                               lane->stream);
    return draw_normals(lane->normals, width, walk->bridge_row, 1, 2 * group->n_pairs, walk->paths,
                        walk->first_path, walk->seed, walk->stream | BRIDGE_STREAM, walk->antithetic,
                        lane->stream);
}

void lay_walks(struct device_job *job, const struct device *device, struct launching *of)
{
    const struct plan *plan = job->plan;
    uint64_t first_path = of->first * BATCH_PATHS, left = plan->paths - first_path;
    uint64_t most = of->batches * BATCH_PATHS;
    size_t paths = (size_t)(left < most ? left : most), before = 0;
    for (int s = 0; s < launched_together(plan, of->g); s++) {
        struct walk *walk = &of->walks[s];
        *walk = walk_of(job, device, &device->lanes[of->lane], of->g + s, first_path, paths);
        walk->observed += before;
        before += (size_t)plan->groups[of->g + s].n_rows * paths;
        if (job->options->timed) walk->facts = &job->facts;
    }
}

/* The groups alike from the launch's `first` on, each by itself: a scenario's paths alone rarely fill the
 * device, so they are walked at the same time where the lane has streams for that. */
static enum status walk_each(struct device_job *job, struct device *device, const struct launching *of,
                             int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    struct lane *lane = &device->lanes[of->lane];
    bool beside = group->alike > 1 && lane->parted;
    if (beside) CUDA_TRY(cudaEventRecord(lane->parted, lane->stream));
    for (int s = 0; s < group->alike; s++) {
        cudaStream_t stream = beside && s ? lane->beside[s] : lane->stream;
        const struct group_place *place = &device->places[of->g + first + s];
        if (stream != lane->stream) CUDA_TRY(cudaStreamWaitEvent(stream, lane->parted, 0));
        CUDA_TRY(job->rung->launch[place->ground](&of->walks[first + s], record_of(group, &place->carried),
                                                  job->options->block, stream));
        if (stream == lane->stream) continue;
        CUDA_TRY(cudaEventRecord(lane->joined[s], stream));
        CUDA_TRY(cudaStreamWaitEvent(lane->stream, lane->joined[s], 0));
    }
done:
    return status;
}

enum status walk_paths(struct device_job *job, struct device *device, const struct launching *of, int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    const struct group_place *place = &device->places[of->g + first];
    cudaStream_t stream = device->lanes[of->lane].stream;
    int width = normal_width(job->rung, GROUND_PLAIN);
    bool together = (job->rung->takes & TAKES_SCENARIOS) && width != sizeof(double);
    if (place->kernel) {
        CUDA_TRY(launch_specialised(place->kernel, group, &place->shape,
                                    (const double *)(device->memory + place->records), &of->walks[first],
                                    job->options->block, stream));
        return STATUS_OK;
    }
    if (together && walk_together(job->plan, device, of->g + first)) {
        CUDA_TRY(launch_scenarios(of->walks + first, group->alike, scenarios_wanted(job->rung),
                                  width == sizeof(float), device->memory + place->interleaved,
                                  device->constants ? of->lane : -1, stream));
        return STATUS_OK;
    }
    if (place->stretched)
        CUDA_TRY(launch_stretches(of->walks + first, group->alike, scenarios_wanted(job->rung),
                                  job->options->block, stream));
    else TRY(walk_each(job, device, of, first));
done:
    return status;
}
