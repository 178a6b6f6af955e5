#include "kernels/cuda/host/device_parts.h"

#include "kernels/cuda/host/reserve.h"

/* Lays out inputs and stream slots for launches of `batches` batches; with `base` set, hands out
 * the pointers too.
 */
static size_t lay_out(const struct device_job *job, struct device *device, size_t batches,
                      char *base)
{
    const struct plan *plan = job->plan;
    size_t normals = 0, moves = 0 /* bytes of a path */, rows = 0, tallies = 0, bins = 0, used = 0,
           paths = batches * BATCH_PATHS;
    if (paths > plan->paths) paths = (size_t)plan->paths;
    if (device->launch_parts > 1) paths = BATCH_PATHS / (size_t)device->launch_parts;
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        size_t draws = normals_bytes(group, device->layouts[g].width);
        normals = draws > normals ? draws : normals;
        size_t shared = device_moves_bytes(group, &device->layouts[g].shared_moves);
        moves = shared > moves ? shared : moves;
        rows = device->layouts[g].end_row > rows ? device->layouts[g].end_row : rows;
        tallies = tallies_from(plan, g) > tallies ? tallies_from(plan, g) : tallies;
        size_t strip_bins = (size_t)group_bins(group);
        bins = strip_bins > bins ? strip_bins : bins;
    }
    take_room(&used, device->input_bytes);
    size_t at_totals = take_room(&used, device->totals_bytes);
    if (base) device->totals = (double *)(base + at_totals);
    for (int l = 0; l < device->n_stream_slots; l++) {
        struct stream_slot *stream_slot = &device->stream_slots[l];
        size_t at_normals = take_room(&used, normals * paths);
        size_t at_moves = take_room(&used, moves * paths);
        size_t at_observed = take_room(&used, sizeof(double) * rows * paths);
        size_t at_chunks =
            take_room(&used, sizeof(struct tally) * tallies * batches * BATCH_CHUNKS);
        size_t at_batches = take_room(&used, sizeof(struct tally) * tallies * batches);
        size_t at_bins = take_room(&used, sizeof(struct strike_bin) * STRIP_ROOM * bins * batches);
        if (!base) continue;
        stream_slot->normals = base + at_normals;
        stream_slot->moves = (float *)(base + at_moves);
        stream_slot->observed = (double *)(base + at_observed);
        stream_slot->chunk_tallies = (struct tally *)(base + at_chunks);
        stream_slot->batch_tallies = (struct tally *)(base + at_batches);
        stream_slot->bins = (struct strike_bin *)(base + at_bins);
    }
    return used;
}

/* Kernels count the chunks of a launch by the second number of a grid's blocks. */
_Static_assert(LAUNCH_BATCHES <= GRID_SECOND_MOST / BATCH_CHUNKS, "a grid has room for them");

/* Bytes of a call for several markets, of which a run makes a few at a time: the markets keep a
 * device busy with fewer paths. */
#define MARKETS_BYTES ((size_t)1 << 29)

/* Parts of a batch of theirs at most: fewer paths would leave multiprocessors without. */
enum { MOST_PARTS = 4 };

/* Bytes of any other call, of which launches are no larger than keeps a device busy. */
#define PLAN_BYTES ((size_t)1 << 31)
enum { BUSY_BATCHES = 8 };

/* Batches of a launch: as many as fit in half of what is free, unless memory is kept where they
 * fit. */
static enum status choose_batches(struct device_job *job, struct device *device)
{
    const bool markets = job->plan->n_scenarios > 1;
    const size_t most = markets ? MARKETS_BYTES : PLAN_BYTES, least = markets ? 1 : BUSY_BATCHES;
    size_t largest, free_bytes = 0, all_bytes = 0, batches = LAUNCH_BATCHES;
    device->launch_parts = 1;
    if (job->options->launch_batches > 0 && (size_t)job->options->launch_batches < batches)
        batches = (size_t)job->options->launch_batches;
    if (batches > job->range.end - job->range.first)
        batches = (size_t)(job->range.end - job->range.first);
    while (batches > least && lay_out(job, device, batches, NULL) > most) batches /= 2;
    if (batches == 1 && lay_out(job, device, batches, NULL) > most) device->n_stream_slots = 1;
    while (batches == 1 && job->plan->n_contrasts && device->launch_parts < MOST_PARTS &&
           lay_out(job, device, batches, NULL) > most)
        device->launch_parts *= 2;
    device->launch_batches = batches;
    reserve_bytes(job->device, &largest);
    if (lay_out(job, device, batches, NULL) <= largest) return STATUS_OK;
    CUDA_MUST(cudaMemGetInfo(&free_bytes, &all_bytes));
    free_bytes += reserve_bytes(job->device, &largest);
    while (batches > 1 && lay_out(job, device, batches, NULL) > free_bytes / 2) batches /= 2;
    device->launch_batches = batches;
    return STATUS_OK;
}

/* Memory for such launches; for smaller ones where another run has taken it meanwhile. */
static cudaError_t take_memory(const struct device_job *job, struct device *device)
{
    for (;; device->launch_batches /= 2) {
        device->memory_bytes = lay_out(job, device, device->launch_batches, NULL);
        cudaError_t error = reserve_take(job->device, RESERVE_DEVICE, device->memory_bytes,
                                         (void **)&device->memory);
        if (error != cudaErrorMemoryAllocation || device->launch_batches == 1) return error;
        cudaGetLastError();
    }
}

enum status allocate(struct device_job *job, struct device *device)
{
    uint64_t first = job->range.first * BATCH_CHUNKS, end = job->range.end * BATCH_CHUNKS,
             chunks = job->plan->paths / CHUNK_PATHS; /* the range's last ones may be fewer */
    size_t bytes;
    device->totals_bytes =
        sizeof(double) * chunk_totals(job->plan) * (size_t)((end < chunks ? end : chunks) - first);
    MUST(choose_batches(job, device));
    CUDA_MUST(take_memory(job, device));
    lay_out(job, device, device->launch_batches, device->memory);
    CUDA_MUST(reserve_take(job->device, RESERVE_PINNED, device->input_bytes + 1,
                           (void **)&device->host_inputs));
    bytes = sizeof(struct tally) * (range_tallies(job->plan, &job->range) + 1);
    return CUDA_STATUS(
        reserve_take(job->device, RESERVE_PINNED, bytes, (void **)&job->range.tallies));
}
