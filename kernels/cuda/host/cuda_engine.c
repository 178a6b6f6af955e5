/* The CUDA engine: inputs go through pinned memory, batches of paths through two streams, tallies
 * come back through pinned memory; nothing waits but the bookkeeping. On several GPUs each takes a
 * range of batches. */
#include "kernels/engine.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernels/cuda/host/device.h"
#include "kernels/cuda/host/reserve.h"

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

/* ---- routes ---------------------------------------------------------------------------------- */

/* How a way is called, and why a group goes it. */
static const struct {
    const char *name, *why;
} ways[N_WAYS] = {
    [WAY_OWN] = {"its own", "the way that gives the kernel its name"},
    [WAY_PLAIN] = {"plain", "the kernel has no way of its own to simulate such a group"},
    [WAY_TILE] = {"tile", "simulated in shared memory, where all its trades look at it"},
    [WAY_SPECIALISED] = {"specialised", "path code compiled for the group's own shape"}};

/* Says how the programs of a group are run; nothing where it has none. */
static const char *programs_way(const struct group *group, const struct rung *rung)
{
    if (!group->n_programs) return "";
    if (!compiles_programs(rung)) return "; programs interpreted";
    return rung->code == PATH_CODE_SPECIALISED ? "; programs compiled"
                                               : "; programs interpreted until compiled";
}

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
    if (!driver) return say_why(STATUS_NO_ENGINE, why, "no NVIDIA driver");
    return say_why(STATUS_NO_ENGINE, why, "%s (code %d)",
                   error == cudaSuccess ? "no CUDA device" : cudaGetErrorString(error), (int)error);
}

static enum status cuda_ready(struct message *why)
{
    int n = 0;
    return count_devices(&n, why);
}

/* The devices to use: those asked for, or all. */
static enum status choose_devices(const struct engine_options *options, struct device *devices,
                                  int *n, struct message *why)
{
    int present = 0;
    MUST(count_devices(&present, why));
    *n = options->n_gpus ? options->n_gpus : present;
    if (*n > MOST_DEVICES) *n = MOST_DEVICES;
    for (int i = 0; i < *n; i++) {
        const int number = devices[i].number = options->n_gpus ? options->gpus[i] : i;
        if (number < 0 || number >= present)
            return say_why(STATUS_BAD_INPUT, why,
                           "there is no GPU %d: this machine has %d, counted from 0", number,
                           present);
    }
    return STATUS_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void *device_thread(void *argument)
{
    device_run(argument);
    return NULL;
}

/* Runs every device on its own thread (the first on this one) and returns the first error. */
static enum status run_devices(struct device *devices, int n, struct message *why)
{
    pthread_t threads[MOST_DEVICES];
    int started = 1;
    while (started < n &&
           !pthread_create(&threads[started], NULL, device_thread, &devices[started]))
        started++;
    for (int i = started; i < n; i++) device_run(&devices[i]);
    device_run(&devices[0]);
    for (int i = 1; i < started; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < n; i++) {
        if (!devices[i].status) continue;
        *why = devices[i].why;
        return devices[i].status;
    }
    return STATUS_OK;
}

/* Puts the tallies of a device's range where they belong among those of the whole range. */
static void take_tallies(const struct device *device, const struct batch_range *whole)
{
    const struct plan *plan = device->plan;
    const struct tally *from = device->range.tallies;
    size_t all = (size_t)(whole->end - whole->first), before = 0;
    size_t batches = (size_t)(device->range.end - device->range.first),
           at = (size_t)(device->range.first - whole->first);
    for (int g = 0; g < plan->n_groups; g += scenario_set_size(plan, g)) {
        size_t n = scenario_set_tallies(plan, g);
        memcpy(whole->tallies + before * all + at * n, from + before * batches,
               sizeof *from * batches * n);
        before += n;
    }
}

static void fill_report(const struct device *devices, int n, struct engine_report *report)
{
    struct device_times times[MOST_DEVICES];
    const struct launch_facts *facts = &devices[0].facts;
    snprintf(report->kernel, sizeof report->kernel, "%s", devices[0].rung->name);
    if (n > 1) snprintf(report->device, sizeof report->device, "%d x %s", n, devices[0].name);
    else snprintf(report->device, sizeof report->device, "%s", devices[0].name);
    for (int i = 0; i < n; i++) times[i] = devices[i].times;
    report_join(n, times, report);
    report->registers = facts->registers;
    report->shared_bytes = facts->shared_bytes;
    report->block = facts->block;
    report->occupancy = facts->occupancy;
    report->bytes_a_step = devices[0].rung->width;
}

static enum status cuda_walk(const struct plan *plan, const struct engine_options *options,
                             const struct batch_range *range, struct engine_report *report,
                             struct message *why)
{
    enum status status = STATUS_OK;
    struct rung rung;
    int n = 0;
    struct device devices[MOST_DEVICES] = {{0}};
    struct device_progress progress = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const uint64_t batches = range->end - range->first;
    if (!plan->n_groups || !batches) return STATUS_OK;
    TRY(choose_rung(plan, options, &rung, why));
    TRY(choose_devices(options, devices, &n, why));
    if ((uint64_t)n > batches) n = (int)batches; /* none without work */
    for (int i = 0; i < n; i++) {
        struct device *device = &devices[i];
        const uint64_t before = batches * (uint64_t)i / (uint64_t)n;
        device->plan = plan;
        device->options = options;
        device->rung = &rung;
        device->progress = &progress;
        device->range.first = range->first + before;
        device->range.end = range->first + batches * (uint64_t)(i + 1) / (uint64_t)n;
        if (range->totals)
            device->range.totals = range->totals + before * BATCH_CHUNKS * chunk_totals(plan);
    }
    for (int g = 0; g < plan->n_groups; g++)
        progress.total += range_paths(plan, range) * group_asset_steps(&plan->groups[g]);
    TRY(run_devices(devices, n, why));
    for (int i = 0; i < n; i++) take_tallies(&devices[i], range);
    fill_report(devices, n, report);
done:
    for (int i = 0; i < n; i++) reserve_give(devices[i].range.tallies);
    return status;
}

/* The group alone is a plan whose paths are those of the range. */
static enum status cuda_observe(const struct plan *plan, const struct engine_options *options,
                                int group, const struct chunk_range *range, struct message *why)
{
    enum status status = STATUS_OK;
    int n = 0;
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
    struct device devices[MOST_DEVICES] = {{.plan = &part,
                                            .options = &quiet,
                                            .rung = &rung,
                                            .range = {.end = plan_batches(&part)},
                                            .rows = range->rows,
                                            .progress = &progress}};
    alone.n_markets = 1;
    alone.scenario_set = alone.n_payoffs = alone.n_single = alone.n_strips = 0;
    quiet.progress = NULL;
    quiet.timed = false;
    if (!part.paths || !alone.n_rows) return STATUS_OK;
    TRY(choose_rung(&part, options, &rung, why));
    TRY(choose_devices(options, devices, &n, why));
    TRY(run_devices(devices, 1, why));
done:
    reserve_give(devices[0].range.tallies);
    return status;
}

static void cuda_make_tables(int n, const struct table_request *requests, int n_surfaces,
                             const struct implied_surface *surfaces,
                             const struct engine_options *options, struct table_made *made)
{
    const int device = options->n_gpus ? options->gpus[0] : 0;
    int present = 0;
    for (int i = 0; i < n; i++) made[i].made = 0;
    if (!count_devices(&present, &(struct message){""}) && device >= 0 && device < present)
        device_make_tables(device, n, requests, n_surfaces, surfaces, made);
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
