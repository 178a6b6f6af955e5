/* Chains of a survival set (kernels/plan.h) on PATH_LANES paths: of every few lanes those alone are
 * computed of which one is within reach of a barrier (clock_reach). Part of simulate.c. */
#ifndef PRICER_KERNELS_CPU_SURVIVE_LANES_H
#define PRICER_KERNELS_CPU_SURVIVE_LANES_H

enum { NEAR_LANES = 8 };

/* A period between two dates: log2 S and the clock at either end, and what log2 S lies between
 * where a look takes nothing at barriers beyond. */
struct period_lanes {
    const double *before, *x, *last, *clock;
    double low[PATH_LANES], high[PATH_LANES];
};

static void find_reach(struct period_lanes *period)
{
    for (int l = 0; l < PATH_LANES; l++) {
        const double before = period->before[l], x = period->x[l];
        const double reach = clock_reach(since(period->clock[l], period->last[l]));
        period->low[l] = (x < before ? x : before) - reach;
        period->high[l] = (x > before ? x : before) + reach;
    }
}

/* A chain on its way: between which levels of log2 S it is alive, and its rows. */
struct chain_lanes {
    const struct look *look; /* at the next date */
    int n_looks;             /* of a date: what is paid has one, too */
    double low, high, *alive, *paid;
};

/* Takes the look of NEAR_LANES lanes from `first` on. */
static void survive_few(const struct chain_lanes *chain, const struct period_lanes *period,
                        int first)
{
    const struct observation t = chain->look[0].seen;
    const double *before = period->before + first, *x = period->x + first,
                 *last = period->last + first, *clock = period->clock + first;
    double *alive = chain->alive + first, *paid = chain->paid + first, survive[NEAR_LANES];
    if (t.kind == OBSERVATION_CLOCK_STRIP)
        survive_clock_strip(&t, NEAR_LANES, alive, before, x, last, clock, survive);
    else
        for (int l = 0; l < NEAR_LANES; l++) {
            struct memory whole = {.a = 1.0, .c = before[l], .d = last[l], .clock = clock[l]};
            observe_clock_barrier(&t, x[l], 0.0, 0.0, &whole);
            survive[l] = whole.a;
        }
    for (int l = 0; l < NEAR_LANES; l++) {
        struct memory payment = {.source_a = alive[l] * survive[l]};
        payment.source_b = alive[l] - payment.source_a;
        alive[l] = payment.source_a;
        if (chain->n_looks == 1) continue;
        payment.a = paid[l];
        observe_pay_on_date(&chain->look[1].seen, x[l], 0.0, 0.0, &payment);
        paid[l] = payment.a;
    }
}

/* Takes the look of all lanes. */
static void survive_period(const struct chain_lanes *chain, const struct period_lanes *period)
{
    const double low = chain->low, high = chain->high, *alive = chain->alive;
    uint64_t near[PATH_LANES]; /* of bits: whether the look takes something of a lane */
    for (int l = 0; l < PATH_LANES; l++)
        near[l] = (alive[l] != 0.0 ? 1u : 0u) &
                  ((period->low[l] > low ? 0u : 1u) | (period->high[l] < high ? 0u : 1u));
    for (int first = 0; first < PATH_LANES; first += NEAR_LANES) {
        uint64_t any = 0;
        for (int l = 0; l < NEAR_LANES; l++) any |= near[first + l];
        if (any) survive_few(chain, period, first);
    }
}

static void begin_chain(const struct group *group, const struct survival_set *set, int c,
                        double *observed, struct chain_lanes *lanes)
{
    const struct chain *chain = &group->chains[set->chains[c]];
    const double *initial = &group->look_initial[chain->first_slot];
    const struct result *results = &group->look_results[chain->first_result];
    *lanes = (struct chain_lanes){.look = &group->looks[chain->first_look],
                                  .n_looks = chain->n_results,
                                  .low = set->limits[c].low,
                                  .high = set->limits[c].high};
    lanes->alive = observed + (size_t)results[0].row * CHUNK_PATHS;
    lanes->paid = observed + (size_t)results[chain->n_results - 1].row * CHUNK_PATHS;
    for (int l = 0; l < PATH_LANES; l++)
        lanes->paid[l] = initial[results[chain->n_results - 1].slot];
    for (int l = 0; l < PATH_LANES; l++) lanes->alive[l] = initial[0];
}

/* Looks back by a survival set at paths that have ended, whose rows are `observed`. */
static void survive_lanes(const struct group *group, const struct survival_set *set,
                          double *observed)
{
    const struct chain *one = &group->chains[set->chains[0]];
    _Alignas(64) double start[2][PATH_LANES];
    _Alignas(64) struct period_lanes period = {.before = start[0], .last = start[1]};
    struct chain_lanes chains[CHAINS_TOGETHER];
    for (int l = 0; l < PATH_LANES; l++)
        for (int i = 0; i < 2; i++) start[i][l] = group->look_initial[one->first_slot + 2 + i];
    for (int c = 0; c < set->n; c++) begin_chain(group, set, c, observed, &chains[c]);
    for (int d = 0; d < one->n_looks / one->n_results; d++) {
        period.x = observed + (size_t)chains[0].look->x * CHUNK_PATHS;
        period.clock = observed + (size_t)chains[0].look->clock * CHUNK_PATHS;
        find_reach(&period);
        for (int c = 0; c < set->n; c++) {
            survive_period(&chains[c], &period);
            chains[c].look += chains[c].n_looks;
        }
        period.before = period.x, period.last = period.clock;
    }
}

#endif
