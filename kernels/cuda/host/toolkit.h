/* Libraries of the CUDA toolkit that are used where they are there. */
#ifndef PRICER_KERNELS_CUDA_HOST_TOOLKIT_H
#define PRICER_KERNELS_CUDA_HOST_TOOLKIT_H

/* Opens libNAME of the toolkit's version that the program was built with, for the rest of the
 * program; NULL where there is none. */
void *open_toolkit(const char *name);

#endif
