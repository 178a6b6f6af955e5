#include "kernels/cuda/device_parts.h"

#include "models/math/stop.h"

static void say_progress(const struct device_job *job, uint64_t path_steps)
{
    pthread_mutex_lock(&job->progress->lock);
    job->progress->done += path_steps;
    if (job->options->progress)
        job->options->progress(job->options->progress_context, job->progress->done, job->progress->total);
    pthread_mutex_unlock(&job->progress->lock);
}

/* Of the last groups alike that were walked. */
static enum status add_walked(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float drawn, walked; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[MARK_WALKED]));
    CUDA_TRY(cudaEventElapsedTime(&drawn, device->marks[MARK_BEGIN], device->marks[MARK_DRAWN]));
    CUDA_TRY(cudaEventElapsedTime(&walked, device->marks[MARK_WARM], device->marks[MARK_WALKED]));
    job->normals += 1e-3 * drawn;
    job->paths += 1e-3 * walked;
done:
    return status;
}

static enum status add_phases(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float valued; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[MARK_VALUED]));
    CUDA_TRY(cudaEventElapsedTime(&valued, device->marks[MARK_WALKED], device->marks[MARK_VALUED]));
    job->payoffs += 1e-3 * valued;
    TRY(add_walked(job, device));
done:
    return status;
}

/* Payoffs and tallies of scenario s, and the tallies to the host. */
static enum status value_paths(struct device_job *job, struct device *device, const struct launching *of,
                               int s)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + s];
    const struct group_place *place = &device->places[of->g + s];
    const struct lane *lane = &device->lanes[of->lane];
    const struct walk *walk = &of->walks[s];
    uint64_t range = job->range.end - job->range.first, before = of->first - job->range.first;
    struct tally *to = job->range.tallies + range * place->before + before * (uint64_t)group->n_payoffs;
    CUDA_TRY(value_payoffs((const void *)(device->memory + place->payoffs), group->n_single, group->n_payoffs,
                           walk->observed, walk->paths, walk->antithetic, lane->chunk_tallies,
                           lane->batch_tallies, lane->stream));
    for (int l = 0; l < group->n_ladders; l++)
        CUDA_TRY(value_ladder(&place->ladders[l], group->n_payoffs, walk->observed, walk->paths, lane->bins,
                              lane->batch_tallies, lane->stream));
    CUDA_TRY(cudaMemcpyAsync(to, lane->batch_tallies,
                             sizeof *to * (size_t)group->n_payoffs * (size_t)of->batches,
                             cudaMemcpyDeviceToHost, lane->stream));
done:
    return status;
}

/* Payoffs, measures and tallies of a bundle, and the tallies to the host. */
static enum status value_together(struct device_job *job, struct device *device, const struct launching *of)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    const struct group_place *place = &device->places[of->g];
    const struct lane *lane = &device->lanes[of->lane];
    size_t n = bundle_tallies(plan, of->g), before = of->first - job->range.first;
    size_t range = job->range.end - job->range.first;
    struct bundle_values values = {.n_measures = plan->n_measures,
                                   .n_payoffs = plan->groups[of->g].n_payoffs,
                                   .n_totals = plan->n_totals,
                                   .measures = (const void *)(device->memory + device->measures),
                                   .totals = (const void *)(device->memory + place->totals),
                                   .quantities = (const void *)(device->memory + place->quantities),
                                   .paths = of->walks[0].paths};
    for (int s = 0; s < plan->n_scenarios; s++) {
        values.payoffs[s] = (const void *)(device->memory + device->places[of->g + s].payoffs);
        values.observed[s] = of->walks[s].observed;
    }
    CUDA_TRY(value_bundle(&values, lane->chunk_tallies, lane->batch_tallies, lane->stream));
    if (plan->n_totals) {
        CUDA_TRY(cudaStreamWaitEvent(lane->stream, device->totals_added, 0));
        CUDA_TRY(add_bundle_totals(&values, lane->chunk_tallies,
                                   device->totals + before * BATCH_CHUNKS * chunk_totals(plan),
                                   lane->stream));
        CUDA_TRY(cudaEventRecord(device->totals_added, lane->stream));
    }
    CUDA_TRY(cudaMemcpyAsync(job->range.tallies + range * place->before + before * n, lane->batch_tallies,
                             sizeof(struct tally) * n * (size_t)of->batches, cudaMemcpyDeviceToHost,
                             lane->stream));
