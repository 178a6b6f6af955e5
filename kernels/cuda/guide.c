#include "kernels/cuda/guide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the workplace: memory, streams, and the sums that every way must give
 * ---------------------------------------- */

enum {
    BATCH_NORMALS = GUIDE_STEPS * GUIDE_BATCH,
    BATCH_BYTES = BATCH_NORMALS * sizeof(double),
    ALIGNED = 2 /* numbers in 16 bytes */
};

struct workplace {
    const struct engine_options *options;
    struct engine_guide *guide;
    cudaStream_t streams[2];
    cudaEvent_t fork, join;
    double *normals;         /* device: [step][path] of all paths, or a batch's at [batch % 2]; two spare */
    double *sums;            /* device: [path] */
    struct step *steps;      /* device: [step] */
    struct step *host_steps; /* pinned: [step] */
    double *host_sums;       /* pinned: [path] */
    double *pinned;          /* pinned: [step][path] of the first batch */
    double *pageable;        /* the same in memory from malloc */
    double *expected;        /* host: [path] */
    struct guide_walk walk;  /* of the way being measured */
};

/* A year of daily steps at 5% and a volatility of 20%. */
static void fill_steps(struct step *steps)
{
    double ln2 = 0.693147180559945309417, variance = 0.2 * 0.2 / GUIDE_STEPS;
    for (int j = 0; j < GUIDE_STEPS; j++)
        steps[j] = (struct step){(0.05 / GUIDE_STEPS - 0.5 * variance) / ln2, sqrt(variance) / ln2};
}

static struct guide_walk walk_of(const struct workplace *p, double *normals, size_t first_path, size_t paths)
{
    return (struct guide_walk){.normals = normals,
                               .steps = p->steps,
                               .sums = p->sums + first_path,
                               .start = log2(100.0),
                               .paths = paths,
                               .coefficients = COEFFICIENTS_PLAIN};
}

static cudaError_t draw(double *normals, size_t first_path, size_t paths, cudaStream_t stream)
{
    return draw_normals(normals, sizeof *normals, 0, GUIDE_STEPS, paths, first_path, 1, 0, stream);
}

static enum status allocate(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    size_t sums = sizeof(double) * GUIDE_PATHS, steps = sizeof(struct step) * GUIDE_STEPS;
    CUDA_TRY(
        cudaMalloc((void **)&p->normals, sizeof(double) * ((size_t)BATCH_NORMALS * GUIDE_BATCHES + ALIGNED)));
    CUDA_TRY(cudaMalloc((void **)&p->sums, sums));
    CUDA_TRY(cudaMalloc((void **)&p->steps, steps));
    CUDA_TRY(cudaHostAlloc((void **)&p->host_steps, steps, cudaHostAllocMapped));
    CUDA_TRY(cudaHostAlloc((void **)&p->host_sums, sums, cudaHostAllocDefault));
    CUDA_TRY(cudaHostAlloc((void **)&p->pinned, BATCH_BYTES, cudaHostAllocMapped));
    p->pageable = malloc(BATCH_BYTES);
    p->expected = malloc(sums);
    if (!p->pageable || !p->expected) TRY(STATUS_NO_MEMORY);
done:
    return status;
}

static enum status prepare(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    for (int l = 0; l < 2; l++) CUDA_TRY(cudaStreamCreateWithFlags(&p->streams[l], cudaStreamNonBlocking));
    CUDA_TRY(cudaEventCreateWithFlags(&p->fork, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&p->join, cudaEventDisableTiming));
    fill_steps(p->host_steps);
    CUDA_TRY(guide_set_constants(p->host_steps));
    CUDA_TRY(cudaMemcpy(p->steps, p->host_steps, sizeof(struct step) * GUIDE_STEPS, cudaMemcpyHostToDevice));
    CUDA_TRY(draw(p->normals, 0, GUIDE_BATCH, NULL));
    CUDA_TRY(cudaMemcpy(p->pinned, p->normals, BATCH_BYTES, cudaMemcpyDeviceToHost));
    memcpy(p->pageable, p->pinned, BATCH_BYTES);
    CUDA_TRY(draw(p->normals, 0, GUIDE_PATHS, NULL));
    p->walk = walk_of(p, p->normals, 0, GUIDE_PATHS);
    CUDA_TRY(launch_guide_walk(&p->walk, NULL));
    CUDA_TRY(cudaMemcpy(p->expected, p->sums, sizeof(double) * GUIDE_PATHS, cudaMemcpyDeviceToHost));
done:
    return status;
}

