#include "kernels/cuda/kept.h"

#include <pthread.h>
#include <stdlib.h>

enum { PIECES = 256, DEVICES = 64 };

struct piece {
    void *memory; /* NULL: an empty place */
    size_t bytes;
    int device;
    enum kept_kind kind;
    bool taken;
};

struct kept_stream {
    cudaStream_t stream; /* NULL: an empty place */
    int device;
    bool taken;
};

struct kept_event {
    cudaEvent_t event;
    int device;
};

/* Those that nobody has. */
struct kept_events {
    size_t n, room;
    struct kept_event *events; /* [n] */
};

static struct piece pieces[PIECES];
static struct kept_events events[2]; /* without and with times */
static struct kept_stream streams[PIECES];
static bool constants_taken[DEVICES]; /* [device] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t allocate(enum kept_kind kind, size_t bytes, void **memory)
{
    return kind == KEPT_DEVICE ? cudaMalloc(memory, bytes) : cudaMallocHost(memory, bytes);
}

static void release(enum kept_kind kind, void *memory)
{
    if (kind == KEPT_DEVICE) cudaFree(memory);
    else cudaFreeHost(memory);
}

static bool is_free(const struct piece *piece, int device, enum kept_kind kind)
{
    return piece->memory && !piece->taken && piece->device == device && piece->kind == kind;
}

/* The smallest free piece of that kind that is large enough; NULL: none. */
static struct piece *find(int device, enum kept_kind kind, size_t bytes)
{
    struct piece *found = NULL;
    for (int i = 0; i < PIECES; i++) {
        struct piece *piece = &pieces[i];
        if (!is_free(piece, device, kind) || piece->bytes < bytes) continue;
        if (!found || piece->bytes < found->bytes) found = piece;
    }
    return found;
}

static void release_free(int device, enum kept_kind kind)
{
    for (int i = 0; i < PIECES; i++) {
        if (!is_free(&pieces[i], device, kind)) continue;
        release(kind, pieces[i].memory);
        pieces[i].memory = NULL;
    }
}

static struct piece *empty_place(void)
{
    for (int i = 0; i < PIECES; i++)
        if (!pieces[i].memory) return &pieces[i];
    return NULL;
}

/* What is asked for where so much is wanted: a power of two that most runs fit in, for the next may want
 * more, and the driver takes a millisecond. */
static size_t generous(enum kept_kind kind, size_t bytes)
{
    size_t power = (size_t)1 << (kind == KEPT_PINNED ? 21 : 29);
    while (power < bytes) power *= 2;
    return power;
}

/* A new piece. To release others makes every run wait. */
static cudaError_t make_piece(int device, enum kept_kind kind, size_t bytes, struct piece *piece)
{
    *piece = (struct piece){.bytes = generous(kind, bytes), .device = device, .kind = kind};
    cudaError_t error = allocate(kind, piece->bytes, &piece->memory);
    for (int attempt = 0; error == cudaErrorMemoryAllocation && attempt < 2; attempt++) {
        cudaGetLastError();
        piece->memory = NULL;
        if (attempt) release_free(device, kind);
        piece->bytes = bytes;
        error = allocate(kind, bytes, &piece->memory);
    }
    if (error != cudaSuccess) piece->memory = NULL;
    return error;
}

static cudaError_t take_locked(int device, enum kept_kind kind, size_t bytes, void **memory)
{
    struct piece *piece = find(device, kind, bytes);
    *memory = NULL;
    if (!piece) {
        piece = empty_place();
        if (!piece) return cudaErrorMemoryAllocation;
        cudaError_t error = make_piece(device, kind, bytes, piece);
        if (error != cudaSuccess) return error;
    }
    piece->taken = true;
    *memory = piece->memory;
    return cudaSuccess;
}

cudaError_t kept_take(int device, enum kept_kind kind, size_t bytes, void **memory)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = take_locked(device, kind, bytes, memory);
    pthread_mutex_unlock(&lock);
    return error;
}

void kept_give(void *memory)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; memory && i < PIECES; i++)
        if (pieces[i].memory == memory) pieces[i].taken = false;
    pthread_mutex_unlock(&lock);
}

size_t kept_bytes(int device)
{
    size_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PIECES; i++)
        if (is_free(&pieces[i], device, KEPT_DEVICE)) bytes += pieces[i].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

size_t kept_largest(int device)
{
    size_t bytes = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PIECES; i++)
        if (is_free(&pieces[i], device, KEPT_DEVICE) && pieces[i].bytes > bytes) bytes = pieces[i].bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

static cudaError_t take_stream_locked(int device, cudaStream_t *stream)
{
    struct kept_stream *place = NULL;
    for (int i = 0; i < PIECES; i++) {
        bool of_device = streams[i].stream && !streams[i].taken && streams[i].device == device;
        if (of_device || (!streams[i].stream && !place)) place = &streams[i];
        if (of_device) break;
    }
    *stream = NULL;
    if (!place) return cudaErrorMemoryAllocation;
    if (!place->stream) {
        cudaError_t error = cudaStreamCreateWithFlags(&place->stream, cudaStreamNonBlocking);
        if (error != cudaSuccess) return error;
        place->device = device;
    }
    place->taken = true;
    *stream = place->stream;
    return cudaSuccess;
}

cudaError_t kept_take_stream(int device, cudaStream_t *stream)
{
    pthread_mutex_lock(&lock);
    cudaError_t error = take_stream_locked(device, stream);
    pthread_mutex_unlock(&lock);
    return error;
}

void kept_give_stream(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; stream && i < PIECES; i++)
        if (streams[i].stream == stream) streams[i].taken = false;
    pthread_mutex_unlock(&lock);
}

/* The one given back last that the device has; NULL: none. */
static cudaEvent_t find_event(struct kept_events *kept, int device)
{
    for (size_t i = kept->n; i > 0; i--) {
        struct kept_event found = kept->events[i - 1];
        if (found.device != device) continue;
        kept->events[i - 1] = kept->events[--kept->n];
        return found.event;
    }
    return NULL;
}

cudaError_t kept_take_event(int device, bool timed, cudaEvent_t *event)
{
    pthread_mutex_lock(&lock);
    *event = find_event(&events[timed], device);
    pthread_mutex_unlock(&lock);
    if (*event) return cudaSuccess;
    return cudaEventCreateWithFlags(event, timed ? cudaEventDefault : cudaEventDisableTiming);
}

static bool keep_event(struct kept_events *kept, struct kept_event event)
{
    if (kept->n == kept->room) {
        size_t room = 2 * kept->room + 64;
        struct kept_event *larger = realloc(kept->events, room * sizeof *larger);
        if (!larger) return false;
        kept->events = larger;
        kept->room = room;
    }
    kept->events[kept->n++] = event;
    return true;
}

void kept_give_event(int device, bool timed, cudaEvent_t event)
{
    if (!event) return;
    pthread_mutex_lock(&lock);
    bool kept = keep_event(&events[timed], (struct kept_event){event, device});
    pthread_mutex_unlock(&lock);
    if (!kept) cudaEventDestroy(event);
}

bool kept_take_constants(int device)
{
    pthread_mutex_lock(&lock);
    bool taken = device < DEVICES && !constants_taken[device];
    if (taken) constants_taken[device] = true;
    pthread_mutex_unlock(&lock);
    return taken;
}

void kept_give_constants(int device)
{
    pthread_mutex_lock(&lock);
    constants_taken[device] = false;
    pthread_mutex_unlock(&lock);
}
