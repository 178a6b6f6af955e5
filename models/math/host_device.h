/* The marker of functions that the CPU engine (C11) and the CUDA engine both compile, so that one
 * source gives one answer. */
#ifndef PRICER_MODELS_MATH_HOST_DEVICE_H
#define PRICER_MODELS_MATH_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define HOST_DEVICE static inline __attribute__((always_inline, unused))
#endif

#endif
