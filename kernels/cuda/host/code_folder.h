/* The folders of compiled path code: the user's own, ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/, and
 * what came with the program. They have a file for each kernel, of which it is known that it is
 * whole. */
#ifndef PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H
#define PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H

#include <stdbool.h>

#include "kernels/cuda/host/toolkit.h"

/* Reads the file of a code's name; false, and no code, where no folder has it whole. Release its
 * code with free. */
bool code_read(struct compiled_code *code);

/* Writes a file whole or not at all; that it cannot be written is no error. */
void code_write(const struct compiled_code *code);

#endif
