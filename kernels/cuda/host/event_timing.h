/* What the measurements of the device share: medians of event times, and one line for a CUDA
 * error. */
#ifndef PRICER_KERNELS_CUDA_HOST_EVENT_TIMING_H
#define PRICER_KERNELS_CUDA_HOST_EVENT_TIMING_H

#include "kernels/cuda/device/launch.h"
#include "kernels/engine.h"

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

/* Makes the first device that the options name the current one. */
enum status use_first_device(const struct engine_options *options, struct message *why);

/* Returns STATUS_INTERRUPTED once the options ask for the end. */
enum status stop_asked(const struct engine_options *options);

#endif
