/* Tables of local volatility's steps, one a block: the host's own files are compiled for the
 * device, and their loops over places are shared by its threads (models/math/each.h). */
#define restrict __restrict__
#include "kernels/cuda/device/step_tables.h"
#include "models/dynamics/local_vol_make.h"
#include "models/math/plan_functions.c"

/* Two warps, as many places as are worked on side by side: with four and eight a table took as
 * long, for one thread does much of it alone, and fewer tables are made at a time. */
enum { THREADS = TOGETHER };

static __global__ void __launch_bounds__(THREADS)
    make_tables(int n, const struct table_request *requests, const struct implied_surface *surfaces,
                struct table_room *rooms, struct table_made *all)
{
    static __shared__ struct table_tray tray;
    if (threadIdx.x == 0) rooms[blockIdx.x].tray = &tray;
    __syncthreads();
    for (int t = (int)blockIdx.x; t < n; t += (int)gridDim.x) {
        const struct table_request *request = &requests[t];
        struct table_made *made = &all[t];
        struct local_vol_work work;
        struct forward_moves moves = {0.0, 0.0, 0.0};
        local_vol_work_begin(&work, &surfaces[request->surface], request->unit_spot,
                             &rooms[blockIdx.x]);
        enum status status = make_step(&work, &request->step, request->log_from, request->log_to,
                                       made->c, made->rows, &moves);
        if (threadIdx.x == 0) made->moves = moves, made->made = status == STATUS_OK;
        __syncthreads();
    }
}

cudaError_t launch_step_tables(int n, const struct table_request *requests,
                               const struct implied_surface *surfaces, int n_rooms,
                               struct table_room *rooms, struct table_made *made,
                               cudaStream_t stream)
{
    const int blocks = n < n_rooms ? n : n_rooms;
    make_tables<<<blocks, THREADS, 0, stream>>>(n, requests, surfaces, rooms, made);
    return cudaGetLastError();
}
