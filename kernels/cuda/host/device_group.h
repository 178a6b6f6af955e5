/* A group as the device has it: its class, its normals, and the moves (kernels/shared_moves.h) that
 * kernels/cuda/device/moves.cu makes of them. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_GROUP_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_GROUP_H

#include "kernels/cuda/device/launch.h"
#include "kernels/shared_moves.h"

/* Returns the number of coefficients of a kind of observation; of N_OBSERVATION_KINDS 0. */
int observation_coefficients(int kind);

/* Returns which of a rung's kernels simulates the group. */
enum group_class classify_group(const struct group *group);

/* Returns how many doubles of each underlying's state a path has to keep: x alone, or x, v and
 * clock. */
int state_width(const struct group *group);

/* Returns how many fours n normals of a path fill. */
static inline int fours_of(int n)
{
    return (n + NORMALS_TOGETHER - 1) / NORMALS_TOGETHER;
}

/* Returns the first row, or four, of the stored normals of bridges, of so many bytes each. */
int bridge_row(const struct group *group, int width);

/* Returns the number of bytes of the stored normals of one path. */
size_t normals_bytes(const struct group *group, int width);

/* Finds the movers of groups alike, from the first of `groups` on; none where the kernels have no
 * code for such moves. As shared_moves_find. */
enum status device_moves_find(const struct group *groups, struct shared_moves *shared);

/* Returns the bytes of the moves of one path. */
size_t device_moves_bytes(const struct group *group, const struct shared_moves *shared);

#endif
