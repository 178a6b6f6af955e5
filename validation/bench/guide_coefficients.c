/* The memory guide: the small array that every thread reads, the coefficients, and how the big one
 * starts. */
#include "validation/bench/guide_setup.h"

static enum status measure_loads(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(guide_walk_way(p, "load:plain", "coefficients by plain 16-byte loads", guide_walk_once,
                       why));
    p->path_launch.coefficients = COEFFICIENTS_LDG;
    TRY(guide_walk_way(p, "load:ldg", "by __ldg, the read-only path", guide_walk_once, why));
    p->path_launch.coefficients = COEFFICIENTS_CONSTANT;
    TRY(guide_walk_way(p, "load:constant", "from constant memory: 4 kB", guide_walk_once, why));
    p->path_launch.coefficients = COEFFICIENTS_SMALL;
    TRY(guide_walk_way(p, "load:constant-1kB", "the same, the first kB over and over",
                       guide_walk_once, why));
done:
    return status;
}

static cudaError_t copy_steps_and_walk(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
    cudaError_t error =
        cudaMemcpyAsync(p->steps, p->host_steps, STEPS_BYTES, cudaMemcpyHostToDevice, stream);
    return error == cudaSuccess ? guide_walk_once(p, stream) : error;
}

static enum status measure_mapped(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    void *mapped = NULL;
    CUDA_TRY(cudaHostGetDevicePointer(&mapped, p->host_steps, 0));
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(guide_walk_way(p, "steps:copied", "4 kB of coefficients copied before the walk",
                       copy_steps_and_walk, why));
    p->path_launch.steps = mapped;
    TRY(guide_walk_way(p, "steps:mapped", "zero-copy: coefficients read over the bus",
                       guide_walk_once, why));
done:
    return status;
}

/* A part of L2 set aside for a window of memory, for launches of a stream; no bytes: none. */
static enum status set_window(cudaStream_t stream, void *base, size_t bytes, struct message *why)
{
    enum status status = STATUS_OK;
    cudaStreamAttrValue value = {
        .accessPolicyWindow = {
            .base_ptr = base,
            .num_bytes = bytes,
            .hitRatio = bytes ? 1.0f : 0.0f,
            .hitProp = bytes ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal,
            .missProp = bytes ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal}};
    CUDA_TRY(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
done:
    return status;
}

static enum status measure_window(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    int device = 0, most = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device));
    if (!most) return STATUS_OK;
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(guide_walk_way(p, "l2:normal", "plain loads, no window", guide_walk_once, why));
    CUDA_TRY(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most));
    TRY(set_window(p->streams[0], p->steps, STEPS_BYTES, why));
    TRY(guide_walk_way(p, "l2:persisting",
                       "coefficients in a persisting window, all that can be set aside",
                       guide_walk_once, why));
    TRY(set_window(p->streams[0], NULL, 0, why));
    CUDA_TRY(cudaCtxResetPersistingL2Cache());
done:
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    return status;
}

/* Leaves the normals one number further on. */
static enum status measure_start(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_PATHS);
    TRY(guide_walk_way(p, "start:aligned", "normals start where cudaMalloc has them",
                       guide_walk_once, why));
    CUDA_TRY(guide_draw(p->normals + 1, 0, GUIDE_PATHS, NULL));
    p->path_launch = guide_walk_of(p, p->normals + 1, 0, GUIDE_PATHS);
    TRY(guide_walk_way(p, "start:8-bytes-off", "a warp's 256 bytes are 9 sectors in place of 8",
                       guide_walk_once, why));
done:
    return status;
}

enum status guide_coefficients(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(measure_loads(p, why));
    TRY(measure_mapped(p, why));
    TRY(measure_window(p, why));
    TRY(measure_start(p, why));
done:
    return status;
}