done:
    return status;
}

static enum status mark(struct device_job *job, struct device *device, const struct launching *of,
                        enum mark which)
{
    enum status status = STATUS_OK;
    if (job->options->timed) CUDA_TRY(cudaEventRecord(device->marks[which], device->lanes[of->lane].stream));
done:
    return status;
}

/* Normals and paths of the groups alike from the launch's `first` on. What is timed runs once before its
 * clock. */
static enum status walk_alike(struct device_job *job, struct device *device, const struct launching *of,
                              int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    struct lane *lane = &device->lanes[of->lane];
    int width = group_width(job, device, of->g + first);
    bool timed = job->options->timed;
    if (timed && first) TRY(add_walked(job, device));
    if (timed) CUDA_TRY(draw_group(lane, group, &of->walks[first], width));
    TRY(mark(job, device, of, MARK_BEGIN));
    CUDA_TRY(draw_group(lane, group, &of->walks[first], width));
    TRY(mark(job, device, of, MARK_DRAWN));
    if (timed) TRY(walk_paths(job, device, of, first));
    TRY(mark(job, device, of, MARK_WARM));
    TRY(walk_paths(job, device, of, first));
    TRY(mark(job, device, of, MARK_WALKED));
done:
    return status;
}

/* Puts it on its lane: normals, paths, payoffs, tallies to the host. */
static enum status launch(struct device_job *job, struct device *device, struct launching *of)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    struct lane *lane = &device->lanes[of->lane];
    int n = launched_together(plan, of->g);
    lay_walks(job, device, of);
    CUDA_TRY(spans_begin(&device->spans, lane->stream));
    for (int s = 0; s < n; s += plan->groups[of->g + s].alike) TRY(walk_alike(job, device, of, s));
    if (plan->groups[of->g].bundle) TRY(value_together(job, device, of));
    else
        for (int s = 0; s < n; s++) TRY(value_paths(job, device, of, s));
    TRY(mark(job, device, of, MARK_VALUED));
    CUDA_TRY(cudaEventRecord(lane->done[lane->launches++ % AHEAD], lane->stream));
    CUDA_TRY(spans_end(&device->spans, lane->stream));
    if (job->options->timed) TRY(add_phases(job, device));
done:
    return status;
}

/* Path-steps of one path of all groups of a launch. */
static uint64_t steps_together(const struct plan *plan, int g)
{
    uint64_t steps = 0;
    for (int s = 0; s < launched_together(plan, g); s++) steps += group_asset_steps(&plan->groups[g + s]);
    return steps;
}

enum status launch_all(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    uint64_t range = job->range.end - job->range.first, turn = 0;
    for (int g = 0; g < plan->n_groups; g += launched_together(plan, g)) {
        for (uint64_t b = 0; b < range; b += device->launch_batches) {
            struct launching of = {.g = g, .lane = (int)(turn++ % (uint64_t)device->n_lanes)};
            of.first = job->range.first + b;
            of.batches = range - b < device->launch_batches ? range - b : device->launch_batches;
            struct lane *lane = &device->lanes[of.lane];
            if (asked_to_stop(job->options->stop)) return STATUS_INTERRUPTED;
            if (lane->launches >= AHEAD) CUDA_TRY(cudaEventSynchronize(lane->done[lane->launches % AHEAD]));
            TRY(launch(job, device, &of));
            say_progress(job, of.batches * BATCH_PATHS * steps_together(plan, g));
        }
    }
    for (int l = 0; l < device->n_lanes; l++) CUDA_TRY(cudaStreamSynchronize(device->lanes[l].stream));
    if (job->totals)
        CUDA_TRY(cudaMemcpy(job->totals, device->totals, totals_bytes(job), cudaMemcpyDeviceToHost));
    CUDA_TRY(spans_busy(&device->spans, &job->busy));
done:
    return status;
}
