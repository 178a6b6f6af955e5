#include "kernels/cuda/host/device.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "models/base/clock.h"
#include "kernels/cuda/host/device_parts.h"
#include "kernels/cuda/host/reserve.h"

enum status cuda_failed(struct message *why, const char *call, cudaError_t error)
{
    int name = (int)strcspn(call, "(");
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
    TRY(allocate_tallies(job));
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
