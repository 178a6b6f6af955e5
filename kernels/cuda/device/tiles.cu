/* tiles: paths of one asset under Black and Scholes that keep observables, under several scenarios
 * at once.
 *
 * An observation costs little arithmetic, but to find out which it is, and to fetch its state from
 * shared memory and put it back, costs a hundred instructions. So a path is simulated a tile at a
 * time: first its steps, whose ends stay in shared memory, then run after run of observations, each
 * with its state in registers. What a tile reads is a page (kernels/cuda/host/tiles.h), which each
 * warp copies into shared memory while it simulates the tile before.
 *
 * A warp simulates 32 paths of one scenario. The scenarios of the same paths are warps of one
 * block, which draws each normal once for all of them. */
#include <cuda_pipeline_primitives.h>

#include "kernels/cuda/device/drawn.cuh"
#include "kernels/cuda/device/record.cuh"

enum { LANES = 32, MOST_WARPS = 8, BLOCK = LANES * MOST_WARPS };

/* What is a scenario's own; all pointers are device memory. */
struct tiled_scenario {
    const struct page_unit *pages;
    const double *initial;        /* [slot] */
    const struct result *results; /* [result] */
    const float *table;
    double *observed; /* [row][path] */
    double start;
};

struct tiled {
    struct tiled_scenario scenarios[MARKETS_MAX];
    size_t paths;
    uint64_t first_path, seed;
    struct philox_keys keys;
    uint32_t stream;
    int n_scenarios, n_steps, n_slots, n_results;
    int first_page, largest_page; /* units */
    int at_once;                  /* scenarios of a block */
    int window; /* steps whose normals are drawn together: a multiple of TILE_STEPS */
};

/* A thread's path. Its numbers of a kind lie LANES apart: those of a warp's paths are together. */
struct tiled_path {
    double *ends;  /* [TILE_STEPS] x at the end of each step of the tile */
    double *slots; /* [slot] */
    size_t path;   /* of the launch */
};

/* ---- pages ----------------------------------------------------------------------------------- */

/* Two pages of a warp in shared memory: the one that is read, and the next on its way. */
struct page_reader {
    uint4 *room; /* [2][largest_page] */
    const struct page_unit *next;
    int largest, units /* of the next */, turn;

    __device__ __forceinline__ void fetch()
    {
        uint4 *to = room + (turn ? largest : 0);
        for (int i = (int)threadIdx.x % LANES; i < units; i += LANES)
            __pipeline_memcpy_async(to + i, next + i, sizeof *to);
        __pipeline_commit();
        next += units;
    }

    __device__ __forceinline__ void begin(const struct tiled &w,
                                          const struct tiled_scenario &inputs, uint4 *at)
    {
        room = at, next = inputs.pages, largest = w.largest_page, units = w.first_page, turn = 0;
        fetch();
    }

    /* The page that was on its way; the next one is sent for into the place of the one before it.
     */
    __device__ __forceinline__ const uint4 *turn_over()
    {
        const uint4 *page = room + (turn ? largest : 0);
        __pipeline_wait_prior(0);
        __syncwarp();
        turn = !turn;
        units = (int)page->z;
        fetch();
        return page;
    }
};

/* ---- runs ------------------------------------------------------------------------------------ */

struct observation_run {
    int kind, source, slot, n;
    uint32_t low, high; /* steps, four bits each; or the pair of one observation */
    const uint4 *coefficients;

    __device__ __forceinline__ observation_run(const uint4 *page, uint4 unit)
        : kind((int)(unit.x & ((1u << RUN_SOURCE_SHIFT) - 1))),
          source((int)(unit.x >> RUN_SOURCE_SHIFT &
                       ((1u << (RUN_SLOT_SHIFT - RUN_SOURCE_SHIFT)) - 1))),
          slot((int)(unit.x >> RUN_SLOT_SHIFT)),
          n((int)(unit.w & ((1u << RUN_COEFFICIENTS_SHIFT) - 1))), low(unit.y), high(unit.z),
          coefficients(page + (unit.w >> RUN_COEFFICIENTS_SHIFT))
    {
    }
};

enum { FEW = 4 }; /* observations whose arithmetic goes side by side */

/* Kinds that are often observed at most steps of a tile, and so cheap that a loop's own work shows.
 */
static constexpr __device__ bool is_light(int kind)
{
    return kind == OBSERVATION_SUM || kind == OBSERVATION_LOG_SUM || kind == OBSERVATION_HIGH ||
           kind == OBSERVATION_LOW || kind == OBSERVATION_FENCE || kind == OBSERVATION_MARGIN;
}

