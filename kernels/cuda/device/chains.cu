/* Looks at paths that have ended (struct chain of kernels/plan.h), from the rows that their walk
 * has left.
 *
 * look_side_by_side() takes chains of one kind: half a warp is a chain, whose numbers it reads
 * beside those of its neighbour, and each lane looks at one path, whose rows lie in the shared
 * memory of its block; what the paths remember stays in registers. Paths of one asset under Black
 * and Scholes are simulated there, too, and their rows are never stored. look_one_by_one() takes
 * any other chain: a lane is a path, which remembers in shared memory, or as clock_looks.cuh says
 * where its looks read a clock. */
#include <cuda_pipeline_primitives.h>

#include "kernels/cuda/device/clock_looks.cuh"
#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/record.cuh" /* allow_shared */

/* ---- side by side ---------------------------------------------------------------------------- */

/* Threads of a block, and blocks of a multiprocessor, of which one may look while the other's first
 * warp walks. */
enum { TILE_BLOCK = 448, TILE_BLOCKS = 2 };

/* What a look reads beside its path: its coefficients, those of its reader, rows of the tile. */
template <int KIND, int READER>
struct look_numbers {
    enum {
        OWN = observation_row<KIND>::COEFFICIENTS,
        ALL = OWN + observation_row<READER>::COEFFICIENTS,
        DRAWS = KIND == OBSERVATION_BRIDGE_HIGH || KIND == OBSERVATION_BRIDGE_LOW
    };
    double c[ALL ? ALL : 1];
    int x, z0, z1;
};

/* Where a chain's numbers of its next date lie, beside those of the other chains of its set. */
template <int KIND, int READER, int WIDTH>
struct look_cursor {
    typedef struct look_numbers<KIND, READER> numbers;
    const int *x, *drawn;
    const double *c;

    __device__ __forceinline__ look_cursor(const struct look_set &set, int chain)
        : x(set.x + chain), drawn(set.drawn + chain), c(set.c + chain)
    {
    }

    /* Reads them and goes on to those of the date after it. */
    __device__ __forceinline__ numbers next()
    {
        numbers read;
        read.x = __ldg(x);
        x += WIDTH;
#pragma unroll
        for (int k = 0; k < numbers::ALL; k++) read.c[k] = __ldg(c + k * WIDTH);
        c += numbers::ALL * WIDTH;
        if (!numbers::DRAWS) return read;
        read.z0 = __ldg(drawn);
        read.z1 = __ldg(drawn + WIDTH);
        drawn += 2 * WIDTH;
        return read;
    }
};

/* One look at the path of a lane, by the numbers of its date. */
template <int KIND, int READER, int STRIDE>
static __device__ __forceinline__ void look_once(const struct look_numbers<KIND, READER> &numbers,
                                                 const double *tile, struct memory *m,
                                                 struct memory *reader)
{
    constexpr int OWN = numbers.OWN, ALL = numbers.ALL;
    struct observation t, u;
#pragma unroll
    for (int k = 0; k < OWN; k++) t.c[k] = numbers.c[k];
#pragma unroll
    for (int k = OWN; k < ALL; k++) u.c[k - OWN] = numbers.c[k];
    const double x = tile[numbers.x * STRIDE];
    const double z0 = numbers.DRAWS ? tile[numbers.z0 * STRIDE] : 0.0;
    const double z1 = numbers.DRAWS ? tile[numbers.z1 * STRIDE] : 0.0;
    observation_row<KIND>::look(&t, x, z0, z1, m);
    reader->source_a = m->a, reader->source_b = m->b;
    observation_row<READER>::look(&u, x, 0.0, 0.0, reader);
}

/* A chain of KIND that READER reads, if it is one, on the path of a lane, to which `tile` and
 * `observed` point. */
