#include "kernels/cuda/host/device.h"

#include <string.h>

#include "models/base/grow.h"
#include "models/base/stop.h"

enum { LAUNCHES_QUEUED = 2 };

/* One range of batches of n groups that are launched together, on one stream slot. */
struct batch_launch {
    int g, n;
    const struct group *groups;          /* [n] as the next */
    const struct device_layout *layouts; /* [n] */
    struct stream_slot *slot;
    cudaStream_t stream;     /* the slot's own */
    uint64_t first, batches; /* of the plan */
    struct path_launch path_launches[MARKETS_MAX];
};

/* ---- times ----------------------------------------------------------------------------------- */

static void say_progress(const struct device *device, uint64_t path_steps)
{
    struct device_progress *progress = device->progress;
    pthread_mutex_lock(&progress->lock);
    progress->done += path_steps;
    if (device->options->progress)
        device->options->progress(device->options->progress_context, progress->done,
                                  progress->total);
    pthread_mutex_unlock(&progress->lock);
}

/* Opens the span of a launch, in which the device is busy. */
static enum status begin_span(struct device *device, cudaStream_t stream)
{
    MUST(grow_array(&device->launches, &device->launches_room, device->n_launches + 1,
                    sizeof *device->launches));
    struct busy_span *span = &device->launches[device->n_launches++];
    *span = (struct busy_span){0};
    CUDA_MUST(cudaEventCreateWithFlags(&span->begin, cudaEventDefault));
    CUDA_MUST(cudaEventCreateWithFlags(&span->end, cudaEventDefault));
    return CUDA_STATUS(cudaEventRecord(span->begin, stream));
}

/* Adds up the seconds in which at least one span was open, when all streams have ended. Spans begin
 * in the order in which they were opened, or nearly so: a span counts from the latest end before
 * it. */
static enum status add_spans(struct device *device)
{
    const struct busy_span *spans = device->launches;
    float latest = 0.0f; /* milliseconds after the first begin */
    for (int i = 0; i < device->n_launches; i++) {
        float begin = 0.0f, end = 0.0f;
        CUDA_MUST(cudaEventElapsedTime(&begin, spans->begin, spans[i].begin));
        CUDA_MUST(cudaEventElapsedTime(&end, spans->begin, spans[i].end));
        if (end <= latest) continue;
        device->times.busy += 1e-3 * (double)(end - (begin > latest ? begin : latest));
        latest = end;
    }
    return STATUS_OK;
}

static enum status mark(struct device *device, const struct batch_launch *launch,
                        enum launch_event which)
{
    if (!device->options->timed) return STATUS_OK;
    return CUDA_STATUS(cudaEventRecord(device->marks[which], launch->stream));
}

/* Adds the time between two marks to those of a phase. */
static enum status add_phase(struct device *device, enum launch_event from, enum launch_event to,
                             double *seconds)
{
    float milliseconds;
    CUDA_MUST(cudaEventSynchronize(device->marks[to]));
    CUDA_MUST(cudaEventElapsedTime(&milliseconds, device->marks[from], device->marks[to]));
    *seconds += 1e-3 * milliseconds;
    return STATUS_OK;
}

/* Adds the times of the last launch of groups, of its normals and of its paths. */
static enum status add_walked(struct device *device)
{
    MUST(add_phase(device, LAUNCH_EVENT_WARM, LAUNCH_EVENT_WALKED, &device->times.paths));
    return add_phase(device, LAUNCH_EVENT_BEGIN, LAUNCH_EVENT_DRAWN, &device->times.normals);
}

/* ---- normals --------------------------------------------------------------------------------- */

/* Draws the normals of the paths of one underlying, or indices in their place. */
static enum status draw_underlying(struct device *device, const struct group *group,
                                   const struct underlying *underlying,
                                   const struct path_launch *paths, int width, void *normals,
                                   cudaStream_t stream)
{
    const struct normal_place place = {underlying->factor, group->n_factors};
    const uint32_t philox = factor_stream(underlying, 0);
    const int n = model_factors(underlying->model);
    if (draws_indices(underlying))
        return CUDA_STATUS(draw_indices(normals, width, place, factor_number(group, underlying, 0),
                                        paths, philox,
                                        paths->coefficients + underlying->coefficient, stream));
    if (!paths->points.dimensions)
        return CUDA_STATUS(
            draw_normals(normals, width, place, group->n_steps, n, philox, paths, stream));
    for (int f = underlying->factor; f < underlying->factor + n; f++)
        CUDA_MUST(draw_bridge(normals, width, (struct normal_place){f, group->n_factors}, f, paths,
                              stream));
    return STATUS_OK;
}

