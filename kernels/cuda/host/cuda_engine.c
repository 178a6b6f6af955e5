/* The CUDA engine: inputs go through pinned memory, batches of paths through two streams, tallies
 * come back through pinned memory; nothing waits but the bookkeeping. On several GPUs each takes a
 * range of batches. */
#include "kernels/engine.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/host/device.h"
#include "kernels/cuda/host/device_parts.h"
#include "kernels/cuda/host/group_route.h"
#include "kernels/cuda/host/reserve.h"
#include "kernels/cuda/host/specialise.h"
#include "kernels/cuda/device/launch.h"
#include "kernels/replicates.h"

/* ---- the table of kernels -------------------------------------------------------------------- */

static const struct kernel_row kernels[] = {
    {"auto", "fused; optimized where the paths are no Philox paths"},
#define RUNG(name, idea, width, plain, model, multi_asset) {name, idea},
#include "kernels/cuda/rungs/rungs.def"
#undef RUNG
    {0}};

static const char *const settings[] = {
#define RUNG(name, idea, width, plain, model, multi_asset) name,
#include "kernels/cuda/rungs/rungs.def"
#undef RUNG
    "optimized:general", "optimized:specialised", "fused:general", "fused:specialised", NULL};

static const char *const shown[] = {"baseline", "optimized:specialised", "fused:specialised", NULL};

static enum status cuda_route(const struct plan *plan, int group,
                              const struct engine_options *options, struct route *route,
                              struct message *why)
{
    struct rung rung;
    MUST(choose_rung(plan, options, &rung, why));
    const struct group_route found = group_route(plan, group, &rung);
    const char *otherwise = found.way == found.general ? ""
                            : found.way == WAY_TILE    ? " if that has room, or "
                            : isinf(found.steps)       ? " if it compiles, or "
                                                       : " once that pays, or ";
    snprintf(route->kernel, sizeof route->kernel, "%s, %s%s%s%s", rung.name, ways[found.way].name,
             otherwise, *otherwise ? ways[found.general].name : "",
             programs_way(&plan->groups[group], &rung));
    route->why = ways[found.way].why;
    return STATUS_OK;
}

/* ---- devices --------------------------------------------------------------------------------- */

/* The first call of a process to a device takes a tenth of a second, and to load kernels some
 * milliseconds: both are done on this thread, of which there is one a process, as there is one such
 * call. */
static pthread_mutex_t waker_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waker;
static int waking;

enum { CALLS = 3 }; /* worth making at a time */

static void *wake_device(void *unused)
{
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess && n > 0 && cudaFree(NULL) == cudaSuccess) {
        load_normal_kernels();
        load_payoff_kernels();
        load_program_kernels();
        load_look_kernels();
    }
    cudaGetLastError();
    return unused;
}

static void cuda_wake(void)
{
    pthread_mutex_lock(&waker_lock);
    if (!waking) waking = !pthread_create(&waker, NULL, wake_device, NULL);
    pthread_mutex_unlock(&waker_lock);
}

/* Waits for the thread, if there is one. */
static void join_waker(void)
{
    pthread_mutex_lock(&waker_lock);
    if (waking) pthread_join(waker, NULL);
    waking = 0;
    pthread_mutex_unlock(&waker_lock);
}

/* How many devices there are, at least one. */
static enum status count_devices(int *n, struct message *why)
{
    join_waker();
    cudaError_t error = cudaGetDeviceCount(n);
    if (error == cudaSuccess && *n > 0) return STATUS_OK;
    int driver = 1; /* 0: there is none, which CUDA calls one that is too old */
    if (error == cudaErrorInsufficientDriver) cudaDriverGetVersion(&driver);
    cudaGetLastError();
    if (!driver) snprintf(why->text, sizeof why->text, "no NVIDIA driver");
    else
        snprintf(why->text, sizeof why->text, "%s (code %d)",
                 error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error), (int)error);
    return STATUS_NO_ENGINE;
}

static enum status cuda_ready(struct message *why)
{
    int n = 0;
    return count_devices(&n, why);
}

