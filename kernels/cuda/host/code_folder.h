/* The folders of compiled path code: the user's own, ${XDG_CACHE_HOME:-$HOME/.cache}/pricer/, and
 * what came with the program. They have a file for each kernel, of which it is known that it is
 * whole. */
#ifndef PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H
#define PRICER_KERNELS_CUDA_HOST_CODE_FOLDER_H

#include "kernels/cuda/host/nvjitlink.h"

/* Reads the code of the kernels whose names begin so, at most `most` of them, the newest first;
 * returns how many. Release each one's code with free. */
int code_read(const char *beginning, int most, struct compiled_code *codes);

/* Writes the code of a kernel whole or not at all; that it cannot be written is no error. */
void code_write(const struct compiled_code *code);

#endif
