/* Work on several threads. */
#ifndef PRICER_KERNELS_THREADS_H
#define PRICER_KERNELS_THREADS_H

/* Threads to use where `asked` are wanted (0: one a core). */
int thread_count(int asked);

/* Runs work(argument) on that many threads, this one included; threads that cannot be had are done
 * without. */
void run_on_threads(int threads, void *(*work)(void *argument), void *argument);

#endif
