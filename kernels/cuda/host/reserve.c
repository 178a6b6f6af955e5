#include "kernels/cuda/host/reserve.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 256, PINNED_LARGE = 1 << 24 /* bytes */ };

struct reserved_memory {
    void *memory; /* NULL: an empty place */
    size_t bytes;
    int device;
    enum reserve_kind kind;
    bool taken;
};

struct reserved_stream {
    cudaStream_t stream; /* NULL: an empty place */
    int device;
    bool taken;
};

struct reserved_event {
    cudaEvent_t event;
    int device;
};

/* Those that nobody has. */
struct reserved_events {
    size_t n, room;
    struct reserved_event *events; /* [n] */
};

static struct reserved_memory blocks[BLOCKS_MAX];
static struct reserved_events events[2]; /* without and with times */
static struct reserved_stream streams[BLOCKS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t allocate(enum reserve_kind kind, size_t bytes, void **memory)
{
    return kind == RESERVE_DEVICE ? cudaMalloc(memory, bytes) : cudaMallocHost(memory, bytes);
}

static void release(enum reserve_kind kind, void *memory)
{
    if (kind == RESERVE_DEVICE) cudaFree(memory);
    else cudaFreeHost(memory);
}

static bool is_free(const struct reserved_memory *block, int device, enum reserve_kind kind)
{
    return block->memory && !block->taken && block->device == device && block->kind == kind;
}

/* The smallest free block of that kind that is large enough; NULL: none. */
static struct reserved_memory *find(int device, enum reserve_kind kind, size_t bytes)
{
    struct reserved_memory *found = NULL;
    for (int i = 0; i < BLOCKS_MAX; i++) {
        struct reserved_memory *block = &blocks[i];
        if (!is_free(block, device, kind) || block->bytes < bytes) continue;
        if (!found || block->bytes < found->bytes) found = block;
    }
    return found;
}

static void release_free(int device, enum reserve_kind kind)
{
    for (int i = 0; i < BLOCKS_MAX; i++) {
        if (!is_free(&blocks[i], device, kind)) continue;
        release(kind, blocks[i].memory);
        blocks[i].memory = NULL;
    }
}

static struct reserved_memory *empty_layout(void)
{
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (!blocks[i].memory) return &blocks[i];
    return NULL;
}

/* What is asked for where so much is wanted, for the next run may want more: a power of two that
 * most runs fit in. The driver takes a millisecond for 2 MB of pinned memory, which it divides
 * among blocks of less: small ones are no larger than they must be, and large ones a quarter. */
static size_t generous(enum reserve_kind kind, size_t bytes)
{
    size_t power = (size_t)1 << (kind == RESERVE_PINNED ? 18 : 29);
    if (kind == RESERVE_PINNED && bytes > PINNED_LARGE) return bytes + bytes / 4;
    while (power < bytes) power *= 2;
    return power;
}

/* A new block. To release others makes every run wait. */
static cudaError_t make_block(int device, enum reserve_kind kind, size_t bytes,
                              struct reserved_memory *block)
{
    *block =
        (struct reserved_memory){.bytes = generous(kind, bytes), .device = device, .kind = kind};
    cudaError_t error = allocate(kind, block->bytes, &block->memory);
    for (int attempt = 0; error == cudaErrorMemoryAllocation && attempt < 2; attempt++) {
        cudaGetLastError();
        block->memory = NULL;
        if (attempt) release_free(device, kind);
        block->bytes = bytes;
        error = allocate(kind, bytes, &block->memory);
    }
    if (error != cudaSuccess) block->memory = NULL;
    return error;
}

static cudaError_t take_locked(int device, enum reserve_kind kind, size_t bytes, void **memory)
{
    struct reserved_memory *block = find(device, kind, bytes);
    *memory = NULL;
    if (!block) {
        block = empty_layout();
        if (!block) return cudaErrorMemoryAllocation;
        cudaError_t error = make_block(device, kind, bytes, block);
        if (error != cudaSuccess) return error;
    }
    block->taken = true;
    *memory = block->memory;
    return cudaSuccess;
}

cudaError_t reserve_take(int device, enum reserve_kind kind, size_t bytes, void **memory)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = take_locked(device, kind, bytes, memory);
    pthread_mutex_unlock(&lock);
    return error;
}

void reserve_give(void *memory)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; memory && i < BLOCKS_MAX; i++)
        if (blocks[i].memory == memory) blocks[i].taken = false;
    pthread_mutex_unlock(&lock);
}

size_t reserve_bytes(int device)
{
    size_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (is_free(&blocks[i], device, RESERVE_DEVICE)) bytes += blocks[i].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

size_t reserve_largest(int device)
{
    size_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS_MAX; i++)
        if (is_free(&blocks[i], device, RESERVE_DEVICE) && blocks[i].bytes > bytes)
            bytes = blocks[i].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

static cudaError_t take_stream_locked(int device, cudaStream_t *stream)
{
    struct reserved_stream *entry = NULL;
    for (int i = 0; i < BLOCKS_MAX; i++) {
        bool of_device = streams[i].stream && !streams[i].taken && streams[i].device == device;
        if (of_device || (!streams[i].stream && !entry)) entry = &streams[i];
        if (of_device) break;
    }
    *stream = NULL;
    if (!entry) return cudaErrorMemoryAllocation;
    if (!entry->stream) {
        cudaError_t error = cudaStreamCreateWithFlags(&entry->stream, cudaStreamNonBlocking);
        if (error != cudaSuccess) return error;
        entry->device = device;
    }
    entry->taken = true;
    *stream = entry->stream;
    return cudaSuccess;
}

cudaError_t reserve_take_stream(int device, cudaStream_t *stream)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = take_stream_locked(device, stream);
    pthread_mutex_unlock(&lock);
    return error;
}

void reserve_give_stream(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; stream && i < BLOCKS_MAX; i++)
        if (streams[i].stream == stream) streams[i].taken = false;
    pthread_mutex_unlock(&lock);
}

/* The one given back last that the device has; NULL: none. */
static cudaEvent_t find_event(struct reserved_events *kept, int device)
{
    for (size_t i = kept->n; i > 0; i--) {
        struct reserved_event found = kept->events[i - 1];
        if (found.device != device) continue;
        kept->events[i - 1] = kept->events[--kept->n];
        return found.event;
    }
    return NULL;
}

cudaError_t reserve_take_event(int device, bool timed, cudaEvent_t *event)
{
    pthread_mutex_lock(&lock);
    *event = find_event(&events[timed], device);
    pthread_mutex_unlock(&lock);
    if (*event) return cudaSuccess;
    return cudaEventCreateWithFlags(event, timed ? cudaEventDefault : cudaEventDisableTiming);
}

static bool keep_event(struct reserved_events *kept, struct reserved_event event)
{
    if (kept->n == kept->room) {
        size_t room = 2 * kept->room + 64;
        struct reserved_event *larger = realloc(kept->events, room * sizeof *larger);
        if (!larger) return false;
        kept->events = larger;
        kept->room = room;
    }
    kept->events[kept->n++] = event;
    return true;
}

void reserve_give_event(int device, bool timed, cudaEvent_t event)
{
    if (!event) return;
    pthread_mutex_lock(&lock);
    bool kept = keep_event(&events[timed], (struct reserved_event){event, device});
    pthread_mutex_unlock(&lock);
    if (!kept) cudaEventDestroy(event);
}
