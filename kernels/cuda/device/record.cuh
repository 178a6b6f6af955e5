/* How the path kernels remember: device code shared by all rungs.
 *
 * RECORD_OBSERVATIONS keeps the state of a path's observables in shared memory, slot-major: slot s
 * of path q of the block is slots[s * width + q], width the paths of a block, so a warp's accesses
 * are consecutive. RECORD_SUM keeps the register sum in a register. PATHS is the number of paths a
 * thread simulates; they are consecutive. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_RECORD_CUH
#define PRICER_KERNELS_CUDA_DEVICE_RECORD_CUH

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/tables.cuh"

/* The PATHS paths of a thread as observations see them: x of an underlying, and its v and clock
 * where `GIVES` says so: a kernel has no code for observations that read more. This one: one asset
 * under Black and Scholes, whose variances are known beforehand. */
struct plain_paths {
    enum { GIVES = READS_NOTHING };
    const double *log_spots;
    __device__ __forceinline__ double x(int, int q) const
    {
        return log_spots[q];
    }
    __device__ __forceinline__ double v(int, int) const
    {
        return 0.0;
    }
    __device__ __forceinline__ double clock(int, int) const
    {
        return 0.0;
    }
};

/* Kinds that take so many registers that only a call keeps them from the path kernel: they read no
 * path. */
static constexpr __device__ bool is_heavy(int kind)
{
    return kind == OBSERVATION_OPEN_CALLS || kind == OBSERVATION_OPEN_CALLS_END;
}

static __device__ __noinline__ void record_open_calls(const struct observation *at, double *state,
                                                      const double *source, int width, int kind)
{
    struct memory m = load_memory<3>(state, width);
    m.source_a = source[0], m.source_b = source[width];
    if (kind == OBSERVATION_OPEN_CALLS) observe_open_calls(at, 0.0, 0.0, 0.0, &m);
    else observe_open_calls_end(at, 0.0, 0.0, 0.0, &m);
    store_memory<3>(m, state, width);
}

/* One kind of observation on path q of the thread: state is loaded, changed by observe_<kind>() and
 * stored. */
template <int KIND, class SEEN>
static __device__ __forceinline__ void record_kind(const struct path_launch &w,
                                                   const struct observation &t, const SEEN &seen,
                                                   int underlying, int q, double z0, double z1,
                                                   double *state, const double *source, int width)
{
    using row = observation_row<KIND>;
    struct memory m = load_memory<row::SLOTS>(state, width);
    if (row::READS & READS_SOURCE) m.source_a = source[0], m.source_b = source[width];
    if (row::READS & READS_CLOCK) m.clock = seen.clock(underlying, q);
    if (row::READS & READS_VARIANCE) m.v = seen.v(underlying, q);
    if (row::READS & READS_TABLE) m.table = w.table;
    row::look(&t, seen.x(underlying, q), z0, z1, &m);
    store_memory<row::SLOTS>(m, state, width);
}

/* The observation whose turn is next, fetched before it is needed: the integers and the first two
 * coefficients, which are all that most kinds have. */
struct next_observation {
    const struct observation *at; /* in device memory */
    int4 head;                    /* packed kind, underlying and step; slot, of, pair */
    double2 c;

    __device__ __forceinline__ void fetch(const struct observation *from)
    {
        at = from;
        head = __ldg(reinterpret_cast<const int4 *>(from));
        c = __ldg(reinterpret_cast<const double2 *>(from->c));
    }

    __device__ __forceinline__ bool is_of(int step) const
    {
        return (unsigned)head.x >> PACKED_STEP_SHIFT == (unsigned)step;
    }
};

/* One observation on the thread's paths. `slots` points to the thread's first path; `path` is that
 * path's index in the launch; bridge(pair, q, &z0, &z1) gives the pair's normals for path q of the
 * thread. */