static void close_workplace(struct workplace *p)
{
    cudaDeviceSynchronize(); /* nothing may still use what is released */
    for (int l = 0; l < 2; l++)
        if (p->streams[l]) cudaStreamDestroy(p->streams[l]);
    if (p->fork) cudaEventDestroy(p->fork);
    if (p->join) cudaEventDestroy(p->join);
    if (p->normals) cudaFree(p->normals);
    if (p->sums) cudaFree(p->sums);
    if (p->steps) cudaFree(p->steps);
    if (p->host_steps) cudaFreeHost(p->host_steps);
    if (p->host_sums) cudaFreeHost(p->host_sums);
    if (p->pinned) cudaFreeHost(p->pinned);
    free(p->pageable);
    free(p->expected);
    cudaGetLastError();
}

/* ---- one way
 * ------------------------------------------------------------------------------------------------------ */

/* What a way leaves to be compared with the expected sums: those of the first so many paths. */
struct way {
    const char *name, *remark;
    measured_work *work;
    double bytes;      /* moved, where that is what counts */
    size_t sums;       /* paths whose sums it gives; 0: it walks none */
    bool sums_on_host; /* they are in host_sums already */
};

static struct guide_row *first_of_family(struct engine_guide *guide, const char *name)
{
    size_t family = strcspn(name, ":") + 1;
    for (int i = 0; i < guide->n; i++)
        if (!strncmp(guide->rows[i].name, name, family)) return &guide->rows[i];
    return NULL;
}

/* Forgets the sums of the way before, so that they cannot pass for this one's. */
static enum status forget_sums(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    memset(p->host_sums, 0, sizeof(double) * GUIDE_PATHS);
    CUDA_TRY(cudaMemset(p->sums, 0, sizeof(double) * GUIDE_PATHS));
    CUDA_TRY(cudaDeviceSynchronize());
done:
    return status;
}

static enum status compare_sums(struct workplace *p, const struct way *way, bool *disagrees,
                                struct message *why)
{
    enum status status = STATUS_OK;
    size_t bytes = sizeof(double) * way->sums;
    CUDA_TRY(cudaDeviceSynchronize());
    if (!way->sums_on_host) CUDA_TRY(cudaMemcpy(p->host_sums, p->sums, bytes, cudaMemcpyDeviceToHost));
    *disagrees = memcmp(p->host_sums, p->expected, bytes) != 0;
done:
    return status;
}

static enum status measure_way(struct workplace *p, struct way way, struct message *why)
{
    enum status status = STATUS_OK;
    struct guide_row row = {.name = way.name, .remark = way.remark, .bytes = way.bytes, .ratio = 1.0};
    TRY(measure_stopped(p->options));
    TRY(forget_sums(p, why));
    TRY(measure_median(way.work, p, p->streams[0], &row.seconds, why));
    TRY(compare_sums(p, &way, &row.disagrees, why));
    const struct guide_row *first = first_of_family(p->guide, way.name);
    if (first) row.ratio = first->seconds / row.seconds;
    p->guide->rows[p->guide->n++] = row;
done:
    return status;
}

/* ---- from the host to the device
 * ---------------------------------------------------------------------------------- */

static cudaError_t copy_pageable(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    return cudaMemcpyAsync(p->normals, p->pageable, BATCH_BYTES, cudaMemcpyHostToDevice, stream);
}

static cudaError_t copy_pinned(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    return cudaMemcpyAsync(p->normals, p->pinned, BATCH_BYTES, cudaMemcpyHostToDevice, stream);
}

static cudaError_t walk(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    return launch_guide_walk(&p->walk, stream);
}

static cudaError_t copy_and_walk(void *argument, cudaStream_t stream)
{
    cudaError_t error = copy_pinned(argument, stream);
    return error == cudaSuccess ? walk(argument, stream) : error;
}

static enum status measure_copies(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    void *mapped = NULL;
    TRY(measure_way(
        p,
        (struct way){"copy:pageable", "264 MB to the device, from malloc", copy_pageable, BATCH_BYTES, 0, 0},
        why));
    TRY(measure_way(
        p, (struct way){"copy:pinned", "the same from page-locked memory", copy_pinned, BATCH_BYTES, 0, 0},
        why));
    p->walk = walk_of(p, p->normals, 0, GUIDE_BATCH);
    TRY(measure_way(p,
                    (struct way){"normals:copied", "copied from pinned memory, then walked", copy_and_walk,
                                 BATCH_BYTES, GUIDE_BATCH, 0},
                    why));
    CUDA_TRY(cudaHostGetDevicePointer(&mapped, p->pinned, 0));
    p->walk = walk_of(p, mapped, 0, GUIDE_BATCH);
    TRY(measure_way(p,
                    (struct way){"normals:mapped", "zero-copy: the walk reads them over the bus", walk,
                                 BATCH_BYTES, GUIDE_BATCH, 0},
                    why));
done:
    return status;
}

