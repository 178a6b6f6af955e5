#include "kernels/cuda/device.h"
#include "kernels/cuda/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/clock.h"
#include "kernels/cuda/carried.h"
#include "kernels/cuda/spans.h"
#include "kernels/cuda/stretches.h"

/* Runs a CUDA call and leaves through `done:` with the first error said in job->why. */
#define CUDA_TRY(call)                                                                                       \
    do {                                                                                                     \
        cudaError_t cuda_error = (call);                                                                     \
        if (cuda_error != cudaSuccess) {                                                                     \
            status = cuda_failed(&job->why, #call, cuda_error);                                              \
            goto done;                                                                                       \
        }                                                                                                    \
    } while (0)

static enum status cuda_failed(struct message *why, const char *call, cudaError_t error)
{
    int name = (int)strcspn(call, "(");
    cudaGetLastError(); /* clears what is not sticky */
    snprintf(why->text, sizeof why->text, "%.*s: %s (CUDA error %d)", name, call, cudaGetErrorString(error),
             (int)error);
    return error == cudaErrorMemoryAllocation ? STATUS_NO_MEMORY : STATUS_ENGINE;
}

enum { MOST_STREAMS = 2, AHEAD = 2 };

/* Marks of a timed launch. Normals are drawn and paths walked once before the clock of each runs, when
 * nothing of the phase before is still on its way. */
enum mark { MARK_BEGIN, MARK_DRAWN, MARK_WARM, MARK_WALKED, MARK_VALUED, N_MARKS };

/* Paths of one launch: several waves of threads on the largest chips, so that the last one costs little. */
enum { LAUNCH_BATCHES = (1 << 20) / BATCH_PATHS };

/* Where the arrays of a group lie, in bytes from the start of the inputs, and what its kernels keep. */
struct group_place {
    size_t coefficients, table, dividends, underlyings, starts, loadings;
    size_t dimensions, places, scales; /* of its points */
    int n_dimensions;                  /* 0: Philox */
    size_t touches, initial, results, payoffs;
    bool stretched;         /* whether its paths are walked in stretches: by these, in place of touches */
    size_t pages;
    int first_page, largest_page; /* units */
    struct carried_sum carried;
    enum ground ground;
    int state_width;    /* of walk */
    size_t interleaved; /* [step][group alike] steps, of the first of groups that are scenarios; else 0 */
    size_t totals, quantities; /* [payoff] of the first of a bundle */
    size_t before;             /* tallies of a batch of the groups before it */
    struct ladder *ladders;    /* [ladder] with pointers into device memory; owned */
};

/* Working memory of one stream, in device memory. */
struct lane {
    cudaStream_t stream;
    cudaEvent_t done[AHEAD]; /* the last launches on it */
    uint64_t launches;
    cudaStream_t
        beside[SCENARIOS_MAX]; /* where scenarios but the first are walked at the same time; 0: unused */
    cudaEvent_t parted, joined[SCENARIOS_MAX];
    void *normals;               /* [step and bridge][path], of the rung's width */
    double *observed;            /* [row][path] */
    struct tally *chunk_tallies; /* [chunk] of a group's, or a bundle's, as the next */
    struct tally *batch_tallies; /* [batch] */
    struct ladder_bin *bins;     /* of one ladder: LADDER_ROOM times [batch][bin] */
};

struct device {
    struct group_place *places;
    size_t measures; /* where they lie in the inputs */
    size_t input_bytes;
    char *host_inputs; /* pinned */
    char *memory;      /* the one allocation on the device: inputs, then the lanes' arrays */
    size_t memory_bytes;
    bool constants; /* whether the constant memory for scenarios is this run's */
    size_t launch_batches;
    int n_lanes;
    struct lane lanes[MOST_STREAMS];
    cudaEvent_t inputs_there;
    double *totals;           /* [chunk of the range][measure][total], in device memory */
    cudaEvent_t totals_added; /* those of the launch before, whichever lane it is on */
    struct spans spans;       /* one for each launch */
    cudaEvent_t marks[N_MARKS];
};

/* ---- memory -------------------------------------------------------------------------------------- */

/* Takes `bytes` from the end of `*used`, aligned as cudaMalloc aligns. */
static size_t take(size_t *used, size_t bytes)
{
    size_t at = (*used + 255) / 256 * 256;
    *used = at + bytes;
    return at;
}

static size_t strikes_bytes(const struct ladder *ladder)
{
    return sizeof *ladder->strikes * (size_t)(ladder->n_strikes + ladder->depth);
}

/* The ladder as the device has it; its pointers are offsets into the inputs until the inputs have a place. */
static void place_ladder(const struct ladder *ladder, struct ladder *placed, size_t *used)
{
    *placed = *ladder;
    placed->strikes = (double *)take(used, strikes_bytes(ladder));
    placed->first = (int *)take(used, sizeof *ladder->first * (size_t)ladder->n_cells);
    placed->payoffs = (struct ladder_payoff *)take(used, sizeof *ladder->payoffs * (size_t)ladder->n_payoffs);
}

static void copy_ladder(const struct ladder *ladder, struct ladder *placed, char *to, char *on_device)
{
    size_t strikes = (size_t)placed->strikes, first = (size_t)placed->first,
           payoffs = (size_t)placed->payoffs;
    memcpy(to + strikes, ladder->strikes, strikes_bytes(ladder));
    memcpy(to + first, ladder->first, sizeof *ladder->first * (size_t)ladder->n_cells);
    memcpy(to + payoffs, ladder->payoffs, sizeof *ladder->payoffs * (size_t)ladder->n_payoffs);
    placed->strikes = (double *)(on_device + strikes);
    placed->first = (int *)(on_device + first);
    placed->payoffs = (struct ladder_payoff *)(on_device + payoffs);
}

/* The group's part of the points of a plan. */
static void place_points(const struct plan *plan, const struct group *group, struct group_place *place,
                         size_t *used)
{
    int n = group_normals(group);
    if (!plan->points) return;
    place->n_dimensions = n < plan->points->n ? n : plan->points->n;
    place->dimensions = take(used, sizeof(struct sobol_dimension) * (size_t)place->n_dimensions);
    place->places = take(used, sizeof(struct bridge_place) * (size_t)group->bridge.n);
    place->scales = take(used, sizeof(double) * (size_t)group->bridge.n);
}

static void copy_points(const struct plan *plan, const struct group *group, const struct group_place *place,
                        char *to)
{
    const struct bridge *bridge = &group->bridge;
    if (!plan->points || !bridge->n) return;
    memcpy(to + place->dimensions, plan->points->dimensions,
           sizeof(struct sobol_dimension) * (size_t)place->n_dimensions);
    memcpy(to + place->places, bridge->places, sizeof *bridge->places * (size_t)bridge->n);
    memcpy(to + place->scales, bridge->scales, sizeof *bridge->scales * (size_t)bridge->n);
}

/* What moves the group's paths. */
static void place_paths(const struct group *group, struct group_place *place, size_t *used)
{
    size_t n = (size_t)group->n_underlyings;
    place->coefficients = take(used, sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    place->table = take(used, sizeof(float) * (size_t)group->lookup.n);
    place->dividends = take(used, sizeof(struct dividend) * (size_t)(group->n_dividends + 1));
    place->underlyings = take(used, sizeof(struct placed_underlying) * n);
    place->starts = take(used, sizeof(struct path_state) * n);
    place->loadings = take(used, sizeof(double) * loadings_placed(group));
}

static void copy_paths(const struct group *group, const struct group_place *place, char *to)
{
    memcpy(to + place->coefficients, group->coefficients,
           sizeof(double) * (size_t)group->n_steps * (size_t)group->width);
    if (group->lookup.n)
        memcpy(to + place->table, group->lookup.table, sizeof(float) * (size_t)group->lookup.n);
    copy_dividends(group, (void *)(to + place->dividends));
    copy_underlyings(group, (void *)(to + place->underlyings), (void *)(to + place->starts));
    copy_loadings(group, (void *)(to + place->loadings));
}

/* Whether nothing of the groups alike is kept but the sum that each carries, so that one thread can walk them
 * all. */
static bool walk_together(const struct plan *plan, const struct device *device, int g)
{
    const struct group *group = &plan->groups[g];
    const struct group_place *place = &device->places[g];
    return group->alike > 1 && place->ground == GROUND_PLAIN &&
           record_of(group, &place->carried) == RECORD_SUM;
}

/* Whether the rung's own kernel for touches is the one that walks in stretches: it draws its own normals. */
static bool walks_stretches(const struct rung *rung, const struct group *group,
                            const struct group_place *place)
{
    return !normal_width(rung, GROUND_PLAIN) && place->ground == GROUND_PLAIN &&
           record_of(group, &place->carried) != RECORD_SUM;
}

/* Scenarios that a thread is to walk at once. */
static int scenarios_wanted(const struct rung *rung)
{
    int wanted = rung->variant.of[SETTING_SCENARIOS];
    return wanted ? wanted : SCENARIOS_MAX;
}

/* The steps of groups alike, as launch_scenarios() wants them. */
static void copy_interleaved(const struct group *group, int wanted, struct step *to)
{
    for (int first = 0, n; first < group->alike; first += n) {
        n = scenarios_at_once(group->alike - first, wanted);
        for (int j = 0; j < group->n_steps; j++)
            for (int s = 0; s < n; s++) *to++ = ((const struct step *)group[first + s].coefficients)[j];
    }
}

/* Tallies of a batch that begin with this group: none where it is in the bundle of one before. */
static size_t tallies_from(const struct plan *plan, int g)
{
    return plan->n_measures && !plan->groups[g].bundle ? 0 : bundle_tallies(plan, g);
}

/* Groups from `g` on that are launched together: a bundle, or those alike. */
static int launched_together(const struct plan *plan, int g)
{
    return plan->groups[g].bundle ? plan->groups[g].bundle : plan->groups[g].alike;
}

static void place_totals(const struct group *group, struct group_place *place, size_t *used)
{
    place->totals = take(used, sizeof(int) * (size_t)group->n_payoffs);
    place->quantities = take(used, sizeof(double) * (size_t)group->n_payoffs);
}

static void copy_totals(const struct plan *plan, const struct group *group, const struct group_place *place,
                        char *to)
{
    for (int p = 0; p < group->n_payoffs; p++) {
        ((int *)(to + place->totals))[p] = plan->totals[group->trades[p]];
        ((double *)(to + place->quantities))[p] = plan->quantities[group->trades[p]];
    }
}

static void place_touches(const struct rung *rung, const struct group *group, struct group_place *place,
                          size_t *used)
{
    place->carried = find_carried(group);
    place->stretched = walks_stretches(rung, group, place);
    if (place->stretched) {
        place->carried = (struct carried_sum){0};
        place->pages = take(used, sizeof(struct page_unit) * pages_room(group));
        return;
    }
    place->touches = take(used, sizeof *group->touches * (size_t)(group->n_touches + 1));
}

static enum status copy_touched(const struct group *group, struct group_place *place, char *to)
{
    if (place->stretched)
        return copy_pages(group, (void *)(to + place->pages), &place->first_page, &place->largest_page);
    copy_touches(group, &place->carried, (void *)(to + place->touches));
    return STATUS_OK;
}

static enum status place_inputs(const struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    size_t before = 0;
    device->places = calloc((size_t)plan->n_groups, sizeof *device->places);
    if (!device->places) return STATUS_NO_MEMORY;
    if (plan->n_measures)
        device->measures = take(&device->input_bytes, sizeof(struct measure) * (size_t)plan->n_measures);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct group_place *place = &device->places[g];
        size_t *used = &device->input_bytes;
        place->ground = ground_of(group);
        place_touches(job->rung, group, place, used);
        place->before = before;
        before += tallies_from(plan, g);
        place->state_width = state_width(group);
        place_points(plan, group, place, used);
        place_paths(group, place, used);
        place->initial = take(used, sizeof *group->initial * (size_t)group->n_slots);
        place->results = take(used, sizeof *group->results * (size_t)group->n_results);
        place->payoffs = take(used, sizeof *group->payoffs * (size_t)group->n_payoffs);
        if (group->bundle) place_totals(group, place, used);
        if (walk_together(plan, device, g))
            place->interleaved =
                take(used, sizeof(struct step) * (size_t)group->n_steps * (size_t)group->alike);
        place->ladders = calloc((size_t)group->n_ladders + 1, sizeof *place->ladders);
        if (!place->ladders) return STATUS_NO_MEMORY;
        for (int l = 0; l < group->n_ladders; l++) place_ladder(&group->ladders[l], &place->ladders[l], used);
    }
    return STATUS_OK;
}

static enum status copy_inputs(const struct device_job *job, const struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    if (plan->n_measures)
        memcpy(device->host_inputs + device->measures, plan->measures,
               sizeof *plan->measures * (size_t)plan->n_measures);
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        struct group_place *place = &device->places[g];
        char *to = device->host_inputs;
        if (group->bundle) copy_totals(plan, group, place, to);
        copy_points(plan, group, place, to);
        copy_paths(group, place, to);
        TRY(copy_touched(group, place, to));
        copy_results(group, &place->carried, (void *)(to + place->results));
        if (walk_together(plan, device, g))
            copy_interleaved(group, scenarios_wanted(job->rung), (void *)(to + place->interleaved));
        memcpy(to + place->initial, group->initial, sizeof *group->initial * (size_t)group->n_slots);
        memcpy(to + place->payoffs, group->payoffs, sizeof *group->payoffs * (size_t)group->n_payoffs);
        for (int l = 0; l < group->n_ladders; l++)
            copy_ladder(&group->ladders[l], &place->ladders[l], to, device->memory);
    }
done:
    return status;
}