/* What most runs are: asked for first. */
static constexpr __device__ bool is_frequent(int kind)
{
    return kind == OBSERVATION_SUM || kind == OBSERVATION_FENCE;
}

/* What paths of this class know of themselves. */
static constexpr __device__ bool is_given(int reads)
{
    return !(reads & ~(READS_SOURCE | READS_TABLE));
}

template <int UNITS>
static __device__ __forceinline__ struct observation load_observation(const uint4 *from)
{
    struct observation t = {};
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        double2 two = reinterpret_cast<const double2 *>(from)[i];
        t.c[2 * i] = two.x, t.c[2 * i + 1] = two.y;
    }
    return t;
}

/* The runs of one kind. */
#define OBSERVABLE(NAME, name, n_slots, n_coefficients, reads)                                     \
    static __device__ __forceinline__ void run_##name(                                             \
        const struct tiled_scenario &inputs, struct observation_run run,                           \
        const struct tiled_path &p, const drawn_bridges<normal_table> &bridges)                    \
    {                                                                                              \
        const int units = ((n_coefficients) + 1) / 2;                                              \
        double *own = p.slots + run.slot * LANES, z0 = 0.0, z1 = 0.0;                              \
        const double *read = p.slots + run.source * LANES;                                         \
        struct memory m = {};                                                                      \
        m.a = own[0];                                                                              \
        if (n_slots > 1) m.b = own[LANES];                                                         \
        if (n_slots > 2) m.c = own[2 * LANES];                                                     \
        if (n_slots > 3) m.d = own[3 * LANES];                                                     \
        if ((reads)&READS_SOURCE) m.source_a = read[0], m.source_b = read[LANES];                  \
        if ((reads)&READS_TABLE) m.table = inputs.table;                                           \
        if (is_light(OBSERVATION_##NAME))                                                          \
            for (; run.n >= FEW; run.n -= FEW, run.coefficients += FEW * units) {                  \
                double x[FEW];                                                                     \
                struct observation t[FEW];                                                         \
                _Pragma("unroll") for (int i = 0; i < FEW; i++)                                    \
                {                                                                                  \
                    x[i] = p.ends[(int)(run.low >> 4 * i & 15) * LANES];                           \
                    t[i] = load_observation<units>(run.coefficients + i * units);                  \
                }                                                                                  \
                _Pragma("unroll") for (int i = 0; i < FEW; i++)                                    \
                    observe_##name(&t[i], x[i], 0.0, 0.0, &m);                                     \
                run.low = __funnelshift_r(run.low, run.high, 4 * FEW);                             \
                run.high >>= 4 * FEW;                                                              \
            }                                                                                      \
        if (run.n == 1 && (int)run.high >= 0) bridges((int)run.high, 0, &z0, &z1);                 \
        _Pragma("unroll 1") for (; run.n > 0; run.n--, run.coefficients += units)                  \
        {                                                                                          \
            struct observation t = load_observation<units>(run.coefficients);                      \
            observe_##name(&t, p.ends[(int)(run.low & 15) * LANES], z0, z1, &m);                   \
            run.low = __funnelshift_r(run.low, run.high, 4);                                       \
            run.high >>= 4;                                                                        \
        }                                                                                          \
        own[0] = m.a;                                                                              \
        if (n_slots > 1) own[LANES] = m.b;                                                         \
        if (n_slots > 2) own[2 * LANES] = m.c;                                                     \
        if (n_slots > 3) own[3 * LANES] = m.d;                                                     \
    }
#include "models/observables/observables.def"
#undef OBSERVABLE

static __device__ __forceinline__ void record_run(const struct tiled &w,
                                                  const struct tiled_scenario &inputs,
                                                  const struct observation_run &run,
                                                  const struct tiled_path &p,
                                                  const drawn_bridges<normal_table> &bridges)
{
    if (observation_in_row(run.kind)) {
        inputs.observed[(size_t)run.slot * w.paths + p.path] = p.ends[(int)run.low * LANES];
        return;
    }
    if (run.kind == OBSERVATION_SUM) return run_sum(inputs, run, p, bridges);
    if (run.kind == OBSERVATION_FENCE) return run_fence(inputs, run, p, bridges);
    switch (run.kind) {
#define OBSERVABLE(NAME, name, n_slots, n_coefficients, reads)                                     \
    case OBSERVATION_##NAME:                                                                       \
        if (is_given(reads) && !is_frequent(OBSERVATION_##NAME))                                   \
            run_##name(inputs, run, p, bridges);                                                   \
        break;
#include "models/observables/observables.def"
#undef OBSERVABLE
    }
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* The normals of steps j .. j + window - 1 of the block's paths, drawn by all of its threads, into
 * normals[32 paths of the block][step][lane]. */
static __device__ __forceinline__ void draw_window(const struct tiled &w, const normal_table &table,
                                                   int j, int path_warps, size_t first_path,
                                                   double *normals)
{
    int blocks = w.window / DRAWS;
    for (int i = (int)threadIdx.x; i < path_warps * blocks * LANES; i += (int)blockDim.x) {
        int lane = i % LANES, block = i / LANES % blocks, path_warp = i / LANES / blocks;
        if (j + block * DRAWS >= w.n_steps) continue;
        uint64_t path = w.first_path + first_path + (uint64_t)(path_warp * LANES + lane);
        struct philox_words counter = {(uint32_t)(j / DRAWS + block), w.stream, (uint32_t)path,
                                       (uint32_t)(path >> 32)};
        struct philox_words words = philox_rounds(counter, &w.keys);
        double *to = normals + (path_warp * w.window + block * DRAWS) * LANES + lane;
        to[0] = table.normal(words.word0);
        to[LANES] = table.normal(words.word1);
        to[2 * LANES] = table.normal(words.word2);
        to[3 * LANES] = table.normal(words.word3);
    }
}

/* Steps `from` to `end` of a tile, from x on, by normals that lie LANES apart. */
static __device__ __forceinline__ double simulate_steps(const uint4 *page, int from, int end,
                                                        double x, const double *normals,
                                                        const struct tiled_path &p)
{
    const double2 *steps = reinterpret_cast<const double2 *>(page + 1);
#pragma unroll
    for (int d = from; d < end; d++) {
        double2 c = steps[d];
        x = black_scholes_move(x, c.x, c.y, normals[d * LANES]);
        p.ends[d * LANES] = x;
    }
    return x;
}

/* One tile of a path: the last may be shorter than the others. */
static __device__ __forceinline__ double
simulate_tile(const struct tiled &w, const struct tiled_scenario &inputs, const uint4 *page,
              double x, const double *normals, const struct tiled_path &p,
              const drawn_bridges<normal_table> &bridges)
{
    const int n = (int)page->x, n_runs = (int)page->y;
    if (n == TILE_STEPS) x = simulate_steps(page, 0, TILE_STEPS, x, normals, p);
    else
        for (int d = 0; d < n; d++) x = simulate_steps(page, d, d + 1, x, normals, p);
    const uint4 *runs = page + 1 + n;
    for (int r = 0; r < n_runs; r++)
        record_run(w, inputs, observation_run(page, runs[r]), p, bridges);
    return x;
}

/* What a lane has fetched for its warp: the state of one slot today, and one result. */
struct lane_share {
    double initial;
    int slot, row;

    __device__ __forceinline__ lane_share(const struct tiled &w,
                                          const struct tiled_scenario &inputs, int lane)
        : initial(0.0), slot(0), row(0)
    {
        static_assert((int)GROUP_SLOTS < (int)LANES, "each lane has at most one");
        if (lane < w.n_slots) initial = __ldg(inputs.initial + lane);
        if (lane >= w.n_results) return;
        slot = __ldg(&inputs.results[lane].slot);
        row = __ldg(&inputs.results[lane].row);
    }
};

static __global__ void __launch_bounds__(BLOCK, 3) tiles(const __grid_constant__ struct tiled w)
{
    extern __shared__ float4 shared4[];
    normal_table table = normal_table::load(shared4);
    int warp = (int)threadIdx.x / LANES, lane = (int)threadIdx.x % LANES;
    int warps = (int)blockDim.x / LANES, path_warps = warps / w.at_once,
        path_warp = warp / w.at_once;
    int scenario = (int)blockIdx.y * w.at_once + warp % w.at_once;
    bool active = scenario < w.n_scenarios;
    const struct tiled_scenario &inputs = w.scenarios[active ? scenario : 0];
    size_t first_path = (size_t)blockIdx.x * (size_t)(path_warps * LANES);
    uint4 *pages = reinterpret_cast<uint4 *>(shared4 + normal_table::SIZE);
    double *ends = reinterpret_cast<double *>(pages + 2 * warps * w.largest_page);
    double *slots = ends + warps * TILE_STEPS * LANES;
    double *normals = slots + warps * w.n_slots * LANES;
    struct page_reader reader;
    struct tiled_path p = {ends + warp * TILE_STEPS * LANES + lane,
                           slots + warp * w.n_slots * LANES + lane,
                           first_path + (size_t)(path_warp * LANES + lane)};
    drawn_bridges<normal_table> bridges = {table, w.seed, w.first_path + p.path, w.stream};
    if (active) reader.begin(w, inputs, pages + 2 * warp * w.largest_page);
    struct lane_share share(w, inputs, lane);
    for (int s = 0; s < w.n_slots; s++) p.slots[s * LANES] = __shfl_sync(~0u, share.initial, s);
    double x = inputs.start;
    for (int j = 0; j < w.n_steps; j += w.window) {
        __syncthreads();
        draw_window(w, table, j, path_warps, first_path, normals);
        __syncthreads();
        const double *own = normals + path_warp * w.window * LANES + lane;
        for (int k = j; active && k < j + w.window && k < w.n_steps;
             k += TILE_STEPS, own += TILE_STEPS * LANES)
            x = simulate_tile(w, inputs, reader.turn_over(), x, own, p, bridges);
    }
    for (int r = 0; active && r < w.n_results; r++) {
        int slot = __shfl_sync(~0u, share.slot, r), row = __shfl_sync(~0u, share.row, r);
        inputs.observed[(size_t)row * w.paths + p.path] = p.slots[slot * LANES];
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* A block: scenarios side by side, and as many warps of paths, a power of two, as there is room
 * for. */
struct tile_grid {
    int sets, together, path_warps, window;
};

static struct tile_grid tile_grid_of(int n, int at_once, int block)
{
    struct tile_grid grid_shape = {(n + at_once - 1) / at_once, 0, 1, TILE_STEPS};
    grid_shape.together = (n + grid_shape.sets - 1) / grid_shape.sets;
    int most = block ? block / LANES : grid_shape.together > 2 ? MOST_WARPS : MOST_WARPS / 2;
    if (most > MOST_WARPS) most = MOST_WARPS;
    while (2 * grid_shape.path_warps * grid_shape.together <= most) grid_shape.path_warps *= 2;
    if (grid_shape.together > 2) grid_shape.window = 2 * TILE_STEPS;
    return grid_shape;
}

static size_t shared_bytes(const struct path_launch *path_launch,
                           const struct tile_grid *grid_shape)
{
    size_t warps = (size_t)(grid_shape->together * grid_shape->path_warps);
    return sizeof(float4) * normal_table::SIZE +
           sizeof(uint4) * 2 * warps * (size_t)path_launch->largest_page +
           sizeof(double) * (size_t)(TILE_STEPS + path_launch->n_slots) * warps * LANES +
           sizeof(double) * (size_t)(grid_shape->path_warps * grid_shape->window) * LANES;
}

static cudaError_t launch(const struct tiled *w, const struct tile_grid *grid_shape, size_t shared,
                          struct launch_facts *facts, cudaStream_t stream)
{
    int threads = grid_shape->together * grid_shape->path_warps * LANES;
    cudaError_t error = cudaSuccess;
    if (facts) error = find_facts(tiles, threads, shared, facts);
    if (error != cudaSuccess) return error;
    dim3 grid((unsigned)(w->paths / (size_t)(grid_shape->path_warps * LANES)),
              (unsigned)grid_shape->sets);
    tiles<<<grid, (unsigned)threads, shared, stream>>>(*w);
    return cudaGetLastError();
}

cudaError_t launch_tiles(const struct path_launch *path_launches, int n, int at_once, int block,
                         cudaStream_t stream)
{
    const struct path_launch *first = &path_launches[0];
    int most = 0;
    cudaError_t error = allow_shared(tiles, &most);
    if (error != cudaSuccess) return error;
    struct tile_grid grid_shape = tile_grid_of(n, at_once, block);
    for (; shared_bytes(first, &grid_shape) > (size_t)most && block != LANES;
         grid_shape = tile_grid_of(n, at_once, block)) {
        if (at_once > 1) at_once /= 2;
        block = at_once * LANES;
    }
    struct tiled w = {{},
                      first->paths,
                      first->first_path,
                      first->seed,
                      first->keys,
                      first->stream,
                      n,
                      first->n_steps,
                      first->n_slots,
                      first->n_results,
                      first->first_page,
                      first->largest_page,
                      grid_shape.together,
                      grid_shape.window};
    for (int s = 0; s < n; s++)
        w.scenarios[s] = {path_launches[s].pages,    path_launches[s].initial,
                          path_launches[s].results,  path_launches[s].table,
                          path_launches[s].observed, path_launches[s].start.x};
    return launch(&w, &grid_shape, shared_bytes(first, &grid_shape), first->facts, stream);
}
