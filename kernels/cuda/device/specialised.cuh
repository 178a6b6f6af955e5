/* The path code that is compiled for a shape: all that a group is, but for its numbers, is known to
 * the compiler. `optimized` and `fused` are two instances of it.
 *
 * A thread keeps its paths in registers: the state of every underlying, the slots of every
 * observable but those that few steps look at, where they are many. `fused` draws four normals of
 * each factor from one block of Philox; `optimized` reads four that were stored, by one
 * asynchronous copy of 16 bytes into a ring in shared memory, which is sent for S::AHEAD fours
 * before they are used. At a step the thread reads one record: the coefficients of its models, 16
 * bytes a load, and those of observations; which observable that is, where it keeps its state,
 * which of its coefficients are the same on all dates: none of it is asked at run time. Records of
 * many markets do not stay in the first cache, so those of stored normals come by such a ring, too.
 * kernels/cuda/host/shape.c writes the struct S.
 *
 * The arithmetic is that of every other engine: the steps of models/dynamics/, the observations of
 * models/payoffs/, the order of correlation of kernels/plan.h. Compiled with -fmad=false it gives
 * the same bits. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_SPECIALISED_CUH
#define PRICER_KERNELS_CUDA_DEVICE_SPECIALISED_CUH

#include "kernels/cuda/device/normals.cuh"
#include "kernels/cuda/device/shape_contract.h"
#include "kernels/cuda/device/tables.cuh"
#include "models/dynamics/dividend.h"
#include "models/math/philox.h"

#define EVERY_FACTOR 0x00010000u /* FACTOR_STREAM and BRIDGE_STREAM of kernels/plan.h */
#define BETWEEN_DATES 0x20000000u

static_assert(spread_normal_table<true>::COPIES == SHAPE_TABLE_COPIES,
              "the host makes room for so many");

/* ---- models ---------------------------------------------------------------------------------- */

/* An underlying whose moves were made beforehand (moves.cu) adds them up: they lie in the place of
 * normals. */
enum { ROW_MOVED = SHAPE_MOVED };
static_assert(HESTON_GROWTH == 0, "the growth is the first coefficient of a step");
template <>
struct model_row<ROW_MOVED> {
    static constexpr int FACTORS = 1, COEFFICIENTS = 1;
    static __device__ __forceinline__ void step(const double *c, const float *,
                                                struct path_state *state, const double *z)
    {
        state->x = heston_moved(state->x, c[HESTON_GROWTH], z[0]);
    }
};

/* Which normal of a step is the size of its jumps, -1 where a model has none, and the coefficient
 * that the one before it exceeds where there is a jump at all. */
template <int MODEL>
struct jump_traits {
    static constexpr int SIZE = -1, THRESHOLD = 0;
};
template <>
struct jump_traits<ROW_MERTON> {
    static constexpr int SIZE = 2, THRESHOLD = MERTON_THRESHOLD;
};
template <>
struct jump_traits<ROW_BATES> {
    static constexpr int SIZE = 3, THRESHOLD = BATES_THRESHOLD;
};

/* ---- arguments ------------------------------------------------------------------------------- */

template <class S>
struct specialised {
    enum {
        START = 0,
        LOADING = START + 3 * S::UNDERLYINGS,
        LOADINGS = S::MOVED ? 0 : S::UNDERLYINGS * (S::UNDERLYINGS + 1) / 2,
        INITIAL = LOADING + LOADINGS,
        CONSTANT = INITIAL + S::SLOTS,
        ROW = CONSTANT + S::CONSTANTS,
        MOVER = ROW + S::RESULTS,
        NUMBERS = MOVER + (S::MOVED ? S::UNDERLYINGS : 0)
    };
    struct specialised_arguments in;
    double numbers[NUMBERS];
};

/* Markets of one launch: the first index of a block. Neighbouring blocks simulate the same paths,
 * so that normals that were stored come from the cache for all of them but one. */
template <class S>
struct specialised_markets {
    struct specialised<S> market[S::MARKETS];
};

template <class S>
struct specialised_path {
    struct path_state state[S::UNDERLYINGS];
    double slots[S::KEPT + 1]; /* in registers */
    double *memory_slots;      /* the others, in memory of the thread's own */
    size_t number;             /* of the launch */
};

