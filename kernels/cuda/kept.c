#include "kernels/cuda/kept.h"

#include <pthread.h>
#include <stdbool.h>

enum { PIECES = 256 };

struct piece {
    void *memory; /* NULL: an empty place */
    size_t bytes;
    int device;
    enum kept_kind kind;
    bool taken;
};

static struct piece pieces[PIECES];
struct kept_stream {
    cudaStream_t stream; /* NULL: an empty place */
    int device;
    bool taken;
};

static struct kept_stream streams[PIECES];
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

/* A free piece of that kind; the smallest that is large enough, else one that is not; NULL: none. */
static struct piece *find(int device, enum kept_kind kind, size_t bytes)
{
    struct piece *found = NULL;
    for (int i = 0; i < PIECES; i++) {
        struct piece *piece = &pieces[i];
        if (!piece->memory || piece->taken || piece->device != device || piece->kind != kind) continue;
        bool fits = piece->bytes >= bytes, found_fits = found && found->bytes >= bytes;
        if (!found || (fits && (!found_fits || piece->bytes < found->bytes))) found = piece;
    }
    return found;
}

static struct piece *empty_place(void)
{
    for (int i = 0; i < PIECES; i++)
        if (!pieces[i].memory) return &pieces[i];
    return NULL;
}

static cudaError_t take_locked(int device, enum kept_kind kind, size_t bytes, void **memory)
{
    struct piece *piece = find(device, kind, bytes);
    *memory = NULL;
    if (piece && piece->bytes < bytes) {
        release(kind, piece->memory);
        piece->memory = NULL;
    }
    if (!piece) piece = empty_place();
    if (!piece) return cudaErrorMemoryAllocation;
    if (!piece->memory) {
        cudaError_t error = allocate(kind, bytes, &piece->memory);
        if (error != cudaSuccess) {
            piece->memory = NULL;
            return error;
        }
        piece->bytes = bytes;
        piece->device = device;
        piece->kind = kind;
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
        if (pieces[i].memory && !pieces[i].taken && pieces[i].device == device &&
            pieces[i].kind == KEPT_DEVICE)
            bytes += pieces[i].bytes;
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
