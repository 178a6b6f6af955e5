#include "kernels/cuda/host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/host/reserve.h"
#include "models/base/clock.h"

enum status cuda_status(struct message *why, const char *call, cudaError_t error)
{
    if (error == cudaSuccess) return STATUS_OK;
    cudaGetLastError(); /* clears what is not sticky */
    return say_why(error == cudaErrorMemoryAllocation ? STATUS_NO_MEMORY : STATUS_ENGINE, why,
                   "%.*s: %s (CUDA error %d)", (int)strcspn(call, "("), call,
                   cudaGetErrorString(error), (int)error);
}

/* The properties of a device take milliseconds to ask for, and do not change. */
static enum status name_device(struct device *device)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int known = -1; /* the device asked for last */
    static char name[sizeof device->name];
    enum status status = STATUS_OK;
    struct cudaDeviceProp properties;
    pthread_mutex_lock(&lock);
    if (known != device->number) CUDA_TRY(cudaGetDeviceProperties(&properties, device->number));
    if (known != device->number) snprintf(name, sizeof name, "%.119s", properties.name);
    known = device->number;
    memcpy(device->name, name, sizeof name);
done:
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Takes room behind what is used. Returns where it lies, once the device has memory. */
static void *take_memory(const struct device *device, size_t *used, size_t bytes)
{
    const size_t at = take_room(used, bytes);
    return device->memory ? device->memory + at : NULL;
}

/* Lays out what lies behind the inputs: totals, and the stream slots for launches of as many
 * batches as the device has. Returns the bytes of all. */
static size_t lay_out(struct device *device)
{
    const struct plan *plan = device->plan;
    const size_t batches = device->launch_batches;
    size_t normals = 0, moves = 0 /* bytes of a path */, rows = 0, tallies = 0, bins = 0,
           used = device->input_bytes, paths = batches * BATCH_PATHS;
    if (paths > plan->paths) paths = (size_t)plan->paths;
    if (device->launch_parts > 1) paths = BATCH_PATHS / (size_t)device->launch_parts;
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        const struct device_layout *layout = &device->layouts[g];
        normals = larger(normals, normals_bytes(group, layout->width));
        moves = larger(moves, device_moves_bytes(group, &layout->shared_moves));
        rows = larger(rows, layout->end_row);
        tallies = larger(tallies, tallies_from(plan, g));
        bins = larger(bins, (size_t)group_bins(group));
    }
    device->totals = take_memory(device, &used, device->totals_bytes);
    for (int l = 0; l < device->n_stream_slots; l++) {
        struct stream_slot *slot = &device->stream_slots[l];
        const size_t tally_bytes = sizeof(struct tally) * tallies * batches;
        slot->normals = take_memory(device, &used, normals * paths);
        slot->moves = take_memory(device, &used, moves * paths);
        slot->observed = take_memory(device, &used, sizeof(double) * rows * paths);
        slot->chunk_tallies = take_memory(device, &used, tally_bytes * BATCH_CHUNKS);
        slot->batch_tallies = take_memory(device, &used, tally_bytes);
        slot->bins =
            take_memory(device, &used, sizeof(struct strike_bin) * STRIP_ROOM * bins * batches);
    }
    return used;
}

/* Bytes of a call for several markets, of which a run makes a few at a time: the markets keep a
 * device busy with fewer paths. */
#define MARKETS_BYTES ((size_t)1 << 29)

/* Parts of a batch of theirs at most: fewer paths would leave multiprocessors without. */
enum { MOST_PARTS = 4 };

/* Bytes of any other call, of which launches are no larger than keeps a device busy. */
#define PLAN_BYTES ((size_t)1 << 31)
enum { BUSY_BATCHES = 8 };

/* Chooses the batches of a launch: as many as fit in half of what is free, unless memory is kept
 * where they fit. */
static enum status choose_batches(struct device *device)
{
    const bool markets = device->plan->n_scenarios > 1;
    const size_t most = markets ? MARKETS_BYTES : PLAN_BYTES, least = markets ? 1 : BUSY_BATCHES,
                 asked = (size_t)device->options->launch_batches,
                 range = (size_t)(device->range.end - device->range.first);
    size_t *batches = &device->launch_batches, largest, free_bytes = 0, all_bytes = 0;
    device->launch_parts = 1;
    *batches = asked && asked < LAUNCH_BATCHES ? asked : LAUNCH_BATCHES;
    if (*batches > range) *batches = range;
    while (*batches > least && lay_out(device) > most) *batches /= 2;
    if (*batches == 1 && lay_out(device) > most) device->n_stream_slots = 1;
    while (*batches == 1 && device->plan->n_contrasts && device->launch_parts < MOST_PARTS &&
           lay_out(device) > most)
        device->launch_parts *= 2;
    reserve_bytes(device->number, &largest);
    if (lay_out(device) <= largest) return STATUS_OK;
    CUDA_MUST(cudaMemGetInfo(&free_bytes, &all_bytes));
    free_bytes += reserve_bytes(device->number, &largest);
    while (*batches > 1 && lay_out(device) > free_bytes / 2) *batches /= 2;
    return STATUS_OK;
}

/* Makes one allocation for everything on the device, for smaller launches where another run has
 * taken memory meanwhile; and for the host's inputs and tallies one each. */
