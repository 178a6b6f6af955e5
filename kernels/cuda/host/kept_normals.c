#include "kernels/cuda/host/kept_normals.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/host/device.h"

enum { KEPT_MOST = 512, BLOCKS_MOST = 64 };

/* The part of a device's memory that they may take, and bytes of a block that several share. */
enum { SHARE_OF_MEMORY = 8 };
#define BLOCK_BYTES ((size_t)1 << 29)

struct kept_normals {
    struct normals_key key;
    void *normals;
    cudaEvent_t drawn;
};

struct kept_block {
    char *memory;
    size_t bytes, used;
};

/* What a device keeps. Blocks and events stay for the rest of the program. */
struct kept {
    int readers; /* between begin and end */
    bool full;   /* something had no room */
    int n, n_events;
    struct kept_normals *normals; /* [KEPT_MOST], the first n_events with an event */
    int n_blocks;
    struct kept_block blocks[BLOCKS_MOST];
};

static struct kept devices[MOST_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void normals_key_make(const struct group *group, uint64_t seed, bool antithetic,
                      uint64_t first_path, size_t paths, int width, struct normals_key *key)
{
    memset(key, 0, sizeof *key); /* padding, too: keys are compared as bytes */
    key->seed = seed;
    key->first_path = first_path;
    key->paths = paths;
    key->antithetic = antithetic;
    key->width = width;
    key->n_steps = group->n_steps;
    key->n_factors = group->n_factors;
    key->n_pairs = group->n_pairs;
    key->n_underlyings = group->n_underlyings;
    for (int u = 0; u < group->n_underlyings; u++) {
        key->streams[u] = group->underlyings[u].stream;
        key->factors[u] = group->underlyings[u].factor;
    }
}

void kept_normals_begin(int device)
{
    struct kept *kept = &devices[device];
    pthread_mutex_lock(&lock);
    if (!kept->readers++ && kept->full) {
        kept->n = 0;
        for (int b = 0; b < kept->n_blocks; b++) kept->blocks[b].used = 0;
        kept->full = false;
    }
    pthread_mutex_unlock(&lock);
}

void kept_normals_end(int device)
{
    pthread_mutex_lock(&lock);
    devices[device].readers--;
    pthread_mutex_unlock(&lock);
}

/* Adds a block in which so many bytes fit; *block is NULL where the device, or the share of it that
 * may be taken, has no room for one. */
static cudaError_t add_block(struct kept *kept, size_t bytes, struct kept_block **block)
{
    struct kept_block *next = &kept->blocks[kept->n_blocks];
    size_t most = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES, taken = most, free_bytes, all_bytes;
    *block = NULL;
    if (kept->n_blocks == BLOCKS_MOST) return cudaSuccess;
    for (int b = 0; b < kept->n_blocks; b++) taken += kept->blocks[b].bytes;
    cudaError_t error = cudaMemGetInfo(&free_bytes, &all_bytes);
    if (error != cudaSuccess || taken > all_bytes / SHARE_OF_MEMORY) return error;
    *next = (struct kept_block){.bytes = most};
    error = cudaMalloc((void **)&next->memory, next->bytes);
    if (error == cudaErrorMemoryAllocation) return cudaGetLastError(), cudaSuccess;
    if (error != cudaSuccess) return error;
    kept->n_blocks++;
    *block = next;
    return cudaSuccess;
}

/* Takes room for so many bytes; *room is NULL where there is none. */
static cudaError_t take_room_for(struct kept *kept, size_t bytes, void **room)
{
    struct kept_block *block = NULL;
    cudaError_t error = cudaSuccess;
    bytes = (bytes + 255) / 256 * 256;
    for (int b = 0; b < kept->n_blocks && !block; b++)
        if (kept->blocks[b].bytes - kept->blocks[b].used >= bytes) block = &kept->blocks[b];
    if (!block) error = add_block(kept, bytes, &block);
    *room = block ? block->memory + block->used : NULL;
    if (block) block->used += bytes;
    return error;
}

/* Finds the next place, which gets an event; *place is NULL where there is none. */
static cudaError_t next_place(struct kept *kept, struct kept_normals **place)
{
    *place = NULL;
    if (!kept->normals) kept->normals = calloc(KEPT_MOST, sizeof *kept->normals);
    if (!kept->normals || kept->n == KEPT_MOST) return cudaSuccess;
    struct kept_normals *next = &kept->normals[kept->n];
    cudaError_t error = cudaSuccess;
    if (kept->n == kept->n_events)
        error = cudaEventCreateWithFlags(&next->drawn, cudaEventDisableTiming);
    if (error != cudaSuccess) return error;
    if (kept->n == kept->n_events) kept->n_events++;
    *place = next;
    return cudaSuccess;
}

static const struct kept_normals *find_key(const struct kept *kept, const struct normals_key *key)
{
    for (int i = 0; i < kept->n; i++)
        if (!memcmp(&kept->normals[i].key, key, sizeof *key)) return &kept->normals[i];
    return NULL;
}

/* Draws normals where there is room for them, and keeps them. */
static cudaError_t draw_and_keep(struct kept *kept, const struct normals_key *key, size_t bytes,
                                 normals_draw *draw, const void *context, cudaStream_t stream,
                                 void **normals)
{
    struct kept_normals *place;
    void *room = NULL;
    cudaError_t error = next_place(kept, &place);
    if (error == cudaSuccess && place) error = take_room_for(kept, bytes, &room);
    kept->full |= !room;
    if (error == cudaSuccess && room) error = draw(context, room, stream);
    if (error == cudaSuccess && room) error = cudaEventRecord(place->drawn, stream);
    if (error != cudaSuccess || !room) return error;
    place->key = *key;
    place->normals = *normals = room;
    kept->n++;
    return cudaSuccess;
}

cudaError_t kept_normals_find(int device, const struct normals_key *key, size_t bytes,
                              normals_draw *draw, const void *context, cudaStream_t stream,
                              void **normals)
{
    cudaError_t error;
    *normals = NULL;
    pthread_mutex_lock(&lock);
    const struct kept_normals *found = find_key(&devices[device], key);
    if (found) {
        *normals = found->normals;
        error = cudaStreamWaitEvent(stream, found->drawn, 0);
    } else error = draw_and_keep(&devices[device], key, bytes, draw, context, stream, normals);
    pthread_mutex_unlock(&lock);
    return error;
}
