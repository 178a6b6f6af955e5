/* Compilations that nobody waits for: done one after the other on a few threads beside the rest of
 * the program. */
#ifndef PRICER_KERNELS_CUDA_HOST_COMPILE_QUEUE_H
#define PRICER_KERNELS_CUDA_HOST_COMPILE_QUEUE_H

#include <stdbool.h>

/* Does compile(argument) on a thread of the queue, sooner or later; where the queue ends before
 * that, drop(argument) alone. Returns false, with neither done, without memory or threads. Thread
 * safe. */
bool compile_later(void (*compile)(void *argument), void (*drop)(void *argument), void *argument);

/* Drops what has not begun and waits for what has. A program that ends does so, too, for the
 * compiler's own end does not wait. */
void compile_queue_end(void);

#endif
