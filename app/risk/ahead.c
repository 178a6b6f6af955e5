#include "app/risk/ahead.h"

#include <pthread.h>
#include <stdbool.h>

struct jobs {
    int n;
    const struct stages *stages;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything of: */
    int taken, finished;    /* jobs, in their order */
    int free_runs;          /* jobs that may still enter `run` */
    enum status status;     /* of the first job that failed, and why */
    struct message *why;
};

/* The next job that somebody may begin: -1 where there is none. */
static int take_job(struct jobs *jobs)
{
    pthread_mutex_lock(&jobs->lock);
    int i = jobs->status || jobs->taken == jobs->n ? -1 : jobs->taken++;
    pthread_mutex_unlock(&jobs->lock);
    return i;
}

static enum status run_in_turn(struct jobs *jobs, int i, struct message *why)
{
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->free_runs) pthread_cond_wait(&jobs->changed, &jobs->lock);
    jobs->free_runs--;
    pthread_mutex_unlock(&jobs->lock);
    enum status status = jobs->stages->run(jobs->context, i, why);
    pthread_mutex_lock(&jobs->lock);
    jobs->free_runs++;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return status;
}

/* When all jobs before have ended: finishes it, unless one of them, or it, failed. */
static void finish_in_turn(struct jobs *jobs, int i, enum status status, struct message *why)
{
    pthread_mutex_lock(&jobs->lock);
    while (jobs->finished < i) pthread_cond_wait(&jobs->changed, &jobs->lock);
    bool failed = jobs->status != STATUS_OK;
    pthread_mutex_unlock(&jobs->lock);
    if (!failed && !status) status = jobs->stages->finish(jobs->context, i, why);
    pthread_mutex_lock(&jobs->lock);
    if (!failed && status) {
        jobs->status = status;
        *jobs->why = *why;
    }
    jobs->finished = i + 1;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

/* A thread has one job at a time, and they are taken and finished in order: so no two that are under way are
 * JOBS_AT_ONCE apart. */
static void *work(void *argument)
{
    struct jobs *jobs = argument;
    for (int i; (i = take_job(jobs)) >= 0;) {
        struct message why = {""};
        enum status status = jobs->stages->prepare(jobs->context, i, &why);
        if (!status) status = run_in_turn(jobs, i, &why);
        finish_in_turn(jobs, i, status, &why);
    }
    return NULL;
}

/* Two prepare for each that runs, as measured on 16 cores beside an H200. */
static int workers_for(int n, int running)
{
    int workers = 3 * running;
    if (workers > JOBS_AT_ONCE) workers = JOBS_AT_ONCE;
    return workers < n ? workers : n;
}

enum status run_side_by_side(int n, int running, const struct stages *stages, void *context,
                             struct message *why)
{
    if (running < 1) running = 1;
    struct jobs jobs = {.n = n, .stages = stages, .context = context, .free_runs = running, .why = why};
    pthread_t threads[JOBS_AT_ONCE];
    int workers = workers_for(n, running), started = 0;
    pthread_mutex_init(&jobs.lock, NULL);
    pthread_cond_init(&jobs.changed, NULL);
    while (started < workers - 1 && !pthread_create(&threads[started], NULL, work, &jobs)) started++;
    work(&jobs);
    for (int t = 0; t < started; t++) pthread_join(threads[t], NULL);
    pthread_cond_destroy(&jobs.changed);
    pthread_mutex_destroy(&jobs.lock);
    return jobs.status;
}
