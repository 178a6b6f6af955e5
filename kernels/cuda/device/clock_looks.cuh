/* Looks that read a clock, of chains that are in no set (chains.cu): a lane is a path, whose rows
 * are read from device memory. */
#ifndef PRICER_KERNELS_CUDA_DEVICE_CLOCK_LOOKS_CUH
#define PRICER_KERNELS_CUDA_DEVICE_CLOCK_LOOKS_CUH

#include "kernels/cuda/device/launch.h"
#include "kernels/cuda/device/tables.cuh"

/* ---- extremes -------------------------------------------------------------------------------- */

/* What a lane sees at a look. */
struct seen_rows {
    double x, clock, z0, z1;
};

template <int KIND>
static __device__ __forceinline__ struct seen_rows see_rows(const struct look *look,
                                                            const double *observed, size_t paths)
{
    constexpr bool DRAWS = KIND == OBSERVATION_CLOCK_HIGH || KIND == OBSERVATION_CLOCK_LOW;
    const int4 rows = __ldg(reinterpret_cast<const int4 *>(&look->x)); /* x, drawn, clock */
    struct seen_rows seen = {};
    seen.x = observed[(size_t)rows.x * paths];
    if (DRAWS) seen.z0 = observed[(size_t)rows.y * paths];
    if (DRAWS) seen.z1 = observed[(size_t)rows.z * paths];
    seen.clock = observed[(size_t)rows.w * paths];
    return seen;
}

/* A chain of one kind, alone. */
template <int KIND>
static __device__ __forceinline__ void
look_along(const struct chain &chain, const struct look *looks, const double *initial,
           const struct result *results, double *observed, size_t paths)
{
    struct memory m = begin_memory<KIND, 1>(initial);
    struct seen_rows next = see_rows<KIND>(looks, observed, paths);
    for (const struct look *look = looks, *end = looks + chain.n_looks; look < end;) {
        const struct look *now = look++;
        const struct seen_rows seen = next;
        if (look < end) next = see_rows<KIND>(look, observed, paths);
        m.clock = seen.clock;
        observation_row<KIND>::look(&now->seen, seen.x, seen.z0, seen.z1, &m);
    }
    observed[(size_t)results[0].row * paths] = m.a;
}

/* ---- survival -------------------------------------------------------------------------------- */

/* A look that waits for all lanes of a warp to compute theirs together. */
struct waiting_look {
    double2 spots; /* log2 S where the period begins and ends */
    double factor; /* the clock that passes; when computed, by which the path survives */
    int look;      /* its date and its chain, of CHAINS_TOGETHER */
    int next;      /* the one after it of the same path; -1: none */

    __device__ __forceinline__ int chain() const
    {
        return look % CHAINS_TOGETHER;
    }
};

/* Those of a warp. */
enum { WAITING = 4 * WARP_LANES };

struct waiting_looks {
    struct waiting_look look[WAITING];
    int first[WARP_LANES]; /* of each path */
};

/* What the paths of a block remember of chains, and where these are alive: between two levels of
 * log2 S. */
struct survivors {
    double alive[CHAINS_TOGETHER][LOOK_BLOCK]; /* the probability */
    double paid[CHAINS_TOGETHER][LOOK_BLOCK];  /* on the dates of the hit, where something is */
    double2 limits[CHAINS_TOGETHER];           /* of the set */
    struct waiting_looks waiting[LOOK_BLOCK / WARP_LANES];
};

/* A lane's path on its way through chains that survive, at the same dates.
 *
 * A look takes nothing beyond reach of the barriers (clock_reach). What another look takes depends
 * on its period alone: it waits, and when there are enough a lane computes any of them; then each
 * path takes its own in order. */
struct survivor {
    const struct lone_chains *together;
    const struct look *looks;
    struct survivors *all;
    struct waiting_looks *waiting;
    int n;         /* that wait */
    int *last;     /* where the next one of the path is named */
    unsigned over; /* chains whose path is over when what waits is taken, as bits */

    __device__ __forceinline__ int lane() const
    {
        return (int)threadIdx.x % WARP_LANES;
    }

    /* The looks of a chain at a date: its own, and that of what is paid. */
    __device__ __forceinline__ const struct look *at(int chain, int date) const
    {
        const struct chain &c = together->chains[chain];
        return looks + c.first_look + date * c.n_results;
    }

    __device__ __forceinline__ const struct look *at(const struct waiting_look &wait) const
    {
        return at(wait.chain(), wait.look / CHAINS_TOGETHER);
    }

    /* Tells whether a chain is over at x. A path that is next to an upper barrier is left to the
     * arithmetic of the look, which rounds otherwise. */
    __device__ __forceinline__ bool ends(int chain, double x) const
    {
        return !(x > all->limits[chain].x) || x > all->limits[chain].y + 1e-9;
    }

    /* Tells whether log2 S from `low` to `high` is where a chain is alive. */
    __device__ __forceinline__ bool inside(int chain, double low, double high) const
    {
        const double2 limits = all->limits[chain];
        return low > limits.x && high < limits.y;
    }

