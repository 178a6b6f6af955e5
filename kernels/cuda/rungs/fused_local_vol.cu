/* fused, one asset under local volatility of which only a sum is kept: the tables of four steps at
 * a time come into shared memory while the four before are simulated.
 *
 * Each step reads two rows of 8 bytes at places that are the path's own. Through the read-only path
 * a warp waits for every 128-byte line that its lanes fall on; in shared memory the sixteen lanes
 * that are served together wait only where they meet on banks. A group of one asset has the rows of
 * its steps behind each other. */
#include <cuda_pipeline_primitives.h>

#include "kernels/cuda/device/drawn.cuh"
#include "kernels/cuda/device/models.cuh"

/* Measured on an H200. In a loop of four steps the code of eight paths does not fit the instruction
 * cache. */
enum { BLOCK = 256, PATHS = 8, BLOCKS = 2, UNROLLED = 2 };
static_assert(DRAWS % UNROLLED == 0, "a block of Philox is a number of turns of the loop");
enum { COEFFICIENTS = model_row<MODEL_LOCAL_VOL>::COEFFICIENTS };

/* The rows of DRAWS steps, on their way into shared memory or there. */
struct staged_coefficients {
    enum { SIZE = DRAWS * LOCAL_VOL_ROWS * sizeof(float2) }; /* bytes */
    static_assert(LOCAL_VOL_ROWS * sizeof(float2) % sizeof(float4) == 0,
                  "copied 16 bytes at a time");
    float4 *now, *next;

    /* Sends for the steps from j0 on; every thread of the block takes part. */
    __device__ __forceinline__ void send(const struct path_launch &w, int j0) const
    {
        const int a_step = LOCAL_VOL_ROWS * sizeof(float2) / sizeof(float4), most = DRAWS * a_step;
        const float4 *from =
            reinterpret_cast<const float4 *>(w.table) + (size_t)j0 * a_step + threadIdx.x;
        int parts = (w.n_steps - j0 < DRAWS ? w.n_steps - j0 : DRAWS) * a_step - (int)threadIdx.x;
#pragma unroll
        for (int i = 0; i < most; i += BLOCK)
            if (i < parts)
                __pipeline_memcpy_async(next + threadIdx.x + i, from + i, sizeof(float4));
        __pipeline_commit();
    }

    /* Waits for the steps from j0 on, and sends for those after them into the place of those
     * before. */
    __device__ __forceinline__ void turn(const struct path_launch &w, int j0)
    {
        float4 *used = now;
        __pipeline_wait_prior(0);
        __syncthreads();
        now = next, next = used;
        if (j0 + DRAWS < w.n_steps) send(w, j0 + DRAWS);
    }
};

/* Of rows that begin LOCAL_VOL_ROW_ZERO after `rows`. */
static __device__ __forceinline__ struct local_vol_correction correction(const float2 *rows,
                                                                         struct local_vol_cell at)
{
    const float2 pair = rows[at.row];
    const struct local_vol_row row = {pair.x, pair.y};
    return local_vol_correction(row, at.t);
}

/* A step of the thread's paths, by its coefficients and rows; the first words draw their normals.
 */
static __device__ __forceinline__ void simulate_step(const double *coefficients, const float2 *rows,
                                                     const struct spread_normal_table &table,
                                                     const drawn_words<PATHS> &words,
                                                     struct path_state *states)
{
    struct loaded_coefficients<MODEL_LOCAL_VOL> step;
    step.load(coefficients);
#pragma unroll
    for (int q = 0; q < PATHS; q++) {
        struct path_state *s = &states[q];
        float position = local_vol_p_position(step.c, s->x);
        struct local_vol_correction p =
            correction(rows, local_vol_cell(position, LOCAL_VOL_P_ROWS));
        float y = p.value + (float)table.normal(words.word[q][0]);
        struct local_vol_cell end =
            local_vol_cell(local_vol_q_position(step.c, position, y), LOCAL_VOL_Q_ROWS);
        local_vol_end(step.c, s, y, p, correction(rows + LOCAL_VOL_P_ROWS, end));
    }
}

static __global__ void __launch_bounds__(BLOCK, BLOCKS) fused_local_vol(const struct path_launch w)
{
    extern __shared__ float4 shared4[];
    float4 *rows = shared4 + spread_normal_table::SIZE;
    struct staged_coefficients stage = {rows, rows + staged_coefficients::SIZE / sizeof(float4)};
    stage.send(w, 0);
    struct spread_normal_table table = spread_normal_table::load(shared4);
    size_t path = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * PATHS;
    struct stored_bridges<float> none = {
        NULL, 0
    };
    struct recorder<RECORD_SUM, PATHS> recorder;
    struct model_paths<MODEL_LOCAL_VOL, PATHS> paths;
    drawn_words<PATHS> words;
    recorder.begin(w, NULL);
    paths.begin(w);
#pragma unroll 1
    for (int j0 = 0; j0 < w.n_steps; j0 += DRAWS) {
        words.draw(w, w.first_path + path, j0 / DRAWS);
        stage.turn(w, j0);
        const double *steps = w.coefficients + (size_t)j0 * COEFFICIENTS;
        const float2 *now = reinterpret_cast<const float2 *>(stage.now) - LOCAL_VOL_ROW_ZERO;
        int end = j0 + DRAWS < w.n_steps ? j0 + DRAWS : w.n_steps;
        if (end == j0 + DRAWS && end <= paths.next.step) { /* no dividend */
#pragma unroll 1
            for (int j = j0; j < end; j += UNROLLED)
#pragma unroll
                for (int i = 0; i < UNROLLED; i++) {
                    simulate_step(steps, now, table, words, paths.state);
                    recorder.step(w, j + i, paths, path, none);
                    words.shift(), steps += COEFFICIENTS, now += LOCAL_VOL_ROWS;
                }
            continue;
        }
#pragma unroll 1
        for (int j = j0; j < end; j++) {
            simulate_step(steps, now, table, words, paths.state);
            paths.pay_dividends(j);
            recorder.step(w, j, paths, path, none);
            words.shift(), steps += COEFFICIENTS, now += LOCAL_VOL_ROWS;
        }
    }
    if (path < w.paths) recorder.end(w, path); /* all threads were needed until here */
}

cudaError_t launch_local_vol_fused(const struct path_launch *path_launch, enum record record,
                                   int block, cudaStream_t stream)
{
    (void)block; /* the copying of rows is laid out for BLOCK */
    if (record != RECORD_SUM) return cudaErrorInvalidValue;
    return launch_walk(fused_local_vol, path_launch, PATHS, BLOCK,
                       spread_normal_table::SIZE * sizeof(float4) + 2 * staged_coefficients::SIZE,
                       stream);
}
