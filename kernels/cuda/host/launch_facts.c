#include "kernels/cuda/device/launch.h"

cudaError_t find_launch_facts(const void *kernel, int block, size_t shared,
                              struct launch_facts *facts)
{
    struct cudaFuncAttributes attributes;
    int device = 0, most = 0, blocks = 0;
    cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, shared);
    if (error != cudaSuccess) return error;
    *facts = (struct launch_facts){.registers = attributes.numRegs,
                                   .shared_bytes = (int)(attributes.sharedSizeBytes + shared),
                                   .block = block,
                                   .occupancy = (double)(blocks * block) / most};
    return cudaSuccess;
}
