#include "app/pricing/risk/greeks/job_pipeline.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The stage that a job waits for. */
enum next_stage { TO_PREPARE, TO_RUN, TO_FINISH, UNDER_WAY };

/* Job i of a series. */
struct pipeline_job {
    const struct job_series *series;
    int i;
    enum next_stage next;
};

struct job_pipeline {
    int n_series;
    const struct job_series *series;
    int max_running, max_planned; /* jobs in `run`, and between prepare and the end of `run` */
    jobs_finished *progress;
    void *progress_context;
    pthread_mutex_t lock;
    pthread_cond_t changed;       /* anything of: */
    int n, end;                   /* jobs of all series, and the first of them that failed, or n */
    int begun, finished;          /* jobs, in their order */
    int preparing, running;       /* jobs */
    int planned;                  /* jobs that have begun and are not through `run` */
    uint64_t payoffs;             /* of these */
    int begun_of[JOB_SERIES_MAX]; /* of each series */
    struct pipeline_job job[JOBS_AT_ONCE]; /* at place p among all, [p % JOBS_AT_ONCE] */
    enum status status;                    /* of the first that failed, and why */
    struct message *why;
};

/* What a thread does at a time: a stage of the job at a place. */
struct stage_task {
    int number;
    enum next_stage stage;
};

/* ---- what is next ---------------------------------------------------------------------------- */

static struct pipeline_job *job_at(struct job_pipeline *jobs, int number)
{
    return &jobs->job[number % JOBS_AT_ONCE];
}

/* Returns the series that is next: that of which the smallest part has begun. */
static int next_series(const struct job_pipeline *jobs)
{
    int next = -1;
    for (int s = 0; s < jobs->n_series; s++) {
        int64_t n = jobs->series[s].n, begun = jobs->begun_of[s];
        if (begun == n) continue;
        if (next < 0 || begun * jobs->series[next].n < jobs->begun_of[next] * n) next = s;
    }
    return next;
}

/* Payoffs of a plan that is large. */
enum { PAYOFFS_LARGE = 1 << 17 };

/* Tells whether another job may be planned: one may whatever its size. */
static bool has_room(const struct job_pipeline *jobs)
{
    return !jobs->planned ||
           (jobs->planned < jobs->max_planned && jobs->preparing < PREPARED_AT_ONCE &&
            jobs->payoffs + jobs->series[next_series(jobs)].payoffs <= PAYOFFS_PLANNED);
}

/* The most urgent there is: to run, to finish, to prepare, each for the first job that waits for
 * it. */
static bool find_task(struct job_pipeline *jobs, struct stage_task *task)
{
    int first = jobs->finished;
    for (int p = first; p < jobs->begun && p < jobs->end && jobs->running < jobs->max_running;
         p++) {
        if (job_at(jobs, p)->next != TO_RUN) continue;
        *task = (struct stage_task){p, TO_RUN};
        return true;
    }
    if (first < jobs->begun && job_at(jobs, first)->next == TO_FINISH) {
        *task = (struct stage_task){first, TO_FINISH};
        return true;
    }
    *task = (struct stage_task){jobs->begun, TO_PREPARE};
    return jobs->begun < jobs->end && jobs->begun - first < JOBS_AT_ONCE && has_room(jobs);
}

static void begin_task(struct job_pipeline *jobs, const struct stage_task *task)
{
    if (task->stage == TO_PREPARE) {
        int s = next_series(jobs);
        *job_at(jobs, task->number) =
            (struct pipeline_job){&jobs->series[s], jobs->begun_of[s]++, UNDER_WAY};
        jobs->begun++;
        jobs->planned++;
        jobs->payoffs += jobs->series[s].payoffs;
    }
    job_at(jobs, task->number)->next = UNDER_WAY;
    jobs->preparing += task->stage == TO_PREPARE;
    jobs->running += task->stage == TO_RUN;
}

static void end_task(struct job_pipeline *jobs, const struct stage_task *task, enum status status,
                     const struct message *why)
{
    jobs->preparing -= task->stage == TO_PREPARE;
    jobs->running -= task->stage == TO_RUN;
    if (task->stage == TO_RUN) {
        jobs->planned--;
        jobs->payoffs -= job_at(jobs, task->number)->series->payoffs;
    }
    jobs->finished += task->stage == TO_FINISH && !status;
    if (!status) job_at(jobs, task->number)->next = task->stage + 1;
    else if (task->number < jobs->end) {
        jobs->end = task->number;
        jobs->status = status;
        *jobs->why = *why;
    }
    pthread_cond_broadcast(&jobs->changed);
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* Gives the memory of a large plan back to the system: each thread keeps what it has planned in an
 * arena of its own, and so many plans of that size are held in vain. */
static void give_back(const struct pipeline_job *job)
{
#ifdef __GLIBC__
    if (job->series->payoffs >= PAYOFFS_LARGE) malloc_trim(0);
#else
    (void)job;
#endif
}

static enum status do_task(struct job_pipeline *jobs, const struct stage_task *task,
                           struct message *why)
{
    const struct pipeline_job *job = job_at(jobs, task->number);
    const struct job_series *series = job->series;
    job_stage *const stages[] = {series->prepare, series->run, series->finish};
    enum status status = stages[task->stage](series->context, job->i, why);
    if (task->stage == TO_RUN) give_back(job);
    if (!status && task->stage == TO_FINISH && jobs->progress)
        jobs->progress(jobs->progress_context, (uint64_t)task->number + 1, (uint64_t)jobs->n);
    return status;
}

static void *work(void *argument)
{
    struct job_pipeline *jobs = argument;
    pthread_mutex_lock(&jobs->lock);
    while (jobs->finished < jobs->end) {
        struct stage_task task;
        struct message why = {""};
        if (!find_task(jobs, &task)) {
            pthread_cond_wait(&jobs->changed, &jobs->lock);
            continue;
        }
        begin_task(jobs, &task);
        pthread_mutex_unlock(&jobs->lock);
        enum status status = do_task(jobs, &task, &why);
        pthread_mutex_lock(&jobs->lock);
        end_task(jobs, &task, status, &why);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* For each job that runs: threads, and jobs between prepare and the end of `run`. Measured on 16
 * cores beside an H200. */
enum { WORKERS = 4, AHEAD = 8, MOST_WORKERS = 8 };

enum status run_job_pipeline(int n_series, const struct job_series *series, int running,
                             jobs_finished *progress, void *progress_context, struct message *why)
{
    if (running < 1) running = 1;
    struct job_pipeline jobs = {.n_series = n_series,
                                .series = series,
                                .max_running = running,
                                .max_planned = smaller(AHEAD * running, JOBS_AT_ONCE),
                                .progress = progress,
                                .progress_context = progress_context,
                                .why = why};
    pthread_t threads[MOST_WORKERS];
    int workers = smaller(WORKERS * running, MOST_WORKERS), started = 0;
    for (int s = 0; s < n_series; s++) jobs.n += series[s].n;
    jobs.end = jobs.n;
    pthread_mutex_init(&jobs.lock, NULL);
    pthread_cond_init(&jobs.changed, NULL);
    while (started < workers - 1 && started < jobs.n - 1 &&
           !pthread_create(&threads[started], NULL, work, &jobs))
        started++;
    work(&jobs);
    for (int t = 0; t < started; t++) pthread_join(threads[t], NULL);
    pthread_cond_destroy(&jobs.changed);
    pthread_mutex_destroy(&jobs.lock);
    return jobs.status;
}