template <int PATHS, class SEEN, class BRIDGE>
static __device__ __forceinline__ void
record_observation(const struct path_launch &w, const struct next_observation &next,
                   const SEEN &seen, double *slots, int width, size_t path, BRIDGE bridge)
{
    struct observation t;
    double z0[PATHS], z1[PATHS];
    double *state = slots + next.head.y * width;
    const double *source = slots + next.head.z * width;
    int kind = next.head.x & ((1 << PACKED_UNDERLYING_SHIFT) - 1);
    int underlying = next.head.x >> PACKED_UNDERLYING_SHIFT &
                     ((1 << (PACKED_STEP_SHIFT - PACKED_UNDERLYING_SHIFT)) - 1);
    t.c[0] = next.c.x, t.c[1] = next.c.y;
#pragma unroll
    for (int i = 2; i < 6; i++) t.c[i] = next.at->c[i];
#pragma unroll
    for (int q = 0; q < PATHS; q++) {
        z0[q] = z1[q] = 0.0;
        if (next.head.w >= 0) bridge(next.head.w, q, &z0[q], &z1[q]);
    }
    if (observation_in_row(kind)) {
        double *row = w.observed + (size_t)next.head.y * w.paths + path;
#pragma unroll
        for (int q = 0; q < PATHS; q++)
            if (kind == OBSERVATION_VARIANCE) row[q] = seen.v(underlying, q); /* apart: no spills */
            else if (kind == OBSERVATION_CLOCK) row[q] = seen.clock(underlying, q);
            else
                row[q] = kind == OBSERVATION_SPOT          ? seen.x(underlying, q)
                         : kind == OBSERVATION_DRAWN_FIRST ? z0[q]
                                                           : z1[q];
        return;
    }
    switch (kind) {
#define OBSERVABLE(NAME, name, n_slots, coefficients, reads)                                       \
    case OBSERVATION_##NAME:                                                                       \
        if (is_heavy(OBSERVATION_##NAME))                                                          \
            _Pragma("unroll 1") for (int q = 0; q < PATHS; q++)                                    \
                record_open_calls(next.at, state + q, source + q, width, kind);                    \
        else if (!((reads) & ~(READS_SOURCE | READS_TABLE | SEEN::GIVES)))                         \
            _Pragma("unroll") for (int q = 0; q < PATHS; q++) record_kind<OBSERVATION_##NAME>(     \
                w, t, seen, underlying, q, z0[q], z1[q], state + q, source + q, width);            \
        break;
#include "models/observables/observables.def"
#undef OBSERVABLE
    }
}

/* All that a thread keeps of its PATHS paths, from the first of them, `path` of the launch. */
template <int RECORD, int PATHS>
struct recorder {
    double sum[PATHS];
    double *slots;
    int width;
    struct next_observation next;

    /* State as of today; `thread_slots` is the thread's element of slot 0. */
    __device__ __forceinline__ void begin(const struct path_launch &w, double *thread_slots)
    {
        slots = thread_slots;
        width = (int)blockDim.x * PATHS;
        if (RECORD & RECORD_OBSERVATIONS) next.fetch(w.observations);
#pragma unroll
        for (int q = 0; q < PATHS; q++) sum[q] = w.register_sum.initial;
        if (RECORD & RECORD_OBSERVATIONS)
            for (int s = 0; s < w.n_slots; s++)
                for (int q = 0; q < PATHS; q++) slots[s * width + q] = w.initial[s];
    }

    /* The paths at the end of step j. A group that has nothing but its register sum is observed at
     * every step. */
    template <class SEEN, class BRIDGE>
    __device__ __forceinline__ void step(const struct path_launch &w, int j, const SEEN &seen,
                                         size_t path, BRIDGE bridge)
    {
        if (RECORD == RECORD_SUM || ((RECORD & RECORD_SUM) && j < w.register_sum.steps))
#pragma unroll
            for (int q = 0; q < PATHS; q++) sum[q] = sum[q] + path_exp2(seen.x(0, q));
        if (RECORD & RECORD_OBSERVATIONS)
            while (next.is_of(j)) {
                struct next_observation now = next;
                next.fetch(now.at + 1);
                record_observation<PATHS>(w, now, seen, slots, width, path, bridge);
            }
    }

    /* Results go to their rows. */
    __device__ __forceinline__ void end(const struct path_launch &w, size_t path)
    {
        if (RECORD & RECORD_SUM)
#pragma unroll
            for (int q = 0; q < PATHS; q++)
                w.observed[(size_t)w.register_sum.row * w.paths + path + q] = sum[q];
        if (RECORD & RECORD_OBSERVATIONS)
            for (int r = 0; r < w.n_results; r++) {
                struct result result = w.results[r];
                for (int q = 0; q < PATHS; q++)
                    w.observed[(size_t)result.row * w.paths + path + q] =
                        slots[result.slot * width + q];
            }
    }
};

/* Bridge normals that lie behind the steps' in normals[row][path]. */
struct stored_bridges {
    const double *normals; /* of the thread's first path, first bridge row */
    size_t paths;
    __device__ __forceinline__ void operator()(int pair, int q, double *z0, double *z1) const
    {
        const double *pair_row = normals + (size_t)(2 * pair) * paths + q;
        *z0 = pair_row[0];
        *z1 = pair_row[paths];
    }
};

static __device__ __forceinline__ struct stored_bridges
stored_bridges_of(const struct path_launch &w, size_t path)
{
    return {(const double *)w.normals + (size_t)w.bridge_row * w.paths + path, w.paths};
}

/* The coefficients of one step in one 16-byte load. */
static __device__ __forceinline__ double2 load_step(const struct path_launch &w, int j)
{
    return __ldg(reinterpret_cast<const double2 *>(w.steps) + j);
}

/* Lets blocks of a kernel have all the shared memory that there is, `*most` bytes: always all of
 * it, since launches of several threads share the setting. */
template <class KERNEL>
static cudaError_t allow_shared(KERNEL kernel, int *most)
{
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;
    struct cudaFuncAttributes attributes;
    error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess) return error;
    *most -= (int)attributes.sharedSizeBytes;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, *most);
}