int normal_width(const struct rung *rung, enum ground ground)
{
    int stored = rung->variant.of[SETTING_STORED]; /* of plain groups alone */
    if (ground == GROUND_PLAIN && stored) return stored;
    return rung->width || ground != GROUND_SEVERAL ? rung->width : (int)sizeof(float);
}

/* Of the range's totals; its last chunks may be fewer. */
static size_t totals_bytes(const struct device_job *job)
{
    uint64_t first = job->range.first * BATCH_CHUNKS, end = job->range.end * BATCH_CHUNKS;
    uint64_t chunks = job->plan->paths / CHUNK_PATHS;
    return sizeof(double) * chunk_totals(job->plan) * (size_t)((end < chunks ? end : chunks) - first);
}

/* Lays out inputs and lanes for launches of `batches` batches; with `base` set, hands out the pointers too.
 */
static size_t lay_out(const struct device_job *job, struct device *device, size_t batches, char *base)
{
    const struct plan *plan = job->plan;
    size_t normals = 0 /* bytes of a path */, rows = 0, tallies = 0, bins = 0, used = 0,
           paths = batches * BATCH_PATHS;
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        size_t draws =
            (size_t)group_normals(group) * (size_t)normal_width(job->rung, device->places[g].ground);
        normals = draws > normals ? draws : normals;
        size_t together = 0;
        for (int s = 0; s < launched_together(plan, g); s++) together += (size_t)plan->groups[g + s].n_rows;
        rows = together > rows ? together : rows;
        tallies = tallies_from(plan, g) > tallies ? tallies_from(plan, g) : tallies;
        for (int l = 0; l < group->n_ladders; l++) {
            size_t of_ladder = (size_t)group->ladders[l].n_strikes + 1;
            bins = of_ladder > bins ? of_ladder : bins;
        }
    }
    take(&used, device->input_bytes);
    size_t at_totals = take(&used, totals_bytes(job));
    if (base) device->totals = (double *)(base + at_totals);
    for (int l = 0; l < device->n_lanes; l++) {
        struct lane *lane = &device->lanes[l];
        size_t at_normals = take(&used, normals * paths);
        size_t at_observed = take(&used, sizeof(double) * rows * paths);
        size_t at_chunks = take(&used, sizeof(struct tally) * tallies * batches * BATCH_CHUNKS);
        size_t at_batches = take(&used, sizeof(struct tally) * tallies * batches);
        size_t at_bins = take(&used, sizeof(struct ladder_bin) * LADDER_ROOM * bins * batches);
        if (!base) continue;
        lane->normals = base + at_normals;
        lane->observed = (double *)(base + at_observed);
        lane->chunk_tallies = (struct tally *)(base + at_chunks);
        lane->batch_tallies = (struct tally *)(base + at_batches);
        lane->bins = (struct ladder_bin *)(base + at_bins);
    }
    return used;
}

