#include "kernels/cuda/host/device_parts.h"

#include "models/base/grow.h"
#include "models/base/stop.h"

/* ---- times ----------------------------------------------------------------------------------- */

static void say_progress(const struct device_job *job, uint64_t path_steps)
{
    pthread_mutex_lock(&job->progress->lock);
    job->progress->done += path_steps;
    if (job->options->progress)
        job->options->progress(job->options->progress_context, job->progress->done,
                               job->progress->total);
    pthread_mutex_unlock(&job->progress->lock);
}

/* Opens a span in which the device is busy. cudaErrorMemoryAllocation, or what CUDA says. */
static cudaError_t busy_time_begin(struct device *device, cudaStream_t stream)
{
    if (grow_array(&device->busy, &device->busy_room, device->n_busy + 1, sizeof *device->busy))
        return cudaErrorMemoryAllocation;
    struct busy_span *span = &device->busy[device->n_busy++];
    *span = (struct busy_span){0};
    cudaError_t error = cudaEventCreateWithFlags(&span->begin, cudaEventDefault);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&span->end, cudaEventDefault);
    return error == cudaSuccess ? cudaEventRecord(span->begin, stream) : error;
}

/* Closes the span opened last. */
static cudaError_t busy_time_end(const struct device *device, cudaStream_t stream)
{
    return cudaEventRecord(device->busy[device->n_busy - 1].end, stream);
}

/* Adds up the seconds in which at least one span was open, when all streams have ended. Spans begin
 * in the order in which they were opened, or nearly so: a span counts from the latest end before
 * it. */
static cudaError_t busy_time_seconds(const struct device *device, double *seconds)
{
    const struct busy_span *spans = device->busy;
    float latest = 0.0f; /* milliseconds after the first begin */
    *seconds = 0.0;
    for (int i = 0; i < device->n_busy; i++) {
        float begin = 0.0f, end = 0.0f;
        cudaError_t error = cudaEventElapsedTime(&begin, spans->begin, spans[i].begin);
        if (error == cudaSuccess) error = cudaEventElapsedTime(&end, spans->begin, spans[i].end);
        if (error != cudaSuccess) return error;
        if (end <= latest) continue;
        *seconds += 1e-3 * (double)(end - (begin > latest ? begin : latest));
        latest = end;
    }
    return cudaSuccess;
}

static enum status mark(struct device_job *job, const struct device *device,
                        const struct batch_launch *batch_launch, enum launch_event which)
{
    if (!job->options->timed) return STATUS_OK;
    return CUDA_STATUS(cudaEventRecord(device->marks[which], batch_launch->stream_slot->stream));
}

/* Adds the time between two marks to those of a phase. */
static enum status add_phase(struct device_job *job, const struct device *device,
                             enum launch_event from, enum launch_event to, double *seconds)
{
    float milliseconds;
    CUDA_MUST(cudaEventSynchronize(device->marks[to]));
    CUDA_MUST(cudaEventElapsedTime(&milliseconds, device->marks[from], device->marks[to]));
    *seconds += 1e-3 * milliseconds;
    return STATUS_OK;
}

