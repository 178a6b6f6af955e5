/* The looks of a group as the device has them: chains of one kind in sets of lanes, and the rest as
 * they are (struct device_looks of launch.h). */
#ifndef PRICER_KERNELS_CUDA_HOST_DEVICE_LOOKS_H
#define PRICER_KERNELS_CUDA_HOST_DEVICE_LOOKS_H

#include "kernels/cuda/device/launch.h"
#include "models/base/status.h"

struct device;

/* They, and what is to be copied to where they point. */
struct look_layout {
    struct device_looks looks; /* pointers once the inputs have a place */
    struct look_set *sets;     /* [n_sets] with pointers into `numbers`; owned */
    char *numbers;             /* owned */
    size_t n_numbers;
    int *tile_rows;              /* [n_tile_rows]; owned */
    struct written_row *written; /* [n_written]; owned */
    struct lone_chains *lone;    /* [n_lone] owned */
};

/* Makes the layout of a group's looks; of a group without chains an empty one. `draws`: tiles are
 * to be simulated where they are looked at. STATUS_NO_MEMORY. Free with look_layout_free, whatever
 * it returned. */
enum status lay_out_looks(const struct group *group, bool draws, struct look_layout *layout);

/* Puts them among the inputs of a device (device.h). */
void put_looks(struct device *device, const struct group *group, struct look_layout *layout);

void look_layout_free(struct look_layout *layout);

#endif
