#include "kernels/cuda/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/math/stop.h"

enum status cuda_status(cudaError_t error, const char *call, struct message *why)
{
    if (error == cudaSuccess) return STATUS_OK;
    int name = (int)strcspn(call, "(");
    cudaGetLastError(); /* clears what is not sticky */
    snprintf(why->text, sizeof why->text, "%.*s: %s (CUDA error %d)", name, call, cudaGetErrorString(error),
             (int)error);
    return error == cudaErrorMemoryAllocation ? STATUS_NO_MEMORY : STATUS_ENGINE;
}

static int compare(const void *a, const void *b)
{
    float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

enum status measure_median(measured_work *work, void *argument, cudaStream_t stream, double *seconds,
                           struct message *why)
{
    enum status status = STATUS_OK;
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds[MEASURE_RUNS];
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    CUDA_TRY(work(argument, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    for (int i = 0; i < MEASURE_RUNS; i++) {
        CUDA_TRY(cudaEventRecord(begin, stream));
        CUDA_TRY(work(argument, stream));
        CUDA_TRY(cudaEventRecord(end, stream));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&milliseconds[i], begin, end));
    }
    qsort(milliseconds, MEASURE_RUNS, sizeof *milliseconds, compare);
    *seconds = 0.5e-3 * ((double)milliseconds[MEASURE_RUNS / 2 - 1] + (double)milliseconds[MEASURE_RUNS / 2]);
done:
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    return status;
}

enum status measure_begin(const struct engine_options *options, struct message *why)
{
    enum status status = STATUS_OK;
    CUDA_TRY(cudaSetDevice(options->n_gpus ? options->gpus[0] : 0));
done:
    return status;
}

enum status measure_stopped(const struct engine_options *options)
{
    return asked_to_stop(options->stop) ? STATUS_INTERRUPTED : STATUS_OK;
}