/* Returns a slot of a path, wherever it lies. */
template <class S, int SLOT>
static __device__ __forceinline__ double &slot_of(specialised_path<S> &p)
{
    constexpr int PLACE = S::place(SLOT);
    if constexpr (PLACE < S::KEPT) return p.slots[PLACE];
    else return p.memory_slots[PLACE - S::KEPT];
}

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

/* ---- normals that were stored ---------------------------------------------------------------- */

/* What path code that reads normals has in the place of a table. */
template <class S>
struct stored_normals {
    static const int SIZE = 0;

    static __device__ __forceinline__ struct stored_normals load(float4 *)
    {
        return {};
    }

    __device__ __forceinline__ double normal(uint32_t bits) const
    {
        return (double)__uint_as_float(bits);
    }
};

/* A ring of fours of normals for each thread: AHEAD of them of each factor and path are on their
 * way into shared memory, or there. The four that is used lies in registers, and its place in the
 * ring is refilled while it is. A thread reads only what it copied itself: no barrier is needed.
 * One group of copies is committed for each four, empty past the last, so that waiting until
 * AHEAD - 1 groups are left means that the next four has landed. */
template <class S>
struct normals_ring {
    /* A four that is used where it lies has a slot more, for it is not to be overwritten */
    static const int SLOTS = S::AHEAD + (S::WORDS != WORDS_IN_REGISTERS);
    float4 *ring; /* [four % SLOTS][factor][path of the thread][thread], from this thread's on */
    /* The next four of the thread's first path that is sent for: of factor 0, or of mover 0 */
    const float4 *next;

    __device__ __forceinline__ void begin(const specialised<S> &w, size_t path, float4 *shared)
    {
        ring = shared + threadIdx.x;
        next = reinterpret_cast<const float4 *>(w.in.normals) + path;
    }

    __device__ __forceinline__ float4 *place(int four) const
    {
        return ring + four % SLOTS * (S::FACTORS * S::PATHS * (int)blockDim.x);
    }

    /* Sends for a four of each factor of the thread's paths: those of neighbouring threads lie side
     * by side. */
    __device__ __forceinline__ void send(const specialised<S> &w, int four)
    {
        float4 *to = place(four);
        const float4 *row = next;
#pragma unroll
        for (int f = 0; f < S::FACTORS; f++) {
            if constexpr (S::MOVED)
                row = next + __double_as_longlong(w.numbers[specialised<S>::MOVER + f]);
#pragma unroll
            for (int q = 0; q < S::PATHS; q++)
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                                 (uint32_t)__cvta_generic_to_shared(to + (f * S::PATHS + q) *
                                                                             (int)blockDim.x)),
                             "l"(row + q * blockDim.x)
                             : "memory");
            row += w.in.paths;
        }
        next = S::MOVED ? next + w.in.paths : row;
    }

    static __device__ __forceinline__ void commit()
    {
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    static __device__ __forceinline__ void wait()
    {
        asm volatile("cp.async.wait_group %0;" ::"n"(S::AHEAD - 1) : "memory");
    }
};

/* ---- records of steps ------------------------------------------------------------------------ */

/* In device memory, whose first cache has room for those of one market. */
template <class S, bool AHEAD = S::RECORDS_AHEAD>
struct step_records {
    const double *all;

    __device__ __forceinline__ void begin(const specialised<S> &w, float4 *)
    {
        all = w.in.records;
    }

    /* Returns those of four steps. */
    __device__ __forceinline__ const double *take(int four) const
    {
        return all + (size_t)four * (NORMALS_TOGETHER * S::STRIDE);
    }

    template <class T>
    static __device__ __forceinline__ T read(const T *from)
    {
        return __ldg(from);
    }
};

/* In a ring of each warp, behind that of its block's normals: those of four steps are copied by all
 * lanes, with the normals of these steps, into the place that was read last. */
template <class S>
struct step_records<S, true> {
    static constexpr int SLOTS = S::AHEAD + 1, PIECES = NORMALS_TOGETHER * S::STRIDE / 2;
    double2 *ring;       /* [four % SLOTS][piece] */
    double2 *now, *last; /* places of the four that is used, and of the one before */
    const double2 *next; /* the lane's first piece of what is sent for next */

    __device__ __forceinline__ void begin(const specialised<S> &w, float4 *shared)
    {
        const int normals = normals_ring<S>::SLOTS * S::FACTORS * S::PATHS * (int)blockDim.x;
        ring = reinterpret_cast<double2 *>(shared + normals) +
               (int)threadIdx.x / SHAPE_WARP * (SLOTS * PIECES);
        now = ring + (SLOTS - 1) * PIECES;
        next = reinterpret_cast<const double2 *>(w.in.records) + lane();
    }

