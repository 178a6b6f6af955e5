#include "kernels/threads.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };

int thread_count(int asked)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = asked > 0 ? asked : (int)cores;
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
