#include "kernels/cuda/host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/host/device_parts.h"
#include "kernels/cuda/host/reserve.h"
#include "models/base/clock.h"

enum status cuda_status(struct message *why, const char *call, cudaError_t error)
{
    int name = (int)strcspn(call, "(");
    if (error == cudaSuccess) return STATUS_OK;
    cudaGetLastError(); /* clears what is not sticky */
    snprintf(why->text, sizeof why->text, "%.*s: %s (CUDA error %d)", name, call,
             cudaGetErrorString(error), (int)error);
    return error == cudaErrorMemoryAllocation ? STATUS_NO_MEMORY : STATUS_ENGINE;
}

/* Memory that was released is cleared in the background, and kernels that run meanwhile have less
 * bandwidth: on an H200 for about 2 ms a GB after the run before. A timed run lets that pass: 5 ms
 * a GB of its own. */
static void let_settle(const struct device *device)
{
    size_t nanoseconds = device->memory_bytes / 200, second = 1000000000;
    nanosleep(&(struct timespec){(time_t)(nanoseconds / second), (long)(nanoseconds % second)},
              NULL);
}

/* The properties of a device take milliseconds to ask for, and do not change. */
static enum status name_device(struct device_job *job)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int known = -1; /* the device asked for last */
    static char name[sizeof job->device_name];
    enum status status = STATUS_OK;
    struct cudaDeviceProp properties;
    pthread_mutex_lock(&lock);
    if (known != job->device) CUDA_TRY(cudaGetDeviceProperties(&properties, job->device));
    if (known != job->device) snprintf(name, sizeof name, "%.119s", properties.name);
    known = job->device;
    memcpy(job->device_name, name, sizeof name);
done:
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Returns whether there are groups that are simulated side by side. */
static bool any_side_by_side(const struct device_job *job, const struct device *device)
{
    const struct plan *plan = job->plan;
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].n_markets > 1 && device->layouts[g].way != WAY_SPECIALISED) return true;
    return false;
}

/* Opens the side streams; what is timed runs one after the other. */
static enum status open_side_streams(struct device_job *job, struct stream_slot *stream_slot)
{
    if (job->options->timed) return STATUS_OK;
    CUDA_MUST(cudaEventCreateWithFlags(&stream_slot->forked, cudaEventDisableTiming));
    for (int s = 0; s < SIDE_STREAMS; s++) {
        CUDA_MUST(cudaStreamCreateWithFlags(&stream_slot->side_streams[s], cudaStreamNonBlocking));
        CUDA_MUST(cudaEventCreateWithFlags(&stream_slot->joined[s], cudaEventDisableTiming));
    }
    return STATUS_OK;
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

static enum status open_streams(struct device_job *job, struct device *device)
{
    bool timed = job->options->timed, side_streams = any_side_by_side(job, device);
    unsigned flags = timed ? cudaEventDefault : cudaEventDisableTiming;
    for (int l = 0; l < device->n_stream_slots; l++) {
        CUDA_MUST(
            cudaStreamCreateWithFlags(&device->stream_slots[l].stream, cudaStreamNonBlocking));
        for (int i = 0; i < LAUNCHES_QUEUED; i++)
            CUDA_MUST(cudaEventCreateWithFlags(&device->stream_slots[l].done[i], flags));
    }
    for (int l = 0; side_streams && l < device->n_stream_slots; l++)
        MUST(open_side_streams(job, &device->stream_slots[l]));
    CUDA_MUST(cudaEventCreateWithFlags(&device->inputs_there, flags));
    CUDA_MUST(cudaEventCreateWithFlags(&device->totals_added, flags));
    for (int i = 0; timed && i < N_LAUNCH_EVENTS; i++)
        CUDA_MUST(cudaEventCreateWithFlags(&device->marks[i], flags));
    return STATUS_OK;
}

/* Sends the inputs, for which every stream waits. */
static enum status send_inputs(struct device_job *job, struct device *device)
{
    put_inputs(job, device);
    CUDA_MUST(cudaMemcpyAsync(device->memory, device->host_inputs, device->input_bytes,
                              cudaMemcpyHostToDevice, device->stream_slots[0].stream));
    if (job->range.totals)
        CUDA_MUST(cudaMemcpyAsync(device->totals, job->range.totals, device->totals_bytes,
                                  cudaMemcpyHostToDevice, device->stream_slots[0].stream));
    CUDA_MUST(cudaEventRecord(device->inputs_there, device->stream_slots[0].stream));
    for (int l = 1; l < device->n_stream_slots; l++)
        CUDA_MUST(cudaStreamWaitEvent(device->stream_slots[l].stream, device->inputs_there, 0));
    return STATUS_OK;
}

/* Gives back whatever was taken. */
static void close_device(const struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    for (int l = 0; l < device->n_stream_slots; l++) close_stream_slot(&device->stream_slots[l]);
    end_event(device->inputs_there);
    end_event(device->totals_added);
    for (int i = 0; i < N_LAUNCH_EVENTS; i++) end_event(device->marks[i]);
    for (int i = 0; i < device->n_busy; i++) {
        end_event(device->busy[i].begin);
        end_event(device->busy[i].end);
    }
    free(device->busy);
    reserve_give(device->memory);
    reserve_give(device->host_inputs);
    for (int g = 0; device->layouts && g < plan->n_groups; g++) {
        free(device->layouts[g].listed);
        look_layout_free(&device->layouts[g].looks);
        shared_moves_free(&device->layouts[g].shared_moves);
        shape_free(&device->layouts[g].shape);
    }
    free(device->layouts);
    structures_free(&device->structures);
}

/* ---- a run ----------------------------------------------------------------------------------- */

void device_run(struct device_job *job)
{
    enum status status = STATUS_OK;
    struct device device = {
        .n_stream_slots = job->options->streams == 1 || job->options->timed ? 1 : MOST_STREAMS};
    double began = seconds_now();
    if (job->range.first == job->range.end) return;
    CUDA_TRY(cudaSetDevice(job->device));
    TRY(name_device(job));
    TRY(lay_out_inputs(job, &device));
    TRY(allocate(job, &device));
    TRY(open_streams(job, &device));
    TRY(send_inputs(job, &device));
    job->start = seconds_now() - began;
    if (job->options->timed) let_settle(&device);
    TRY(launch_all(job, &device));
done:
    if (status) cudaDeviceSynchronize(); /* nothing may still write into what is released below */
    close_device(job, &device);
    cudaGetLastError();
    if (status && !job->why.text[0])
        snprintf(job->why.text, sizeof job->why.text, "%s",
                 status == STATUS_INTERRUPTED ? "interrupted" : "not enough memory");
    job->status = status;
}