    /* The factor by which a path survives the period of a look. */
    __device__ __forceinline__ double factor(const struct waiting_look &wait) const
    {
        const struct observation &t = at(wait)->seen;
        const double x = wait.spots.y;
        struct memory whole = {1.0, 0.0, wait.spots.x};
        whole.clock = wait.factor;
        if (ends(wait.chain(), x)) return 0.0;
        if (t.kind == OBSERVATION_CLOCK_STRIP) observe_clock_strip(&t, x, 0.0, 0.0, &whole);
        else observe_clock_barrier(&t, x, 0.0, 0.0, &whole);
        return whole.a;
    }

    /* Lets the path take what is its own of the factors. */
    __device__ __forceinline__ void take_own()
    {
        for (int i = waiting->first[lane()]; i >= 0; i = waiting->look[i].next) {
            const struct waiting_look &wait = waiting->look[i];
            const int chain = wait.chain();
            double *const alive = &all->alive[chain][threadIdx.x];
            struct memory payment = {all->paid[chain][threadIdx.x]};
            payment.source_a = *alive * wait.factor;
            payment.source_b = *alive - payment.source_a;
            *alive = payment.source_a;
            if (together->chains[chain].n_results == 1) continue;
            observe_pay_on_date(&at(wait)[1].seen, 0.0, 0.0, 0.0, &payment);
            all->paid[chain][threadIdx.x] = payment.a;
        }
    }

    /* Begins to wait anew. */
    __device__ __forceinline__ void begin_waiting()
    {
        n = 0, last = &waiting->first[lane()];
    }

    /* Computes all that wait, and lets all paths take their own. */
    __device__ __forceinline__ void settle()
    {
        *last = -1;
        __syncwarp();
        for (int i = lane(); i < n; i += WARP_LANES)
            waiting->look[i].factor = factor(waiting->look[i]);
        __syncwarp();
        take_own();
        __syncwarp();
        begin_waiting();
    }

    /* Lets a look wait at place i. */
    __device__ __forceinline__ void add(int i, int chain, int date, double before, double x,
                                        double passed)
    {
        waiting->look[i].spots = {before, x};
        waiting->look[i].factor = passed;
        waiting->look[i].look = date * CHAINS_TOGETHER + chain;
        *last = i, last = &waiting->look[i].next;
        if (ends(chain, x)) over |= 1u << chain;
    }

    /* Takes the looks of all chains at a date, the end of a period. */
    __device__ __forceinline__ void take(int date, double before, double x, double passed)
    {
        const double reach = clock_reach(passed);
        const double low = (x < before ? x : before) - reach,
                     high = (x > before ? x : before) + reach;
        unsigned wait = 0;
#pragma unroll
        for (int chain = 0; chain < CHAINS_TOGETHER; chain++)
            if (!inside(chain, low, high)) wait |= 1u << chain;
        wait &= ~over;
        for (unsigned lanes; (lanes = __ballot_sync(~0u, wait)) != 0; wait &= wait - 1) {
            const int place = n + __popc(lanes & ((1u << lane()) - 1));
            if (wait) add(place, __ffs((int)wait) - 1, date, before, x, passed);
            n += __popc(lanes);
            if (n > WAITING - WARP_LANES) settle();
        }
    }

    __device__ __forceinline__ void begin(int chain, const double *initial)
    {
        const struct chain &c = together->chains[chain];
        const double alive = initial[c.first_slot];
        all->alive[chain][threadIdx.x] = alive;
        if (alive == 0.0) over |= 1u << chain;
        if (c.n_results > 1)
            all->paid[chain][threadIdx.x] =
                initial[c.first_slot + observation_row<OBSERVATION_CLOCK_BARRIER>::SLOTS];
    }
};

static __device__ __forceinline__ void survive(const struct lone_chains &together,
                                               const struct look *looks, const double *initial,
                                               const struct result *results, double *observed,
                                               size_t paths, struct survivors *all)
{
    enum { KIND = OBSERVATION_CLOCK_BARRIER }; /* the other reads the same rows, and no more */
    const struct chain &one = together.chains[0];
    const struct memory start = begin_memory<KIND, 1>(initial + one.first_slot);
    struct survivor path = {&together, looks, all, &all->waiting[threadIdx.x / WARP_LANES]};
    path.begin_waiting();
    if (threadIdx.x < CHAINS_TOGETHER) {
        const struct alive_between &limits = together.limits[threadIdx.x];
        all->limits[threadIdx.x] = {limits.low, limits.high};
    }
    for (int c = 0; c < together.n; c++) path.begin(c, initial);
    __syncthreads();
    double before = start.c, clock = start.d;
    const int dates = one.n_looks / one.n_results;
    struct seen_rows next = see_rows<KIND>(path.at(0, 0), observed, paths);
    for (int date = 0; date < dates; date++) {
        const struct seen_rows seen = next;
        if (date + 1 < dates) next = see_rows<KIND>(path.at(0, date + 1), observed, paths);
        path.take(date, before, seen.x, since(seen.clock, clock));
        before = seen.x, clock = seen.clock;
    }
    path.settle();
    for (int c = 0; c < together.n; c++) {
        const struct chain &chain = together.chains[c];
        const struct result *rows = results + chain.first_result;
        observed[(size_t)rows[0].row * paths] = all->alive[c][threadIdx.x];
        if (chain.n_results > 1) observed[(size_t)rows[1].row * paths] = all->paid[c][threadIdx.x];
    }
}

#endif
