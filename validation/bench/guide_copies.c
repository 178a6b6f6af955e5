/* The memory guide: normals on the host. Pageable or pinned memory, copied or read across the bus.
 */
#include "validation/bench/guide_setup.h"

static cudaError_t copy_pageable(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
    return cudaMemcpyAsync(p->normals, p->pageable, BATCH_BYTES, cudaMemcpyHostToDevice, stream);
}

static cudaError_t copy_pinned(void *argument, cudaStream_t stream)
{
    struct guide_setup *p = argument;
    return cudaMemcpyAsync(p->normals, p->pinned, BATCH_BYTES, cudaMemcpyHostToDevice, stream);
}

static cudaError_t copy_and_walk(void *argument, cudaStream_t stream)
{
    cudaError_t error = copy_pinned(argument, stream);
    return error == cudaSuccess ? guide_walk_once(argument, stream) : error;
}

/* Leaves a batch's normals where those of all paths were, and draws these again. */
enum status guide_copies(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    void *mapped = NULL;
    TRY(guide_copy_way(p, "copy:pageable", "264 MB to the device, from malloc", copy_pageable,
                       why));
    TRY(guide_copy_way(p, "copy:pinned", "the same from page-locked memory", copy_pinned, why));
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_BATCH);
    TRY(guide_walk_way(p, "normals:copied", "copied from pinned memory, then walked", copy_and_walk,
                       why));
    CUDA_TRY(cudaHostGetDevicePointer(&mapped, p->pinned, 0));
    p->path_launch = guide_walk_of(p, mapped, 0, GUIDE_BATCH);
    TRY(guide_walk_way(p, "normals:mapped", "zero-copy: the walk reads them over the bus",
                       guide_walk_once, why));
    CUDA_TRY(guide_draw(p->normals, 0, GUIDE_PATHS, NULL));
done:
    return status;
}
