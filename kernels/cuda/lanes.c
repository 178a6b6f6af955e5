#include "kernels/cuda/device_parts.h"

#include <stdlib.h>

#include "kernels/cuda/kept.h"

/* Whether some groups alike are walked each by itself. */
static bool any_apart(const struct device_job *job, const struct device *device)
{
    const struct plan *plan = job->plan;
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].alike > 1 && !device->places[g].stretched && !walk_together(plan, device, g))
            return true;
    return false;
}

/* Streams for scenarios but the first, where they are walked apart; what is timed runs one after the other.
 */
static enum status open_beside(struct device_job *job, struct lane *lane)
{
    enum status status = STATUS_OK;
    if (job->options->timed) return STATUS_OK;
    CUDA_TRY(kept_take_event(job->device, false, &lane->parted));
    for (int s = 1; s < job->plan->n_scenarios; s++) {
        CUDA_TRY(kept_take_stream(job->device, &lane->beside[s]));
        CUDA_TRY(kept_take_event(job->device, false, &lane->joined[s]));
    }
done:
    return status;
}

static void close_lane(const struct device_job *job, struct lane *lane)
{
    for (int i = 0; i < AHEAD; i++) kept_give_event(job->device, job->options->timed, lane->done[i]);
    for (int s = 0; s < MARKETS_MAX; s++) {
        kept_give_event(job->device, false, lane->joined[s]);
        kept_give_stream(lane->beside[s]);
    }
    kept_give_event(job->device, false, lane->parted);
    kept_give_stream(lane->stream);
}

enum status open_streams(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    bool timed = job->options->timed, beside = any_apart(job, device);
    for (int l = 0; l < device->n_lanes; l++) {
        CUDA_TRY(kept_take_stream(job->device, &device->lanes[l].stream));
        for (int i = 0; i < AHEAD; i++)
            CUDA_TRY(kept_take_event(job->device, timed, &device->lanes[l].done[i]));
    }
    for (int l = 0; beside && l < device->n_lanes; l++) TRY(open_beside(job, &device->lanes[l]));
    CUDA_TRY(kept_take_event(job->device, timed, &device->inputs_there));
    CUDA_TRY(kept_take_event(job->device, timed, &device->totals_added));
    for (int i = 0; timed && i < N_MARKS; i++)
        CUDA_TRY(kept_take_event(job->device, timed, &device->marks[i]));
done:
    return status;
}

enum status send_inputs(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    TRY(copy_inputs(job, device));
    CUDA_TRY(cudaMemcpyAsync(device->memory, device->host_inputs, device->input_bytes, cudaMemcpyHostToDevice,
                             device->lanes[0].stream));
    if (job->totals)
        CUDA_TRY(cudaMemcpyAsync(device->totals, job->totals, totals_bytes(job), cudaMemcpyHostToDevice,
                                 device->lanes[0].stream));
    CUDA_TRY(cudaEventRecord(device->inputs_there, device->lanes[0].stream));
    for (int l = 1; l < device->n_lanes; l++)
        CUDA_TRY(cudaStreamWaitEvent(device->lanes[l].stream, device->inputs_there, 0));
done:
    return status;
}

void close_device(const struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    bool timed = job->options->timed;
    for (int l = 0; l < device->n_lanes; l++) close_lane(job, &device->lanes[l]);
    kept_give_event(job->device, timed, device->inputs_there);
    kept_give_event(job->device, timed, device->totals_added);
    for (int i = 0; i < N_MARKS; i++) kept_give_event(job->device, timed, device->marks[i]);
    spans_free(&device->spans);
    kept_give(device->memory);
    kept_give(device->host_inputs);
    for (int g = 0; device->places && g < plan->n_groups; g++) {
        free(device->places[g].ladders);
        shape_free(&device->places[g].shape);
    }
    free(device->places);
}
