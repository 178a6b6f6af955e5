/* The folder of compiled path code, ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/: a file for each
 * kernel, of which it is known that it is whole. */
#ifndef PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H
#define PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the machine code of a kernel's name, owned by the caller; NULL where it is not there. */
char *code_read(const char *name);

/* Writes the file whole or not at all; that it cannot be written is no error. */
void code_write(const char *name, const char *code, size_t size);

#endif
