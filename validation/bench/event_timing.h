/* What the measurements of a device share: medians of event times, and one line for a CUDA
 * error. */
#ifndef PRICER_VALIDATION_BENCH_EVENT_TIMING_H
#define PRICER_VALIDATION_BENCH_EVENT_TIMING_H

#include "kernels/cuda/device/launch.h"
#include "models/base/status.h"

enum { TIMED_RUNS = 20 };

/* Returns a status, and writes one line that names the call that failed; clears the error. */
enum status cuda_status(cudaError_t error, const char *call, struct message *why);

/* Runs a CUDA call and leaves through `done:` with the first error said in *why. */
#define CUDA_TRY(call) TRY(cuda_status((call), #call, why))

/* Something to be timed: puts its work on the stream. */
typedef cudaError_t timed_work(void *argument, cudaStream_t stream);

/* Measures the median seconds of TIMED_RUNS runs of the work, by events, after one to warm up. */
enum status median_seconds(timed_work *work, void *argument, cudaStream_t stream, double *seconds,
                           struct message *why);

#endif
