/* Tables of local volatility's steps, made on a device. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_STEP_TABLES_H
#define PRICER_KERNELS_CUDA_DEVICE_STEP_TABLES_H

#include <cuda_runtime_api.h>

#include "models/dynamics/local_vol_room.h"

/* Makes n tables in n_rooms rooms; all pointers, also those within surfaces, are device memory. */
#ifdef __cplusplus
extern "C"
#endif
    cudaError_t
    launch_step_tables(int n, const struct table_request *requests,
                       const struct implied_surface *surfaces, int n_rooms,
                       struct table_room *rooms, struct table_made *made, cudaStream_t stream);

#endif