    static __device__ __forceinline__ int lane()
    {
        return (int)threadIdx.x % SHAPE_WARP;
    }

    /* Sends for four, into `to`. */
    __device__ __forceinline__ void send(double2 *to)
    {
#pragma unroll
        for (int from = 0; from < PIECES; from += SHAPE_WARP)
            asm volatile("{\n.reg .pred there;\nsetp.lt.s32 there, %2, %3;\n"
                         "@there cp.async.ca.shared.global [%0], [%1], 16;\n}" ::"r"(
                             (uint32_t)__cvta_generic_to_shared(to + lane() + from)),
                         "l"(next + from), "r"(lane()), "r"(PIECES - from)
                         : "memory");
        next += PIECES;
    }

    __device__ __forceinline__ void send_first(int four)
    {
        send(ring + four * PIECES);
    }

    __device__ __forceinline__ void send_next()
    {
        send(last);
    }

    /* Returns the next four when the lanes' copies have landed; what is read of the four before has
     * been read by then. */
    __device__ __forceinline__ const double *take(int)
    {
        last = now;
        now = now == ring + (SLOTS - 1) * PIECES ? ring : now + PIECES;
        __syncwarp();
        return reinterpret_cast<const double *>(now);
    }

    template <class T>
    static __device__ __forceinline__ T read(const T *from)
    {
        return *from;
    }
};

/* ---- observations ---------------------------------------------------------------------------- */

template <class S>
static __device__ __forceinline__ long long whole(const double *number)
{
    return __double2ll_rn(step_records<S>::read(number));
}

/* The pair of bridge normals that an observation draws, or that were stored for it. */
template <class S, class TABLE>
static __device__ __forceinline__ void draw_pair(const specialised<S> &w,
                                                 const specialised_path<S> &p, const TABLE &table,
                                                 uint32_t pair, double *z0, double *z1)
{
    if constexpr (S::AHEAD > 0) {
        const float2 *four = reinterpret_cast<const float2 *>(
            reinterpret_cast<const float4 *>(w.in.normals) +
            ((size_t)w.in.pair_row + pair / 2) * w.in.paths + p.number);
        const float2 z = __ldg(four + pair % 2);
        *z0 = (double)z.x, *z1 = (double)z.y;
        return;
    }
    uint64_t number = w.in.first_path + p.number;
    struct philox_words c = {pair / 2, w.in.stream[0] | BETWEEN_DATES, (uint32_t)number,
                             (uint32_t)(number >> 32)};
    c = philox_rounds(c, &w.in.keys);
    *z0 = table.normal(pair % 2 ? c.word2 : c.word0);
    *z1 = table.normal(pair % 2 ? c.word3 : c.word1);
}

/* Observer I looks at a path, with the coefficients t and a pair of bridge normals. */
template <class S, int I>
static __device__ __forceinline__ void look_at(const specialised<S> &w, const struct observation *t,
                                               double z0, double z1, specialised_path<S> &p)
{
    constexpr struct observer O = S::observer(I);
    using row = observation_row<O.kind>;
    const struct path_state &state = p.state[O.underlying];
    struct memory m;
    m.a = slot_of<S, O.slot>(p);
    if constexpr (row::SLOTS > 1) m.b = slot_of<S, O.slot + 1>(p);
    if constexpr (row::SLOTS > 2) m.c = slot_of<S, O.slot + 2>(p);
    if constexpr (row::SLOTS > 3) m.d = slot_of<S, O.slot + 3>(p);
    if constexpr (row::READS & READS_SOURCE)
        m.source_a = slot_of<S, O.source>(p), m.source_b = slot_of<S, O.source + 1>(p);
    if constexpr (row::READS & READS_CLOCK) m.clock = state.clock;
    if constexpr (row::READS & READS_VARIANCE) m.v = state.v;
    if constexpr (row::READS & READS_TABLE) m.table = w.in.table;
    row::look(t, state.x, z0, z1, &m);
    slot_of<S, O.slot>(p) = m.a;
    if constexpr (row::SLOTS > 1) slot_of<S, O.slot + 1>(p) = m.b;
    if constexpr (row::SLOTS > 2) slot_of<S, O.slot + 2>(p) = m.c;
    if constexpr (row::SLOTS > 3) slot_of<S, O.slot + 3>(p) = m.d;
}