/* Batches of a launch: as many as fit in half of what is free, unless memory is kept where they fit. */
static enum status choose_batches(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    size_t free_bytes = 0, all_bytes = 0, batches = LAUNCH_BATCHES;
    if (job->options->launch_batches > 0) batches = (size_t)job->options->launch_batches;
    if (batches > job->range.end - job->range.first) batches = (size_t)(job->range.end - job->range.first);
    device->launch_batches = batches;
    if (lay_out(job, device, batches, NULL) <= kept_largest(job->device)) return STATUS_OK;
    CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    free_bytes += kept_bytes(job->device);
    while (batches > 1 && lay_out(job, device, batches, NULL) > free_bytes / 2) batches /= 2;
    device->launch_batches = batches;
done:
    return status;
}

/* Memory for such launches; for smaller ones where another run has taken it meanwhile. */
static cudaError_t take_memory(const struct device_job *job, struct device *device)
{
    for (;; device->launch_batches /= 2) {
        device->memory_bytes = lay_out(job, device, device->launch_batches, NULL);
        cudaError_t error =
            kept_take(job->device, KEPT_DEVICE, device->memory_bytes, (void **)&device->memory);
        if (error != cudaErrorMemoryAllocation || device->launch_batches == 1) return error;
        cudaGetLastError();
    }
}

