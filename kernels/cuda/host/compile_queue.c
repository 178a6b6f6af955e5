#include "kernels/cuda/host/compile_queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/threads.h"

/* One thread for so many cores, and no more than THREADS_MOST: the others have the reference to
 * compute. */
enum { CORES_A_THREAD = 2, THREADS_MOST = 8 };

struct compilation {
    struct compilation *next;
    void (*compile)(void *argument);
    void (*drop)(void *argument);
    void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static struct compilation *first, **end = &first;
static pthread_t threads[THREADS_MOST];
static int n_threads;
static bool ending;

/* Waits for the next compilation; NULL where the queue ends. */
static struct compilation *take_next(void)
{
    pthread_mutex_lock(&lock);
    while (!first && !ending) pthread_cond_wait(&added, &lock);
    struct compilation *next = first;
    if (next && !(first = next->next)) end = &first;
    pthread_mutex_unlock(&lock);
    return next;
}

static void *compile_all(void *unused)
{
    for (struct compilation *next; (next = take_next()); free(next)) next->compile(next->argument);
    return unused;
}

void compile_queue_end(void)
{
    pthread_mutex_lock(&lock);
    struct compilation *left = first;
    bool other = ending; /* another caller waits for the threads */
    first = NULL, end = &first, ending = true;
    pthread_cond_broadcast(&added);
    pthread_mutex_unlock(&lock);
    for (struct compilation *next; left; left = next) {
        next = left->next;
        left->drop(left->argument);
        free(left);
    }
    if (other) return;
    for (int i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    n_threads = 0, ending = false;
    pthread_mutex_unlock(&lock);
}

/* Starts the threads with the first compilation. A program that ends meanwhile waits for them, as
 * if it had ended the queue: the compiler's own end comes after. The caller has the lock. */
static void start_threads(void)
{
    static bool ends;
    if (!ends) ends = !atexit(compile_queue_end);
    int wanted = (thread_count(0) + CORES_A_THREAD - 1) / CORES_A_THREAD;
    if (n_threads) return;
    while (n_threads < wanted && n_threads < THREADS_MOST &&
           !pthread_create(&threads[n_threads], NULL, compile_all, NULL))
        n_threads++;
}

bool compile_later(void (*compile)(void *argument), void (*drop)(void *argument), void *argument)
{
    struct compilation *last = malloc(sizeof *last);
    if (!last) return false;
    *last = (struct compilation){NULL, compile, drop, argument};
    pthread_mutex_lock(&lock);
    if (!ending) start_threads();
    bool taken = n_threads > 0 && !ending;
    if (taken) *end = last, end = &last->next;
    pthread_cond_signal(&added);
    pthread_mutex_unlock(&lock);
    if (!taken) free(last);
    return taken;
}
