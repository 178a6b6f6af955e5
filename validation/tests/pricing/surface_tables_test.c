/* A plan is the same for a team and for one thread, and its tables of local volatility, which are
 * made once for what is equal in all of its groups and scenarios, are those of a path's steps made
 * one after the other. */
#include "app/pricing/base/digest.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "models/dynamics/local_vol_room.h"
#include "validation/tests/every_product_book.h"

enum { SCENARIOS = 3 };

static struct market markets[SCENARIOS];
static struct asset assets[SCENARIOS][64];

/* A skew that is the same on all dates. */
static void give_surface(struct asset *asset, double spot, double *numbers)
{
    enum { TIMES = 3, STRIKES = 5 };
    double *times = numbers, *strikes = times + TIMES, *vols = strikes + STRIKES;
    for (int t = 0; t < TIMES; t++) times[t] = 0.25 * (1 << 2 * t);
    for (int k = 0; k < STRIKES; k++) strikes[k] = spot * (0.6 + 0.2 * k);
    for (int i = 0; i < TIMES * STRIKES; i++) vols[i] = 0.28 - 0.02 * (i % STRIKES);
    asset->model = MODEL_LOCAL_VOL;
    asset->surface = (struct surface){TIMES, STRIKES, times, strikes, vols, false};
}

static int make_markets(void **state)
{
    static double numbers[2][32];
    make_book(state);
    assert_in_range(book.market.n_assets, 1, 64);
    for (int s = 0; s < SCENARIOS; s++) { /* the first and the last are alike */
        markets[s] = book.market;
        markets[s].assets = assets[s];
        memcpy(assets[s], book.market.assets, sizeof *assets[s] * (size_t)book.market.n_assets);
        for (int a = 0; a < book.market.n_assets; a++)
            assets[s][a].spot *= s % 2 && a % 2 ? 1.01 : 1.0;
        for (int a = 0; a < 2; a++) give_surface(&assets[s][a], book.assets[a].spot, numbers[a]);
    }
    return 0;
}

static void build(struct team *team, const struct engine *engine, struct plan *plan)
{
    static struct refusal refusals[EVERY_PRODUCT_TRADES];
    static bool in[EVERY_PRODUCT_TRADES]; /* not those that need black_scholes */
    const struct plan_settings settings = {.paths = CHUNK_PATHS,
                                           .seed = 7,
                                           .max_step = 0.02,
                                           .in = in,
                                           .team = team,
                                           .engine = engine};
    for (int i = 0; i < book.n_trades; i++) in[i] = book.trades[i].pivot == 0.0;
    struct scenario scenarios[SCENARIOS] = {{0}};
    const struct contrast today = {1, {{0, 1.0}}};
    const struct contrast_list wanted = {
        .n_contrasts = 1, .contrasts = &today, .scenarios = {SCENARIOS, scenarios}};
    for (int s = 0; s < SCENARIOS; s++) scenarios[s].market = &markets[s];
    assert_ok(plan_contrasts(&wanted, book.n_trades, book.trades, &settings, plan, refusals));
}

TEST(a_team_changes_no_bit)
{
    struct plan plan;
    build(NULL, NULL, &plan);
    uint64_t alone = digest_plan(&plan);
    plan_free(&plan);
    for (int threads = 2; threads <= 5; threads += 3) {
        struct team *team = team_begin(threads);
        build(team, NULL, &plan);
        assert_true(digest_plan(&plan) == alone);
        team_end(team);
        plan_free(&plan);
    }
}

/* Stands in for a device that has no room for every third step. */
extern table_build local_vol_plain;
static int asked, made_of_them;

static void make_most(int n, const struct table_request *requests, int n_surfaces,
                      const struct implied_surface *surfaces, const struct engine_options *options,
                      struct table_made *made)
{
    static struct table_tray tray;
    static struct table_room room;
    (void)options;
    room.tray = &tray;
    for (int i = 0; i < n; i++) {
        const struct table_request *request = &requests[i];
        struct local_vol_work work;
        assert_in_range(request->surface, 0, n_surfaces - 1);
        local_vol_work_begin(&work, &surfaces[request->surface], request->unit_spot, &room);
        memset(&made[i], i, sizeof made[i]);
        made[i].made =
            i % 3 && !local_vol_plain(&work, &request->step, request->log_from, request->log_to,
                                      made[i].c, made[i].rows, &made[i].moves);
        made_of_them += made[i].made;
    }
    asked += n;
}

