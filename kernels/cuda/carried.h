/* The sum that path kernels carry in a register, and what is left of a group without it. */
#ifndef PRICER_KERNELS_CUDA_CARRIED_H
#define PRICER_KERNELS_CUDA_CARRIED_H

#include "kernels/cuda/launch.h"

/* The sum that every step from the first on touches, the longest such; steps is 0 where there is none. */
struct carried_sum find_carried(const struct group *group);

/* What the group's path kernel has to keep. */
enum record record_of(const struct group *group, const struct carried_sum *carried);

/* Copies the group's touches as the device has them, and its results, without those of the carried sum. There
 * is room for all touches and one more. */
void copy_touches(const struct group *group, const struct carried_sum *carried, struct touch *touches);
void copy_results(const struct group *group, const struct carried_sum *carried, struct result *results);

#endif
