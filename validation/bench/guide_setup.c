#include "validation/bench/guide_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the guide_setup ------------------------------------------------------------------------- */

/* A year of daily steps at 5% and a volatility of 20%. */
static void fill_steps(struct gaussian_step *steps)
{
    double ln2 = 0.693147180559945309417, variance = 0.2 * 0.2 / GUIDE_STEPS;
    for (int j = 0; j < GUIDE_STEPS; j++)
        steps[j] = (struct gaussian_step){(0.05 / GUIDE_STEPS - 0.5 * variance) / ln2,
                                          sqrt(variance) / ln2};
}

struct guide_walk guide_walk_of(const struct guide_setup *p, const double *normals,
                                size_t first_path, size_t paths)
{
    return (struct guide_walk){.normals = normals,
                               .steps = p->steps,
                               .sums = p->sums + first_path,
                               .start = log2(100.0),
                               .paths = paths,
                               .coefficients = COEFFICIENTS_PLAIN};
}

cudaError_t guide_draw(double *normals, size_t first_path, size_t paths, cudaStream_t stream)
{
    const struct path_launch drawn = {.paths = paths, .first_path = first_path, .seed = 1};
    return draw_normals(normals, sizeof *normals, (struct normal_place){0, 1}, GUIDE_STEPS, 1, 0,
                        &drawn, stream);
}

cudaError_t guide_walk_once(void *setup, cudaStream_t stream)
{
    return launch_guide_walk(&((struct guide_setup *)setup)->path_launch, stream);
}

static enum status allocate(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    const size_t normals = (size_t)BATCH_BYTES * GUIDE_BATCHES + 2 * sizeof(double);
    CUDA_TRY(cudaMalloc((void **)&p->normals, normals));
    CUDA_TRY(cudaMalloc((void **)&p->sums, SUMS_BYTES));
    CUDA_TRY(cudaMalloc((void **)&p->steps, STEPS_BYTES));
    CUDA_TRY(cudaHostAlloc((void **)&p->host_steps, STEPS_BYTES, cudaHostAllocMapped));
    CUDA_TRY(cudaHostAlloc((void **)&p->host_sums, SUMS_BYTES, cudaHostAllocDefault));
    CUDA_TRY(cudaHostAlloc((void **)&p->pinned, BATCH_BYTES, cudaHostAllocMapped));
    p->pageable = malloc(BATCH_BYTES);
    p->expected = malloc(SUMS_BYTES);
    if (!p->pageable || !p->expected) TRY(STATUS_NO_MEMORY);
done:
    return status;
}

static enum status open_streams(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    for (int l = 0; l < 2; l++)
        CUDA_TRY(cudaStreamCreateWithFlags(&p->streams[l], cudaStreamNonBlocking));
    CUDA_TRY(cudaEventCreateWithFlags(&p->fork, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&p->join, cudaEventDisableTiming));
done:
    return status;
}

enum status guide_prepare(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(allocate(p, why));
    TRY(open_streams(p, why));
    fill_steps(p->host_steps);
    CUDA_TRY(guide_set_constants(p->host_steps));
    CUDA_TRY(cudaMemcpy(p->steps, p->host_steps, STEPS_BYTES, cudaMemcpyHostToDevice));
    CUDA_TRY(guide_draw(p->normals, 0, GUIDE_BATCH, NULL));
    CUDA_TRY(cudaMemcpy(p->pinned, p->normals, BATCH_BYTES, cudaMemcpyDeviceToHost));
    memcpy(p->pageable, p->pinned, BATCH_BYTES);
    CUDA_TRY(guide_draw(p->normals, 0, GUIDE_PATHS, NULL));
    p->path_launch = guide_walk_of(p, p->normals, 0, GUIDE_PATHS);
    CUDA_TRY(guide_walk_once(p, NULL));
    CUDA_TRY(cudaMemcpy(p->expected, p->sums, SUMS_BYTES, cudaMemcpyDeviceToHost));
done:
    return status;
}

void guide_release(struct guide_setup *p)
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

/* ---- one way --------------------------------------------------------------------------------- */

static const struct guide_row *first_of_family(const struct guide_setup *p, const char *name)
{
    size_t family = strcspn(name, ":") + 1;
    for (int i = 0; i < p->n; i++)
        if (!strncmp(p->rows[i].name, name, family)) return &p->rows[i];
    return NULL;
}

/* Forgets the sums of the way before, so that they cannot pass for this one's. */
static enum status forget_sums(struct guide_setup *p, struct message *why)
{
    enum status status = STATUS_OK;
    memset(p->host_sums, 0, SUMS_BYTES);
    CUDA_TRY(cudaMemset(p->sums, 0, SUMS_BYTES));
    CUDA_TRY(cudaDeviceSynchronize());
done:
    return status;
}

/* Whether the first so many sums are those expected. */
static enum status compare_sums(struct guide_setup *p, size_t paths, bool on_host, bool *disagrees,
                                struct message *why)
{
    enum status status = STATUS_OK;
    size_t bytes = sizeof(double) * paths;
    CUDA_TRY(cudaDeviceSynchronize());
    if (!on_host) CUDA_TRY(cudaMemcpy(p->host_sums, p->sums, bytes, cudaMemcpyDeviceToHost));
    *disagrees = memcmp(p->host_sums, p->expected, bytes) != 0;
done:
    return status;
}

/* `paths`: how many sums the work gives, on the host or on the device; 0: it simulates none. */
static enum status measure_way(struct guide_setup *p, struct guide_row row, timed_work *work,
                               size_t paths, bool on_host, struct message *why)
{
    enum status status = STATUS_OK;
    const struct guide_row *first = first_of_family(p, row.name);
    TRY(forget_sums(p, why));
    TRY(median_seconds(work, p, p->streams[0], &row.seconds, why));
    TRY(compare_sums(p, paths, on_host, &row.disagrees, why));
    row.ratio = first ? first->seconds / row.seconds : 1.0;
    p->rows[p->n++] = row;
done:
    return status;
}

enum status guide_copy_way(struct guide_setup *p, const char *name, const char *remark,
                           timed_work *work, struct message *why)
{
    struct guide_row row = {.name = name, .remark = remark, .bytes = BATCH_BYTES};
    return measure_way(p, row, work, 0, false, why);
}

enum status guide_walk_way(struct guide_setup *p, const char *name, const char *remark,
                           timed_work *work, struct message *why)
{
    struct guide_row row = {.name = name,
                            .remark = remark,
                            .bytes = (double)sizeof(double) * GUIDE_STEPS *
                                     (double)p->path_launch.paths};
    return measure_way(p, row, work, p->path_launch.paths, false, why);
}

enum status guide_batches_way(struct guide_setup *p, const char *name, const char *remark,
                              timed_work *work, struct message *why)
{
    struct guide_row row = {.name = name, .remark = remark};
    return measure_way(p, row, work, GUIDE_PATHS, true, why);
}