/* Launches KERNEL over all paths, PATHS a thread, with `shared` bytes of dynamic shared memory. */
template <class KERNEL>
static cudaError_t launch_walk(KERNEL kernel, const struct path_launch *path_launch,
                               int paths_a_thread, int block, size_t shared, cudaStream_t stream)
{
    if (shared >
        32 * 1024) { /* 48 kB go without asking, what the kernel declares itself included */
        int most = 0;
        cudaError_t error = allow_shared(kernel, &most);
        if (error != cudaSuccess) return error;
    }
    if (path_launch->facts) {
        cudaError_t error =
            find_launch_facts((const void *)kernel, block, shared, path_launch->facts);
        if (error != cudaSuccess) return error;
    }
    size_t paths_a_block = (size_t)block * (size_t)paths_a_thread;
    unsigned blocks = (unsigned)((path_launch->paths + paths_a_block - 1) / paths_a_block);
    kernel<<<blocks, (unsigned)block, shared, stream>>>(*path_launch);
    return cudaGetLastError();
}

/* Launches the one of three kernels that keeps what `record` says; a thread has `ring` bytes of
 * shared memory of its own beside its slots. */
template <class KERNEL>
static cudaError_t launch_recording(KERNEL sum_kernel, KERNEL observations_kernel,
                                    KERNEL both_kernel, const struct path_launch *path_launch,
                                    enum record record, int paths_a_thread, int block, size_t ring,
                                    cudaStream_t stream)
{
    size_t slots = sizeof(double) * (size_t)paths_a_thread * (size_t)path_launch->n_slots;
    if (record == RECORD_SUM)
        return launch_walk(sum_kernel, path_launch, paths_a_thread, block, ring * (size_t)block,
                           stream);
    return launch_walk(record == RECORD_OBSERVATIONS ? observations_kernel : both_kernel,
                       path_launch, paths_a_thread, block, (ring + slots) * (size_t)block, stream);
}

#define LAUNCH_RECORD(KERNEL, path_launch, record, paths_a_thread, block, ring, stream)            \
    launch_recording(KERNEL<RECORD_SUM>, KERNEL<RECORD_OBSERVATIONS>,                              \
                     KERNEL<RECORD_SUM | RECORD_OBSERVATIONS>, path_launch, record,                \
                     paths_a_thread, block, ring, stream)

#endif
