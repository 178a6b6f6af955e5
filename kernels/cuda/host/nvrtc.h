/* The compiler that runs within the program: NVRTC of the CUDA toolkit, loaded where it is
 * there. */
#ifndef PRICER_KERNELS_CUDA_HOST_NVRTC_H
#define PRICER_KERNELS_CUDA_HOST_NVRTC_H

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

/* Compiles `source`, which may include embedded sources and calls its kernel WALK, for compute
 * capability `architecture` (as 90) into machine code that nvjitlink.h links, with the kernel
 * called `kernel`, owned by the caller. STATUS_NO_ENGINE: there is no such compiler; STATUS_FAILED,
 * with its first complaint; STATUS_NO_MEMORY. */
enum status nvrtc_compile(const char *source, const char *kernel, int architecture, char **code,
                          size_t *size, struct message *why);

#endif
