#include "kernels/cuda/host/busy_time.h"

#include <stdlib.h>

cudaError_t busy_time_begin(struct busy_time *busy, cudaStream_t stream)
{
    if (busy->n == busy->room) {
        size_t room = 2 * busy->room + 64;
        struct busy_span *more = realloc(busy->span, room * sizeof *more);
        if (!more) return cudaErrorMemoryAllocation;
        busy->span = more;
        busy->room = room;
    }
    struct busy_span *span = &busy->span[busy->n++];
    *span = (struct busy_span){0};
    cudaError_t error = cudaEventCreateWithFlags(&span->begin, cudaEventDefault);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&span->end, cudaEventDefault);
    return error == cudaSuccess ? cudaEventRecord(span->begin, stream) : error;
}

cudaError_t busy_time_end(struct busy_time *busy, cudaStream_t stream)
{
    return cudaEventRecord(busy->span[busy->n - 1].end, stream);
}

/* Spans begin in the order in which they were opened, or nearly so: a span counts from the latest
 * end before it. */
cudaError_t busy_time_seconds(const struct busy_time *busy, double *seconds)
{
    float latest = 0.0f; /* milliseconds after the first begin */
    *seconds = 0.0;
    for (size_t i = 0; i < busy->n; i++) {
        float begin = 0.0f, end = 0.0f;
        cudaError_t error = cudaEventElapsedTime(&begin, busy->span[0].begin, busy->span[i].begin);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&end, busy->span[0].begin, busy->span[i].end);
        if (error != cudaSuccess) return error;
        if (end <= latest) continue;
        *seconds += 1e-3 * (double)(end - (begin > latest ? begin : latest));
        latest = end;
    }
    return cudaSuccess;
}

void busy_time_free(struct busy_time *busy)
{
    for (size_t i = 0; i < busy->n; i++) {
        if (busy->span[i].begin) cudaEventDestroy(busy->span[i].begin);
        if (busy->span[i].end) cudaEventDestroy(busy->span[i].end);
    }
    free(busy->span);
    *busy = (struct busy_time){0};
}
