/* Moves that markets share (kernels/shared_moves.h), as the device has them:
 * kernels/cuda/device/moves.cu makes them. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_MOVES_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_MOVES_H

#include "kernels/cuda/device/launch.h"
#include "kernels/shared_moves.h"

/* Finds the movers of groups alike, from the first of `groups` on; none where the kernels have no
 * code for such moves. As shared_moves_find. */
enum status device_moves_find(const struct group *groups, struct shared_moves *shared);

/* Returns the bytes of the moves of one path. */
size_t device_moves_bytes(const struct group *group, const struct shared_moves *shared);

/* Writes a mover as the device has it, with the coefficients of its market's group there. */
void device_mover_copy(const struct group *groups, const struct mover *mover,
                       const double *coefficients, struct device_mover *to);

#endif
