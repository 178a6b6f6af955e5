/* Tables of local volatility's steps made on the GPU against the processor's, to the last bit: on a
 * rough surface, smooth and steep ones, steps of many lengths, laws on places that were laid for
 * other dates, and drifts; and what has no room there is said to have none. Exit 77 where no GPU
 * can be used. */
#include "validation/tests/cuda/gpu_against_cpu.h"
#include "validation/tests/local_vol_markets.h"

enum { STEPS = 60 };

static const struct engine_options automatic = {.kernel = "auto"};

/* Describes steps of growing length up to three years. */
static int describe(const struct fixture *f, struct table_request *requests)
{
    struct tabled_step last = {0};
    for (int i = 0; i < STEPS; i++) {
        struct tabled_step *step = &requests[i].step;
        double from = last.to, to = from + 0.002 + 0.0016 * i;
        bool serves = i > 0 && to <= 1.4 * last.laid_to;
        *step = (struct tabled_step){.from = from,
                                     .to = to,
                                     .laid_from = last.laid_to,
                                     .laid_to = serves ? last.laid_to : to,
                                     .drift = i % 3 ? 0.0 : 0.01 * i,
                                     .first = 2 * LOCAL_VOL_ROWS * i};
        requests[i].log_from = surface_log_forward(&f->market, 0, from);
        requests[i].log_to = surface_log_forward(&f->market, 0, to);
        requests[i].unit_spot = surface_unit_spot(&f->market, 0);
        last = *step;
    }
    return STEPS;
}

/* Counts tables that are not those of the processor. */
static int count_others(const struct fixture *f, const struct implied_surface *surface,
                        const struct table_request *requests, const struct table_made *made)
{
    struct local_vol_maker *maker;
    int different = 0;
    if (local_vol_maker_make(surface, surface_unit_spot(&f->market, 0), &maker)) return 1;
    for (int i = 0; i < STEPS; i++) {
        static struct table_made own;
        if (local_vol_tables(maker, &f->market, &requests[i].step, own.c, own.rows, &own.moves))
            return 1;
        bool same = made[i].made && !memcmp(own.c, made[i].c, sizeof own.c) &&
                    !memcmp(own.rows, made[i].rows, sizeof own.rows) &&
                    !memcmp(&own.moves, &made[i].moves, sizeof own.moves);
        different += !same;
    }
    local_vol_maker_free(maker);
    return different;
}

TEST_MAIN(gpu_tables_test)
{
    static void (*const begin[])(struct fixture *) = {dax, equity, exchange_rate, steep};
    enum { MARKETS = sizeof begin / sizeof *begin };
    static struct fixture fixtures[MARKETS];
    static struct table_request requests[MARKETS * STEPS];
    static struct table_made made[MARKETS * STEPS];
    struct implied_surface surfaces[MARKETS];
    struct message why;
    int failed = 0, n = 0;
    if (!has_gpu()) return 77;
    for (int m = 0; m < MARKETS; m++) {
        begin[m](&fixtures[m]);
        if (surface_make(&surfaces[m], &fixtures[m].market, 0, &why)) return 1;
        for (int end = n + describe(&fixtures[m], requests + n); n < end; n++)
            requests[n].surface = m;
    }
    cuda_engine.make_tables(n, requests, MARKETS, surfaces, &automatic, made);
    for (int m = 0; m < MARKETS; m++) {
        int different =
            count_others(&fixtures[m], &surfaces[m], requests + m * STEPS, made + m * STEPS);
        printf("surface %d: %d of %d tables differ\n", m, different, STEPS);
        failed += different;
    }
    /* A step so short beside the law at its start has a lattice of more points. */
    requests[0].step = requests[STEPS - 1].step;
    requests[0].step.from = 3.0, requests[0].step.to = 3.0 + 2e-6;
    requests[0].step.laid_from = requests[0].step.laid_to = 3.0;
    cuda_engine.make_tables(1, requests, MARKETS, surfaces, &automatic, made);
    printf("a short step: %s\n", made[0].made ? "made" : "no room");
    for (int m = 0; m < MARKETS; m++) {
        surface_free(&surfaces[m]);
        fixture_end(&fixtures[m]);
    }
    return failed != 0 || made[0].made;
}
