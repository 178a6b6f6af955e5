/* The compiler and the linker that run within the program: NVRTC and nvJitLink of the CUDA toolkit,
 * loaded where they are there.
 *
 * The driver takes most of a millisecond to load a module, whether it has one kernel or a hundred:
 * so kernels that were compiled one by one are linked before they are loaded, which takes
 * microseconds. */
#ifndef PRICER_KERNELS_CUDA_HOST_TOOLKIT_H
#define PRICER_KERNELS_CUDA_HOST_TOOLKIT_H

#include <stdbool.h>
#include <stddef.h>

#include "models/base/status.h"

/* A file of the program's own source, which the build puts into it. */
struct embedded_source {
    const char *name; /* as #include has it */
    const char *text;
};
extern const struct embedded_source embedded_sources[]; /* ended by a row without name */
extern const char embedded_hash[];                      /* of all of it, in hexadecimal */

/* Says which compiler this is, and what it would compile with: a part of what a cached kernel is
 * known by. NULL where there is none. Thread safe, as the next. */
const char *nvrtc_name(void);

/* The code of a kernel. */
enum { KERNEL_NAME_ROOM = 96 };
struct compiled_code {
    char name[KERNEL_NAME_ROOM];
    char *code;
    size_t size;
};

/* Compiles `source`, which may include embedded sources and calls its kernel WALK, for compute
 * capability `architecture` (as 90) into machine code that link_code() links, with the kernel
 * called code->name. The code is the caller's; NULL where there is none. STATUS_NO_ENGINE: there is
 * no such compiler; STATUS_FAILED, with its first complaint; STATUS_NO_MEMORY. */
enum status nvrtc_compile(const char *source, int architecture, struct compiled_code *code,
                          struct message *why);

/* Links n pieces of compiled code for an architecture (as 90) into machine code that the driver
 * loads, owned by the caller. STATUS_NO_ENGINE: there is no such linker; STATUS_FAILED: it does not
 * take the code; STATUS_NO_MEMORY. With each `why` has one line. Thread safe. */
enum status link_code(int n, const struct compiled_code *pieces, int architecture, char **linked,
                      struct message *why);

#endif
