/* Stored normals that are kept on a device: the first run of an engine that needs them draws them,
 * and those that simulate the same paths under other markets read them. */
#ifndef PRICER_KERNELS_CUDA_HOST_KEPT_NORMALS_H
#define PRICER_KERNELS_CUDA_HOST_KEPT_NORMALS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/plan.h"

/* All that the normals of a launch of a group depend on, and where they lie. */
struct normals_key {
    uint64_t seed, first_path;
    size_t paths;
    bool antithetic;
    int width; /* bytes of a normal */
    int n_steps, n_factors, n_pairs, n_underlyings;
    int streams[UNDERLYINGS_MAX], factors[UNDERLYINGS_MAX]; /* [underlying] as the group's */
};

/* Makes the key of the launch of `paths` paths of a group from `first_path` on, whose normals
 * Philox draws. */
void normals_key_make(const struct group *group, uint64_t seed, bool antithetic,
                      uint64_t first_path, size_t paths, int width, struct normals_key *key);

/* Begins what reads kept normals of the current device, and ends it, when all it has launched is
 * done: in between nothing that is kept is given up. */
void kept_normals_begin(int device);
void kept_normals_end(int device);

/* Draws normals into `normals`, on `stream`. */
typedef cudaError_t normals_draw(const void *context, void *normals, cudaStream_t stream);

/* Finds the normals of a key on the current device, of so many bytes, and lets `stream` wait for
 * them; those that are not kept yet it draws there. NULL where there is no room for them: whoever
 * asks draws them for itself. */
cudaError_t kept_normals_find(int device, const struct normals_key *key, size_t bytes,
                              normals_draw *draw, const void *context, cudaStream_t stream,
                              void **normals);

#endif
