#include "validation/bench/ceilings.h"

/* The array that is read: normals, as the path kernels do; 8 GiB, or less where memory is short,
 * but never so little that caches matter. */
enum { STEPS = 256, MOST_PATHS = 1 << 22, LEAST_PATHS = 1 << 20 };

static enum status measure_reading(struct array_read *array_read, struct ceilings *ceilings,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    double seconds = 0.0;
    for (int way = 0; way < 8; way++) {
        array_read->loads = 1 << way % 4;
        array_read->in_turns = way / 4;
        TRY(median_seconds(read_array, array_read, NULL, &seconds, why));
        double rate = (double)array_read->bytes / seconds;
        if (rate > ceilings->read_bytes) ceilings->read_bytes = rate;
    }
done:
    return status;
}

static enum status measure_fma(struct fma_chains *fma_chains, struct ceilings *ceilings,
                               struct message *why)
{
    enum status status = STATUS_OK;
    double seconds = 0.0;
    for (fma_chains->chains = 4; fma_chains->chains <= 8; fma_chains->chains += 4) {
        TRY(median_seconds(multiply_add, fma_chains, NULL, &seconds, why));
        double rate = fma_done(fma_chains) / seconds;
        if (rate > ceilings->fma) ceilings->fma = rate;
    }
done:
    return status;
}

static enum status allocate_array(size_t *paths, double **array, struct message *why)
{
    enum status status = STATUS_OK;
    size_t free_bytes = 0, all_bytes = 0, row = sizeof **array * STEPS;
    *paths = MOST_PATHS;
    CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    while (*paths > LEAST_PATHS && row * *paths > free_bytes / 2) *paths /= 2;
    CUDA_TRY(cudaMalloc((void **)array, row * *paths + sizeof **array));
    const struct path_launch drawn = {.paths = *paths, .seed = 1};
    CUDA_TRY(draw_normals(*array, sizeof **array, (struct normal_place){0, 1}, STEPS, 1, 0, &drawn,
                          NULL));
done:
    return status;
}

enum status measure_ceilings(struct ceilings *ceilings, struct message *why)
{
    enum status status = STATUS_OK;
    struct array_read array_read = {.bytes = 0};
    struct fma_chains fma_chains = {.chains = 0};
    size_t paths = 0;
    int device = 0, multiprocessors = 0;
    double *array = NULL;
    *ceilings = (struct ceilings){.read_bytes = 0.0};
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    TRY(allocate_array(&paths, &array, why));
    array_read = (struct array_read){.array = array,
                                     .bytes = sizeof *array * STEPS * paths,
                                     .sink = array + STEPS * paths,
                                     .multiprocessors = multiprocessors};
    TRY(measure_reading(&array_read, ceilings, why));
    fma_chains = (struct fma_chains){.sink = array_read.sink, .multiprocessors = multiprocessors};
    TRY(measure_fma(&fma_chains, ceilings, why));
done:
    if (array) cudaFree(array);
    return status;
}