/* Observer I looks at the thread's paths; `record` is the step's. */
template <class S, int I, class TABLE>
static __device__ __forceinline__ void observe(const specialised<S> &w, const double *record,
                                               specialised_path<S> *paths, const TABLE &table)
{
    constexpr struct observer O = S::observer(I);
    if constexpr (O.kind == OBSERVER_DIVIDEND) {
        const double amount = step_records<S>::read(record + O.record);
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) {
            double &x = paths[q].state[O.underlying].x;
            x = after_dividend(x, amount);
        }
    } else if constexpr (O.kind == OBSERVATION_SPOT || O.kind == OBSERVATION_VARIANCE) {
        double *row = w.in.observed + whole<S>(record + O.record) * w.in.paths;
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) {
            const struct path_state &state = paths[q].state[O.underlying];
            row[paths[q].number] = O.kind == OBSERVATION_SPOT ? state.x : state.v;
        }
    } else {
        struct observation t;
        int from = O.record, constant = specialised<S>::CONSTANT + O.constant;
#pragma unroll
        for (int c = 0; c < observation_row<O.kind>::COEFFICIENTS; c++)
            if (O.varies >> c & 1) t.c[c] = step_records<S>::read(record + from++);
            else t.c[c] = w.numbers[constant++];
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) {
            double z0 = 0.0, z1 = 0.0;
            if constexpr (O.draws)
                draw_pair(w, paths[q], table, (uint32_t)whole<S>(record + from), &z0, &z1);
            look_at<S, I>(w, &t, z0, z1, paths[q]);
        }
    }
}

/* The observers of these calendars, and those that look at every step, in their order. */
template <class S, class TABLE, class SEES>
static __device__ __forceinline__ void observe_those(const specialised<S> &w, const double *record,
                                                     specialised_path<S> *paths, const TABLE &table,
                                                     SEES sees)
{
    each<S::OBSERVERS>([&](auto i) {
        constexpr int I = decltype(i)::value, CALENDAR = S::observer(I).calendar;
        if constexpr (CALENDAR < 0) observe<S, I>(w, record, paths, table);
        else if (sees(constant_index<CALENDAR>())) observe<S, I>(w, record, paths, table);
    });
}

template <class S, int PATTERN, class TABLE>
static __device__ __forceinline__ void
observe_pattern(const specialised<S> &w, const double *record, specialised_path<S> *paths,
                const TABLE &table)
{
    if constexpr (PATTERN < S::PATTERNS)
        observe_those(w, record, paths, table, [](auto calendar) {
            constexpr int CALENDAR = decltype(calendar)::value;
            return (S::pattern(PATTERN) >> CALENDAR & 1) != 0;
        });
}

/* Everything that looks at the thread's paths at the end of a step. Which observers look at it is
 * one of few patterns, and its record says which: there is one branch, and no observer is asked. */
