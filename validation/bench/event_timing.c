#include "validation/bench/event_timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status cuda_status(cudaError_t error, const char *call, struct message *why)
{
    if (error == cudaSuccess) return STATUS_OK;
    int name = (int)strcspn(call, "(");
    cudaGetLastError(); /* clears what is not sticky */
    snprintf(why->text, sizeof why->text, "%.*s: %s (CUDA error %d)", name, call,
             cudaGetErrorString(error), (int)error);
    return error == cudaErrorMemoryAllocation ? STATUS_NO_MEMORY : STATUS_ENGINE;
}

static int compare(const void *a, const void *b)
{
    float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

enum status median_seconds(timed_work *work, void *argument, cudaStream_t stream, double *seconds,
                           struct message *why)
{
    enum status status = STATUS_OK;
    cudaEvent_t begin = NULL, end = NULL;
    float milliseconds[TIMED_RUNS];
    CUDA_TRY(cudaEventCreate(&begin));
    CUDA_TRY(cudaEventCreate(&end));
    CUDA_TRY(work(argument, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    for (int i = 0; i < TIMED_RUNS; i++) {
        CUDA_TRY(cudaEventRecord(begin, stream));
        CUDA_TRY(work(argument, stream));
        CUDA_TRY(cudaEventRecord(end, stream));
        CUDA_TRY(cudaEventSynchronize(end));
        CUDA_TRY(cudaEventElapsedTime(&milliseconds[i], begin, end));
    }
    qsort(milliseconds, TIMED_RUNS, sizeof *milliseconds, compare);
    *seconds =
        0.5e-3 * ((double)milliseconds[TIMED_RUNS / 2 - 1] + (double)milliseconds[TIMED_RUNS / 2]);
done:
    if (begin) cudaEventDestroy(begin);
    if (end) cudaEventDestroy(end);
    return status;
}
