/* Loops over places that do not depend on one another: vectors on a processor, the threads of a
 * block on a GPU, where all threads of it run the same function on the same arrays, each with
 * variables of its own. */
#ifndef PRICER_MODELS_MATH_EACH_H
#define PRICER_MODELS_MATH_EACH_H

#ifdef __CUDACC__
#define EACH(i, n) for (int i = (int)threadIdx.x; i < (n); i += (int)blockDim.x)

/* Waits until all threads have written what others read next, or read what others write next. */
#define WAIT() __syncthreads()

/* Whether this thread does what one has to do, and whether anything is true on any. */
#define ONCE (threadIdx.x == 0)
#define ANY(truth) __syncthreads_or(truth)
#else
#define EACH(i, n) _Pragma("GCC ivdep") for (int i = 0; i < (n); i++)
#define WAIT() ((void)0)
#define ONCE 1
#define ANY(truth) (truth)
#endif

#endif