template <class S, class TABLE>
static __device__ __forceinline__ void observe_all(const specialised<S> &w, const double *record,
                                                   specialised_path<S> *paths, const TABLE &table)
{
    if constexpr (S::OBSERVERS > 0) {
        if constexpr (S::PATTERNS == 1 && !S::MORE_PATTERNS) {
            observe_pattern<S, 0>(w, record, paths, table);
            return;
        }
        const uint2 head =
            step_records<S>::read(reinterpret_cast<const uint2 *>(record + S::WIDTH));
        uint32_t number = head.y;
        if (number == 0) { /* that of most steps */
            observe_pattern<S, 0>(w, record, paths, table);
            return;
        }
        asm volatile("" : "+r"(number)); /* or the compiler would make one table of all */
        switch (number) {
#define PATTERN(i) /* 0 is above */                                                                \
    case i: observe_pattern<S, i ? i : S::PATTERNS>(w, record, paths, table); break;
            SHAPE_PATTERNS(PATTERN)
#undef PATTERN
        default:
            if constexpr (S::MORE_PATTERNS)
                observe_those(w, record, paths, table, [head](auto calendar) {
                    return (head.x >> decltype(calendar)::value & 1) != 0;
                });
            else __builtin_unreachable();
        }
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* What the next four normals of each factor are made of: words of Philox, or the bits of the
 * normals. In registers: */
template <class S, int PLACE = S::WORDS>
struct factor_words {
    uint32_t word[S::FACTORS][NORMALS_TOGETHER];

    __device__ __forceinline__ void put(int f, const struct philox_words &drawn)
    {
        word[f][0] = drawn.word0, word[f][1] = drawn.word1;
        word[f][2] = drawn.word2, word[f][3] = drawn.word3;
    }

    /* Takes those of path q of the thread from the ring. */
    __device__ __forceinline__ void take(const float4 *place, int q)
    {
#pragma unroll
        for (int f = 0; f < S::FACTORS; f++) {
            const float4 z = place[(f * S::PATHS + q) * (int)blockDim.x];
            word[f][0] = __float_as_uint(z.x), word[f][1] = __float_as_uint(z.y);
            word[f][2] = __float_as_uint(z.z), word[f][3] = __float_as_uint(z.w);
        }
    }

    __device__ __forceinline__ uint32_t at(int f, int d) const
    {
        return word[f][d];
    }

    /* Puts the words of the next step in the place of this one's. */
    __device__ __forceinline__ void shift()
    {
#pragma unroll
        for (int f = 0; f < S::FACTORS; f++)
#pragma unroll
            for (int d = 0; d + 1 < NORMALS_TOGETHER; d++) word[f][d] = word[f][d + 1];
    }
};

/* In shared memory, behind the table, [factor][thread], or in the ring. */
template <class S>
struct factor_words<S, WORDS_IN_SHARED> {
    static_assert(S::PATHS == 1 || S::AHEAD > 0, "a thread draws the words of one path");
    const uint32_t *first; /* the word of the step of factor 0 */
    float4 *thread_words;  /* of a thread that draws */

    __device__ __forceinline__ void begin(float4 *shared)
    {
        thread_words = shared + S::table::SIZE + threadIdx.x;
    }

    __device__ __forceinline__ void put(int f, const struct philox_words &drawn)
    {
        first = reinterpret_cast<const uint32_t *>(thread_words);
        reinterpret_cast<uint4 *>(thread_words)[f * (int)blockDim.x] =
            make_uint4(drawn.word0, drawn.word1, drawn.word2, drawn.word3);
    }

    __device__ __forceinline__ void take(const float4 *place, int q)
    {
        first = reinterpret_cast<const uint32_t *>(place + q * (int)blockDim.x);
    }

    __device__ __forceinline__ uint32_t at(int f, int) const
    {
        return first[f * S::PATHS * (int)blockDim.x * NORMALS_TOGETHER];
    }

    __device__ __forceinline__ void shift()
    {
        first++;
    }
};

/* The block of Philox that factor f of underlying u takes its next four normals from. */
template <class S>
static __device__ __forceinline__ struct philox_words
draw_block(const specialised<S> &w, const specialised_path<S> &p, int u, int f, int four)
{
    uint64_t number = w.in.first_path + p.number;
    struct philox_words c = {(uint32_t)four, w.in.stream[u] + (uint32_t)f * EVERY_FACTOR,
                             (uint32_t)number, (uint32_t)(number >> 32)};
    return philox_rounds(c, &w.in.keys);
}

/* Draws a block for each factor that every step looks at. */
template <class S>
static __device__ __forceinline__ void
draw_words(const specialised<S> &w, const specialised_path<S> &p, int four, factor_words<S> &drawn)
{
    each<S::UNDERLYINGS>([&](auto i) {
        constexpr int U = decltype(i)::value, MODEL = S::model(U);
#pragma unroll
        for (int f = 0; f < model_row<MODEL>::FACTORS; f++)
            if (f != jump_traits<MODEL>::SIZE)
                drawn.put(S::factor(U) + f, draw_block(w, p, U, f, four));
    });
}

/* Returns the normal of the size of jumps of underlying U at a step of a four. What is not stored
 * is drawn where there are any: on few steps. */
template <class S, int U, class TABLE>
static __device__ __forceinline__ double
size_of_jumps(const specialised<S> &w, const specialised_path<S> &p, const TABLE &table, int four,
              int step, int d, const factor_words<S> &drawn)
{
    constexpr int F = jump_traits<S::model(U)>::SIZE;
    if constexpr (S::AHEAD > 0) return table.normal(drawn.at(S::factor(U) + F, d));
    const struct philox_words block = draw_block(w, p, U, F, four);
    return table.normal(step < 2   ? step ? block.word1 : block.word0
                        : step > 2 ? block.word3
                                   : block.word2);
}

/* Noise of underlying U's spot from the first normals of all: in the order of kernels/plan.h. */
template <class S, int U>
static __device__ __forceinline__ double correlated(const specialised<S> &w, const double *first)
{
    if constexpr (S::UNDERLYINGS == 1 || S::MOVED) return first[U];
    const double *loading = w.numbers + specialised<S>::LOADING + U * (U + 1) / 2;
    double z = loading[0] * first[0];
#pragma unroll
    for (int i = 1; i <= U; i++) z = fma(loading[i], first[i], z);
    return z;
}

/* The index of past returns that follows `before`: that path code which draws keeps it in the place
 * of the variance. */
static __device__ __forceinline__ double next_index(const double *c, uint32_t word, double before)
{
    const double turn = __ldg(c + HISTORICAL_TURN);
    const float last = (float)__ldg(c + HISTORICAL_LAST);
    if (turn == HISTORICAL_START) return (double)historical_start(word, last);
    return turn == HISTORICAL_NEXT ? (double)historical_next((float)before, last) : before;
}

/* Loads a step's coefficients of a model, 16 bytes a load. */
template <class S, int N>
static __device__ __forceinline__ void load_coefficients(const double *from, double (&c)[N])
{
    using records = step_records<S>;
#pragma unroll
    for (int k = 0; k + 1 < N; k += 2) {
        double2 two = records::read(reinterpret_cast<const double2 *>(from + k));
        c[k] = two.x, c[k + 1] = two.y;
    }
    if constexpr (N % 2) c[N - 1] = records::read(from + N - 1);
}

/* The first normals of step j of a path, or the index of past returns. */
template <class S, class TABLE>
static __device__ __forceinline__ void
take_first(const double *record, int d, const factor_words<S> &drawn, specialised_path<S> &p,
           const TABLE &table, double *first)
{
    each<S::UNDERLYINGS>([&](auto i) {
        constexpr int U = decltype(i)::value;
        const uint32_t word = drawn.at(S::factor(U), d);
        if constexpr (S::model(U) == ROW_HISTORICAL && !S::AHEAD)
            first[U] = p.state[U].v = next_index(record + S::coefficient(U), word, p.state[U].v);
        else first[U] = table.normal(word);
    });
}

/* A step of a four of underlying U of a path by the d-th words. */
template <class S, int U, class TABLE>
static __device__ __forceinline__ void
move_underlying(const specialised<S> &w, const double *c, int four, int step, int d,
                const double *first, const factor_words<S> &drawn, specialised_path<S> &p,
                const TABLE &table)
{
    using model = model_row<S::model(U)>;
    using jumps = jump_traits<S::model(U)>;
    double z[model::FACTORS];
    z[0] = correlated<S, U>(w, first);
    if constexpr (model::FACTORS > 1)
#pragma unroll
        for (int f = 1; f < model::FACTORS; f++)
            z[f] = f == jumps::SIZE ? 0.0 : table.normal(drawn.at(S::factor(U) + f, d));
    if constexpr (jumps::SIZE >= 0)
        if (z[jumps::SIZE - 1] > c[jumps::THRESHOLD])
            z[jumps::SIZE] = size_of_jumps<S, U>(w, p, table, four, step, d, drawn);
    model::step(c, w.in.table, &p.state[U], z);
}

/* A step of a four of the thread's paths, of that record, by the d-th words, and what looks at its
 * end. */
template <class S, class TABLE>
static __device__ __forceinline__ void
take_step(const specialised<S> &w, const double *record, int four, int step, int d,
          const factor_words<S> *drawn, specialised_path<S> *paths, const TABLE &table)
{
    double first[S::PATHS][S::UNDERLYINGS];
#pragma unroll
    for (int q = 0; q < S::PATHS; q++) take_first(record, d, drawn[q], paths[q], table, first[q]);
    each<S::UNDERLYINGS>([&](auto i) {
        constexpr int U = decltype(i)::value;
        double c[model_row<S::model(U)>::COEFFICIENTS];
        load_coefficients<S>(record + S::coefficient(U), c);
#pragma unroll
        for (int q = 0; q < S::PATHS; q++)
            move_underlying<S, U>(w, c, four, step, d, first[q], drawn[q], paths[q], table);
    });
    observe_all(w, record, paths, table);
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
    each<S::SLOTS>([&](auto s) {
        constexpr int SLOT = decltype(s)::value;
        slot_of<S, SLOT>(p) = w.numbers[specialised<S>::INITIAL + SLOT];
    });
}

template <class S>
static __device__ __forceinline__ void end(const specialised<S> &w, specialised_path<S> &p)
{
    each<S::RESULTS>([&](auto r) {
        constexpr int R = decltype(r)::value;
        size_t row = (size_t)__double2ll_rn(w.numbers[specialised<S>::ROW + R]);
        w.in.observed[row * w.in.paths + p.number] = slot_of<S, S::result(R)>(p);
    });
}

/* The next four normals of the thread's paths; returns the records of their steps. */
template <class S, class TABLE>
static __device__ __forceinline__ const double *
next_words(const specialised<S> &w, const specialised_path<S> *paths, const TABLE &table, int four,
           normals_ring<S> &ring, step_records<S> &records, factor_words<S> *drawn)
{
    if constexpr (S::AHEAD > 0) ring.wait();
    const double *record = records.take(four);
    if constexpr (S::AHEAD > 0) {
        const float4 *place = ring.place(four);
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) drawn[q].take(place, q);
        if ((four + S::AHEAD) * NORMALS_TOGETHER < w.in.n_steps) {
            if constexpr (S::RECORDS_AHEAD) records.send_next();
            ring.send(w, four + S::AHEAD);
        }
        ring.commit();
    } else {
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) draw_words(w, paths[q], four, drawn[q]);
    }
    return record;
}

