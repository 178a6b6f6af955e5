/* Work on several threads. */
#ifndef PRICER_KERNELS_THREADS_H
#define PRICER_KERNELS_THREADS_H

/* Returns how many threads to use where `asked` are wanted; 0: one for each core that this process
 * may run on, of which processes that share their cores have equal parts. */
int thread_count(int asked);

/* Says that so many processes run on the cores of this one, itself included: before it starts any
 * thread. */
void threads_share_cores(int processes);

/* Returns the part that one process has of the cores that so many share: at least one. */
int threads_part(int cores, int processes);

/* Runs work(argument) on that many threads, this one included; threads that cannot be had are done
 * without. */
void run_on_threads(int threads, void *(*work)(void *argument), void *argument);

#endif