/* Adds the times of the last launch of groups, of its normals and of its paths. */
static enum status add_walked(struct device_job *job, const struct device *device)
{
    MUST(add_phase(job, device, LAUNCH_EVENT_WARM, LAUNCH_EVENT_WALKED, &job->paths));
    return add_phase(job, device, LAUNCH_EVENT_BEGIN, LAUNCH_EVENT_DRAWN, &job->normals);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Returns how many paths the part of a launch has that begins at its path number `path`: 0 at its
 * end. */
static uint64_t launch_paths(const struct device_job *job, const struct device *device,
                             const struct batch_launch *batch_launch, uint64_t path)
{
    const uint64_t first = batch_launch->first * BATCH_PATHS, left = job->plan->paths - first,
                   all = batch_launch->batches * BATCH_PATHS, end = left < all ? left : all,
                   most = all / (uint64_t)device->launch_parts;
    return end - path < most ? end - path : most;
}

/* Makes the path launches of all groups on so many paths from the launch's path number `path` on.
 */
static void make_path_launches(struct device_job *job, struct batch_launch *batch_launch,
                               uint64_t path, size_t paths)
{
    for (int s = 0; s < batch_launch->n; s++) {
        struct path_launch *path_launch = &batch_launch->path_launches[s];
        const struct device_layout *layout = &batch_launch->layouts[s];
        *path_launch = layout->path_launch;
        path_launch->observed = batch_launch->stream_slot->observed + paths * layout->first_row;
        path_launch->paths = paths;
        path_launch->first_path = job->plan->first_path + batch_launch->first * BATCH_PATHS + path;
        if (job->options->timed) path_launch->facts = &job->facts;
    }
}

/* Looks back at the paths of group s, then runs programs on what they remember. */
static enum status run_all_programs(struct device_job *job, const struct batch_launch *batch_launch,
                                    int s)
{
    const struct path_launch *path_launch = &batch_launch->path_launches[s];
    const struct group *group = &batch_launch->groups[s];
    const struct device_layout *layout = &batch_launch->layouts[s];
    struct program_launch programs = {.programs = layout->programs,
                                      .observed = path_launch->observed,
                                      .paths = path_launch->paths};
    cudaStream_t stream = batch_launch->stream_slot->stream;
    if (group->follows >= 0)
        programs.followed = batch_launch->path_launches[group->follows].observed;
    if (layout->way != WAY_TILE) CUDA_MUST(look_back(&layout->looks.looks, path_launch, stream));
    CUDA_MUST(make_prices(layout->prices, group->n_prices, path_launch->observed,
                          path_launch->paths, stream));
    CUDA_MUST(run_programs(layout->listed, group->n_shared, &programs, stream));
    programs.programs += group->n_shared;
    return CUDA_STATUS(run_programs(layout->listed + group->n_shared,
                                    group->n_programs - group->n_shared, &programs, stream));
}

/* Normals and paths of the groups alike from the launch's `first` on. What is timed runs once
 * before its clock. */
static enum status simulate_alike(struct device_job *job, const struct device *device,
                                  struct batch_launch *batch_launch, int first)
{
    bool timed = job->options->timed;
    if (timed && first) MUST(add_walked(job, device));
    if (timed) MUST(draw_alike(job, batch_launch, first));
    MUST(mark(job, device, batch_launch, LAUNCH_EVENT_BEGIN));
    MUST(draw_alike(job, batch_launch, first));
    MUST(mark(job, device, batch_launch, LAUNCH_EVENT_DRAWN));
    if (timed) MUST(simulate_paths(job, batch_launch, first));
    MUST(mark(job, device, batch_launch, LAUNCH_EVENT_WARM));
    MUST(simulate_paths(job, batch_launch, first));
    return mark(job, device, batch_launch, LAUNCH_EVENT_WALKED);
}

/* Normals, paths, looks and programs of a part of the launch; where groups alike are simulated in
 * turn, each is through before the next begins. */
static enum status simulate_part(struct device_job *job, const struct device *device,
                                 struct batch_launch *batch_launch)
{
    for (int s = 0, end; s < batch_launch->n; s = end) {
        const bool in_turn = batch_launch->layouts[s].in_turn;
        end = s + batch_launch->groups[s].n_markets;
        MUST(in_turn ? draw_alike(job, batch_launch, s)
                     : simulate_alike(job, device, batch_launch, s));
        for (int m = s; m < end; m++) { /* programs may follow those of groups before */
            if (in_turn)
                MUST(simulate_alone(job, batch_launch, m, batch_launch->stream_slot->stream));
            MUST(run_all_programs(job, batch_launch, m));
        }
    }
    return STATUS_OK;
}

/* ---- payoffs --------------------------------------------------------------------------------- */

/* Sends the tallies of group s to the host, n of each batch. */
static enum status send_tallies(struct device_job *job, const struct batch_launch *batch_launch,
                                int s, size_t n)
{
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    const uint64_t range = job->range.end - job->range.first,
                   before = batch_launch->first - job->range.first;
    struct tally *to =
        job->range.tallies + range * batch_launch->layouts[s].before + before * (uint64_t)n;
    return CUDA_STATUS(cudaMemcpyAsync(to, stream_slot->batch_tallies,
                                       sizeof *to * n * (size_t)batch_launch->batches,
                                       cudaMemcpyDeviceToHost, stream_slot->stream));
}

/* Payoffs and tallies of group s. */
static enum status value_paths(struct device_job *job, const struct batch_launch *batch_launch,
                               int s)
{
    const struct group *group = &batch_launch->groups[s];
    const struct device_layout *layout = &batch_launch->layouts[s];
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    const struct path_launch *path_launch = &batch_launch->path_launches[s];
    CUDA_MUST(value_payoffs(layout->payoffs, group->n_single, group->n_payoffs,
                            path_launch->observed, path_launch->paths, path_launch->antithetic,
                            stream_slot->chunk_tallies, stream_slot->batch_tallies,
                            stream_slot->stream));
    CUDA_MUST(value_strips(&layout->strips, group->n_payoffs, path_launch->observed,
                           path_launch->paths, stream_slot->bins, stream_slot->batch_tallies,
                           stream_slot->stream));
    return send_tallies(job, batch_launch, s, (size_t)group->n_payoffs);
}

/* What values the payoffs of the launch's scenario set. */
static struct scenario_set_values set_values(const struct plan *plan, const struct device *device,
                                             const struct batch_launch *batch_launch)
{
    struct scenario_set_values values = {.n_contrasts = plan->n_contrasts,
                                         .n_payoffs = batch_launch->groups->n_payoffs,
                                         .n_totals = plan->n_totals,
                                         .contrasts = device->contrasts,
                                         .totals = batch_launch->layouts->totals,
                                         .quantities = batch_launch->layouts->quantities,
                                         .paths = batch_launch->path_launches->paths};
    for (int s = 0; s < plan->n_scenarios; s++) {
        values.payoffs[s] = batch_launch->layouts[s].payoffs;
        values.observed[s] = batch_launch->path_launches[s].observed;
    }
    return values;
}

/* Payoffs and contrasts of the part of a scenario set's launch that begins at path `path`. */
static enum status value_set_part(struct device_job *job, const struct device *device,
                                  const struct batch_launch *batch_launch, uint64_t path)
{
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    const struct scenario_set_values values = set_values(job->plan, device, batch_launch);
    const size_t before =
        scenario_set_tallies(job->plan, batch_launch->g) * (size_t)(path / CHUNK_PATHS);
    return CUDA_STATUS(
        value_scenario_set(&values, stream_slot->chunk_tallies + before, stream_slot->stream));
}

/* Merges what the chunks of a scenario set gave, and adds it to totals. */
static enum status merge_set(struct device_job *job, const struct device *device,
                             const struct batch_launch *batch_launch)
{
    const struct plan *plan = job->plan;
    const struct stream_slot *stream_slot = batch_launch->stream_slot;
    size_t n = scenario_set_tallies(plan, batch_launch->g),
           before = batch_launch->first - job->range.first;
    int chunks = 0;
    for (uint64_t b = 0; b < batch_launch->batches; b++)
        chunks += plan_batch_chunks(plan, batch_launch->first + b);
    CUDA_MUST(merge_scenario_set((int)n, (unsigned)chunks, stream_slot->chunk_tallies,
                                 stream_slot->batch_tallies, stream_slot->stream));
    if (plan->n_totals) {
        const struct scenario_set_values values = set_values(plan, device, batch_launch);
        CUDA_MUST(cudaStreamWaitEvent(stream_slot->stream, device->totals_added, 0));
        CUDA_MUST(add_scenario_set_totals(
            &values, chunks, stream_slot->chunk_tallies,
            device->totals + before * BATCH_CHUNKS * chunk_totals(plan), stream_slot->stream));
        CUDA_MUST(cudaEventRecord(device->totals_added, stream_slot->stream));
    }
    return send_tallies(job, batch_launch, 0, n);
}

/* What the paths of the plan's one group remember, to the host. */
static enum status copy_rows(struct device_job *job, const struct batch_launch *batch_launch)
{
    const struct path_launch *path_launch = &batch_launch->path_launches[0];
    size_t row = sizeof(double) * (size_t)job->plan->paths,
           launch_row = sizeof(double) * path_launch->paths;
    return CUDA_STATUS(
        cudaMemcpy2DAsync(job->rows + batch_launch->first * BATCH_PATHS, row, path_launch->observed,
                          launch_row, launch_row, (size_t)batch_launch->groups->n_rows,
                          cudaMemcpyDeviceToHost, batch_launch->stream_slot->stream));
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Puts a launch on its stream slot, part after part: normals, paths, programs, payoffs; then the
 * tallies to the host. */
static enum status launch(struct device_job *job, struct device *device,
                          struct batch_launch *batch_launch)
{
    struct stream_slot *stream_slot = batch_launch->stream_slot;
    const bool set = batch_launch->groups->scenario_set > 0;
    CUDA_MUST(busy_time_begin(device, stream_slot->stream));
    for (uint64_t path = 0, n; (n = launch_paths(job, device, batch_launch, path)); path += n) {
        make_path_launches(job, batch_launch, path, (size_t)n);
        MUST(simulate_part(job, device, batch_launch));
        if (set) MUST(value_set_part(job, device, batch_launch, path));
    }
    if (job->rows) MUST(copy_rows(job, batch_launch));
    else if (set) MUST(merge_set(job, device, batch_launch));
    else
        for (int s = 0; s < batch_launch->n; s++) MUST(value_paths(job, batch_launch, s));
    MUST(mark(job, device, batch_launch, LAUNCH_EVENT_VALUED));
    CUDA_MUST(cudaEventRecord(stream_slot->done[stream_slot->launches++ % LAUNCHES_QUEUED],
                              stream_slot->stream));
    CUDA_MUST(busy_time_end(device, stream_slot->stream));
    if (!job->options->timed) return STATUS_OK;
    MUST(add_phase(job, device, LAUNCH_EVENT_WALKED, LAUNCH_EVENT_VALUED, &job->payoffs));
    return add_walked(job, device);
}

enum status launch_all(struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    uint64_t range = job->range.end - job->range.first, most = device->launch_batches, turn = 0;
    for (int g = 0, n; g < plan->n_groups; g += n) {
        uint64_t steps = 0; /* of one path of all groups */
        n = plan_unit_size(plan, g);
        for (int s = 0; s < n; s++) steps += group_asset_steps(&plan->groups[g + s]);
        for (uint64_t b = 0; b < range; b += most) {
            struct stream_slot *stream_slot =
                &device->stream_slots[turn++ % (uint64_t)device->n_stream_slots];
            struct batch_launch batch_launch = {.g = g,
                                                .n = n,
                                                .groups = &plan->groups[g],
                                                .layouts = &device->layouts[g],
                                                .stream_slot = stream_slot,
                                                .first = job->range.first + b,
                                                .batches = range - b < most ? range - b : most};
            if (asked_to_stop(job->options->stop)) return STATUS_INTERRUPTED;
            if (stream_slot->launches >= LAUNCHES_QUEUED)
                CUDA_MUST(cudaEventSynchronize(
                    stream_slot->done[stream_slot->launches % LAUNCHES_QUEUED]));
            MUST(launch(job, device, &batch_launch));
            say_progress(job, batch_launch.batches * BATCH_PATHS * steps);
        }
    }
    for (int l = 0; l < device->n_stream_slots; l++)
        CUDA_MUST(cudaStreamSynchronize(device->stream_slots[l].stream));
    if (job->range.totals)
        CUDA_MUST(cudaMemcpy(job->range.totals, device->totals, device->totals_bytes,
                             cudaMemcpyDeviceToHost));
    return CUDA_STATUS(busy_time_seconds(device, &job->busy));
}
