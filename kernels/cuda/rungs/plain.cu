/* plain: the textbook kernel with our arithmetic, which gives the same bits everywhere. What a rung
 * has no kernel for (another model, several assets, a shape without path code) is simulated by
 * these. */
#define LAUNCH(of_groups) launch_##of_groups##plain
#include "kernels/cuda/rungs/textbook_launches.cuh"
