#include "kernels/cuda/host/reserve.h"

#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS_MAX = 256, PINNED_LARGE = 1 << 24 /* bytes */, GIGABYTE = 1 << 30 };

struct reserved_memory {
    void *memory; /* NULL: an empty place */
    size_t bytes;
    int device;
    enum reserve_kind kind;
    bool taken;
};

static struct reserved_memory blocks[BLOCKS_MAX];
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
    while (power < bytes && power < GIGABYTE) power *= 2;
    return (bytes + power - 1) / power * power;
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

cudaError_t reserve_take(int device, enum reserve_kind kind, size_t bytes, void **memory)
{
    cudaError_t error = cudaSuccess;
    *memory = NULL;
    pthread_mutex_lock(&lock);
    struct reserved_memory *block = find(device, kind, bytes);
    if (!block) {
        block = empty_layout();
        error = block ? make_block(device, kind, bytes, block) : cudaErrorMemoryAllocation;
    }
    if (error == cudaSuccess) block->taken = true, *memory = block->memory;
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

size_t reserve_bytes(int device, size_t *largest)
{
    size_t bytes = 0;
    *largest = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS_MAX; i++) {
        if (!is_free(&blocks[i], device, RESERVE_DEVICE)) continue;
        bytes += blocks[i].bytes;
        if (blocks[i].bytes > *largest) *largest = blocks[i].bytes;
    }
    pthread_mutex_unlock(&lock);
    return bytes;
}
