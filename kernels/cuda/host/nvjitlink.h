/* The linker that runs within the program: nvJitLink of the CUDA toolkit, loaded where it is there.
 *
 * The driver takes most of a millisecond to load a module, whether it has one kernel or a hundred:
 * so kernels that were compiled one by one are linked before they are loaded, which takes
 * microseconds. */
#ifndef PRICER_KERNELS_CUDA_HOST_NVJITLINK_H
#define PRICER_KERNELS_CUDA_HOST_NVJITLINK_H

#include <stdbool.h>
#include <stddef.h>

#include "models/base/status.h"

/* The code of a kernel, as nvrtc_compile makes it. */
enum { KERNEL_NAME_ROOM = 96 };
struct compiled_code {
    char name[KERNEL_NAME_ROOM];
    char *code;
    size_t size;
};

/* Tells whether the linker is there; loads it. Thread safe, as the next. */
bool linker_there(void);

/* Links n pieces of compiled code for an architecture (as 90) into machine code that the driver
 * loads, owned by the caller. STATUS_NO_ENGINE: there is no such linker; STATUS_FAILED: it does not
 * take the code; STATUS_NO_MEMORY. With each `why` has one line. */
enum status link_code(int n, const struct compiled_code *pieces, int architecture, char **linked,
                      struct message *why);

#endif
