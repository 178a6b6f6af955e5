/* When kernels were on the device: one span for each launch, on the device's own clock. */
#ifndef PRICER_KERNELS_CUDA_HOST_BUSY_TIME_H
#define PRICER_KERNELS_CUDA_HOST_BUSY_TIME_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* A span of time in which a kernel was running. */
struct busy_span {
    cudaEvent_t begin, end;
};

/* Of the current device; begin with {0}, release with busy_time_free. */
struct busy_time {
    size_t n, room;
    struct busy_span *span; /* [n]; owned */
};

/* Opens a span on a stream, and closes the one opened last. cudaErrorMemoryAllocation, or what CUDA
 * says. */
cudaError_t busy_time_begin(struct busy_time *busy, cudaStream_t stream);
cudaError_t busy_time_end(struct busy_time *busy, cudaStream_t stream);

/* Seconds in which at least one span was open. All streams must have ended. */
cudaError_t busy_time_seconds(const struct busy_time *busy, double *seconds);

void busy_time_free(struct busy_time *busy);

#endif
