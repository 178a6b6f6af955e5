#define _GNU_SOURCE /* sched_getaffinity */
#include "kernels/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };

static int sharing = 1; /* processes on the same cores */

void threads_share_cores(int processes)
{
    sharing = processes;
}

int threads_part(int cores, int processes)
{
    return cores > processes ? cores / processes : 1;
}

int thread_count(int asked)
{
    cpu_set_t affinity;
    int cores = sched_getaffinity(0, sizeof affinity, &affinity)
                    ? (int)sysconf(_SC_NPROCESSORS_ONLN)
                    : CPU_COUNT(&affinity);
    int threads = asked > 0 ? asked : threads_part(cores, sharing);
    return threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
}

void run_on_threads(int threads, void *(*work)(void *argument), void *argument)
{
    pthread_t ids[THREADS_MAX];
    int started = 0;
    while (started < threads - 1 && started < THREADS_MAX &&
           !pthread_create(&ids[started], NULL, work, argument))
        started++;
    work(argument);
    for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
}
