/* The marker of functions that the CPU engine (C11) and the CUDA engine both compile, so that one
 * source gives one answer. */
#ifndef PRICER_MODELS_MATH_HOST_DEVICE_H
#define PRICER_MODELS_MATH_HOST_DEVICE_H

#ifdef __CUDACC__
#define HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define HOST_DEVICE static inline __attribute__((always_inline, unused))
#endif

/* Whether a branch pays that leaves out work which changes no bit of the result: on a GPU, where
 * the paths of a warp mostly agree on it; not in vector loops, nor in the textbook kernel. A test
 * defines it. */
#ifndef LEAVES_OUT
#if defined __CUDA_ARCH__ && !defined PRICER_LIBRARY_FUNCTIONS
#define LEAVES_OUT 1
#else
#define LEAVES_OUT 0
#endif
#endif

/* The markers of what makes plans' tables, which is host code, and device code where a .cu file
 * includes it: functions that a .c file has, functions of headers, arrays of constants. */
#ifdef __CUDACC__
#define PLAN_FUNCTION static __device__
#define PLAN_CODE static inline __device__
#define PLAN_TABLE static __device__ const
#else
#define PLAN_FUNCTION
#define PLAN_CODE static inline __attribute__((unused))
#define PLAN_TABLE static const
#endif

/* The marker of arrays of constants: on a device an instruction takes such a number as its operand,
 * where it would take two others to make it. There they are not const, or the compiler would write
 * them into those two. */
#ifdef __CUDA_ARCH__
#define DEVICE_CONSTANT static __device__ __constant__
#else
#define DEVICE_CONSTANT static const __attribute__((unused))
#endif

#endif