/* One allocation for everything. */
static enum status allocate(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    TRY(choose_batches(job, device));
    CUDA_TRY(take_memory(job, device));
    lay_out(job, device, device->launch_batches, device->memory);
    CUDA_TRY(kept_take(job->device, KEPT_PINNED, device->input_bytes + 1, (void **)&device->host_inputs));
done:
    return status;
}

static enum status allocate_tallies(struct device_job *job)
{
    enum status status = STATUS_OK;
    size_t tallies = 1;
    for (int g = 0; g < job->plan->n_groups; g++) tallies += tallies_from(job->plan, g);
    size_t bytes = sizeof(struct tally) * tallies * (size_t)(job->range.end - job->range.first);
    CUDA_TRY(kept_take(job->device, KEPT_PINNED, bytes, (void **)&job->range.tallies));
done:
    return status;
}

void device_free_tallies(struct device_job *job)
{
    kept_give(job->range.tallies);
    job->range.tallies = NULL;
}

/* ---- streams ------------------------------------------------------------------------------------- */

/* Whether some groups alike are walked each by itself. */
static bool any_apart(const struct device_job *job, const struct device *device)
{
    const struct plan *plan = job->plan;
    for (int g = 0; g < plan->n_groups; g++)
        if (plan->groups[g].alike > 1 && !device->places[g].stretched && !walk_together(plan, device, g))
            return true;
    return false;
}

/* Streams for scenarios but the first, where they are walked apart; what is timed runs one after the other. */
static enum status open_beside(struct device_job *job, struct lane *lane)
{
    enum status status = STATUS_OK;
    if (job->options->timed) return STATUS_OK;
    CUDA_TRY(kept_take_event(job->device, false, &lane->parted));
    for (int s = 1; s < job->plan->n_scenarios; s++) {
        CUDA_TRY(kept_take_stream(job->device, &lane->beside[s]));
        CUDA_TRY(kept_take_event(job->device, false, &lane->joined[s]));
    }
done:
    return status;
}

static void close_lane(const struct device_job *job, struct lane *lane)
{
    for (int i = 0; i < AHEAD; i++) kept_give_event(job->device, job->options->timed, lane->done[i]);
    for (int s = 0; s < SCENARIOS_MAX; s++) {
        kept_give_event(job->device, false, lane->joined[s]);
        kept_give_stream(lane->beside[s]);
    }
    kept_give_event(job->device, false, lane->parted);
    kept_give_stream(lane->stream);
}

