/* Looks at paths that have ended (struct chain of kernels/plan.h), from the rows that their walk
 * has left.
 *
 * look_side_by_side() takes chains of one kind: half a warp is a chain, whose numbers it reads
 * beside those of its neighbour, and each lane looks at one path, whose rows lie in the shared
 * memory of its block; what the paths remember stays in registers. Paths of one asset under Black
 * and Scholes are simulated there, too, and their rows are never stored. look_one_by_one() takes
 * any other chain: a lane is a path. */
#include <cuda_pipeline_primitives.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/record.cuh" /* allow_shared */

/* ---- side by side ---------------------------------------------------------------------------- */

/* Threads of a block, and blocks of a multiprocessor, of which one may look while the other's first
 * warp walks. */
enum { TILE_BLOCK = 384, TILE_BLOCKS = 2 };

/* A kind of observation, and none. */
template <int KIND>
struct look_of {
    enum { SLOTS = 0, COEFFICIENTS = 0, READS = READS_NOTHING };
    static __device__ __forceinline__ void at(const struct observation *, double, double, double,
                                              struct memory *)
    {
    }
};
#define OBSERVABLE(NAME, name, n_slots, n_coefficients, reads)                                     \
    template <>                                                                                    \
    struct look_of<OBSERVATION_##NAME> {                                                           \
        enum { SLOTS = n_slots, COEFFICIENTS = n_coefficients, READS = (reads) };                  \
        static __device__ __forceinline__ void at(const struct observation *t, double x,           \
                                                  double z0, double z1, struct memory *m)          \
        {                                                                                          \
            observe_##name(t, x, z0, z1, m);                                                       \
        }                                                                                          \
    };
#include "models/observables/observables.def"
#undef OBSERVABLE

/* The place of a lane in a set of `width` chains: the number of its chain, and its path in the
 * tile. */
struct look_place {
    int width, chain, path;
};

static __device__ __forceinline__ struct look_place place_of_lane(int width)
{
    const int lane = (int)(threadIdx.x % WARP_LANES), lanes = WARP_LANES / width;
    return {width, lane / lanes, lane % lanes};
}

/* The state of an observable today; its first slot is `initial` [slot][chain]. */
template <int KIND>
static __device__ __forceinline__ struct memory begin_memory(const double *initial, int width)
{
    constexpr int SLOTS = look_of<KIND>::SLOTS;
    struct memory m = {};
    if (SLOTS > 0) m.a = __ldg(initial);
    if (SLOTS > 1) m.b = __ldg(initial + width);
    if (SLOTS > 2) m.c = __ldg(initial + 2 * width);
    if (SLOTS > 3) m.d = __ldg(initial + 3 * width);
    return m;
}

/* What a look reads beside its path: its coefficients, those of its reader, rows of the tile. */
template <int KIND, int READER>
struct look_numbers {
    enum {
        OWN = look_of<KIND>::COEFFICIENTS,
        ALL = OWN + look_of<READER>::COEFFICIENTS,
        DRAWS = KIND == OBSERVATION_BRIDGE_HIGH || KIND == OBSERVATION_BRIDGE_LOW
    };
    double c[ALL ? ALL : 1];
    int x, z0, z1;

    /* Those of date d of a chain. */
    __device__ __forceinline__ void load(const struct look_set &set, const struct look_place &at,
                                         int d)
    {
        const int place = d * at.width + at.chain;
        const double *from = set.c + (size_t)d * (size_t)(ALL * at.width) + at.chain;
        x = __ldg(set.x + place);
#pragma unroll
        for (int k = 0; k < ALL; k++) c[k] = __ldg(from + k * at.width);
        if (!DRAWS) return;
        z0 = __ldg(set.drawn + place + d * at.width);
        z1 = __ldg(set.drawn + place + (d + 1) * at.width);
    }
};

/* One look at the path of a lane, by the numbers of its date. */
template <int KIND, int READER>
static __device__ __forceinline__ void look_once(const struct look_numbers<KIND, READER> &numbers,
                                                 const double *tile, int stride, struct memory *m,
                                                 struct memory *reader)
{
    constexpr int OWN = numbers.OWN, ALL = numbers.ALL;
    struct observation t, u;
#pragma unroll
    for (int k = 0; k < OWN; k++) t.c[k] = numbers.c[k];
#pragma unroll
    for (int k = OWN; k < ALL; k++) u.c[k - OWN] = numbers.c[k];
    const double x = tile[numbers.x * stride];
    const double z0 = numbers.DRAWS ? tile[numbers.z0 * stride] : 0.0;
    const double z1 = numbers.DRAWS ? tile[numbers.z1 * stride] : 0.0;
    look_of<KIND>::at(&t, x, z0, z1, m);
    reader->source_a = m->a, reader->source_b = m->b;
    look_of<READER>::at(&u, x, 0.0, 0.0, reader);
}

