#include "kernels/cuda/ceilings.h"

enum { STEPS = 256, PATHS = 1 << 20 }; /* of the array that is read: 2 GiB of normals, far beyond any cache */

static enum status measure_reading(struct reading *reading, struct engine_ceilings *ceilings,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    double seconds = 0.0;
    for (reading->way = 0; reading->way < READ_WAYS; reading->way++) {
        TRY(measure_median(read_array, reading, NULL, &seconds, why));
        double rate = (double)reading->bytes / seconds;
        if (rate > ceilings->read_bytes) ceilings->read_bytes = rate;
    }
done:
    return status;
}

static enum status measure_fma(struct multiplying *multiplying, struct engine_ceilings *ceilings,
                               struct message *why)
{
    enum status status = STATUS_OK;
    double seconds = 0.0;
    for (multiplying->way = 0; multiplying->way < FMA_WAYS; multiplying->way++) {
        TRY(measure_median(multiply_add, multiplying, NULL, &seconds, why));
        double rate = fma_done(multiplying) / seconds;
        if (rate > ceilings->fma) ceilings->fma = rate;
    }
done:
    return status;
}

enum status cuda_ceilings(const struct engine_options *options, struct engine_ceilings *ceilings,
                          struct message *why)
{
    enum status status = STATUS_OK;
    size_t bytes = sizeof(double) * STEPS * (size_t)PATHS;
    int device = 0, multiprocessors = 0;
    double *array = NULL;
    *ceilings = (struct engine_ceilings){.read_bytes = 0.0};
    TRY(measure_begin(options, why));
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDA_TRY(cudaMalloc((void **)&array, bytes + sizeof *array));
    CUDA_TRY(draw_normals(array, sizeof *array, 0, STEPS, PATHS, 0, 1, 0, NULL));
    struct reading reading = {.array = array,
                              .bytes = bytes,
                              .sink = array + STEPS * (size_t)PATHS,
                              .multiprocessors = multiprocessors};
    TRY(measure_reading(&reading, ceilings, why));
    TRY(measure_stopped(options));
    struct multiplying multiplying = {.sink = reading.sink, .multiprocessors = multiprocessors};
    TRY(measure_fma(&multiplying, ceilings, why));
done:
    if (array) cudaFree(array);
    return status;
}