static enum status open_streams(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    bool timed = job->options->timed, beside = any_apart(job, device);
    for (int l = 0; l < device->n_lanes; l++) {
        CUDA_TRY(kept_take_stream(job->device, &device->lanes[l].stream));
        for (int i = 0; i < AHEAD; i++)
            CUDA_TRY(kept_take_event(job->device, timed, &device->lanes[l].done[i]));
    }
    for (int l = 0; beside && l < device->n_lanes; l++) TRY(open_beside(job, &device->lanes[l]));
    CUDA_TRY(kept_take_event(job->device, timed, &device->inputs_there));
    CUDA_TRY(kept_take_event(job->device, timed, &device->totals_added));
    for (int i = 0; timed && i < N_MARKS; i++)
        CUDA_TRY(kept_take_event(job->device, timed, &device->marks[i]));
done:
    return status;
}

static enum status send_inputs(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    TRY(copy_inputs(job, device));
    CUDA_TRY(cudaMemcpyAsync(device->memory, device->host_inputs, device->input_bytes, cudaMemcpyHostToDevice,
                             device->lanes[0].stream));
    if (job->totals)
        CUDA_TRY(cudaMemcpyAsync(device->totals, job->totals, totals_bytes(job), cudaMemcpyHostToDevice,
                                 device->lanes[0].stream));
    CUDA_TRY(cudaEventRecord(device->inputs_there, device->lanes[0].stream));
    for (int l = 1; l < device->n_lanes; l++)
        CUDA_TRY(cudaStreamWaitEvent(device->lanes[l].stream, device->inputs_there, 0));
done:
    return status;
}

static void close_device(const struct device_job *job, struct device *device)
{
    const struct plan *plan = job->plan;
    bool timed = job->options->timed;
    for (int l = 0; l < device->n_lanes; l++) close_lane(job, &device->lanes[l]);
    kept_give_event(job->device, timed, device->inputs_there);
    kept_give_event(job->device, timed, device->totals_added);
    for (int i = 0; i < N_MARKS; i++) kept_give_event(job->device, timed, device->marks[i]);
    spans_free(&device->spans);
    kept_give(device->memory);
    kept_give(device->host_inputs);
    for (int g = 0; device->places && g < plan->n_groups; g++) free(device->places[g].ladders);
    free(device->places);
}

/* ---- launches ------------------------------------------------------------------------------------ */

static void say_progress(const struct device_job *job, uint64_t path_steps)
{
    pthread_mutex_lock(&job->progress->lock);
    job->progress->done += path_steps;
    if (job->options->progress)
        job->options->progress(job->options->progress_context, job->progress->done, job->progress->total);
    pthread_mutex_unlock(&job->progress->lock);
}

/* The group's points where they lie. */
static struct walk_points points_of(const struct device *device, const struct group *group,
                                    const struct group_place *place)
{
    const char *inputs = device->memory;
    if (!place->n_dimensions) return (struct walk_points){0};
    return (struct walk_points){.dimensions = (const void *)(inputs + place->dimensions),
                                .n = place->n_dimensions,
                                .n_steps = group->n_steps,
                                .places = (const void *)(inputs + place->places),
                                .scales = (const void *)(inputs + place->scales)};
}

static struct walk walk_of(const struct device_job *job, const struct device *device, const struct lane *lane,
                           int g, uint64_t first_path, size_t paths)
{
    const struct group *group = &job->plan->groups[g];
    const struct group_place *place = &device->places[g];
    const char *inputs = device->memory;
    const struct underlying *first = &group->underlyings[0];
    return (struct walk){.steps = (const void *)(inputs + place->coefficients),
                         .touches = (const void *)(inputs + place->touches),
                         .initial = (const void *)(inputs + place->initial),
                         .results = (const void *)(inputs + place->results),
                         .normals = lane->normals,
                         .observed = lane->observed,
                         .carried = place->carried,
                         .start = first->start,
                         .paths = paths,
                         .first_path = job->plan->first_path + first_path,
                         .seed = job->plan->seed,
                         .keys = philox_keys(job->plan->seed),
                         .stream = factor_stream(first, 0),
                         .n_steps = group->n_steps,
                         .n_slots = group->n_slots,
                         .n_results = group->n_results - (place->carried.steps > 0),
                         .bridge_row = group->n_steps * group->n_factors,
                         .coefficients = (const void *)(inputs + place->coefficients),
                         .table = (const void *)(inputs + place->table),
                         .dividends = (const void *)(inputs + place->dividends),
                         .placed = (const void *)(inputs + place->underlyings),
                         .starts = (const void *)(inputs + place->starts),
                         .loadings = (const void *)(inputs + place->loadings),
                         .model = first->model,
                         .n_underlyings = group->n_underlyings,
                         .n_factors = group->n_factors,
                         .width = group->width,
                         .state_width = place->state_width,
                         .pages = (const void *)(inputs + place->pages),
                         .first_page = place->first_page,
                         .largest_page = place->largest_page,
                         .antithetic = job->plan->antithetic,
                         .points = points_of(device, group, place),
                         .variant = job->rung->variant};
}

/* Normals of the paths of one underlying, or indices in their place, `width` bytes each: those of factor f of
 * step j in row j * n_factors + f. */
