/* A group as the device has it: of which class it is, how its paths are simulated, the sum that
 * path kernels carry in a register and what is left of the group without it, and its arrays as
 * kernels read them. */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_GROUP_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_GROUP_H

#include <stdbool.h>

#include "kernels/cuda/device/launch.h"

/* Which of a rung's kernels simulates the group. */
enum group_class classify_group(const struct group *group);

/* Doubles of each underlying's state that a path has to keep: x alone, or x, v and clock. */
int state_width(const struct group *group);

/* The sum that every step from the first on observes, the longest such, of a group of one asset;
 * steps is 0 where there is none. */
struct register_sum find_register_sum(const struct group *group);

/* What the group's path kernel has to keep. */
enum record record_of(const struct group *group, const struct register_sum *register_sum);

/* Copies the group's observations as the device has them, and its results, without those of the
 * register sum. There is room for all observations and one more. */
void copy_observations(const struct group *group, const struct register_sum *register_sum,
                       struct observation *observations);
void copy_results(const struct group *group, const struct register_sum *register_sum,
                  struct result *results);

/* There is room for all dividends and one more. */
void copy_dividends(const struct group *group, struct dividend *dividends);
void copy_underlyings(const struct group *group, struct device_underlying *on_device,
                      struct path_state *starts);

/* How many numbers copy_loadings() writes: the loadings by tiles, zero where there are none. */
size_t loadings_count(const struct group *group);
void copy_loadings(const struct group *group, double *loadings);

#endif
