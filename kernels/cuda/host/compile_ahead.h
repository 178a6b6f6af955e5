/* Path code that is compiled before any device asks for it. */
#ifndef PRICER_KERNELS_CUDA_HOST_COMPILE_AHEAD_H
#define PRICER_KERNELS_CUDA_HOST_COMPILE_AHEAD_H

#include "kernels/engine.h"

extern const struct kernel_compiler kernel_compiler;

#endif