/* Draws the normals of the groups alike from the launch's `first` on, which share them: those of
 * all underlyings, then those of bridges between dates. */
static enum status draw_alike(struct device *device, struct batch_launch *launch, int first)
{
    const struct group *group = &launch->groups[first];
    struct path_launch *paths = &launch->path_launches[first];
    const int width = launch->layouts[first].width, n = 2 * group->n_pairs;
    const struct normal_place bridges = {paths->bridge_row, 1};
    void *normals = launch->slot->normals;
    if (!width) return STATUS_OK;
    for (int u = 0; u < group->n_underlyings; u++)
        MUST(draw_underlying(device, group, &group->underlyings[u], paths, width, normals,
                             launch->stream));
    if (paths->points.dimensions)
        CUDA_MUST(draw_dimensions(normals, width, bridges, group->n_steps * group->n_factors, n,
                                  paths, launch->stream));
    else
        CUDA_MUST(draw_normals(normals, width, bridges, n, 1, paths->stream | BRIDGE_STREAM, paths,
                               launch->stream));
    for (int s = 0; s < group->n_markets; s++) paths[s].normals = normals;
    return STATUS_OK;
}

/* ---- paths by general kernels ---------------------------------------------------------------- */

/* Simulates every path of the launch's group s. */
static enum status simulate_alone(struct device *device, const struct batch_launch *launch, int s,
                                  cudaStream_t stream)
{
    const struct device_layout *layout = &launch->layouts[s];
    const struct path_launch *paths = &launch->path_launches[s];
    if (layout->way == WAY_TILE) return CUDA_STATUS(look_back(&layout->looks.looks, paths, stream));
    return CUDA_STATUS(device->rung->launch[layout->group_class](paths, layout->record,
                                                                 device->options->block, stream));
}

/* Simulates the groups alike from the launch's `first` on, each by itself: side by side, but what
 * is timed one after the other. */
