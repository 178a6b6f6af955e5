/* The costs of a device, kept from run to run:
 * ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/costs-DEVICE.txt.
 *
 * Nothing here is an error: a file that cannot be read, is of another version or device or is not
 * complete is as good as none, and one that cannot be written is not. It may be deleted at any
 * time. */
#ifndef PRICER_APP_COMMAND_COSTS_FILE_H
#define PRICER_APP_COMMAND_COSTS_FILE_H

#include <stddef.h>

#include "kernels/costs.h"

/* Where the costs of the device are kept; false where there is no such place: neither variable is
 * an absolute path, or the path is longer than `size`. */
bool costs_path(const char *device, char *path, size_t size);

/* False, and `costs` as they were, where the file has none of this program's for this device. */
bool costs_read(const char *path, const char *device, struct costs *costs);

/* Makes the file's folders where they are missing. False where it cannot be written. */
bool costs_write(const char *path, const char *device, const struct costs *costs);

/* The costs by which the engine is to choose a kernel for the plan: the built-in ones where by them
 * the plan takes less than MEASURED_FROM; else those kept, or measured now and kept. */
#define MEASURED_FROM 0.02 /* seconds */
void costs_find(const struct engine *engine, const struct engine_options *options,
                const struct plan *plan, struct costs *costs);

#endif
