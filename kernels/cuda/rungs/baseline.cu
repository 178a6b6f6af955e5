/* baseline: the kernel one would write first, with CUDA's own exp. The only rung whose prices
 * differ from the others', in the last digits. */
#define PRICER_LIBRARY_FUNCTIONS
#define LAUNCH(of_groups) launch_##of_groups##baseline
#include "kernels/cuda/rungs/textbook_launches.cuh"
