/* Looks at paths that have ended (struct chain of kernels/plan.h), from the rows that their walk
 * has left.
 *
 * look_side_by_side() takes chains of one kind: a few lanes are a chain, whose numbers they read
 * beside those of its neighbours, and each looks at PATHS paths at once, whose rows lie in the
 * shared memory of its block; what the paths remember stays in registers. look_one_by_one() takes
 * any other chain: a lane is a path. */
#include <cuda_pipeline_primitives.h>

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/record.cuh" /* allow_shared */

/* ---- side by side ---------------------------------------------------------------------------- */

/* Threads of a block, and looks of a chain whose numbers are fetched together. */
enum { PATHS = LOOK_PATHS, TILE_BLOCK = 768, LOOKS_TOGETHER = 4 };

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

/* The place of a lane in a set of `width` chains: the number of its chain, the first of its paths
 * in the tile, and how far the next ones are. */
struct look_place {
    int width, chain, path, apart;
};

static __device__ __forceinline__ struct look_place place_of_lane(int width)
{
    const int lane = (int)(threadIdx.x % WARP_LANES), lanes = WARP_LANES / width;
    return {width, lane / lanes, lane % lanes, lanes};
}

/* The state of an observable today, on N paths; its first slot is `initial` [slot][chain]. */
template <int KIND, int N>
static __device__ __forceinline__ void begin_memory(const double *initial, int width,
                                                    struct memory *m)
{
    constexpr int SLOTS = look_of<KIND>::SLOTS;
#pragma unroll
    for (int p = 0; p < N; p++) {
        m[p] = {};
        if (SLOTS > 0) m[p].a = __ldg(initial);
        if (SLOTS > 1) m[p].b = __ldg(initial + width);
        if (SLOTS > 2) m[p].c = __ldg(initial + 2 * width);
        if (SLOTS > 3) m[p].d = __ldg(initial + 3 * width);
    }
}

/* What a look reads beside its paths: its coefficients, those of its reader, rows of the tile. */
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

/* Writes what an observable's first slot has on N paths, so far apart, to its row. */
template <int N>
static __device__ __forceinline__ void write_row(double *to, int apart, const struct memory *m)
{
#pragma unroll
    for (int p = 0; p < N; p++) to[p * apart] = m[p].a;
}

/* One look at N paths of a lane, by the numbers of its date. */
template <int KIND, int READER, int N>
static __device__ __forceinline__ void
look_once(const struct look_numbers<KIND, READER> &numbers, const struct look_place &at,
          const double *tile, int stride, struct memory *m, struct memory *reader)
{
    constexpr int OWN = numbers.OWN, ALL = numbers.ALL;
    struct observation t, u;
#pragma unroll
    for (int k = 0; k < OWN; k++) t.c[k] = numbers.c[k];
#pragma unroll
    for (int k = OWN; k < ALL; k++) u.c[k - OWN] = numbers.c[k];
    const double *x = tile + numbers.x * stride, *z0 = x, *z1 = x;
    if (numbers.DRAWS) z0 = tile + numbers.z0 * stride, z1 = tile + numbers.z1 * stride;
#pragma unroll
    for (int p = 0; p < N; p++) {
        const int path = p * at.apart;
        look_of<KIND>::at(&t, x[path], numbers.DRAWS ? z0[path] : 0.0,
                          numbers.DRAWS ? z1[path] : 0.0, &m[p]);
        reader[p].source_a = m[p].a, reader[p].source_b = m[p].b;
        look_of<READER>::at(&u, x[path], 0.0, 0.0, &reader[p]);
    }
}

/* A chain of KIND that READER reads, if it is one, on N paths of a lane: `tile` and `observed` are
 * those of the first. */
