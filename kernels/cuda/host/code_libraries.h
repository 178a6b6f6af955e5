/* The machine code of path kernels that is on the devices, for the rest of the program.
 *
 * To load a module takes the driver most of a millisecond, whatever is in it, and to read and link
 * a kernel of the folder some tenths of one. So what is asked for at the same time is loaded as one
 * library, or as a few that threads link side by side. Nothing else of the folder is read. */
#ifndef PRICER_KERNELS_CUDA_HOST_CODE_LIBRARIES_H
#define PRICER_KERNELS_CUDA_HOST_CODE_LIBRARIES_H

#include <cuda_runtime_api.h>

#include "kernels/cuda/host/toolkit.h"

struct team;

typedef char kernel_name[KERNEL_NAME_ROOM];

/* Finds the entry of a name in a tree of search.h, whose entries begin with their kernel_name, or
 * adds one of `size` zeros behind the name. NULL without memory. */
void *kernel_entry(void **tree, const char *name, size_t size);

/* Loads those of n kernels of an architecture (as 90) that the folder has and that were not asked
 * for before. Who asks meanwhile waits. Needs a device. Thread safe, as the next two. */
void libraries_ask(int n, const kernel_name *names, int architecture, struct team *team);

/* Loads compiled code. STATUS_FAILED, STATUS_NO_ENGINE, with one line; STATUS_NO_MEMORY. */
enum status libraries_add(int n, const struct compiled_code *pieces, int architecture,
                          struct message *why);

/* Returns the library that has a kernel, NULL where none has. */
cudaLibrary_t library_of(const char *name);

#endif
