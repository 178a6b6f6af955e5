/* The path code that is compiled for a shape: all that a group is, but for its numbers, is known to
 * the compiler.
 *
 * A thread keeps its paths whole in registers: the state of every underlying, the slots of every
 * observable. Four normals of each factor come from one block of Philox. At a step it reads the
 * coefficients of its models and, of a step that has observations, one record; which observable
 * that is, where it keeps its state, which of its coefficients are the same on all dates: none of
 * it is asked at run time. kernels/cuda/host/shape.c writes the struct S.
 *
 * The arithmetic is that of every other engine: the steps of models/dynamics/, the observations of
 * models/payoffs/, the order of correlation of kernels/plan.h. Compiled with -fmad=false it gives
 * the same bits. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_SPECIALISED_CUH
#define PRICER_KERNELS_CUDA_DEVICE_SPECIALISED_CUH

#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/shape_contract.h"
#include "models/dynamics/dividend.h"
#include "models/dynamics/dynamics.h"
#include "models/math/philox.h"
#include "models/observables/observables.h"

#define DRAWN 4                  /* steps that one block of Philox serves */
#define EVERY_FACTOR 0x00010000u /* FACTOR_STREAM and BRIDGE_STREAM of kernels/plan.h */
#define BETWEEN_DATES 0x20000000u

static_assert(spread_normal_table::COPIES == SHAPE_TABLE_COPIES, "the host makes room for so many");

/* ---- the tables of models and observables, as types ------------------------------------------ */

enum {
#define MODEL(NAME, name, factors, coefficients, ...) ROW_##NAME,
#include "models/dynamics/models.def"
#undef MODEL
};

template <int MODEL>
struct model_traits;
#define MODEL(NAME, name, factors, coefficients, ...)                                              \
    template <>                                                                                    \
    struct model_traits<ROW_##NAME> {                                                              \
        static constexpr int FACTORS = factors, COEFFICIENTS = coefficients;                       \
        static __device__ __forceinline__ void step(const double *c, const float *table,           \
                                                    struct path_state *state, const double *z)     \
        {                                                                                          \
            name##_step(c, table, state, z);                                                       \
        }                                                                                          \
    };
#include "models/dynamics/models.def"
#undef MODEL

template <int ON>
struct observation_traits;
#define OBSERVABLE(NAME, name, slots, coefficients, reads)                                         \
    template <>                                                                                    \
    struct observation_traits<OBSERVATION_##NAME> {                                                \
        static constexpr int SLOTS = slots, COEFFICIENTS = coefficients, READS = reads;            \
        static __device__ __forceinline__ void look(const struct observation *t, double x,         \
                                                    double z0, double z1, struct memory *m)        \
        {                                                                                          \
            observe_##name(t, x, z0, z1, m);                                                       \
        }                                                                                          \
    };
#include "models/observables/observables.def"
#undef OBSERVABLE

/* ---- arguments ------------------------------------------------------------------------------- */

template <class S>
struct specialised {
    enum {
        START = 0,
        LOADING = START + 3 * S::UNDERLYINGS,
        INITIAL = LOADING + S::UNDERLYINGS * (S::UNDERLYINGS + 1) / 2,
        CONSTANT = INITIAL + S::SLOTS,
        ROW = CONSTANT + S::CONSTANTS,
        NUMBERS = ROW + S::RESULTS
    };
    struct specialised_arguments in;
    double numbers[NUMBERS];
};

template <class S>
struct specialised_path {
    struct path_state state[S::UNDERLYINGS];
    double slots[S::SLOTS + 1];
    size_t number; /* of the launch */
};

/* ---- loops that the compiler writes out, with an index that is a constant -------------------- */

template <int I>
struct constant_index {
    static constexpr int value = I;
};

template <int I, int N, class F>
static __device__ __forceinline__ void each_from(F &f)
{
    if constexpr (I < N) {
        f(constant_index<I>());
        each_from<I + 1, N>(f);
    }
}

template <int N, class F>
static __device__ __forceinline__ void each(F f)
{
    each_from<0, N>(f);
}

/* ---- observations ---------------------------------------------------------------------------- */

static __device__ __forceinline__ long long whole(const double *number)
{
    return __double2ll_rn(__ldg(number));
}

/* The pair of bridge normals that an observation draws. */
template <class S, class TABLE>
static __device__ __forceinline__ void draw_pair(const specialised<S> &w,
                                                 const specialised_path<S> &p, const TABLE &table,
                                                 uint32_t pair, double *z0, double *z1)
{
    uint64_t number = w.in.first_path + p.number;
    struct philox_words c = {pair / 2, w.in.stream[0] | BETWEEN_DATES, (uint32_t)number,
                             (uint32_t)(number >> 32)};
    c = philox_rounds(c, &w.in.keys);
    *z0 = table.normal(pair % 2 ? c.word2 : c.word0);
    *z1 = table.normal(pair % 2 ? c.word3 : c.word1);
}

