#include "kernels/cuda/host/device_parts.h"

#include "models/base/stop.h"

static void say_progress(const struct device_job *job, uint64_t path_steps)
{
    pthread_mutex_lock(&job->progress->lock);
    job->progress->done += path_steps;
    if (job->options->progress)
        job->options->progress(job->options->progress_context, job->progress->done,
                               job->progress->total);
    pthread_mutex_unlock(&job->progress->lock);
}

/* Adds the times of the last launch of groups, of its normals and of its paths. */
static enum status add_walked(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float drawn, walked; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[LAUNCH_EVENT_WALKED]));
    CUDA_TRY(cudaEventElapsedTime(&drawn, device->marks[LAUNCH_EVENT_BEGIN],
                                  device->marks[LAUNCH_EVENT_DRAWN]));
    CUDA_TRY(cudaEventElapsedTime(&walked, device->marks[LAUNCH_EVENT_WARM],
                                  device->marks[LAUNCH_EVENT_WALKED]));
    job->normals += 1e-3 * drawn;
    job->paths += 1e-3 * walked;
done:
    return status;
}

static enum status add_phases(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float valued; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[LAUNCH_EVENT_VALUED]));
    CUDA_TRY(cudaEventElapsedTime(&valued, device->marks[LAUNCH_EVENT_WALKED],
                                  device->marks[LAUNCH_EVENT_VALUED]));
    job->payoffs += 1e-3 * valued;
    TRY(add_walked(job, device));
done:
    return status;
}

/* Payoffs and tallies of scenario s, and the tallies to the host. */
static enum status value_paths(struct device_job *job, struct device *device,
                               const struct batch_launch *batch_launch, int s)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[batch_launch->g + s];
    const struct device_layout *layout = &device->layouts[batch_launch->g + s];
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    const struct path_launch *path_launch = &batch_launch->path_launches[s];
    uint64_t range = job->range.end - job->range.first,
             before = batch_launch->first - job->range.first;
    struct tally *to =
        job->range.tallies + range * layout->before + before * (uint64_t)group->n_payoffs;
    CUDA_TRY(value_payoffs((const void *)(device->memory + layout->payoffs), group->n_single,
                           group->n_payoffs, path_launch->observed, path_launch->paths,
                           path_launch->antithetic, stream_slot->chunk_tallies,
                           stream_slot->batch_tallies, stream_slot->stream));
    const struct strip_launch strips = {(const void *)(device->memory + layout->at_strips),
                                        group->n_strips, layout->most_bins};
    CUDA_TRY(value_strips(&strips, group->n_payoffs, path_launch->observed, path_launch->paths,
                          stream_slot->bins, stream_slot->batch_tallies, stream_slot->stream));
    CUDA_TRY(cudaMemcpyAsync(to, stream_slot->batch_tallies,
                             sizeof *to * (size_t)group->n_payoffs * (size_t)batch_launch->batches,
                             cudaMemcpyDeviceToHost, stream_slot->stream));
done:
    return status;
}

/* What values the payoffs of the launch's scenario set. */
static struct scenario_set_values set_values(const struct device_job *job,
                                             const struct device *device,
                                             const struct batch_launch *batch_launch)
{
    const struct plan *plan = job->plan;
    const struct device_layout *layout = &device->layouts[batch_launch->g];
    struct scenario_set_values values = {
        .n_contrasts = plan->n_contrasts,
        .n_payoffs = plan->groups[batch_launch->g].n_payoffs,
        .n_totals = plan->n_totals,
        .contrasts = (const void *)(device->memory + device->contrasts),
        .totals = (const void *)(device->memory + layout->totals),
        .quantities = (const void *)(device->memory + layout->quantities),
        .paths = batch_launch->path_launches[0].paths};
    for (int s = 0; s < plan->n_scenarios; s++) {
        values.payoffs[s] =
            (const void *)(device->memory + device->layouts[batch_launch->g + s].payoffs);
        values.observed[s] = batch_launch->path_launches[s].observed;
    }
    return values;
}

/* Merges what the chunks of a scenario set gave, adds it to totals, and the tallies to the host. */
static enum status merge_set(struct device_job *job, struct device *device,
                             const struct batch_launch *batch_launch)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    const struct device_layout *layout = &device->layouts[batch_launch->g];
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    size_t n = scenario_set_tallies(plan, batch_launch->g),
           before = batch_launch->first - job->range.first;
    size_t range = job->range.end - job->range.first;
    int chunks = 0;
    for (uint64_t b = 0; b < batch_launch->batches; b++)
        chunks += plan_batch_chunks(plan, batch_launch->first + b);
    CUDA_TRY(merge_scenario_set((int)n, (unsigned)chunks, stream_slot->chunk_tallies,
                                stream_slot->batch_tallies, stream_slot->stream));
    if (plan->n_totals) {
        const struct scenario_set_values values = set_values(job, device, batch_launch);
        CUDA_TRY(cudaStreamWaitEvent(stream_slot->stream, device->totals_added, 0));
        CUDA_TRY(add_scenario_set_totals(
            &values, chunks, stream_slot->chunk_tallies,
            device->totals + before * BATCH_CHUNKS * chunk_totals(plan), stream_slot->stream));
        CUDA_TRY(cudaEventRecord(device->totals_added, stream_slot->stream));
    }
    CUDA_TRY(cudaMemcpyAsync(job->range.tallies + range * layout->before + before * n,
                             stream_slot->batch_tallies,
                             sizeof(struct tally) * n * (size_t)batch_launch->batches,
                             cudaMemcpyDeviceToHost, stream_slot->stream));