static cudaError_t draw_underlying(const struct lane *lane, const struct group *group,
                                   const struct underlying *underlying, const struct walk *walk, int width)
{
    cudaError_t error = cudaSuccess;
    int n = group->n_factors;
    if (draws_indices(underlying))
        return draw_indices(lane->normals, width, underlying->factor, n, factor_number(group, underlying, 0),
                            walk, factor_stream(underlying, 0), walk->coefficients + underlying->coefficient,
                            lane->stream);
    for (int f = 0; f < model_factors(underlying->model) && error == cudaSuccess; f++) {
        if (walk->points.dimensions)
            error = draw_bridge(lane->normals, width, n, underlying->factor + f, walk, lane->stream);
        else
            error = draw_normals(lane->normals, width, underlying->factor + f, n, group->n_steps, walk->paths,
                                 walk->first_path, walk->seed, factor_stream(underlying, f), walk->antithetic,
                                 lane->stream);
    }
    return error;
}

/* Those of all underlyings of a group, then those of its bridges between dates. */
static cudaError_t draw_group(const struct lane *lane, const struct group *group, const struct walk *walk,
                              int width)
{
    cudaError_t error = cudaSuccess;
    if (!width) return cudaSuccess;
    for (int u = 0; u < group->n_underlyings && error == cudaSuccess; u++)
        error = draw_underlying(lane, group, &group->underlyings[u], walk, width);
    if (error != cudaSuccess) return error;
    if (walk->points.dimensions)
        return draw_dimensions(lane->normals, width, walk->bridge_row, 2 * group->n_pairs, walk,
                               lane->stream);
    return draw_normals(lane->normals, width, walk->bridge_row, 1, 2 * group->n_pairs, walk->paths,
                        walk->first_path, walk->seed, walk->stream | BRIDGE_STREAM, walk->antithetic,
                        lane->stream);
}

/* Of the last groups alike that were walked. */
static enum status add_walked(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float drawn, walked; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[MARK_WALKED]));
    CUDA_TRY(cudaEventElapsedTime(&drawn, device->marks[MARK_BEGIN], device->marks[MARK_DRAWN]));
    CUDA_TRY(cudaEventElapsedTime(&walked, device->marks[MARK_WARM], device->marks[MARK_WALKED]));
    job->normals += 1e-3 * drawn;
    job->paths += 1e-3 * walked;
done:
    return status;
}

static enum status add_phases(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    float valued; /* milliseconds */
    CUDA_TRY(cudaEventSynchronize(device->marks[MARK_VALUED]));
    CUDA_TRY(cudaEventElapsedTime(&valued, device->marks[MARK_WALKED], device->marks[MARK_VALUED]));
    job->payoffs += 1e-3 * valued;
    TRY(add_walked(job, device));
done:
    return status;
}

/* One stretch of batches of a bundle, or of groups alike, on one lane. */
struct launching {
    int g, lane;
    uint64_t first, batches; /* of the plan */
    struct walk walks[SCENARIOS_MAX];
};

/* The walks of all its groups, each of which writes behind those before it. */
static void lay_walks(struct device_job *job, const struct device *device, struct launching *of)
{
    const struct plan *plan = job->plan;
    uint64_t first_path = of->first * BATCH_PATHS, left = plan->paths - first_path;
    uint64_t most = of->batches * BATCH_PATHS;
    size_t paths = (size_t)(left < most ? left : most), before = 0;
    for (int s = 0; s < launched_together(plan, of->g); s++) {
        struct walk *walk = &of->walks[s];
        *walk = walk_of(job, device, &device->lanes[of->lane], of->g + s, first_path, paths);
        walk->observed += before;
        before += (size_t)plan->groups[of->g + s].n_rows * paths;
        if (job->options->timed) walk->facts = &job->facts;
    }
}

/* The groups alike from the launch's `first` on, each by itself: a scenario's paths alone rarely fill the
 * device, so they are walked at the same time where the lane has streams for that. */
static enum status walk_each(struct device_job *job, struct device *device, const struct launching *of,
                             int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    struct lane *lane = &device->lanes[of->lane];
    bool beside = group->alike > 1 && lane->parted;
    if (beside) CUDA_TRY(cudaEventRecord(lane->parted, lane->stream));
    for (int s = 0; s < group->alike; s++) {
        cudaStream_t stream = beside && s ? lane->beside[s] : lane->stream;
        const struct group_place *place = &device->places[of->g + first + s];
        if (stream != lane->stream) CUDA_TRY(cudaStreamWaitEvent(stream, lane->parted, 0));
        CUDA_TRY(job->rung->launch[place->ground](&of->walks[first + s], record_of(group, &place->carried),
                                                  job->options->block, stream));
        if (stream == lane->stream) continue;
        CUDA_TRY(cudaEventRecord(lane->joined[s], stream));
        CUDA_TRY(cudaStreamWaitEvent(lane->stream, lane->joined[s], 0));
    }
done:
    return status;
}