/* Observer I looks at the path; `record` is the step's. */
template <class S, int I, class TABLE>
static __device__ __forceinline__ void observe(const specialised<S> &w, const double *record,
                                               specialised_path<S> &p, const TABLE &table)
{
    constexpr struct observer O = S::observer(I);
    struct path_state &state = p.state[O.underlying];
    if constexpr (O.kind == OBSERVER_DIVIDEND)
        state.x = after_dividend(state.x, __ldg(record + O.record));
    else if constexpr (O.kind == OBSERVATION_SPOT)
        w.in.observed[whole(record + O.record) * w.in.paths + p.number] = state.x;
    else {
        using traits = observation_traits<O.kind>;
        struct observation t;
        struct memory m;
        double z0 = 0.0, z1 = 0.0;
        int from = O.record, constant = specialised<S>::CONSTANT + O.constant;
#pragma unroll
        for (int c = 0; c < traits::COEFFICIENTS; c++)
            if (O.varies >> c & 1) t.c[c] = __ldg(record + from++);
            else t.c[c] = w.numbers[constant++];
        if constexpr (O.draws) draw_pair(w, p, table, (uint32_t)whole(record + from), &z0, &z1);
        double *own = p.slots + O.slot;
        m.a = own[0];
        if constexpr (traits::SLOTS > 1) m.b = own[1];
        if constexpr (traits::SLOTS > 2) m.c = own[2];
        if constexpr (traits::SLOTS > 3) m.d = own[3];
        if constexpr (traits::READS & READS_SOURCE)
            m.source_a = p.slots[O.source], m.source_b = p.slots[O.source + 1];
        if constexpr (traits::READS & READS_CLOCK) m.clock = state.clock;
        if constexpr (traits::READS & READS_VARIANCE) m.v = state.v;
        if constexpr (traits::READS & READS_TABLE) m.table = w.in.table;
        traits::look(&t, state.x, z0, z1, &m);
        own[0] = m.a;
        if constexpr (traits::SLOTS > 1) own[1] = m.b;
        if constexpr (traits::SLOTS > 2) own[2] = m.c;
        if constexpr (traits::SLOTS > 3) own[3] = m.d;
    }
}