done:
    return status;
}

/* Looks back at the paths of scenario s, then runs programs on what they remember. */
static enum status run_all_programs(struct device_job *job, struct device *device,
                                    const struct batch_launch *batch_launch, int s)
{
    enum status status = STATUS_OK;
    const struct path_launch *path_launch = &batch_launch->path_launches[s];
    const struct group *group = &job->plan->groups[batch_launch->g + s];
    const struct device_layout *layout = &device->layouts[batch_launch->g + s];
    struct program_launch programs = {.programs = (const void *)(device->memory + layout->programs),
                                      .observed = path_launch->observed,
                                      .paths = path_launch->paths};
    cudaStream_t stream = device->stream_slots[batch_launch->stream_slot].stream;
    const struct device_looks looks = looks_on_device(&layout->looks, device->memory);
    if (group->follows >= 0)
        programs.followed = batch_launch->path_launches[group->follows].observed;
    if (!looks.simulates) CUDA_TRY(look_back(&looks, path_launch, stream));
    CUDA_TRY(make_prices((const void *)(device->memory + layout->prices), group->n_prices,
                         path_launch->observed, path_launch->paths, stream));
    CUDA_TRY(run_programs(layout->listed, group->n_shared, &programs, stream));
    programs.programs += group->n_shared;
    CUDA_TRY(run_programs(layout->listed + group->n_shared, group->n_programs - group->n_shared,
                          &programs, stream));
done:
    return status;
}

/* What the paths of the plan's one group remember, to the host. */
static enum status copy_rows(struct device_job *job, const struct device *device,
                             const struct batch_launch *batch_launch)
{
    enum status status = STATUS_OK;
    const struct path_launch *path_launch = &batch_launch->path_launches[0];
    size_t row = sizeof(double) * (size_t)job->plan->paths,
           launch_row = sizeof(double) * path_launch->paths;
    CUDA_TRY(cudaMemcpy2DAsync(job->rows + batch_launch->first * BATCH_PATHS, row,
                               path_launch->observed, launch_row, launch_row,
                               (size_t)job->plan->groups[0].n_rows, cudaMemcpyDeviceToHost,
                               device->stream_slots[batch_launch->stream_slot].stream));
done:
    return status;
}

static enum status mark(struct device_job *job, struct device *device,
                        const struct batch_launch *batch_launch, enum launch_event which)
{
    enum status status = STATUS_OK;
    if (job->options->timed)
        CUDA_TRY(cudaEventRecord(device->marks[which],
                                 device->stream_slots[batch_launch->stream_slot].stream));
done:
    return status;
}

/* Normals and paths of the groups alike from the launch's `first` on. What is timed runs once
 * before its clock. */
static enum status simulate_alike(struct device_job *job, struct device *device,
                                  struct batch_launch *batch_launch, int first)
{
    enum status status = STATUS_OK;
    bool timed = job->options->timed;
    if (timed && first) TRY(add_walked(job, device));
    if (timed) TRY(draw_alike(job, device, batch_launch, first));
    TRY(mark(job, device, batch_launch, LAUNCH_EVENT_BEGIN));
    TRY(draw_alike(job, device, batch_launch, first));
    TRY(mark(job, device, batch_launch, LAUNCH_EVENT_DRAWN));
    if (timed) TRY(simulate_paths(job, device, batch_launch, first));
    TRY(mark(job, device, batch_launch, LAUNCH_EVENT_WARM));
    TRY(simulate_paths(job, device, batch_launch, first));
    TRY(mark(job, device, batch_launch, LAUNCH_EVENT_WALKED));
done:
    return status;
}

/* Normals, paths, looks and programs of the groups alike from the launch's `first` on, each group
 * through before the next begins. */
static enum status simulate_in_turn(struct device_job *job, struct device *device,
                                    struct batch_launch *batch_launch, int first)
{
    enum status status = STATUS_OK;
    const int end = first + job->plan->groups[batch_launch->g + first].n_alike;
    cudaStream_t stream = device->stream_slots[batch_launch->stream_slot].stream;
    TRY(draw_alike(job, device, batch_launch, first));
    for (int s = first; s < end; s++) {
        TRY(simulate_alone(job, device, batch_launch, s, stream));
        TRY(run_all_programs(job, device, batch_launch, s));
    }
done:
    return status;
}