static enum status simulate_each(struct device *device, const struct batch_launch *launch,
                                 int first)
{
    cudaStream_t *streams = launch->slot->streams;
    const cudaEvent_t passed = launch->slot->passed;
    const int n = launch->groups[first].n_markets;
    int beside = n - 1 < SIDE_STREAMS ? n - 1 : SIDE_STREAMS;
    if (device->options->timed) beside = 0;
    if (beside) CUDA_MUST(cudaEventRecord(passed, streams[0]));
    for (int i = 1; i <= beside; i++) {
        if (!streams[i]) CUDA_MUST(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA_MUST(cudaStreamWaitEvent(streams[i], passed, 0));
    }
    for (int s = 0; s < n; s++)
        MUST(simulate_alone(device, launch, first + s, streams[s % (beside + 1)]));
    for (int i = 1; i <= beside; i++) {
        CUDA_MUST(cudaEventRecord(passed, streams[i]));
        CUDA_MUST(cudaStreamWaitEvent(streams[0], passed, 0));
    }
    return STATUS_OK;
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

/* Simulates groups alike by their kernel, in blocks of as many threads as are asked for, cut to a
 * power of two, of whose paths those of a launch are a multiple; a warp at least. */
static enum status simulate_specialised(struct device *device, const struct group *groups,
                                        const struct device_layout *layout,
                                        const struct path_launch *path_launches, const float *moves,
                                        cudaStream_t stream)
{
    _Alignas(16) char arguments[SHAPE_ARGUMENT_BYTES];
    void *list[] = {arguments};
    const struct shape *shape = &layout->shape;
    const int asked = device->options->block;
    int block = shape->block;
    while (asked && block > asked && block > SHAPE_WARP) block /= 2;
    size_t shared_bytes = shape_shared(shape, block), bytes = shape_argument(groups, shape);
    size_t a_block = (size_t)block * (size_t)shape->paths;
    if (path_launches->facts)
        CUDA_MUST(find_launch_facts(layout->kernel, block, shared_bytes, path_launches->facts));
    for (int first = 0, n; first < shape->n_markets; first += n) {
        n = shape->n_markets - first < shape->at_once ? shape->n_markets - first : shape->at_once;
        for (int m = first; m < first + n; m++)
            put_arguments(&groups[m], layout, m, &path_launches[m], moves,
                          arguments + bytes * (size_t)(m - first));
        dim3 grid = {(unsigned)n, (unsigned)(path_launches->paths / a_block), 1},
             threads = {(unsigned)block, 1, 1};
        CUDA_MUST(cudaLaunchKernel(layout->kernel, grid, threads, list, shared_bytes, stream));
    }
    return STATUS_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Returns how many paths the part of a launch has that begins at its path number `path`: 0 at its
 * end. */
static uint64_t launch_paths(const struct device *device, const struct batch_launch *launch,
                             uint64_t path)
{
    const uint64_t left = device->plan->paths - launch->first * BATCH_PATHS,
                   all = launch->batches * BATCH_PATHS, end = left < all ? left : all,
                   most = all / (uint64_t)device->launch_parts;
    return end - path < most ? end - path : most;
}

/* Makes the path launches of all groups on so many paths from the launch's path number `path` on.
 */
static void make_path_launches(struct device *device, struct batch_launch *launch, uint64_t path,
                               size_t paths)
{
    for (int s = 0; s < launch->n; s++) {
        struct path_launch *path_launch = &launch->path_launches[s];
        const struct device_layout *layout = &launch->layouts[s];
        *path_launch = layout->path_launch;
        path_launch->observed = launch->slot->observed + paths * layout->first_row;
        path_launch->paths = paths;
        path_launch->first_path = device->plan->first_path + launch->first * BATCH_PATHS + path;
        if (device->options->timed) path_launch->facts = &device->facts;
    }
}

/* Simulates every path of the groups alike from the launch's `first` on: by one thread where that
 * can be. */
static enum status simulate_paths(struct device *device, const struct batch_launch *launch,
                                  int first)
{
    const struct device_layout *layout = &launch->layouts[first];
    const struct path_launch *path_launches = &launch->path_launches[first];
    if (layout->way != WAY_SPECIALISED) return simulate_each(device, launch, first);
    if (layout->shared_moves.n)
        CUDA_MUST(make_moves(layout->movers, layout->shared_moves.n, path_launches,
                             launch->slot->moves, launch->stream));
    return simulate_specialised(device, &launch->groups[first], layout, path_launches,
                                launch->slot->moves, launch->stream);
}

/* Looks back at the paths of group s, then runs programs on what they remember. */
static enum status run_all_programs(struct device *device, const struct batch_launch *launch, int s)
{
    const struct path_launch *paths = &launch->path_launches[s];
    const struct group *group = &launch->groups[s];
    const struct device_layout *layout = &launch->layouts[s];
    struct program_launch programs = {
        .programs = layout->programs, .observed = paths->observed, .paths = paths->paths};
    if (group->follows >= 0) programs.followed = launch->path_launches[group->follows].observed;
    if (layout->way != WAY_TILE) CUDA_MUST(look_back(&layout->looks.looks, paths, launch->stream));
    CUDA_MUST(make_prices(layout->prices, group->n_prices, paths->observed, paths->paths,
                          launch->stream));
    CUDA_MUST(run_programs(layout->listed, group->n_shared, &programs, launch->stream));
    programs.programs += group->n_shared;
    return CUDA_STATUS(run_programs(layout->listed + group->n_shared,
                                    group->n_programs - group->n_shared, &programs,
                                    launch->stream));
}

/* Normals and paths of the groups alike from the launch's `first` on. What is timed runs once
 * before its clock. */
static enum status simulate_alike(struct device *device, struct batch_launch *launch, int first)
{
    bool timed = device->options->timed;
    if (timed && first) MUST(add_walked(device));
    if (timed) MUST(draw_alike(device, launch, first));
    MUST(mark(device, launch, LAUNCH_EVENT_BEGIN));
    MUST(draw_alike(device, launch, first));
    MUST(mark(device, launch, LAUNCH_EVENT_DRAWN));
    if (timed) MUST(simulate_paths(device, launch, first));
    MUST(mark(device, launch, LAUNCH_EVENT_WARM));
    MUST(simulate_paths(device, launch, first));
    return mark(device, launch, LAUNCH_EVENT_WALKED);
}

/* Normals, paths, looks and programs of a part of the launch; where groups alike are simulated in
 * turn, each is through before the next begins. */
static enum status simulate_part(struct device *device, struct batch_launch *launch)
{
    for (int s = 0, end; s < launch->n; s = end) {
        const bool in_turn = launch->layouts[s].in_turn;
        end = s + launch->groups[s].n_markets;
        MUST(in_turn ? draw_alike(device, launch, s) : simulate_alike(device, launch, s));
        for (int m = s; m < end; m++) { /* programs may follow those of groups before */
            if (in_turn) MUST(simulate_alone(device, launch, m, launch->stream));
            MUST(run_all_programs(device, launch, m));
        }
    }
    return STATUS_OK;
}

/* ---- payoffs --------------------------------------------------------------------------------- */

/* Sends the tallies of group s to the host, n of each batch. */
static enum status send_tallies(struct device *device, const struct batch_launch *launch, int s,
                                size_t n)
{
    const uint64_t range = device->range.end - device->range.first,
                   before = launch->first - device->range.first;
    struct tally *to =
        device->range.tallies + range * launch->layouts[s].before + before * (uint64_t)n;
    return CUDA_STATUS(cudaMemcpyAsync(to, launch->slot->batch_tallies,
                                       sizeof *to * n * (size_t)launch->batches,
                                       cudaMemcpyDeviceToHost, launch->stream));
}

/* Payoffs and tallies of group s. */
static enum status value_paths(struct device *device, const struct batch_launch *launch, int s)
{
    const struct group *group = &launch->groups[s];
    const struct device_layout *layout = &launch->layouts[s];
    const struct stream_slot *slot = launch->slot;
    const struct path_launch *paths = &launch->path_launches[s];
    CUDA_MUST(value_payoffs(layout->payoffs, group->n_single, group->n_payoffs, paths->observed,
                            paths->paths, paths->antithetic, slot->chunk_tallies,
                            slot->batch_tallies, launch->stream));
    CUDA_MUST(value_strips(&layout->strips, group->n_payoffs, paths->observed, paths->paths,
                           slot->bins, slot->batch_tallies, launch->stream));
    return send_tallies(device, launch, s, (size_t)group->n_payoffs);
}

/* What values the payoffs of the launch's scenario set. */
static struct scenario_set_values set_values(const struct device *device,
                                             const struct batch_launch *launch)
{
    const struct plan *plan = device->plan;
    struct scenario_set_values values = {.n_contrasts = plan->n_contrasts,
                                         .n_payoffs = launch->groups->n_payoffs,
                                         .n_totals = plan->n_totals,
                                         .contrasts = device->contrasts,
                                         .totals = launch->layouts->totals,
                                         .quantities = launch->layouts->quantities,
                                         .paths = launch->path_launches->paths};
    for (int s = 0; s < plan->n_scenarios; s++) {
        values.payoffs[s] = launch->layouts[s].payoffs;
        values.observed[s] = launch->path_launches[s].observed;
    }
    return values;
}

/* Payoffs and contrasts of the part of a scenario set's launch that begins at path `path`. */
static enum status value_set_part(struct device *device, const struct batch_launch *launch,
                                  uint64_t path)
{
    const struct scenario_set_values values = set_values(device, launch);
    const size_t before =
        scenario_set_tallies(device->plan, launch->g) * (size_t)(path / CHUNK_PATHS);
    return CUDA_STATUS(
        value_scenario_set(&values, launch->slot->chunk_tallies + before, launch->stream));
}

/* Merges what the chunks of a scenario set gave, and adds it to totals. */
static enum status merge_set(struct device *device, const struct batch_launch *launch)
{
    const struct plan *plan = device->plan;
    const struct stream_slot *slot = launch->slot;
    size_t n = scenario_set_tallies(plan, launch->g),
           before = (size_t)(launch->first - device->range.first);
    int chunks = 0;
    for (uint64_t b = 0; b < launch->batches; b++)
        chunks += plan_batch_chunks(plan, launch->first + b);
    CUDA_MUST(merge_scenario_set((int)n, (unsigned)chunks, slot->chunk_tallies, slot->batch_tallies,
                                 launch->stream));
    if (plan->n_totals) {
        const struct scenario_set_values values = set_values(device, launch);
        CUDA_MUST(cudaStreamWaitEvent(launch->stream, device->totals_added, 0));
        CUDA_MUST(add_scenario_set_totals(
            &values, chunks, slot->chunk_tallies,
            device->totals + before * BATCH_CHUNKS * chunk_totals(plan), launch->stream));
        CUDA_MUST(cudaEventRecord(device->totals_added, launch->stream));
    }
    return send_tallies(device, launch, 0, n);
}

/* What the paths of the plan's one group remember, to the host. */
static enum status copy_rows(struct device *device, const struct batch_launch *launch)
{
    const struct path_launch *paths = &launch->path_launches[0];
    const size_t row = sizeof(double) * (size_t)device->plan->paths,
                 launch_row = sizeof(double) * paths->paths;
    return CUDA_STATUS(cudaMemcpy2DAsync(
        device->rows + launch->first * BATCH_PATHS, row, paths->observed, launch_row, launch_row,
        (size_t)launch->groups->n_rows, cudaMemcpyDeviceToHost, launch->stream));
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Puts a launch on its stream slot, part after part: normals, paths, programs, payoffs; then the
 * tallies to the host. */
static enum status put_launch(struct device *device, struct batch_launch *launch)
{
    const bool set = launch->groups->scenario_set > 0;
    MUST(begin_span(device, launch->stream));
    for (uint64_t path = 0, n; (n = launch_paths(device, launch, path)); path += n) {
        make_path_launches(device, launch, path, (size_t)n);
        MUST(simulate_part(device, launch));
        if (set) MUST(value_set_part(device, launch, path));
    }
    if (device->rows) MUST(copy_rows(device, launch));
    else if (set) MUST(merge_set(device, launch));
    else
        for (int s = 0; s < launch->n; s++) MUST(value_paths(device, launch, s));
    MUST(mark(device, launch, LAUNCH_EVENT_VALUED));
    CUDA_MUST(cudaEventRecord(device->launches[device->n_launches - 1].end, launch->stream));
    if (!device->options->timed) return STATUS_OK;
    MUST(add_phase(device, LAUNCH_EVENT_WALKED, LAUNCH_EVENT_VALUED, &device->times.payoffs));
    return add_walked(device);
}

enum status launch_all(struct device *device)
{
    const struct plan *plan = device->plan;
    const uint64_t range = device->range.end - device->range.first, most = device->launch_batches;
    const int queued = LAUNCHES_QUEUED * device->n_stream_slots;
    for (int g = 0, n; g < plan->n_groups; g += n) {
        uint64_t steps = 0; /* of one path of all groups */
        n = plan_unit_size(plan, g);
        for (int s = 0; s < n; s++) steps += group_asset_steps(&plan->groups[g + s]);
        for (uint64_t b = 0; b < range; b += most) {
            const int before = device->n_launches;
            struct stream_slot *slot = &device->stream_slots[before % device->n_stream_slots];
            struct batch_launch launch = {.g = g,
                                          .n = n,
                                          .groups = &plan->groups[g],
                                          .layouts = &device->layouts[g],
                                          .slot = slot,
                                          .stream = slot->streams[0],
                                          .first = device->range.first + b,
                                          .batches = range - b < most ? range - b : most};
            if (asked_to_stop(device->options->stop)) return STATUS_INTERRUPTED;
            if (before >= queued)
                CUDA_MUST(cudaEventSynchronize(device->launches[before - queued].end));
            MUST(put_launch(device, &launch));
            say_progress(device, launch.batches * BATCH_PATHS * steps);
        }
    }
    for (int l = 0; l < device->n_stream_slots; l++)
        CUDA_MUST(cudaStreamSynchronize(device->stream_slots[l].streams[0]));
    if (device->range.totals)
        CUDA_MUST(cudaMemcpy(device->range.totals, device->totals, device->totals_bytes,
                             cudaMemcpyDeviceToHost));
    return add_spans(device);
}