TEST(an_engine_changes_no_bit)
{
    const struct engine device = {.make_tables = make_most};
    struct plan plan;
    build(NULL, NULL, &plan);
    uint64_t alone = digest_plan(&plan);
    plan_free(&plan);
    build(NULL, &device, &plan);
    assert_true(digest_plan(&plan) == alone);
    assert_in_range(made_of_them, 1, asked - 1);
    plan_free(&plan);
}

/* Changes a byte of a plan, and expects another digest. */
static void expect_seen(const struct plan *plan, uint64_t digest, void *number, size_t byte)
{
    unsigned char *at = (unsigned char *)number + byte;
    *at ^= 0x40;
    assert_true(digest_plan(plan) != digest);
    *at ^= 0x40;
}

TEST(the_digest_sees_every_number)
{
    struct plan plan;
    int tables = 0;
    build(NULL, NULL, &plan);
    uint64_t digest = digest_plan(&plan);
    for (int g = 0; g < plan.n_groups; g++) {
        struct group *group = &plan.groups[g];
        struct plan part = plan;
        size_t n = (size_t)group->lookup.n;
        part.groups = group, part.n_groups = 1;
        uint64_t of_part = digest_plan(&part);
        for (size_t i = 0; n && i < 2; i++)
            for (size_t byte = 0; byte < sizeof(float); byte++)
                expect_seen(&part, of_part, &group->lookup.table[i ? n - 1 : n / 2], byte);
        expect_seen(&part, of_part, &group->coefficients[group->width - 1], 0);
        expect_seen(&part, of_part, &group->payoffs[0].k[0], 7);
        tables += n > 0;
    }
    expect_seen(&plan, digest, &plan.seed, 7);
    struct group *last = &plan.groups[plan.n_groups - 1], first = plan.groups[0];
    plan.groups[0] = *last, *last = first;
    assert_true(digest_plan(&plan) != digest);
    assert_in_range(tables, 1, plan.n_groups);
    plan_free(&plan);
}

/* Tables of a group's asset, one step after the other; how many there are. */
static int check_tables(const struct group *group, const struct underlying *underlying,
                        const struct market *market)
{
    struct lookup lookup = {0};
    int fx = quanto_rate(market->assets, &group->quanto, underlying->asset);
    for (int j = 0; j < group->n_steps; j++) {
        struct time_step step = {j ? group->times[j - 1] : 0.0, group->times[j], fx};
        double c[LOCAL_VOL_COEFFICIENTS];
        const double *made = group->coefficients + (size_t)j * (size_t)group->width +
                             (size_t)underlying->coefficient;
        int first = 2 * (local_vol_first(made) + LOCAL_VOL_ROW_ZERO), own = lookup.n;
        assert_ok(local_vol_coefficients(market, underlying->asset, &step, c, &lookup, &said));
        c[LOCAL_VOL_FIRST] = made[LOCAL_VOL_FIRST];
        assert_memory_equal(c, made, sizeof c);
        assert_in_range(first, 0, group->lookup.n - 2 * LOCAL_VOL_ROWS);
        assert_memory_equal(group->lookup.table + first, lookup.table + own,
                            2 * LOCAL_VOL_ROWS * sizeof(float));
    }
    lookup_forget(&lookup);
    free(lookup.table);
    return group->n_steps;
}

TEST(tables_are_those_of_single_steps)
{
    struct plan plan;
    int tables = 0;
    struct team *team = team_begin(3);
    build(team, NULL, &plan);
    team_end(team);
    for (int g = 0; g < plan.n_groups; g++) {
        const struct group *group = &plan.groups[g];
        const struct market *market = &markets[group->trades[0] / book.n_trades];
        for (int u = 0; u < group->n_underlyings; u++)
            if (group->underlyings[u].model == MODEL_LOCAL_VOL)
                tables += check_tables(group, &group->underlyings[u], market);
    }
    assert_true(tables > 100);
    plan_free(&plan);
}

ALL_TESTS_BETWEEN(surface_tables_test, make_markets, free_book)
