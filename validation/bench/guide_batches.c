/* The memory guide: batches whose normals are drawn, simulated, and whose sums are copied back. One
 * stream or two; memory of their own or memory that stays. */
#include "validation/bench/guide_setup.h"

static cudaError_t one_batch(const struct guide_setup *p, int batch, double *normals,
                             cudaStream_t stream)
{
    size_t first_path = (size_t)batch * GUIDE_BATCH;
    struct guide_walk path_launch = guide_walk_of(p, normals, first_path, GUIDE_BATCH);
    cudaError_t error = guide_draw(normals, first_path, GUIDE_BATCH, stream);
    if (error == cudaSuccess) error = launch_guide_walk(&path_launch, stream);
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(p->host_sums + first_path, path_launch.sums,
                           sizeof(double) * GUIDE_BATCH, cudaMemcpyDeviceToHost, stream);
}

static cudaError_t batches_one_stream(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
    cudaError_t error = cudaSuccess;
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++)
        error = one_batch(p, b, p->normals, stream);
    return error;
}

/* The second stream begins behind the first, and the first ends behind the second. */
static cudaError_t batches_two_streams(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
    cudaError_t error = cudaEventRecord(p->fork, stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(p->streams[1], p->fork, 0);
    for (int b = 0; b < GUIDE_BATCHES && error == cudaSuccess; b++)
        error = one_batch(p, b, p->normals + (size_t)(b % 2) * BATCH_NORMALS, p->streams[b % 2]);
    if (error == cudaSuccess) error = cudaEventRecord(p->join, p->streams[1]);
    return error == cudaSuccess ? cudaStreamWaitEvent(stream, p->join, 0) : error;
}

static cudaError_t batches_allocated(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
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
    struct guide_setup *p = argument;
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

static enum status measure_streams(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(guide_batches_way(p, "streams:one", "8 batches: draw, walk, copy sums back",
                          batches_one_stream, why));
    TRY(guide_batches_way(p, "streams:two", "the same, in turn on two streams", batches_two_streams,
                          why));
done:
    return status;
}

/* The pool keeps what is given back to it, until it is trimmed. */
static enum status measure_pool(struct guide_setup *p, struct message *why)
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
    TRY(guide_batches_way(p, "allocate:pool", "cudaMallocAsync and cudaFreeAsync each batch",
                          batches_pooled, why));
    CUDA_TRY(cudaMemPoolTrimTo(pool, 0));
done:
    return status;
}

enum status guide_batches(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(measure_streams(p, why));
    TRY(guide_batches_way(p, "allocate:once", "the same batches in one allocation",
                          batches_one_stream, why));
    TRY(measure_pool(p, why));
    TRY(guide_batches_way(p, "allocate:each-batch", "cudaMalloc and cudaFree each batch",
                          batches_allocated, why));
done:
    return status;
}