/* Normals, paths, looks and programs of a part of the launch. */
static enum status simulate_part(struct device_job *job, struct device *device,
                                 struct batch_launch *batch_launch)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    const struct device_layout *layouts = &device->layouts[batch_launch->g];
    int n = launched_together(plan, batch_launch->g);
    for (int s = 0, end; s < n; s = end) { /* programs may follow those of groups before */
        end = s + plan->groups[batch_launch->g + s].n_alike;
        TRY(layouts[s].in_turn ? simulate_in_turn(job, device, batch_launch, s)
                               : simulate_alike(job, device, batch_launch, s));
        for (int m = s; m < end && !layouts[s].in_turn; m++)
            TRY(run_all_programs(job, device, batch_launch, m));
    }
done:
    return status;
}

/* Payoffs and contrasts of a part of the launch of a scenario set. */
static enum status value_set_part(struct device_job *job, struct device *device,
                                  const struct batch_launch *batch_launch, uint64_t path)
{
    enum status status = STATUS_OK;
    const struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    const struct scenario_set_values values = set_values(job, device, batch_launch);
    const size_t before =
        scenario_set_tallies(job->plan, batch_launch->g) * (size_t)(path / CHUNK_PATHS);
    CUDA_TRY(value_scenario_set(&values, stream_slot->chunk_tallies + before, stream_slot->stream));
done:
    return status;
}

/* Puts it on its stream slot, part after part: normals, paths, programs, payoffs; then the tallies
 * to the host. */
static enum status launch(struct device_job *job, struct device *device,
                          struct batch_launch *batch_launch)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    struct stream_slot *stream_slot = &device->stream_slots[batch_launch->stream_slot];
    const bool set = plan->groups[batch_launch->g].scenario_set > 0;
    CUDA_TRY(busy_time_begin(&device->busy, stream_slot->stream));
    for (uint64_t path = 0, n; (n = launch_paths(job, device, batch_launch, path)); path += n) {
        make_path_launches(job, device, batch_launch, path, (size_t)n);
        TRY(simulate_part(job, device, batch_launch));
        if (set) TRY(value_set_part(job, device, batch_launch, path));
    }
    if (job->rows) TRY(copy_rows(job, device, batch_launch));
    else if (set) TRY(merge_set(job, device, batch_launch));
    else
        for (int s = 0; s < launched_together(plan, batch_launch->g); s++)
            TRY(value_paths(job, device, batch_launch, s));
    TRY(mark(job, device, batch_launch, LAUNCH_EVENT_VALUED));
    CUDA_TRY(cudaEventRecord(stream_slot->done[stream_slot->launches++ % LAUNCHES_QUEUED],
                             stream_slot->stream));
    CUDA_TRY(busy_time_end(&device->busy, stream_slot->stream));
    if (job->options->timed) TRY(add_phases(job, device));
done:
    return status;
}

/* Path-steps of one path of all groups of a launch. */
static uint64_t steps_together(const struct plan *plan, int g)
{
    uint64_t steps = 0;
    for (int s = 0; s < launched_together(plan, g); s++)
        steps += group_asset_steps(&plan->groups[g + s]);
    return steps;
}

enum status launch_all(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    uint64_t range = job->range.end - job->range.first, turn = 0;
    for (int g = 0; g < plan->n_groups; g += launched_together(plan, g)) {
        for (uint64_t b = 0; b < range; b += device->launch_batches) {
            struct batch_launch batch_launch = {
                .g = g, .stream_slot = (int)(turn++ % (uint64_t)device->n_stream_slots)};
            batch_launch.first = job->range.first + b;
            batch_launch.batches =
                range - b < device->launch_batches ? range - b : device->launch_batches;
            struct stream_slot *stream_slot = &device->stream_slots[batch_launch.stream_slot];
            if (asked_to_stop(job->options->stop)) return STATUS_INTERRUPTED;
            if (stream_slot->launches >= LAUNCHES_QUEUED)
                CUDA_TRY(cudaEventSynchronize(
                    stream_slot->done[stream_slot->launches % LAUNCHES_QUEUED]));
            TRY(launch(job, device, &batch_launch));
            say_progress(job, batch_launch.batches * BATCH_PATHS * steps_together(plan, g));
        }
    }
    for (int l = 0; l < device->n_stream_slots; l++)
        CUDA_TRY(cudaStreamSynchronize(device->stream_slots[l].stream));
    if (job->range.totals)
        CUDA_TRY(cudaMemcpy(job->range.totals, device->totals, totals_bytes(job),
                            cudaMemcpyDeviceToHost));
    CUDA_TRY(busy_time_seconds(&device->busy, &job->busy));
done:
    return status;
}
