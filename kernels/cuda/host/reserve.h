/* Memory, streams and events kept from one run of an engine to the next: asking the driver for them
 * costs milliseconds, and a night has hundreds of runs. */
#ifndef PRICER_KERNELS_CUDA_HOST_RESERVE_H
#define PRICER_KERNELS_CUDA_HOST_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

enum reserve_kind { RESERVE_DEVICE, RESERVE_PINNED, N_RESERVE_KINDS };

/* Takes memory of a device, or pinned memory of the host, at least so large: a block that was given
 * back, or a new one, for which blocks that are too small are released where there is no memory
 * else. The current device must be `device`. Thread safe. */
cudaError_t reserve_take(int device, enum reserve_kind kind, size_t bytes, void **memory);

/* Gives a block back; NULL is accepted. It is kept for the rest of the program. */
void reserve_give(void *memory);

/* Takes a stream of the current device, which must be `device`, that waits for no other; and
 * back. */
cudaError_t reserve_take_stream(int device, cudaStream_t *stream);
void reserve_give_stream(cudaStream_t stream);

/* Takes an event of the current device, which must be `device`, with a time if `timed`; and back,
 * of the same. NULL is accepted. */
cudaError_t reserve_take_event(int device, bool timed, cudaEvent_t *event);
void reserve_give_event(int device, bool timed, cudaEvent_t event);

/* Returns the number of bytes of the device's memory that are kept and not taken, in all and in the
 * largest block. */
size_t reserve_bytes(int device);
size_t reserve_largest(int device);

#endif
