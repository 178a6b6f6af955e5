/* What the measurements of the device share: medians of event times, and one line for a CUDA error. */
#ifndef PRICER_KERNELS_CUDA_MEASURE_H
#define PRICER_KERNELS_CUDA_MEASURE_H

#include "kernels/cuda/launch.h"
#include "kernels/engine.h"

enum { MEASURE_RUNS = 20 };

/* A status, and one line that names the call that failed; clears the error. */
enum status cuda_status(cudaError_t error, const char *call, struct message *why);

/* Runs a CUDA call and leaves through `done:` with the first error said in *why. */
#define CUDA_TRY(call) TRY(cuda_status((call), #call, why))

/* Something to be timed: puts its work on the stream. */
typedef cudaError_t measured_work(void *argument, cudaStream_t stream);

/* Median seconds of MEASURE_RUNS runs of the work, by events, after one to warm up. */
enum status measure_median(measured_work *work, void *argument, cudaStream_t stream, double *seconds,
                           struct message *why);

/* Makes the first device that the options name the current one. */
enum status measure_begin(const struct engine_options *options, struct message *why);

/* STATUS_INTERRUPTED once the options ask for the end. */
enum status measure_stopped(const struct engine_options *options);

#endif