template <int KIND, int READER, int N>
static __device__ __forceinline__ void look(const struct look_set &set, const struct look_place &at,
                                            const double *tile, int stride, double *observed,
                                            size_t paths)
{
    constexpr int TOGETHER = N > 1 ? LOOKS_TOGETHER : 1;
    struct memory m[N], reader[N];
    const double *initial = set.initial + at.chain;
    begin_memory<KIND, N>(initial, at.width, m);
    begin_memory<READER, N>(initial + look_of<KIND>::SLOTS * at.width, at.width, reader);
    const int dates = __ldg(set.dates + at.chain);
    for (int d = 0; d < dates; d += TOGETHER) {
        struct look_numbers<KIND, READER> numbers[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            numbers[i].load(set, at, d + i < dates ? d + i : dates - 1);
#pragma unroll
        for (int i = 0; i < TOGETHER; i++)
            if (d + i < dates) look_once<KIND, READER, N>(numbers[i], at, tile, stride, m, reader);
    }
    if (at.chain >= set.n) return;
    write_row<N>(observed + (size_t)__ldg(set.rows + at.chain) * paths, at.apart, m);
    if (look_of<READER>::SLOTS)
        write_row<N>(observed + (size_t)__ldg(set.rows + at.width + at.chain) * paths, at.apart,
                     reader);
}

/* The same on all paths of a lane, or where that takes many registers on its path number `turn`. */
template <int KIND, int READER>
static __device__ __forceinline__ void
look_at_paths(const struct look_set &set, const struct look_place &at, int turn, const double *tile,
              int stride, double *observed, size_t paths)
{
    constexpr int N = look_is_heavy(KIND) ? 1 : PATHS;
    const int path = at.path + turn * at.apart;
    look<KIND, READER, N>(set, at, tile + path, stride, observed + path, paths);
}

/* Brings the rows of the tile's paths into shared memory, [row][path]; their number is a power of
 * two. */
static __device__ void load_tile(const int *rows, int n, const double *observed, size_t paths,
                                 int tile_paths, int stride, double *tile)
{
    const int path = (int)threadIdx.x & (tile_paths - 1), rows_at_once = TILE_BLOCK / tile_paths;
#pragma unroll 4
    for (int row = (int)threadIdx.x / tile_paths; row < n; row += rows_at_once)
        __pipeline_memcpy_async(&tile[row * stride + path],
                                &observed[(size_t)__ldg(rows + row) * paths + (size_t)path],
                                sizeof(double));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* Returns the next piece of the block's work, the same for all lanes. */
static __device__ __forceinline__ int next_piece(int *taken)
{
    int next = 0;
    if (threadIdx.x % WARP_LANES == 0) next = atomicAdd(taken, 1);
    return __shfl_sync(~0u, next, 0);
}

/* A block takes the paths of a tile; of its warps who is free takes the next piece. */
static __global__ void __launch_bounds__(TILE_BLOCK, 1)
    look_side_by_side(const struct look_set *sets, const struct look_piece *pieces, int n_pieces,
                      const int *tile_rows, int n_tile_rows, int tile_paths, double *observed,
                      size_t paths)
{
    extern __shared__ double tile[];
    __shared__ int taken;
    const int stride = tile_paths + 1;
    const struct look_place at = place_of_lane(look_set_width(tile_paths));
    observed += (size_t)blockIdx.x * (size_t)tile_paths;
    if (threadIdx.x == 0) taken = 0;
    load_tile(tile_rows, n_tile_rows, observed, paths, tile_paths, stride, tile);
    for (int next; (next = next_piece(&taken)) < n_pieces;) {
        const struct look_piece piece = pieces[next];
        const struct look_set set = sets[piece.set];
        switch (set.kind << 8 | set.reader) {
#define LOOK_KIND(KIND, READER)                                                                    \
    case LOOK_NUMBER(KIND, READER):                                                                \
        look_at_paths<KIND, READER>(set, at, piece.path, tile, stride, observed, paths);           \
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
    make_gates(const struct gate *gates, int n, double *observed, size_t paths)
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

static cudaError_t launch_side_by_side(const struct device_looks *looks, double *observed,
                                       size_t paths, cudaStream_t stream)
{
    size_t shared = look_tile_bytes(looks->n_tile_rows, looks->tile_paths);
    int most;
    if (!looks->n_sets) return cudaSuccess;
    cudaError_t error = allow_shared(look_side_by_side, &most);
    if (error != cudaSuccess) return error;
    look_side_by_side<<<(unsigned)(paths / (size_t)looks->tile_paths), TILE_BLOCK, shared,
                        stream>>>(looks->sets, looks->pieces, looks->n_pieces, looks->tile_rows,
                                  looks->n_tile_rows, looks->tile_paths, observed, paths);
    return cudaGetLastError();
}

static cudaError_t launch_one_by_one(const struct device_looks *looks, double *observed,
                                     size_t paths, cudaStream_t stream)
{
    if (!looks->n_chains) return cudaSuccess;
    unsigned blocks = (unsigned)(paths / LOOK_BLOCK) * (unsigned)looks->n_chains;
    look_one_by_one<<<blocks, LOOK_BLOCK, sizeof(double) * LOOK_BLOCK *(size_t)looks->n_slots,
                      stream>>>(looks->chains, (unsigned)looks->n_chains, looks->looks,
                                looks->initial, looks->results, observed, paths);
    return cudaGetLastError();
}

cudaError_t look_back(const struct device_looks *looks, double *observed, size_t paths,
                      cudaStream_t stream)
{
    cudaError_t error = launch_side_by_side(looks, observed, paths, stream);
    if (error == cudaSuccess) error = launch_one_by_one(looks, observed, paths, stream);
    if (error != cudaSuccess || !looks->n_gates) return error;
    const unsigned together = (unsigned)(looks->n_gates + GATES_TOGETHER - 1) / GATES_TOGETHER;
    make_gates<<<dim3((unsigned)(paths / LOOK_BLOCK), together), LOOK_BLOCK, 0, stream>>>(
        looks->gates, looks->n_gates, observed, paths);
    return cudaGetLastError();
}

cudaError_t load_look_kernels(void)
{
    struct cudaFuncAttributes facts;
    cudaError_t error = cudaFuncGetAttributes(&facts, (const void *)look_side_by_side);
    if (error != cudaSuccess) return error;
    error = cudaFuncGetAttributes(&facts, (const void *)look_one_by_one);
    if (error != cudaSuccess) return error;
    return cudaFuncGetAttributes(&facts, (const void *)make_gates);
}