static enum status allocate(struct device *device)
{
    const uint64_t first = device->range.first * BATCH_CHUNKS,
                   end = device->range.end * BATCH_CHUNKS,
                   chunks = device->plan->paths / CHUNK_PATHS; /* of the last batch perhaps fewer */
    device->totals_bytes = sizeof(double) * chunk_totals(device->plan) *
                           (size_t)((end < chunks ? end : chunks) - first);
    MUST(choose_batches(device));
    for (;; device->launch_batches /= 2) {
        device->memory_bytes = lay_out(device);
        cudaError_t error = reserve_take(device->number, RESERVE_DEVICE, device->memory_bytes,
                                         (void **)&device->memory);
        if (error == cudaSuccess) break;
        if (error != cudaErrorMemoryAllocation || device->launch_batches == 1)
            return cuda_status(&device->why, "reserve_take", error);
        cudaGetLastError();
    }
    lay_out(device);
    CUDA_MUST(reserve_take(device->number, RESERVE_PINNED, device->input_bytes + 1,
                           (void **)&device->host_inputs));
    return CUDA_STATUS(
        reserve_take(device->number, RESERVE_PINNED,
                     sizeof(struct tally) * (range_tallies(device->plan, &device->range) + 1),
                     (void **)&device->range.tallies));
}

/* ---- streams --------------------------------------------------------------------------------- */

static enum status open_streams(struct device *device)
{
    for (int l = 0; l < device->n_stream_slots; l++) {
        struct stream_slot *slot = &device->stream_slots[l];
        CUDA_MUST(cudaStreamCreateWithFlags(&slot->streams[0], cudaStreamNonBlocking));
        CUDA_MUST(cudaEventCreateWithFlags(&slot->passed, cudaEventDisableTiming));
    }
    CUDA_MUST(cudaEventCreateWithFlags(&device->inputs_there, cudaEventDisableTiming));
    CUDA_MUST(cudaEventCreateWithFlags(&device->totals_added, cudaEventDisableTiming));
    for (int i = 0; device->options->timed && i < N_LAUNCH_EVENTS; i++)
        CUDA_MUST(cudaEventCreateWithFlags(&device->marks[i], cudaEventDefault));
    return STATUS_OK;
}

/* Sends the inputs, for which every stream waits. */
static enum status send_inputs(struct device *device)
{
    const cudaStream_t stream = device->stream_slots[0].streams[0];
    put_inputs(device);
    CUDA_MUST(cudaMemcpyAsync(device->memory, device->host_inputs, device->input_bytes,
                              cudaMemcpyHostToDevice, stream));
    if (device->range.totals)
        CUDA_MUST(cudaMemcpyAsync(device->totals, device->range.totals, device->totals_bytes,
                                  cudaMemcpyHostToDevice, stream));
    CUDA_MUST(cudaEventRecord(device->inputs_there, stream));
    for (int l = 1; l < device->n_stream_slots; l++)
        CUDA_MUST(cudaStreamWaitEvent(device->stream_slots[l].streams[0], device->inputs_there, 0));
    return STATUS_OK;
}

static void end_event(cudaEvent_t event)
{
    if (event) cudaEventDestroy(event);
}

/* Gives back whatever was taken. */
static void close_device(struct device *device)
{
    for (int l = 0; l < MOST_STREAMS; l++) {
        const struct stream_slot *slot = &device->stream_slots[l];
        for (int s = 0; s <= SIDE_STREAMS; s++)
            if (slot->streams[s]) cudaStreamDestroy(slot->streams[s]);
        end_event(slot->passed);
    }
    end_event(device->inputs_there);
    end_event(device->totals_added);
    for (int i = 0; i < N_LAUNCH_EVENTS; i++) end_event(device->marks[i]);
    for (int i = 0; i < device->n_launches; i++) {
        end_event(device->launches[i].begin);
        end_event(device->launches[i].end);
    }
    free(device->launches);
    reserve_give(device->memory);
    reserve_give(device->host_inputs);
    for (int g = 0; device->layouts && g < device->plan->n_groups; g++) {
        free(device->layouts[g].listed);
        look_layout_free(&device->layouts[g].looks);
        shared_moves_free(&device->layouts[g].shared_moves);
        shape_free(&device->layouts[g].shape);
    }
    free(device->layouts);
    structures_free(&device->structures);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* Memory that was released is cleared in the background, and kernels that run meanwhile have less
 * bandwidth: on an H200 for about 2 ms a GB after the run before. A timed run lets that pass: 5 ms
 * a GB of its own. */
static void let_settle(const struct device *device)
{
    size_t nanoseconds = device->memory_bytes / 200, second = 1000000000;
    nanosleep(&(struct timespec){(time_t)(nanoseconds / second), (long)(nanoseconds % second)},
              NULL);
}

void device_run(struct device *device)
{
    enum status status = STATUS_OK;
    const bool timed = device->options->timed;
    const double began = seconds_now();
    device->n_stream_slots = device->options->streams == 1 || timed ? 1 : MOST_STREAMS;
    if (device->range.first == device->range.end) return;
    CUDA_TRY(cudaSetDevice(device->number));
    TRY(name_device(device));
    TRY(lay_out_inputs(device));
    TRY(allocate(device));
    TRY(open_streams(device));
    TRY(send_inputs(device));
    device->times.start = seconds_now() - began;
    if (timed) let_settle(device);
    TRY(launch_all(device));
done:
    if (status) cudaDeviceSynchronize(); /* nothing may still write into what is released below */
    close_device(device);
    cudaGetLastError();
    if (status && !device->why.text[0])
        say_why(status, &device->why, "%s",
                status == STATUS_INTERRUPTED ? "interrupted" : "not enough memory");
    device->status = status;
}
