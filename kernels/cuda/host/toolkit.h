/* Libraries of the CUDA toolkit that are used where they are there. */
#ifndef PRICER_KERNELS_CUDA_HOST_TOOLKIT_H
#define PRICER_KERNELS_CUDA_HOST_TOOLKIT_H

#include <stdbool.h>

/* A function of a library, and the pointer that is to point to it. */
struct toolkit_function {
    const char *name;
    void *pointer;
};

/* Opens libNAME of the toolkit's version that the program was built with, for the rest of the
 * program, and finds n functions of it; false where there is none, or one of them is not there. */
bool load_toolkit(const char *name, int n, const struct toolkit_function *functions);

#endif
