#include "kernels/cuda/host/device_parts.h"

#include <stdlib.h>

#include "kernels/cuda/host/reserve.h"

/* Returns whether there are groups that are simulated side by side. */
static bool any_apart(const struct device_job *job, const struct device *device)
{
    const struct plan *plan = job->plan;
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].n_alike > 1 && device->layouts[g].way != WAY_SPECIALISED) return true;
    return false;
}

/* Opens the side streams; what is timed runs one after the other. */
static enum status open_side_streams(struct device_job *job, struct stream_slot *stream_slot)
{
    enum status status = STATUS_OK;
    if (job->options->timed) return STATUS_OK;
    CUDA_TRY(cudaEventCreateWithFlags(&stream_slot->forked, cudaEventDisableTiming));
    for (int s = 0; s < SIDE_STREAMS; s++) {
        CUDA_TRY(cudaStreamCreateWithFlags(&stream_slot->side_streams[s], cudaStreamNonBlocking));
        CUDA_TRY(cudaEventCreateWithFlags(&stream_slot->joined[s], cudaEventDisableTiming));
    }
done:
    return status;
}

static void end_event(cudaEvent_t event)
{
    if (event) cudaEventDestroy(event);
}

static void end_stream(cudaStream_t stream)
{
    if (stream) cudaStreamDestroy(stream);
}

static void close_stream_slot(const struct stream_slot *stream_slot)
{
    for (int i = 0; i < LAUNCHES_QUEUED; i++) end_event(stream_slot->done[i]);
    for (int s = 0; s < SIDE_STREAMS; s++) {
        end_event(stream_slot->joined[s]);
        end_stream(stream_slot->side_streams[s]);
    }
    end_event(stream_slot->forked);
    end_stream(stream_slot->stream);
}

enum status open_streams(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    bool timed = job->options->timed, side_streams = any_apart(job, device);
    unsigned flags = timed ? cudaEventDefault : cudaEventDisableTiming;
    for (int l = 0; l < device->n_stream_slots; l++) {
        CUDA_TRY(cudaStreamCreateWithFlags(&device->stream_slots[l].stream, cudaStreamNonBlocking));
        for (int i = 0; i < LAUNCHES_QUEUED; i++)
            CUDA_TRY(cudaEventCreateWithFlags(&device->stream_slots[l].done[i], flags));
    }
    for (int l = 0; side_streams && l < device->n_stream_slots; l++)
        TRY(open_side_streams(job, &device->stream_slots[l]));
    CUDA_TRY(cudaEventCreateWithFlags(&device->inputs_there, flags));
    CUDA_TRY(cudaEventCreateWithFlags(&device->totals_added, flags));
    for (int i = 0; timed && i < N_LAUNCH_EVENTS; i++)
        CUDA_TRY(cudaEventCreateWithFlags(&device->marks[i], flags));
done:
    return status;
}

enum status send_inputs(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    copy_inputs(job, device);
    CUDA_TRY(cudaMemcpyAsync(device->memory, device->host_inputs, device->input_bytes,
                             cudaMemcpyHostToDevice, device->stream_slots[0].stream));
    if (job->range.totals)
        CUDA_TRY(cudaMemcpyAsync(device->totals, job->range.totals, totals_bytes(job),
                                 cudaMemcpyHostToDevice, device->stream_slots[0].stream));
    CUDA_TRY(cudaEventRecord(device->inputs_there, device->stream_slots[0].stream));
    for (int l = 1; l < device->n_stream_slots; l++)
        CUDA_TRY(cudaStreamWaitEvent(device->stream_slots[l].stream, device->inputs_there, 0));
done:
    return status;
}

void close_device(const struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    for (int l = 0; l < device->n_stream_slots; l++) close_stream_slot(&device->stream_slots[l]);
    end_event(device->inputs_there);
    end_event(device->totals_added);
    for (int i = 0; i < N_LAUNCH_EVENTS; i++) end_event(device->marks[i]);
    busy_time_free(&device->busy);
    reserve_give(device->memory);
    reserve_give(device->host_inputs);
    for (int g = 0; device->layouts && g < plan->n_groups; g++) {
        free(device->layouts[g].strips);
        free(device->layouts[g].listed);
        look_layout_free(&device->layouts[g].looks);
        shared_moves_free(&device->layouts[g].shared_moves);
        shape_free(&device->layouts[g].shape);
    }
    free(device->layouts);
    structures_free(&device->structures);
}