/* Every path of the groups alike from the launch's `first` on: by one thread where that can be. */
static enum status walk_paths(struct device_job *job, struct device *device, const struct launching *of,
                              int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    const struct group_place *place = &device->places[of->g + first];
    cudaStream_t stream = device->lanes[of->lane].stream;
    int width = normal_width(job->rung, GROUND_PLAIN);
    bool together = (job->rung->takes & TAKES_SCENARIOS) && width != sizeof(double);
    if (together && walk_together(job->plan, device, of->g + first)) {
        CUDA_TRY(launch_scenarios(of->walks + first, group->alike, scenarios_wanted(job->rung),
                                  width == sizeof(float), device->memory + place->interleaved,
                                  device->constants ? of->lane : -1, stream));
        return STATUS_OK;
    }
    if (place->stretched)
        CUDA_TRY(launch_stretches(of->walks + first, group->alike, scenarios_wanted(job->rung),
                                  job->options->block, stream));
    else TRY(walk_each(job, device, of, first));
done:
    return status;
}

/* Payoffs and tallies of scenario s, and the tallies to the host. */
static enum status value_paths(struct device_job *job, struct device *device, const struct launching *of,
                               int s)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + s];
    const struct group_place *place = &device->places[of->g + s];
    const struct lane *lane = &device->lanes[of->lane];
    const struct walk *walk = &of->walks[s];
    uint64_t range = job->range.end - job->range.first, before = of->first - job->range.first;
    struct tally *to = job->range.tallies + range * place->before + before * (uint64_t)group->n_payoffs;
    CUDA_TRY(value_payoffs((const void *)(device->memory + place->payoffs), group->n_single, group->n_payoffs,
                           walk->observed, walk->paths, walk->antithetic, lane->chunk_tallies,
                           lane->batch_tallies, lane->stream));
    for (int l = 0; l < group->n_ladders; l++)
        CUDA_TRY(value_ladder(&place->ladders[l], group->n_payoffs, walk->observed, walk->paths, lane->bins,
                              lane->batch_tallies, lane->stream));
    CUDA_TRY(cudaMemcpyAsync(to, lane->batch_tallies,
                             sizeof *to * (size_t)group->n_payoffs * (size_t)of->batches,
                             cudaMemcpyDeviceToHost, lane->stream));
done:
    return status;
}

/* Payoffs, measures and tallies of a bundle, and the tallies to the host. */
static enum status value_together(struct device_job *job, struct device *device, const struct launching *of)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    const struct group_place *place = &device->places[of->g];
    const struct lane *lane = &device->lanes[of->lane];
    size_t n = bundle_tallies(plan, of->g), before = of->first - job->range.first;
    size_t range = job->range.end - job->range.first;
    struct bundle_values values = {.n_measures = plan->n_measures,
                                   .n_payoffs = plan->groups[of->g].n_payoffs,
                                   .n_totals = plan->n_totals,
                                   .measures = (const void *)(device->memory + device->measures),
                                   .totals = (const void *)(device->memory + place->totals),
                                   .quantities = (const void *)(device->memory + place->quantities),
                                   .paths = of->walks[0].paths};
    for (int s = 0; s < plan->n_scenarios; s++) {
        values.payoffs[s] = (const void *)(device->memory + device->places[of->g + s].payoffs);
        values.observed[s] = of->walks[s].observed;
    }
    CUDA_TRY(value_bundle(&values, lane->chunk_tallies, lane->batch_tallies, lane->stream));
    if (plan->n_totals) {
        CUDA_TRY(cudaStreamWaitEvent(lane->stream, device->totals_added, 0));
        CUDA_TRY(add_bundle_totals(&values, lane->chunk_tallies,
                                   device->totals + before * BATCH_CHUNKS * chunk_totals(plan),
                                   lane->stream));
        CUDA_TRY(cudaEventRecord(device->totals_added, lane->stream));
    }
    CUDA_TRY(cudaMemcpyAsync(job->range.tallies + range * place->before + before * n, lane->batch_tallies,
                             sizeof(struct tally) * n * (size_t)of->batches, cudaMemcpyDeviceToHost,
                             lane->stream));
done:
    return status;
}

static enum status mark(struct device_job *job, struct device *device, const struct launching *of,
                        enum mark which)
{
    enum status status = STATUS_OK;
    if (job->options->timed) CUDA_TRY(cudaEventRecord(device->marks[which], device->lanes[of->lane].stream));
done:
    return status;
}

/* Normals and paths of the groups alike from the launch's `first` on. What is timed runs once before its
 * clock. */
static enum status walk_alike(struct device_job *job, struct device *device, const struct launching *of,
                              int first)
{
    enum status status = STATUS_OK;
    const struct group *group = &job->plan->groups[of->g + first];
    struct lane *lane = &device->lanes[of->lane];
    int width = normal_width(job->rung, device->places[of->g + first].ground);
    bool timed = job->options->timed;
    if (timed && first) TRY(add_walked(job, device));
    if (timed) CUDA_TRY(draw_group(lane, group, &of->walks[first], width));
    TRY(mark(job, device, of, MARK_BEGIN));
    CUDA_TRY(draw_group(lane, group, &of->walks[first], width));
    TRY(mark(job, device, of, MARK_DRAWN));
    if (timed) TRY(walk_paths(job, device, of, first));
    TRY(mark(job, device, of, MARK_WARM));
    TRY(walk_paths(job, device, of, first));
    TRY(mark(job, device, of, MARK_WALKED));
done:
    return status;
}