/* The devices to use: those asked for, or all. */
static enum status choose_devices(const struct engine_options *options, int *devices, int *n,
                                  struct message *why)
{
    int present = 0;
    MUST(count_devices(&present, why));
    *n = options->n_gpus ? options->n_gpus : present;
    if (*n > MOST_DEVICES) *n = MOST_DEVICES;
    for (int i = 0; i < *n; i++) {
        devices[i] = options->n_gpus ? options->gpus[i] : i;
        if (devices[i] >= 0 && devices[i] < present) continue;
        snprintf(why->text, sizeof why->text,
                 "there is no GPU %d: this machine has %d, counted from 0", devices[i], present);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void *device_thread(void *argument)
{
    device_run(argument);
    return NULL;
}

/* Runs every job on its own thread (the first on this one) and returns the first error. */
static enum status run_jobs(struct device_job *jobs, int n, struct message *why)
{
    pthread_t threads[MOST_DEVICES];
    int started = 1;
    while (started < n && !pthread_create(&threads[started], NULL, device_thread, &jobs[started]))
        started++;
    for (int i = started; i < n; i++) device_run(&jobs[i]);
    device_run(&jobs[0]);
    for (int i = 1; i < started; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < n; i++) {
        if (!jobs[i].status) continue;
        *why = jobs[i].why;
        return jobs[i].status;
    }
    return STATUS_OK;
}

/* Puts the tallies of a device's range where they belong among those of the whole range. */
static void take_tallies(const struct device_job *job, const struct batch_range *whole)
{
    const struct plan *plan = job->plan;
    size_t all = (size_t)(whole->end - whole->first), before = 0;
    size_t device_batches = (size_t)(job->range.end - job->range.first),
           at = (size_t)(job->range.first - whole->first);
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t n = scenario_set_tallies(plan, g);
        memcpy(whole->tallies + before * all + at * n, job->range.tallies + before * device_batches,
               sizeof(struct tally) * device_batches * n);
        before += n;
    }
}

static void fill_report(const struct device_job *jobs, int n, struct engine_report *report)
{
    struct device_times times[MOST_DEVICES];
    snprintf(report->kernel, sizeof report->kernel, "%s", jobs[0].rung->name);
    if (n > 1) snprintf(report->device, sizeof report->device, "%d x %s", n, jobs[0].device_name);
    else snprintf(report->device, sizeof report->device, "%s", jobs[0].device_name);
    for (int i = 0; i < n; i++)
        times[i] = (struct device_times){jobs[i].normals, jobs[i].paths, jobs[i].payoffs,
                                         jobs[i].start, jobs[i].busy};
    report_join(n, times, report);
    report->registers = jobs[0].facts.registers;
    report->shared_bytes = jobs[0].facts.shared_bytes;
    report->block = jobs[0].facts.block;
    report->occupancy = jobs[0].facts.occupancy;
    report->bytes_a_step = jobs[0].rung->width;
}

static enum status cuda_walk(const struct plan *plan, const struct engine_options *options,
                             const struct batch_range *range, struct engine_report *report,
                             struct message *why)
{
    enum status status = STATUS_OK;
    struct rung rung;
    int devices[MOST_DEVICES], n = 0;
    struct device_job jobs[MOST_DEVICES] = {{0}};
    struct device_progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};
    uint64_t batches = range->end - range->first;
    if (!plan->n_groups || !batches) return STATUS_OK;
    TRY(choose_rung(plan, options, &rung, why));
    TRY(choose_devices(options, devices, &n, why));
    if ((uint64_t)n > batches) n = (int)batches; /* none without work */
    for (int i = 0; i < n; i++) {
        uint64_t before = batches * (uint64_t)i / (uint64_t)n;
        jobs[i] = (struct device_job){
            .plan = plan,
            .options = options,
            .rung = &rung,
            .device = devices[i],
            .range = {.first = range->first + before,
                      .end = range->first + batches * (uint64_t)(i + 1) / (uint64_t)n},
            .progress = &progress};
        if (range->totals)
            jobs[i].range.totals = range->totals + before * BATCH_CHUNKS * chunk_totals(plan);
    }
    for (int g = 0; g < plan->n_groups; g++)
        progress.total += range_paths(plan, range) * group_asset_steps(&plan->groups[g]);
    TRY(run_jobs(jobs, n, why));
    for (int i = 0; i < n; i++) take_tallies(&jobs[i], range);
    fill_report(jobs, n, report);
done:
    for (int i = 0; i < n; i++) reserve_give(jobs[i].range.tallies);
    return status;
}

/* The group alone is a plan whose paths are those of the range. */
static enum status cuda_observe(const struct plan *plan, const struct engine_options *options,
                                int group, const struct chunk_range *range, struct message *why)
{
    enum status status = STATUS_OK;
    int devices[MOST_DEVICES], n = 0;
    struct rung rung;
    struct group alone = plan->groups[group];
    struct plan part = {.seed = plan->seed,
                        .paths = (range->end - range->first) * CHUNK_PATHS,
                        .first_path = plan->first_path + range->first * CHUNK_PATHS,
                        .antithetic = plan->antithetic,
                        .points = plan->points,
                        .n_scenarios = 1,
                        .n_groups = 1,
                        .groups = &alone};
    struct engine_options quiet = *options;
    struct device_progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct device_job job = {.plan = &part,
                             .options = &quiet,
                             .rung = &rung,
                             .range = {.end = plan_batches(&part)},
                             .rows = range->rows,
                             .progress = &progress};
    alone.n_markets = 1;
    alone.scenario_set = alone.n_payoffs = alone.n_single = alone.n_strips = 0;
    quiet.progress = NULL;
    quiet.timed = false;
    if (!part.paths || !alone.n_rows) return STATUS_OK;
    TRY(choose_rung(&part, options, &rung, why));
    TRY(choose_devices(options, devices, &n, why));
    job.device = devices[0];
    device_run(&job);
    status = job.status;
    if (status) *why = job.why;
done:
    reserve_give(job.range.tallies);
    return status;
}

static void cuda_make_tables(int n, const struct table_request *requests, int n_surfaces,
                             const struct implied_surface *surfaces,
                             const struct engine_options *options, struct table_made *made)
{
    int devices[MOST_DEVICES], n_devices = 0;
    for (int i = 0; i < n; i++) made[i].made = 0;
    if (choose_devices(options, devices, &n_devices, &(struct message){""})) return;
    device_make_tables(devices[0], n, requests, n_surfaces, surfaces, made);
}

const struct engine cuda_engine = {.name = "cuda",
                                   .kernels = kernels,
                                   .settings = settings,
                                   .shown = shown,
                                   .wake = cuda_wake,
                                   .ready = cuda_ready,
                                   .route = cuda_route,
                                   .compiler = &kernel_compiler,
                                   .make_tables = cuda_make_tables,
                                   .calls = CALLS,
                                   .fill = LAUNCH_BATCHES,
                                   .walk = cuda_walk,
                                   .observe = cuda_observe};
