/* Memory kept from one run of an engine to the next: asking the driver for it costs milliseconds,
 * and a night has hundreds of runs. */
#ifndef PRICER_KERNELS_CUDA_HOST_RESERVE_H
#define PRICER_KERNELS_CUDA_HOST_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuda_runtime_api.h>

enum reserve_kind { RESERVE_DEVICE, RESERVE_PINNED };

/* Takes memory of a device, or pinned memory of the host, at least so large: a block that was given
 * back, or a new one, for which blocks that are too small are released where there is no memory
 * else. The current device must be `device`. Thread safe. */
cudaError_t reserve_take(int device, enum reserve_kind kind, size_t bytes, void **memory);

/* Gives a block back; NULL is accepted. It is kept for the rest of the program. */
void reserve_give(void *memory);

/* Returns the number of bytes of the device's memory that are kept and not taken, and those of the
 * largest block. */
size_t reserve_bytes(int device, size_t *largest);

#endif
