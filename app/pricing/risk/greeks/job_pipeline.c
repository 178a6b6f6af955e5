#include "app/pricing/risk/greeks/job_pipeline.h"

#include <pthread.h>
#include <stdbool.h>

/* The stage that a job waits for, and those before it are done. */
enum stage { TO_PREPARE, TO_RUN, TO_FINISH, UNDER_WAY, N_STAGES = UNDER_WAY };

/* Job i of a series, and where it stands among those of all series. */
struct pipeline_job {
    const struct job_series *series;
    int i, place;
    enum stage next;
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
    int in[N_STAGES];             /* jobs that are in a stage */
    int planned;                  /* jobs that have begun and are not through `run` */
    uint64_t payoffs;             /* of these */
    int begun_of[JOB_SERIES_MAX]; /* of each series */
    struct pipeline_job job[JOBS_AT_ONCE]; /* [place % JOBS_AT_ONCE] */
    enum status status;                    /* of the first that failed, and why */
    struct message *why;
};

/* ---- what is next ---------------------------------------------------------------------------- */

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

/* Tells whether another job may be planned: one may whatever its size. */
static bool has_room(const struct job_pipeline *jobs)
{
    return !jobs->planned ||
           (jobs->planned < jobs->max_planned && jobs->in[TO_PREPARE] < PREPARED_AT_ONCE &&
            jobs->payoffs + jobs->series[next_series(jobs)].payoffs <= PAYOFFS_PLANNED);
}

static struct pipeline_job *begin_job(struct job_pipeline *jobs)
{
    int s = next_series(jobs);
    struct pipeline_job *job = &jobs->job[jobs->begun % JOBS_AT_ONCE];
    *job = (struct pipeline_job){&jobs->series[s], jobs->begun_of[s]++, jobs->begun++, TO_PREPARE};
    jobs->planned++;
    jobs->payoffs += job->series->payoffs;
    return job;
}

/* Returns the job whose next stage is the most urgent: to run, to finish, to prepare, each for the
 * first job that waits for it; NULL: there is nothing to do. */
static struct pipeline_job *find_job(struct job_pipeline *jobs)
{
    struct pipeline_job *first = &jobs->job[jobs->finished % JOBS_AT_ONCE];
    int n = jobs->in[TO_RUN] < jobs->max_running ? jobs->begun : 0;
    for (int p = jobs->finished; p < n && p < jobs->end; p++)
        if (jobs->job[p % JOBS_AT_ONCE].next == TO_RUN) return &jobs->job[p % JOBS_AT_ONCE];
    if (jobs->finished < jobs->begun && first->next == TO_FINISH) return first;
    bool room = jobs->begun - jobs->finished < JOBS_AT_ONCE;
    return jobs->begun < jobs->end && room && has_room(jobs) ? begin_job(jobs) : NULL;
}

/* ---- doing it -------------------------------------------------------------------------------- */

/* Takes note that a job has been through a stage, or has failed in it. */
static void end_stage(struct job_pipeline *jobs, struct pipeline_job *job, enum stage stage,
                      enum status status, const struct message *why)
{
    jobs->in[stage]--;
    if (stage == TO_RUN) {
        jobs->planned--;
        jobs->payoffs -= job->series->payoffs;
    }
    jobs->finished += stage == TO_FINISH && !status;
    if (!status) job->next = stage + 1;
    else if (job->place < jobs->end) {
        jobs->end = job->place;
        jobs->status = status;
        *jobs->why = *why;
    }
    pthread_cond_broadcast(&jobs->changed);
}

/* Does the next stage of a job, beside whatever others do. */
static void do_stage(struct job_pipeline *jobs, struct pipeline_job *job)
{
    const struct job_series *series = job->series;
    job_stage *const stages[] = {series->prepare, series->run, series->finish};
    const enum stage stage = job->next;
    struct message why = {""};
    jobs->in[stage]++;
    job->next = UNDER_WAY;
    pthread_mutex_unlock(&jobs->lock);
    enum status status = stages[stage](series->context, job->i, &why);
    if (!status && stage == TO_FINISH && jobs->progress)
        jobs->progress(jobs->progress_context, (uint64_t)job->place + 1, (uint64_t)jobs->n);
    pthread_mutex_lock(&jobs->lock);
    end_stage(jobs, job, stage, status, &why);
}

static void *work(void *argument)
{
    struct job_pipeline *jobs = argument;
    pthread_mutex_lock(&jobs->lock);
    while (jobs->finished < jobs->end) {
        struct pipeline_job *job = find_job(jobs);
        if (job) do_stage(jobs, job);
        else pthread_cond_wait(&jobs->changed, &jobs->lock);
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
