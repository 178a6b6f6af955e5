#include "app/risk/ahead.h"

#include <pthread.h>
#include <stdbool.h>

struct jobs {
    int n; /* of all series */
    const struct series *series;
    jobs_finished *tell;
    void *tell_context;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything of: */
    int taken, finished;    /* jobs, in their order */
    int free_runs;          /* jobs that may still enter `run` */
    enum status status;     /* of the first job that failed, and why */
    struct message *why;
};

/* Job `place` of all is job i of a series. */
struct job {
    int place, i;
    const struct series *of;
};

/* The next job that somebody may begin; false where there is none. */
static bool take_job(struct jobs *jobs, struct job *job)
{
    pthread_mutex_lock(&jobs->lock);
    bool any = !jobs->status && jobs->taken < jobs->n;
    *job = (struct job){jobs->taken, jobs->taken, jobs->series};
    jobs->taken += any;
    pthread_mutex_unlock(&jobs->lock);
    for (; any && job->i >= job->of->n; job->of++) job->i -= job->of->n;
    return any;
}

static enum status run_in_turn(struct jobs *jobs, const struct job *job, struct message *why)
{
    pthread_mutex_lock(&jobs->lock);
    while (!jobs->free_runs) pthread_cond_wait(&jobs->changed, &jobs->lock);
    jobs->free_runs--;
    pthread_mutex_unlock(&jobs->lock);
    enum status status = job->of->stages->run(job->of->context, job->i, why);
    pthread_mutex_lock(&jobs->lock);
    jobs->free_runs++;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    return status;
}

/* When all jobs before have ended: finishes it, unless one of them, or it, failed. */
static void finish_in_turn(struct jobs *jobs, const struct job *job, enum status status, struct message *why)
{
    pthread_mutex_lock(&jobs->lock);
    while (jobs->finished < job->place) pthread_cond_wait(&jobs->changed, &jobs->lock);
    bool failed = jobs->status != STATUS_OK;
    pthread_mutex_unlock(&jobs->lock);
    if (!failed && !status) status = job->of->stages->finish(job->of->context, job->i, why);
    if (!failed && !status && jobs->tell)
        jobs->tell(jobs->tell_context, (uint64_t)job->place + 1, (uint64_t)jobs->n);
    pthread_mutex_lock(&jobs->lock);
    if (!failed && status) {
        jobs->status = status;
        *jobs->why = *why;
    }
    jobs->finished = job->place + 1;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
}

/* A thread has one job at a time, and they are taken and finished in order: so no two that are under way are
 * JOBS_AT_ONCE apart. */
static void *work(void *argument)
{
    struct jobs *jobs = argument;
    for (struct job job; take_job(jobs, &job);) {
        struct message why = {""};
        enum status status = job.of->stages->prepare(job.of->context, job.i, &why);
        if (!status) status = run_in_turn(jobs, &job, &why);
        finish_in_turn(jobs, &job, status, &why);
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

enum status run_side_by_side(int n_series, const struct series *series, int running, jobs_finished *tell,
                             void *tell_context, struct message *why)
{
    if (running < 1) running = 1;
    struct jobs jobs = {
        .series = series, .tell = tell, .tell_context = tell_context, .free_runs = running, .why = why};
    for (int s = 0; s < n_series; s++) jobs.n += series[s].n;
    pthread_t threads[JOBS_AT_ONCE];
    int workers = workers_for(jobs.n, running), started = 0;
    pthread_mutex_init(&jobs.lock, NULL);
    pthread_cond_init(&jobs.changed, NULL);
    while (started < workers - 1 && !pthread_create(&threads[started], NULL, work, &jobs)) started++;
    work(&jobs);
    for (int t = 0; t < started; t++) pthread_join(threads[t], NULL);
    pthread_cond_destroy(&jobs.changed);
    pthread_mutex_destroy(&jobs.lock);
    return jobs.status;
}
