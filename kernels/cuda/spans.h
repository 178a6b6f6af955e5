/* When kernels were on the device: one span for each launch, on the device's own clock. */
#ifndef PRICER_KERNELS_CUDA_SPANS_H
#define PRICER_KERNELS_CUDA_SPANS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

struct span {
    cudaEvent_t begin, end;
};

/* Begin with {.device = ...}, the current one; release with spans_free. */
struct spans {
    int device;
    size_t n, room;
    struct span *span; /* [n]; owned */
};

/* Opens a span on a stream, and closes the one opened last. cudaErrorMemoryAllocation, or what CUDA says. */
cudaError_t spans_begin(struct spans *spans, cudaStream_t stream);
cudaError_t spans_end(struct spans *spans, cudaStream_t stream);

/* Seconds in which at least one span was open. All streams must have ended. */
cudaError_t spans_busy(const struct spans *spans, double *seconds);

void spans_free(struct spans *spans);

#endif