/* Everything that looks at the path at the end of step j. */
template <class S, class TABLE>
static __device__ __forceinline__ void observe_all(const specialised<S> &w, int j,
                                                   specialised_path<S> &p, const TABLE &table)
{
    if constexpr (S::OBSERVERS > 0) {
        const double *record = w.in.records + (size_t)j * S::STRIDE;
        uint32_t calendars = 0;
        if constexpr (S::CALENDARS > 0)
            calendars = __ldg(reinterpret_cast<const uint32_t *>(record));
        each<S::OBSERVERS>([&](auto i) {
            constexpr int I = decltype(i)::value, CALENDAR = S::observer(I).calendar;
            if constexpr (CALENDAR < 0) observe<S, I>(w, record, p, table);
            else if (calendars >> CALENDAR & 1) observe<S, I>(w, record, p, table);
        });
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Words of one block of Philox for each factor, in registers. */
template <class S>
struct factor_words {
    uint32_t word[S::FACTORS][DRAWN];

    __device__ __forceinline__ void draw(const specialised<S> &w, const specialised_path<S> &p,
                                         int block)
    {
        uint64_t number = w.in.first_path + p.number;
        each<S::UNDERLYINGS>([&](auto i) {
            constexpr int U = decltype(i)::value;
#pragma unroll
            for (int f = 0; f < model_traits<S::model(U)>::FACTORS; f++) {
                struct philox_words c = {(uint32_t)block,
                                         w.in.stream[U] + (uint32_t)f * EVERY_FACTOR,
                                         (uint32_t)number, (uint32_t)(number >> 32)};
                c = philox_rounds(c, &w.in.keys);
                uint32_t *to = word[S::factor(U) + f];
                to[0] = c.word0, to[1] = c.word1, to[2] = c.word2, to[3] = c.word3;
            }
        });
    }

    /* Puts the words of the next step in the place of this one's. */
    __device__ __forceinline__ void shift()
    {
#pragma unroll
        for (int f = 0; f < S::FACTORS; f++)
#pragma unroll
            for (int d = 0; d + 1 < DRAWN; d++) word[f][d] = word[f][d + 1];
    }
};

/* Noise of underlying U's spot from the first normals of all: in the order of kernels/plan.h. */
template <class S, int U>
static __device__ __forceinline__ double correlated(const specialised<S> &w, const double *first)
{
    if constexpr (S::UNDERLYINGS == 1) return first[0];
    const double *loading = w.numbers + specialised<S>::LOADING + U * (U + 1) / 2;
    double z = loading[0] * first[0];
#pragma unroll
    for (int i = 1; i <= U; i++) z = fma(loading[i], first[i], z);
    return z;
}

/* Step j of every underlying by the d-th words, and what looks at its end. */
template <class S, class TABLE>
static __device__ __forceinline__ void take_step(const specialised<S> &w, int j, int d,
                                                 const factor_words<S> &drawn,
                                                 specialised_path<S> &p, const TABLE &table)
{
    const double *coefficients = w.in.coefficients + (size_t)j * S::WIDTH;
    double first[S::UNDERLYINGS];
#pragma unroll
    for (int u = 0; u < S::UNDERLYINGS; u++) first[u] = table.normal(drawn.word[S::factor(u)][d]);
    each<S::UNDERLYINGS>([&](auto i) {
        constexpr int U = decltype(i)::value;
        using model = model_traits<S::model(U)>;
        double z[model::FACTORS], c[model::COEFFICIENTS];
        z[0] = correlated<S, U>(w, first);
#pragma unroll
        for (int f = 1; f < model::FACTORS; f++)
            z[f] = table.normal(drawn.word[S::factor(U) + f][d]);
#pragma unroll
        for (int k = 0; k < model::COEFFICIENTS; k += 2) {
            double2 two =
                __ldg(reinterpret_cast<const double2 *>(coefficients + S::coefficient(U) + k));
            c[k] = two.x, c[k + 1] = two.y;
        }
        model::step(c, w.in.table, &p.state[U], z);
    });
    observe_all(w, j, p, table);
}

/* ---- paths ----------------------------------------------------------------------------------- */

template <class S>
static __device__ __forceinline__ void begin(const specialised<S> &w, size_t number,
                                             specialised_path<S> &p)
{
    p.number = number;
#pragma unroll
    for (int u = 0; u < S::UNDERLYINGS; u++) {
        const double *start = w.numbers + specialised<S>::START + 3 * u;
        p.state[u].x = start[0], p.state[u].v = start[1], p.state[u].clock = start[2];
    }
#pragma unroll
    for (int s = 0; s < S::SLOTS; s++) p.slots[s] = w.numbers[specialised<S>::INITIAL + s];
}

template <class S>
static __device__ __forceinline__ void end(const specialised<S> &w, const specialised_path<S> &p)
{
#pragma unroll
    for (int r = 0; r < S::RESULTS; r++) {
        size_t row = (size_t)__double2ll_rn(w.numbers[specialised<S>::ROW + r]);
        w.in.observed[row * w.in.paths + p.number] = p.slots[S::result(r)];
    }
}

/* PATHS of a thread, from today to the last date. Whole blocks of Philox are four steps in a row
 * where that is not more code than the instruction cache holds. */
template <class S>
static __device__ __forceinline__ void simulate_paths(const specialised<S> &w)
{
    constexpr bool IN_A_ROW = S::FACTORS <= 10 && S::OBSERVERS <= 14;
    extern __shared__ float4 shared4[];
    const typename S::table table = S::table::load(shared4);
    size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * S::PATHS;
    if (first >= w.in.paths) return;
    specialised_path<S> paths[S::PATHS];
#pragma unroll
    for (int q = 0; q < S::PATHS; q++) begin(w, first + q, paths[q]);
#pragma unroll 1
    for (int j0 = 0; j0 < w.in.n_steps; j0 += DRAWN) {
        factor_words<S> drawn[S::PATHS];
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) drawn[q].draw(w, paths[q], j0 / DRAWN);
        if (IN_A_ROW && j0 + DRAWN <= w.in.n_steps) {
#pragma unroll
            for (int d = 0; d < DRAWN; d++)
#pragma unroll
                for (int q = 0; q < S::PATHS; q++)
                    take_step(w, j0 + d, d, drawn[q], paths[q], table);
            continue;
        }
        int last = j0 + DRAWN < w.in.n_steps ? j0 + DRAWN : w.in.n_steps;
#pragma unroll 1
        for (int j = j0; j < last; j++)
#pragma unroll
            for (int q = 0; q < S::PATHS; q++) {
                take_step(w, j, 0, drawn[q], paths[q], table);
                drawn[q].shift();
            }
    }
#pragma unroll
    for (int q = 0; q < S::PATHS; q++) end(w, paths[q]);
}

#endif
