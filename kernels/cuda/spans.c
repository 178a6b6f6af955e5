#include "kernels/cuda/spans.h"

#include <stdlib.h>

#include "kernels/cuda/kept.h"

cudaError_t spans_begin(struct spans *spans, cudaStream_t stream)
{
    if (spans->n == spans->room) {
        size_t room = 2 * spans->room + 64;
        struct span *more = realloc(spans->span, room * sizeof *more);
        if (!more) return cudaErrorMemoryAllocation;
        spans->span = more;
        spans->room = room;
    }
    struct span *span = &spans->span[spans->n++];
    *span = (struct span){0};
    cudaError_t error = kept_take_event(spans->device, true, &span->begin);
    if (error == cudaSuccess) error = kept_take_event(spans->device, true, &span->end);
    return error == cudaSuccess ? cudaEventRecord(span->begin, stream) : error;
}

cudaError_t spans_end(struct spans *spans, cudaStream_t stream)
{
    return cudaEventRecord(spans->span[spans->n - 1].end, stream);
}

/* Spans begin in the order in which they were opened, or nearly so: a span counts from the latest end before
 * it. */
cudaError_t spans_busy(const struct spans *spans, double *seconds)
{
    float latest = 0.0f; /* milliseconds after the first begin */
    *seconds = 0.0;
    for (size_t i = 0; i < spans->n; i++) {
        float begin = 0.0f, end = 0.0f;
        cudaError_t error = cudaEventElapsedTime(&begin, spans->span[0].begin, spans->span[i].begin);
        if (error == cudaSuccess)
            error = cudaEventElapsedTime(&end, spans->span[0].begin, spans->span[i].end);
        if (error != cudaSuccess) return error;
        if (end <= latest) continue;
        *seconds += 1e-3 * (double)(end - (begin > latest ? begin : latest));
        latest = end;
    }
    return cudaSuccess;
}

void spans_free(struct spans *spans)
{
    for (size_t i = 0; i < spans->n; i++) {
        kept_give_event(spans->device, true, spans->span[i].begin);
        kept_give_event(spans->device, true, spans->span[i].end);
    }
    free(spans->span);
    *spans = (struct spans){0};
}