static cudaError_t copy_steps_and_walk(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    cudaError_t error = cudaMemcpyAsync(p->steps, p->host_steps, sizeof(struct step) * GUIDE_STEPS,
                                        cudaMemcpyHostToDevice, stream);
    return error == cudaSuccess ? walk(argument, stream) : error;
}

/* ---- the coefficients
 * --------------------------------------------------------------------------------------------- */

static enum status measure_coefficients(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    CUDA_TRY(draw(p->normals, 0, GUIDE_PATHS, NULL)); /* the copies have left others */
    p->walk = walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(measure_way(
        p, (struct way){"load:plain", "coefficients by plain 16-byte loads", walk, 0, GUIDE_PATHS, 0}, why));
    p->walk.coefficients = COEFFICIENTS_LDG;
    TRY(measure_way(p, (struct way){"load:ldg", "by __ldg, the read-only path", walk, 0, GUIDE_PATHS, 0},
                    why));
    p->walk.coefficients = COEFFICIENTS_CONSTANT;
    TRY(measure_way(p, (struct way){"load:constant", "from constant memory", walk, 0, GUIDE_PATHS, 0}, why));
done:
    return status;
}

static enum status measure_mapped_coefficients(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    void *mapped = NULL;
    CUDA_TRY(cudaHostGetDevicePointer(&mapped, p->host_steps, 0));
    p->walk = walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(measure_way(p,
                    (struct way){"steps:copied", "4 kB of coefficients copied before the walk",
                                 copy_steps_and_walk, 0, GUIDE_PATHS, 0},
                    why));
    p->walk.steps = mapped;
    TRY(measure_way(p, (struct way){"steps:mapped", "zero-copy: read over the bus", walk, 0, GUIDE_PATHS, 0},
                    why));
done:
    return status;
}

/* A part of L2 set aside for a window of memory, for launches of a stream; no bytes: none. */
static enum status set_window(cudaStream_t stream, void *base, size_t bytes, struct message *why)
{
    enum status status = STATUS_OK;
    cudaStreamAttrValue value = {
        .accessPolicyWindow = {.base_ptr = base,
                               .num_bytes = bytes,
                               .hitRatio = bytes ? 1.0f : 0.0f,
                               .hitProp = bytes ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal,
                               .missProp = bytes ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal}};
    CUDA_TRY(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
done:
    return status;
}

static enum status measure_window(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device));
    if (!most) return STATUS_OK;
    p->walk = walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(measure_way(p, (struct way){"l2:normal", "plain loads, no window", walk, 0, GUIDE_PATHS, 0}, why));
    CUDA_TRY(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most));
    TRY(set_window(p->streams[0], p->steps, sizeof(struct step) * GUIDE_STEPS, why));
    TRY(measure_way(
        p, (struct way){"l2:persisting", "coefficients in a persisting window", walk, 0, GUIDE_PATHS, 0},
        why));
    TRY(set_window(p->streams[0], NULL, 0, why));
    CUDA_TRY(cudaCtxResetPersistingL2Cache());
    CUDA_TRY(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
done:
    return status;
}

/* ---- where the big array starts
 * ----------------------------------------------------------------------------------- */

static enum status measure_alignment(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    const double bytes = (double)BATCH_BYTES * GUIDE_BATCHES;
    p->walk = walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(measure_way(
        p,
        (struct way){"start:aligned", "normals start where cudaMalloc has them", walk, bytes, GUIDE_PATHS, 0},
        why));
    CUDA_TRY(draw(p->normals + 1, 0, GUIDE_PATHS, NULL));
    p->walk = walk_of(p, p->normals + 1, 0, GUIDE_PATHS);
    TRY(measure_way(p,
                    (struct way){"start:8-bytes-off", "a warp's 256 bytes are 9 sectors in place of 8", walk,
                                 bytes, GUIDE_PATHS, 0},
                    why));
done:
    return status;
}

/* ---- batches: draw, walk, copy the sums back
 * ---------------------------------------------------------------------- */