/* Puts it on its lane: normals, paths, payoffs, tallies to the host. */
static enum status launch(struct device_job *job, struct device *device, struct launching *of)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    struct lane *lane = &device->lanes[of->lane];
    int n = launched_together(plan, of->g);
    lay_walks(job, device, of);
    CUDA_TRY(spans_begin(&device->spans, lane->stream));
    for (int s = 0; s < n; s += plan->groups[of->g + s].alike) TRY(walk_alike(job, device, of, s));
    if (plan->groups[of->g].bundle) TRY(value_together(job, device, of));
    else
        for (int s = 0; s < n; s++) TRY(value_paths(job, device, of, s));
    TRY(mark(job, device, of, MARK_VALUED));
    CUDA_TRY(cudaEventRecord(lane->done[lane->launches++ % AHEAD], lane->stream));
    CUDA_TRY(spans_end(&device->spans, lane->stream));
    if (job->options->timed) TRY(add_phases(job, device));
done:
    return status;
}

/* Path-steps of one path of all groups of a launch. */
static uint64_t steps_together(const struct plan *plan, int g)
{
    uint64_t steps = 0;
    for (int s = 0; s < launched_together(plan, g); s++) steps += group_asset_steps(&plan->groups[g + s]);
    return steps;
}

/* Every bundle, or group with those alike, every batch of the range, lane after lane; at most AHEAD launches
 * wait on each. */
static enum status launch_all(struct device_job *job, struct device *device)
{
    enum status status = STATUS_OK;
    const struct plan *plan = job->plan;
    uint64_t range = job->range.end - job->range.first, turn = 0;
    for (int g = 0; g < plan->n_groups; g += launched_together(plan, g)) {
        for (uint64_t b = 0; b < range; b += device->launch_batches) {
            struct launching of = {.g = g, .lane = (int)(turn++ % (uint64_t)device->n_lanes)};
            of.first = job->range.first + b;
            of.batches = range - b < device->launch_batches ? range - b : device->launch_batches;
            struct lane *lane = &device->lanes[of.lane];
            if (job->options->stop && *job->options->stop) return STATUS_INTERRUPTED;
            if (lane->launches >= AHEAD) CUDA_TRY(cudaEventSynchronize(lane->done[lane->launches % AHEAD]));
            TRY(launch(job, device, &of));
            say_progress(job, of.batches * BATCH_PATHS * steps_together(plan, g));
        }
    }
    for (int l = 0; l < device->n_lanes; l++) CUDA_TRY(cudaStreamSynchronize(device->lanes[l].stream));
    if (job->totals)
        CUDA_TRY(cudaMemcpy(job->totals, device->totals, totals_bytes(job), cudaMemcpyDeviceToHost));
    CUDA_TRY(spans_busy(&device->spans, &job->busy));
done:
    return status;
}

/* Memory that was released is cleared in the background, and kernels that run meanwhile have less bandwidth:
 * on an H200 for about 2 ms a GB after the run before. A timed run lets that pass: 5 ms a GB of its own. */
static void let_settle(const struct device *device)
{
    size_t nanoseconds = device->memory_bytes / 200, second = 1000000000;
    nanosleep(&(struct timespec){(time_t)(nanoseconds / second), (long)(nanoseconds % second)}, NULL);
}

/* The properties of a device take milliseconds to ask for, and do not change. */
static enum status name_device(struct device_job *job)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int known = -1; /* the device asked for last */
    static char name[sizeof job->device_name];
    enum status status = STATUS_OK;
    struct cudaDeviceProp properties;
    pthread_mutex_lock(&lock);
    if (known != job->device) CUDA_TRY(cudaGetDeviceProperties(&properties, job->device));
    if (known != job->device) snprintf(name, sizeof name, "%.119s", properties.name);
    known = job->device;
    memcpy(job->device_name, name, sizeof name);
done:
    pthread_mutex_unlock(&lock);
    return status;
}

void device_run(struct device_job *job)
{
    enum status status = STATUS_OK;
    struct device device = {.n_lanes = job->options->streams == 1 || job->options->timed ? 1 : MOST_STREAMS,
                            .spans = {.device = job->device}};
    double began = seconds_now();
    if (job->range.first == job->range.end) return;
    CUDA_TRY(cudaSetDevice(job->device));
    TRY(name_device(job));
    TRY(place_inputs(job, &device));
    TRY(allocate(job, &device));
    TRY(allocate_tallies(job));
    TRY(open_streams(job, &device));
    TRY(send_inputs(job, &device));
    device.constants = kept_take_constants(job->device);
    job->start = seconds_now() - began;
    if (job->options->timed) let_settle(&device);
    TRY(launch_all(job, &device));
done:
    if (status) cudaDeviceSynchronize(); /* nothing may still write into what is released below */
    if (device.constants) kept_give_constants(job->device);
    close_device(job, &device);
    cudaGetLastError();
    if (status && !job->why.text[0])
        snprintf(job->why.text, sizeof job->why.text, "%s",
                 status == STATUS_INTERRUPTED ? "interrupted" : "not enough memory");
    job->status = status;
}