/* A chain of KIND that READER reads, if it is one, on the path of a lane, to which `tile` and
 * `observed` point. */
template <int KIND, int READER>
static __device__ __forceinline__ void look(const struct look_set &set, const struct look_place &at,
                                            const double *tile, int stride, double *observed,
                                            size_t paths)
{
    const double *initial = set.initial + at.chain;
    struct memory m = begin_memory<KIND>(initial, at.width);
    struct memory reader =
        begin_memory<READER>(initial + look_of<KIND>::SLOTS * at.width, at.width);
    const int dates = __ldg(set.dates + at.chain);
    for (int d = 0; d < dates; d++) {
        struct look_numbers<KIND, READER> numbers;
        numbers.load(set, at, d);
        look_once<KIND, READER>(numbers, tile, stride, &m, &reader);
    }
    if (at.chain >= set.n) return;
    observed[(size_t)__ldg(set.rows + at.chain) * paths] = m.a;
    if (look_of<READER>::SLOTS)
        observed[(size_t)__ldg(set.rows + at.width + at.chain) * paths] = reader.a;
}

/* Brings the rows of the tile's paths into shared memory, [row][path]; their number is a power of
 * two. */
static __device__ __forceinline__ void load_tile(const struct device_looks &looks,
                                                 const double *observed, size_t paths, double *tile)
{
    const int n = looks.tile_paths, stride = n + 1;
    const int path = (int)threadIdx.x & (n - 1), rows_at_once = TILE_BLOCK / n;
#pragma unroll 4
    for (int row = (int)threadIdx.x / n; row < looks.n_tile_rows; row += rows_at_once)
        __pipeline_memcpy_async(
            &tile[row * stride + path],
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
    int stride;
};

/* Draws the normals of a Philox block into its rows, of which there are n. */
static __device__ __forceinline__ void draw_four(const struct path_launch &w,
                                                 const struct tile_draw &draw, int four, int n)
{
    const struct philox_words c = philox_rounds(
        {(uint32_t)four, draw.stream, (uint32_t)draw.path, (uint32_t)(draw.path >> 32)}, &w.keys);
    const uint32_t words[NORMALS_TOGETHER] = {c.word0, c.word1, c.word2, c.word3};
#pragma unroll
    for (int i = 0; i < NORMALS_TOGETHER; i++)
        if (four * NORMALS_TOGETHER + i < n)
            draw.to[(four * NORMALS_TOGETHER + i) * draw.stride] = draw.table.normal(words[i]);
}

/* Steps of a path that are taken together: their normals and coefficients. */
struct steps_together {
    double z[NORMALS_TOGETHER];
    double2 step[NORMALS_TOGETHER];

    /* Those from j on, the last one in place of what would come after the end. */
    __device__ __forceinline__ void load(const double2 *steps, const double *row, int stride, int j,
                                         int end)
    {
#pragma unroll
        for (int i = 0; i < NORMALS_TOGETHER; i++) {
            const int at = j + i < end ? j + i : end - 1;
            z[i] = row[at * stride], step[i] = steps[at];
        }
    }
};

/* Walks some steps of a path whose normals lie in `row` [step], where log2 S goes; the numbers of
 * the next steps are fetched before these are taken. */
static __device__ __forceinline__ double walk_rows(const double2 *steps, int first, int end,
                                                   double x, double *row, int stride)
{
    struct steps_together next;
    next.load(steps, row, stride, first, end);
    for (int j = first; j < end; j += NORMALS_TOGETHER) {
        const struct steps_together now = next;
        next.load(steps, row, stride, j + NORMALS_TOGETHER, end);
#pragma unroll
        for (int i = 0; i < NORMALS_TOGETHER; i++) {
            if (j + i >= end) break;
            row[(j + i) * stride] = x =
                black_scholes_move(x, now.step[i].x, now.step[i].y, now.z[i]);
        }
    }
    return x;
}

/* Simulates the paths of a tile: the first warp walks over the normals that the others have drawn
 * while these draw the next. */
static __device__ __forceinline__ void simulate_tile(const struct device_looks &looks,
                                                     const struct path_launch &w, double *observed,
                                                     double2 *steps, double *tile)
{
    __shared__ float4 table_rows[NORMAL_ROWS];
    const int n = looks.tile_paths, stride = n + 1, path = (int)threadIdx.x & (n - 1);
    const int drawers = (TILE_BLOCK - WARP_LANES) / n, fours = (w.n_steps + 3) / NORMALS_TOGETHER,
              rounds = (fours + drawers - 1) / drawers, together = drawers * NORMALS_TOGETHER;
    struct tile_draw draw = {normal_table::load(table_rows),
                             w.first_path + (uint64_t)blockIdx.x * (uint64_t)n + (uint64_t)path,
                             w.stream, tile + path, stride};
    for (int j = (int)threadIdx.x; j < w.n_steps; j += TILE_BLOCK) steps[j] = load_step(w, j);
    __syncthreads();
    double x = w.start.x;
    for (int round = 0; round <= rounds; round++) {
        const int four = round * drawers + ((int)threadIdx.x - WARP_LANES) / n;
        const int end = round * together < w.n_steps ? round * together : w.n_steps;
        if (threadIdx.x >= WARP_LANES) {
            if (four < fours) draw_four(w, draw, four, w.n_steps);
        } else if (round && (int)threadIdx.x < n)
            x = walk_rows(steps, (round - 1) * together, end, x, tile + path, stride);
        __syncthreads();
    }
    draw.stream = w.stream | BRIDGE_STREAM;
    draw.to = tile + w.n_steps * stride + path;
    for (int four = (int)threadIdx.x / n; four * NORMALS_TOGETHER < looks.n_drawn;
         four += TILE_BLOCK / n)
        draw_four(w, draw, four, looks.n_drawn);
    __syncthreads();
    for (int i = (int)threadIdx.x / n; i < looks.n_written; i += TILE_BLOCK / n)
        observed[(size_t)__ldg(&looks.written[i].row) * w.paths + (size_t)path] =
            tile[__ldg(&looks.written[i].in_tile) * stride + path];
}

/* Returns the next set of the block's work, the same for all lanes. */
static __device__ __forceinline__ int next_set(int *taken)
{
    int next = 0;
    if (threadIdx.x % WARP_LANES == 0) next = atomicAdd(taken, 1);
    return __shfl_sync(~0u, next, 0);
}

/* A block takes the paths of a tile; of its warps who is free takes the next set. */
template <bool SIMULATES>
static __global__ void __launch_bounds__(TILE_BLOCK, TILE_BLOCKS)
    look_side_by_side(const __grid_constant__ struct device_looks looks,
                      const __grid_constant__ struct path_launch w)
{
    extern __shared__ double2 shared2[]; /* coefficients of the steps, then the tile */
    double *tile = reinterpret_cast<double *>(shared2 + (SIMULATES ? w.n_steps : 0));
    __shared__ int taken;
    const int stride = looks.tile_paths + 1;
    const struct look_place at = place_of_lane(look_set_width(looks.tile_paths));
    double *observed = w.observed + (size_t)blockIdx.x * (size_t)looks.tile_paths;
    if (threadIdx.x == 0) taken = 0;
    if (SIMULATES) simulate_tile(looks, w, observed, shared2, tile);
    else load_tile(looks, observed, w.paths, tile);
    for (int next; (next = next_set(&taken)) < looks.n_sets;) {
        const struct look_set set = looks.sets[next];
        switch (set.kind << 8 | set.reader) {
#define LOOK_KIND(KIND, READER)                                                                    \
    case LOOK_NUMBER(KIND, READER):                                                                \
        look<KIND, READER>(set, at, tile + at.path, stride, observed + at.path, w.paths);          \
        break;
            LOOK_KINDS(LOOK_KIND)
#undef LOOK_KIND
        }
    }
}

/* ---- one by one ------------------------------------------------------------------------------ */

/* One look of a lane's path; its chain's first slot is `slots`, the next ones are `width` apart. */
static __device__ void look_at_row(const struct look &look, const double *observed, size_t paths,
                                   double *slots, int width)
{
    const struct observation &t = look.seen;
    double *own = slots + t.slot * width;
    const double *source = slots + t.source * width;
    const double x = observed[(size_t)look.x * paths];
    const double z0 = look.drawn[0] < 0 ? 0.0 : observed[(size_t)look.drawn[0] * paths];
    const double z1 = look.drawn[1] < 0 ? 0.0 : observed[(size_t)look.drawn[1] * paths];
    struct memory m = {};
    switch (t.kind) {
#define OBSERVABLE(NAME, name, n_slots, coefficients, reads)                                       \
    case OBSERVATION_##NAME:                                                                       \
        if ((reads) & (READS_TABLE | READS_VARIANCE | READS_CLOCK)) break; /* never of a chain */  \
        if (is_heavy(OBSERVATION_##NAME)) {                                                        \
            record_open_calls(&t, own, source, width, OBSERVATION_##NAME);                         \
            break;                                                                                 \
        }                                                                                          \
        m.a = own[0];                                                                              \
        if (n_slots > 1) m.b = own[width];                                                         \
        if (n_slots > 2) m.c = own[2 * width];                                                     \
        if (n_slots > 3) m.d = own[3 * width];                                                     \
        if ((reads)&READS_SOURCE) m.source_a = source[0], m.source_b = source[width];              \
        observe_##name(&t, x, z0, z1, &m);                                                         \
        own[0] = m.a;                                                                              \
        if (n_slots > 1) own[width] = m.b;                                                         \
        if (n_slots > 2) own[2 * width] = m.c;                                                     \
        if (n_slots > 3) own[3 * width] = m.d;                                                     \
        break;
#include "models/observables/observables.def"
#undef OBSERVABLE
    }
}

/* Blocks that follow each other take the same paths, by the n chains in turn, and find their rows
 * in the cache. */
static __global__ void __launch_bounds__(LOOK_BLOCK)
    look_one_by_one(const struct chain *chains, unsigned n, const struct look *looks,
                    const double *initial, const struct result *results, double *observed,
                    size_t paths)
{
    extern __shared__ double slots[]; /* [slot][thread] */
    const struct chain chain = chains[blockIdx.x % n];
    const int width = LOOK_BLOCK;
    double *own = slots + threadIdx.x;
    observed += (size_t)(blockIdx.x / n) * LOOK_BLOCK + threadIdx.x;
    for (int s = 0; s < chain.n_slots; s++) own[s * width] = __ldg(initial + chain.first_slot + s);
    for (int i = 0; i < chain.n_looks; i++)
        look_at_row(looks[chain.first_look + i], observed, paths, own, width);
    for (int r = 0; r < chain.n_results; r++) {
        const struct result result = results[chain.first_result + r];
        observed[(size_t)result.row * paths] = own[result.slot * width];
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

static cudaError_t launch_side_by_side(const struct device_looks *looks,
                                       const struct path_launch *path_launch, cudaStream_t stream)
{
    const size_t shared = looks->simulates * sizeof(double2) * (size_t)path_launch->n_steps +
                          look_tile_bytes(looks->n_tile_rows, looks->tile_paths);
    int most;
    if (!looks->n_sets) return cudaSuccess;
    auto kernel = looks->simulates ? look_side_by_side<true> : look_side_by_side<false>;
    cudaError_t error = allow_shared(kernel, &most);
    if (error != cudaSuccess) return error;
    kernel<<<(unsigned)(path_launch->paths / (size_t)looks->tile_paths), TILE_BLOCK, shared,
             stream>>>(*looks, *path_launch);
    return cudaGetLastError();
}

static cudaError_t launch_one_by_one(const struct device_looks *looks,
                                     const struct path_launch *path_launch, cudaStream_t stream)
{
    if (!looks->n_chains) return cudaSuccess;
    unsigned blocks = (unsigned)(path_launch->paths / LOOK_BLOCK) * (unsigned)looks->n_chains;
    look_one_by_one<<<blocks, LOOK_BLOCK, sizeof(double) * LOOK_BLOCK *(size_t)looks->n_slots,
                      stream>>>(looks->chains, (unsigned)looks->n_chains, looks->looks,
                                looks->initial, looks->results, path_launch->observed,
                                path_launch->paths);
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
    struct cudaFuncAttributes facts;
    const void *const kernels[] = {(const void *)look_side_by_side<false>,
                                   (const void *)look_side_by_side<true>,
                                   (const void *)look_one_by_one, (const void *)gate_paths};
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 4 && error == cudaSuccess; i++)
        error = cudaFuncGetAttributes(&facts, kernels[i]);
    return error;
}