static cudaError_t one_batch(const struct workplace *p, int batch, double *normals, cudaStream_t stream)
{
    size_t first_path = (size_t)batch * GUIDE_BATCH;
    struct guide_walk walk = walk_of(p, normals, first_path, GUIDE_BATCH);
    cudaError_t error = draw(normals, first_path, GUIDE_BATCH, stream);
    if (error == cudaSuccess) error = launch_guide_walk(&walk, stream);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(p->host_sums + first_path, walk.sums, sizeof(double) * GUIDE_BATCH,
                           cudaMemcpyDeviceToHost, stream);
}

static cudaError_t batches_one_stream(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    cudaError_t error = cudaSuccess;
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++)
        error = one_batch(p, b, p->normals, stream);
    return error;
}

/* The second stream begins behind the first, and the first ends behind the second. */
static cudaError_t batches_two_streams(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    cudaError_t error = cudaEventRecord(p->fork, stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(p->streams[1], p->fork, 0);
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++)
        error = one_batch(p, b, p->normals + (size_t)(b % 2) * BATCH_NORMALS, p->streams[b % 2]);
    if (error == cudaSuccess) error = cudaEventRecord(p->join, p->streams[1]);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, p->join, 0) : error;
}

static cudaError_t batches_allocated(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    cudaError_t error = cudaSuccess;
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++) {
        double *normals = NULL;
        error = cudaMalloc((void **)&normals, BATCH_BYTES);
        if (error == cudaSuccess) error = one_batch(p, b, normals, stream);
        cudaError_t freed = normals ? cudaFree(normals) : cudaSuccess;
        if (error == cudaSuccess) error = freed;
    }
    return error;
}

static cudaError_t batches_pooled(void *argument, cudaStream_t stream)
{
    struct workplace *p = argument;
    cudaError_t error = cudaSuccess;
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++) {
        double *normals = NULL;
        error = cudaMallocAsync((void **)&normals, BATCH_BYTES, stream);
        if (error == cudaSuccess) error = one_batch(p, b, normals, stream);
        cudaError_t freed = normals ? cudaFreeAsync(normals, stream) : cudaSuccess;
        if (error == cudaSuccess) error = freed;
    }
    return error;
}

static enum status measure_streams(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(measure_way(p,
                    (struct way){"streams:one", "8 batches: draw, walk, copy sums back", batches_one_stream,
                                 0, GUIDE_PATHS, true},
                    why));
    TRY(measure_way(p,
                    (struct way){"streams:two", "the same, batches in turn on two streams",
                                 batches_two_streams, 0, GUIDE_PATHS, true},
                    why));
done:
    return status;
}

/* The pool keeps what is given back to it, until it is trimmed. */
static enum status measure_pool(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    cudaMemPool_t pool = NULL;
    int device = 0, supported = 0;
    uint64_t keep = UINT64_MAX;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device));
    if (!supported) return STATUS_OK;
    CUDA_TRY(cudaDeviceGetDefaultMemPool(&pool, device));
    CUDA_TRY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    TRY(measure_way(p,
                    (struct way){"allocate:pool", "cudaMallocAsync, cudaFreeAsync each batch", batches_pooled,
                                 0, GUIDE_PATHS, true},
                    why));
    CUDA_TRY(cudaMemPoolTrimTo(pool, 0));
done:
    return status;
}

static enum status measure_allocation(struct workplace *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(measure_way(p,
                    (struct way){"allocate:each-batch", "cudaMalloc and cudaFree each batch",
                                 batches_allocated, 0, GUIDE_PATHS, true},
                    why));
    TRY(measure_way(
        p,
        (struct way){"allocate:once", "one allocation, used again", batches_one_stream, 0, GUIDE_PATHS, true},
        why));
    TRY(measure_pool(p, why));
done:
    return status;
}

/* ---- all
 * ----------------------------------------------------------------------------------------------------------
 */

enum status cuda_guide(const struct engine_options *options, struct engine_guide *guide, struct message *why)
{
    enum status status = STATUS_OK;
    struct workplace place = {.options = options, .guide = guide};
    guide->n = 0;
    TRY(measure_begin(options, why));
    TRY(allocate(&place, why));
    TRY(prepare(&place, why));
    TRY(measure_copies(&place, why));
    TRY(measure_coefficients(&place, why));
    TRY(measure_mapped_coefficients(&place, why));
    TRY(measure_window(&place, why));
    TRY(measure_alignment(&place, why));
    TRY(measure_streams(&place, why));
    TRY(measure_allocation(&place, why));
done:
    close_workplace(&place);
    return status;
}
