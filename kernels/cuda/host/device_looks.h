/* The looks of a group as the device has them: chains of one kind in sets of lanes, and the rest as
 * they are (struct device_looks of launch.h). */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_LOOKS_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_LOOKS_H

#include "kernels/cuda/device/launch.h"
#include "models/base/status.h"

/* Where they lie among the inputs, in bytes from their start, and what is to be copied there. */
struct look_layout {
    struct device_looks looks; /* numbers alone */
    struct look_set *sets;     /* [n_sets] with offsets into `numbers` for pointers; owned */
    char *numbers;             /* owned */
    size_t n_numbers;
    int *tile_rows;              /* [n_tile_rows]; owned */
    struct written_row *written; /* [n_written]; owned */
    struct chain *chains;        /* [n_chains] owned */
    size_t at_sets, at_numbers, at_tile_rows, at_chains, at_looks, at_initial, at_results, at_gates,
        at_written;
};

/* Makes the layout of a group's looks and takes room for it from the end of *used; of a group
 * without chains an empty one. `draws`: tiles are to be simulated where they are looked at.
 * STATUS_NO_MEMORY. Free with look_layout_free, whatever it returned. */
enum status lay_out_looks(const struct group *group, bool draws, struct look_layout *layout,
                          size_t *used);

/* Copies the looks to where they lie in the inputs at `to`, which are `on_device` later. */
void copy_looks(const struct group *group, const struct look_layout *layout, char *to,
                const char *on_device);

/* Returns the looks with pointers into device memory. */
struct device_looks looks_on_device(const struct look_layout *layout, const char *on_device);

void look_layout_free(struct look_layout *layout);

#endif
