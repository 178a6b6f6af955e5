#include "kernels/cuda/host/reserve.h"

#include <pthread.h>

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

static bool is_free(const struct reserved_memory *block, int device, enum reserve_kind kind)
{
    return block->memory && !block->taken && block->device == device && block->kind == kind;
}

/* Finds the smallest free block of that kind that is large enough, else an empty place; NULL: there
 * is neither. */
static struct reserved_memory *find(int device, enum reserve_kind kind, size_t bytes)
{
    struct reserved_memory *found = NULL, *empty = NULL;
    for (int i = 0; i < BLOCKS_MAX; i++) {
        struct reserved_memory *block = &blocks[i];
        if (!block->memory) empty = block;
        if (!is_free(block, device, kind) || block->bytes < bytes) continue;
        if (!found || block->bytes < found->bytes) found = block;
    }
    return found ? found : empty;
}

static void release_free(int device, enum reserve_kind kind)
{
    for (int i = 0; i < BLOCKS_MAX; i++) {
        if (!is_free(&blocks[i], device, kind)) continue;
        if (kind == RESERVE_DEVICE) cudaFree(blocks[i].memory);
        else cudaFreeHost(blocks[i].memory);
        blocks[i].memory = NULL;
    }
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

/* Makes a new block: a generous one, one that is just enough, or that after others were released,
 * which makes every run wait. */
static cudaError_t make_block(int device, enum reserve_kind kind, size_t bytes,
                              struct reserved_memory *block)
{
    cudaError_t error = cudaErrorMemoryAllocation;
    for (int attempt = 0; error == cudaErrorMemoryAllocation && attempt < 3; attempt++) {
        if (attempt) cudaGetLastError();
        if (attempt == 2) release_free(device, kind);
        *block = (struct reserved_memory){
            .bytes = attempt ? bytes : generous(kind, bytes), .device = device, .kind = kind};
        error = kind == RESERVE_DEVICE ? cudaMalloc(&block->memory, block->bytes)
                                       : cudaMallocHost(&block->memory, block->bytes);
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
    if (!block) error = cudaErrorMemoryAllocation;
    else if (!block->memory) error = make_block(device, kind, bytes, block);
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