template <int KIND, int READER, int WIDTH>
static __device__ __forceinline__ void look(const struct look_set &set, int chain,
                                            const double *tile, double *observed, size_t paths)
{
    constexpr int STRIDE = WARP_LANES / WIDTH + 1;
    const double *initial = set.initial + chain;
    struct memory m = begin_memory<KIND, WIDTH>(initial);
    struct memory reader =
        begin_memory<READER, WIDTH>(initial + observation_row<KIND>::SLOTS * WIDTH);
    struct look_cursor<KIND, READER, WIDTH> cursor(set, chain);
    const int dates = __ldg(set.dates + chain);
    for (int d = 0; d < dates; d++)
        look_once<KIND, READER, STRIDE>(cursor.next(), tile, &m, &reader);
    if (chain >= set.n) return;
    observed[(size_t)__ldg(set.rows + chain) * paths] = m.a;
    if (observation_row<READER>::SLOTS)
        observed[(size_t)__ldg(set.rows + WIDTH + chain) * paths] = reader.a;
}

/* Brings the rows of the tile's paths into shared memory, [row][path]; their number is a power of
 * two. */
template <int PATHS>
static __device__ __forceinline__ void load_tile(const struct device_looks &looks,
                                                 const double *observed, size_t paths, double *tile)
{
    constexpr int STRIDE = PATHS + 1, ROWS_AT_ONCE = TILE_BLOCK / PATHS;
    const int path = (int)threadIdx.x % PATHS;
#pragma unroll 4
    for (int row = (int)threadIdx.x / PATHS; row < looks.n_tile_rows; row += ROWS_AT_ONCE)
        __pipeline_memcpy_async(
            &tile[row * STRIDE + path],
            &observed[(size_t)__ldg(looks.tile_rows + row) * paths + (size_t)path], sizeof(double));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* A stream of normals of one path of a tile. */
struct tile_draw {
    struct normal_table table;
    uint64_t path; /* of the plan */
    uint32_t stream;
    double *to; /* the path's element of their first row */
};

/* Draws the normals of a Philox block into its rows, of which there are n. */
template <int STRIDE>
static __device__ __forceinline__ void draw_four(const struct path_launch &w,
                                                 const struct tile_draw &draw, int four, int n)
{
    const struct philox_words c = philox_rounds(
        {(uint32_t)four, draw.stream, (uint32_t)draw.path, (uint32_t)(draw.path >> 32)}, &w.keys);
    const uint32_t words[NORMALS_TOGETHER] = {c.word0, c.word1, c.word2, c.word3};
#pragma unroll
    for (int i = 0; i < NORMALS_TOGETHER; i++)
        if (four * NORMALS_TOGETHER + i < n)
            draw.to[(four * NORMALS_TOGETHER + i) * STRIDE] = draw.table.normal(words[i]);
}

/* Steps of a path that are taken together: their normals and coefficients. */
template <int STRIDE>
struct steps_together {
    double z[NORMALS_TOGETHER];
    double2 step[NORMALS_TOGETHER];

    /* Those from j on. */
    __device__ __forceinline__ void load(const double2 *steps, const double *row, int j)
    {
#pragma unroll
        for (int i = 0; i < NORMALS_TOGETHER; i++)
            z[i] = row[(j + i) * STRIDE], step[i] = steps[j + i];
    }
};

/* Walks some steps of a path whose normals lie in `row` [step], where log2 S goes; the numbers of
 * the next steps are fetched before these are taken. */
template <int STRIDE>
static __device__ __forceinline__ double walk_rows(const double2 *steps, int first, int end,
                                                   double x, double *row)
{
    const int last = end - NORMALS_TOGETHER;
    struct steps_together<STRIDE> next;
    int j = first;
    if (j <= last) next.load(steps, row, j);
    for (; j <= last; j += NORMALS_TOGETHER) {
        const struct steps_together<STRIDE> now = next;
        if (j + NORMALS_TOGETHER <= last) next.load(steps, row, j + NORMALS_TOGETHER);
#pragma unroll
        for (int i = 0; i < NORMALS_TOGETHER; i++)
            row[(j + i) * STRIDE] = x =
                black_scholes_move(x, now.step[i].x, now.step[i].y, now.z[i]);
    }
    for (; j < end; j++)
        row[j * STRIDE] = x = black_scholes_move(x, steps[j].x, steps[j].y, row[j * STRIDE]);
    return x;
}

/* Simulates the paths of a tile: the first warp walks over the normals that the others have drawn
 * while these draw the next. */
template <int PATHS>
static __device__ __forceinline__ void simulate_tile(const struct device_looks &looks,
                                                     const struct path_launch &w, double *observed,
                                                     double2 *steps, double *tile)
{
    __shared__ float4 table_rows[NORMAL_ROWS];
    constexpr int STRIDE = PATHS + 1, DRAWERS = (TILE_BLOCK - WARP_LANES) / PATHS,
                  TOGETHER = DRAWERS * NORMALS_TOGETHER;
    const int path = (int)threadIdx.x % PATHS, fours = (w.n_steps + 3) / NORMALS_TOGETHER,
              rounds = (fours + DRAWERS - 1) / DRAWERS;
    struct tile_draw draw = {normal_table::load(table_rows),
                             w.first_path + (uint64_t)blockIdx.x * PATHS + (uint64_t)path, w.stream,
                             tile + path};
    for (int j = (int)threadIdx.x; j < w.n_steps; j += TILE_BLOCK) steps[j] = load_step(w, j);
    __syncthreads();
    double x = w.start.x;
    for (int round = 0; round <= rounds; round++) {
        const int four = round * DRAWERS + ((int)threadIdx.x - WARP_LANES) / PATHS;
        const int end = round * TOGETHER < w.n_steps ? round * TOGETHER : w.n_steps;
        if (threadIdx.x >= WARP_LANES) {
            if (four < fours) draw_four<STRIDE>(w, draw, four, w.n_steps);
        } else if (round && (int)threadIdx.x < PATHS)
            x = walk_rows<STRIDE>(steps, (round - 1) * TOGETHER, end, x, tile + path);
        __syncthreads();
    }
    draw.stream = w.stream | BRIDGE_STREAM;
    draw.to = tile + w.n_steps * STRIDE + path;
    for (int four = (int)threadIdx.x / PATHS; four * NORMALS_TOGETHER < looks.n_drawn;
         four += TILE_BLOCK / PATHS)
        draw_four<STRIDE>(w, draw, four, looks.n_drawn);
    __syncthreads();
    for (int i = (int)threadIdx.x / PATHS; i < looks.n_written; i += TILE_BLOCK / PATHS)
        observed[(size_t)__ldg(&looks.written[i].row) * w.paths + (size_t)path] =
            tile[__ldg(&looks.written[i].in_tile) * STRIDE + path];
}

/* Returns the next set of the block's work, the same for all lanes. */
static __device__ __forceinline__ int next_set(int *taken)
{
    int next = 0;
    if (threadIdx.x % WARP_LANES == 0) next = atomicAdd(taken, 1);
    return __shfl_sync(~0u, next, 0);
}

/* A block takes the paths of a tile; of its warps who is free takes the next set. */
template <bool SIMULATES, int WIDTH>
static __global__ void __launch_bounds__(TILE_BLOCK, TILE_BLOCKS)
    look_side_by_side(const __grid_constant__ struct device_looks looks,
                      const __grid_constant__ struct path_launch w)
{
    extern __shared__ double2 shared2[]; /* coefficients of the steps, then the tile */
    double *tile = reinterpret_cast<double *>(shared2 + (SIMULATES ? w.n_steps : 0));
    __shared__ int taken;
    constexpr int PATHS = WARP_LANES / WIDTH;
    const int lane = (int)(threadIdx.x % WARP_LANES), chain = lane / PATHS, path = lane % PATHS;
    double *observed = w.observed + (size_t)blockIdx.x * PATHS;
    if (threadIdx.x == 0) taken = 0;
    if (SIMULATES) simulate_tile<PATHS>(looks, w, observed, shared2, tile);
    else load_tile<PATHS>(looks, observed, w.paths, tile);
    for (int next; (next = next_set(&taken)) < looks.n_sets;) {
        const struct look_set set = looks.sets[next];
        switch (set.kind << 8 | set.reader) {
#define LOOK_KIND(KIND, READER)                                                                    \
    case LOOK_NUMBER(KIND, READER):                                                                \
        look<KIND, READER, WIDTH>(set, chain, tile + path, observed + path, w.paths);              \
        break;
            LOOK_KINDS(LOOK_KIND)
#undef LOOK_KIND
        }
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

template <int KIND>
static __device__ __forceinline__ void look_by_kind(const struct observation &t, double x,
                                                    double z0, double z1, double clock,
                                                    double *state, const double *source, int width)
{
    using row = observation_row<KIND>;
    struct memory m = load_memory<row::SLOTS>(state, width);
    m.clock = clock;
    if (row::READS & READS_SOURCE) m.source_a = source[0], m.source_b = source[width];
    row::look(&t, x, z0, z1, &m);
    store_memory<row::SLOTS>(m, state, width);
}

/* One look of a lane's path; its chain's first slot is `slots`, the next ones are `width` apart. */
static __device__ void look_at_row(const struct look &look, const double *observed, size_t paths,
                                   double *slots, int width)
{
    const struct observation &t = look.seen;
    double *state = slots + t.slot * width;
    const double *source = slots + t.source * width;
    const double x = observed[(size_t)look.x * paths];
    const double z0 = look.drawn[0] < 0 ? 0.0 : observed[(size_t)look.drawn[0] * paths];
    const double z1 = look.drawn[1] < 0 ? 0.0 : observed[(size_t)look.drawn[1] * paths];
    const double clock = look.clock < 0 ? 0.0 : observed[(size_t)look.clock * paths];
    switch (t.kind) {
#define OBSERVABLE(NAME, name, n_slots, coefficients, reads)                                       \
    case OBSERVATION_##NAME:                                                                       \
        if ((reads) & (READS_TABLE | READS_VARIANCE)) break; /* never of a chain */                \
        if (is_heavy(OBSERVATION_##NAME))                                                          \
            record_open_calls(&t, state, source, width, OBSERVATION_##NAME);                       \
        else look_by_kind<OBSERVATION_##NAME>(t, x, z0, z1, clock, state, source, width);          \
        break;
#include "models/observables/observables.def"
#undef OBSERVABLE
    }
}

/* A chain of any kinds, whose slots lie LOOK_BLOCK numbers apart. */
static __device__ __noinline__ void look_at_all(const struct chain &chain, const struct look *looks,
                                                const double *initial, const struct result *results,
                                                double *observed, size_t paths, double *state)
{
    const int width = LOOK_BLOCK;
    for (int s = 0; s < chain.n_slots; s++) state[s * width] = __ldg(initial + s);
    for (int i = 0; i < chain.n_looks; i++) look_at_row(looks[i], observed, paths, state, width);
    for (int r = 0; r < chain.n_results; r++)
        observed[(size_t)results[r].row * paths] = state[results[r].slot * width];
}

/* Blocks that follow each other take the same paths, by the n sets of chains in turn, and find
 * their rows in the cache. */
static __global__ void __launch_bounds__(LOOK_BLOCK)
    look_one_by_one(const struct lone_chains *lone, unsigned n, const struct look *looks,
                    const double *initial, const struct result *results, double *observed,
                    size_t paths)
{
    extern __shared__ double shared[]; /* struct survivors, or slots [slot][thread] */
    const struct lone_chains &together = lone[blockIdx.x % n];
    const struct chain &chain = together.chains[0];
    observed += (size_t)(blockIdx.x / n) * LOOK_BLOCK + threadIdx.x;
    switch (together.kind) {
    case SURVIVAL:
        survive(together, looks, initial, results, observed, paths,
                reinterpret_cast<struct survivors *>(shared));
        break;
#define LOOK_KIND(KIND)                                                                            \
    case KIND:                                                                                     \
        look_along<KIND>(chain, looks + chain.first_look, initial + chain.first_slot,              \
                         results + chain.first_result, observed, paths);                           \
        break;
        EXTREME_LOOK_KINDS(LOOK_KIND)
#undef LOOK_KIND
    case ANY_KINDS:
        look_at_all(chain, looks + chain.first_look, initial + chain.first_slot,
                    results + chain.first_result, observed, paths, shared + threadIdx.x);
    }
}

/* ---- gates ----------------------------------------------------------------------------------- */

/* Gates of a block, which reads extremes that several of them share. */
enum { GATES_TOGETHER = 32 };

static __global__ void __launch_bounds__(LOOK_BLOCK)
    gate_paths(const struct gate *gates, int n, double *observed, size_t paths)
{
    observed += (size_t)blockIdx.x * LOOK_BLOCK + threadIdx.x;
    const int first = (int)blockIdx.y * GATES_TOGETHER;
    const int end = first + GATES_TOGETHER < n ? first + GATES_TOGETHER : n;
    for (int g = first; g < end; g++) {
        const struct gate gate = gates[g];
        double alive = gate.alive;
        if (gate.lowest >= 0)
            alive = observed[(size_t)gate.lowest * paths] > gate.low ? alive : 0.0;
        if (gate.highest >= 0)
            alive = observed[(size_t)gate.highest * paths] < gate.high ? alive : 0.0;
        observed[(size_t)gate.row * paths] = alive;
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

typedef void side_by_side(struct device_looks, struct path_launch);

/* By whether the tile is simulated, and by how many chains a set has. */
static side_by_side *const sides[2][2] = {
    {look_side_by_side<false, 2>, look_side_by_side<false, 4>},
    {look_side_by_side<true, 2>, look_side_by_side<true, 4>},
};

static cudaError_t launch_side_by_side(const struct device_looks *looks,
                                       const struct path_launch *path_launch, cudaStream_t stream)
{
    const size_t shared = looks->simulates * sizeof(double2) * (size_t)path_launch->n_steps +
                          look_tile_bytes(looks->n_tile_rows, looks->tile_paths);
    int most;
    if (!looks->n_sets) return cudaSuccess;
    side_by_side *kernel = sides[looks->simulates][look_set_width(looks->tile_paths) == 4];
    cudaError_t error = allow_shared(kernel, &most);
    if (error != cudaSuccess) return error;
    kernel<<<(unsigned)(path_launch->paths / (size_t)looks->tile_paths), TILE_BLOCK, shared,
             stream>>>(*looks, *path_launch);
    return cudaGetLastError();
}

static cudaError_t launch_one_by_one(const struct device_looks *looks,
                                     const struct path_launch *path_launch, cudaStream_t stream)
{
    if (!looks->n_lone) return cudaSuccess;
    const unsigned blocks = (unsigned)(path_launch->paths / LOOK_BLOCK) * (unsigned)looks->n_lone;
    const size_t slots = sizeof(double) * LOOK_BLOCK * (size_t)looks->n_slots,
                 shared = slots > sizeof(struct survivors) ? slots : sizeof(struct survivors);
    look_one_by_one<<<blocks, LOOK_BLOCK, shared, stream>>>(
        looks->lone, (unsigned)looks->n_lone, looks->looks, looks->initial, looks->results,
        path_launch->observed, path_launch->paths);
    return cudaGetLastError();
}

cudaError_t look_back(const struct device_looks *looks, const struct path_launch *path_launch,
                      cudaStream_t stream)
{
    cudaError_t error = launch_side_by_side(looks, path_launch, stream);
    if (error == cudaSuccess) error = launch_one_by_one(looks, path_launch, stream);
    if (error != cudaSuccess || !looks->n_gates) return error;
    const unsigned together = (unsigned)(looks->n_gates + GATES_TOGETHER - 1) / GATES_TOGETHER;
    gate_paths<<<dim3((unsigned)(path_launch->paths / LOOK_BLOCK), together), LOOK_BLOCK, 0,
                 stream>>>(looks->gates, looks->n_gates, path_launch->observed, path_launch->paths);
    return cudaGetLastError();
}

cudaError_t load_look_kernels(void)
{
    return load_kernels(sides[0][0], sides[0][1], sides[1][0], sides[1][1], look_one_by_one,
                        gate_paths);
}
