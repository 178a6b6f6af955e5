/* A group as the device has it: on which ground its paths are walked, the sum that path kernels carry in a
 * register and what is left of the group without it, and its arrays as kernels read them. */
#ifndef PRICER_KERNELS_CUDA_CARRIED_H
#define PRICER_KERNELS_CUDA_CARRIED_H

#include <stdbool.h>

#include "kernels/cuda/launch.h"

/* Which of a rung's kernels walks the group. */
enum ground ground_of(const struct group *group);

/* Doubles of each underlying's state that a path has to keep: x alone, or x, v and clock. */
int state_width(const struct group *group);

/* The sum that every step from the first on touches, the longest such, of a group of one asset; steps is 0
 * where there is none. */
struct carried_sum find_carried(const struct group *group);

/* What the group's path kernel has to keep. */
enum record record_of(const struct group *group, const struct carried_sum *carried);

/* Copies the group's touches as the device has them, and its results, without those of the carried sum. There
 * is room for all touches and one more. */
void copy_touches(const struct group *group, const struct carried_sum *carried, struct touch *touches);
void copy_results(const struct group *group, const struct carried_sum *carried, struct result *results);

/* There is room for all dividends and one more. */
void copy_dividends(const struct group *group, struct dividend *dividends);
void copy_underlyings(const struct group *group, struct placed_underlying *placed, struct path_state *starts);

/* How many numbers copy_loadings() writes: the loadings by tiles, zero where there are none. */
size_t loadings_placed(const struct group *group);
void copy_loadings(const struct group *group, double *loadings);

#endif