/* Sends for the first fours of the thread's paths, from number `first` on. */
template <class S>
static __device__ __forceinline__ void send_first(const specialised<S> &w, size_t first,
                                                  float4 *shared, normals_ring<S> &ring,
                                                  step_records<S> &records)
{
    ring.begin(w, first, shared);
#pragma unroll
    for (int four = 0; four < S::AHEAD; four++) {
        if (four * NORMALS_TOGETHER < w.in.n_steps) {
            if constexpr (S::RECORDS_AHEAD) records.send_first(four);
            ring.send(w, four);
        }
        ring.commit();
    }
}

/* PATHS of a thread, from today to the last date; the launch has those of whole blocks. */
template <class S>
static __device__ __forceinline__ void simulate_paths(const specialised<S> &w)
{
    extern __shared__ float4 shared4[];
    const typename S::table table = S::table::load(shared4);
    size_t first = (size_t)blockIdx.y * blockDim.x * S::PATHS + threadIdx.x;
    specialised_path<S> paths[S::PATHS];
    double memory_slots[S::PATHS][S::SLOTS - S::KEPT + 1];
#pragma unroll
    for (int q = 0; q < S::PATHS; q++) {
        paths[q].memory_slots = memory_slots[q];
        if constexpr (S::SLOTS > S::KEPT) /* or the compiler would have these in registers, too */
            asm volatile("" : "+l"(paths[q].memory_slots));
        begin(w, first + q * blockDim.x, paths[q]);
    }
    step_records<S> records;
    normals_ring<S> ring;
    records.begin(w, shared4);
    if constexpr (S::AHEAD > 0) send_first(w, first, shared4, ring, records);
    factor_words<S> drawn[S::PATHS];
    if constexpr (S::WORDS == WORDS_IN_SHARED)
#pragma unroll
        for (int q = 0; q < S::PATHS; q++) drawn[q].begin(shared4);
#pragma unroll 1
    for (int four = 0; four * NORMALS_TOGETHER < w.in.n_steps; four++) {
        const double *record = next_words(w, paths, table, four, ring, records, drawn);
        const int steps = min(w.in.n_steps - four * NORMALS_TOGETHER, (int)NORMALS_TOGETHER);
        if (S::IN_A_ROW && steps == NORMALS_TOGETHER) {
#pragma unroll
            for (int d = 0; d < NORMALS_TOGETHER; d++)
                take_step(w, record + d * S::STRIDE, four, d, d, drawn, paths, table);
            continue;
        }
#pragma unroll 1
        for (int left = steps; left > 0; left--, record += S::STRIDE) {
            take_step(w, record, four, steps - left, 0, drawn, paths, table);
#pragma unroll
            for (int q = 0; q < S::PATHS; q++) drawn[q].shift();
        }
    }
#pragma unroll
    for (int q = 0; q < S::PATHS; q++) end(w, paths[q]);
}

#endif
