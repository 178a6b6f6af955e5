#include "app/pricing/risk/greeks/greeks.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/value/exercise/exercise_dates.h"
#include "app/pricing/risk/greeks/revalue_one_by_one.h"
#include "app/pricing/risk/greeks/bumps.h"
#include "app/pricing/risk/greeks/conditional.h"
#include "app/pricing/risk/greeks/crossings.h"
#include "app/pricing/risk/greeks/sensitivities.h"
#include "app/pricing/risk/greeks/slopes.h"
#include "app/pricing/risk/greeks/table_roughness.h"

/* ---- one bump set ---------------------------------------------------------------------------- */

/* The markets of a bump set's scenarios; `lost` tells which cannot be, and `why`. */
struct bump_markets {
    struct shocked_market shocked[MARKETS_MAX];
    struct scenario scenarios[MARKETS_MAX];
    bool lost[MARKETS_MAX];
    struct message why;
};

static enum status make_markets(const struct market *today, const struct bump_set *set,
                                struct bump_markets *markets)
{
    for (int v = 0; v < set->n_scenarios; v++) {
        const struct bump_scenario *scenario = &set->scenarios[v];
        enum status status = shock_market(today, scenario->n_shocks, scenario->shocks,
                                          &markets->shocked[v], &markets->why);
        if (status == STATUS_NO_MEMORY) return status;
        markets->lost[v] = status != STATUS_OK;
        markets->scenarios[v] =
            (struct scenario){.market = status ? today : &markets->shocked[v].market,
                              .time_passed = scenario->time_passed,
                              .partner = scenario->partner,
                              .fit_policies = scenario->fit_policies,
                              .follows = scenario->follows};
    }
    return STATUS_OK;
}

static bool contrast_is_lost(const struct contrast *contrast, const bool *lost)
{
    for (int i = 0; i < contrast->n_terms; i++)
        if (lost[contrast->terms[i].scenario]) return true;
    return false;
}

/* What a policy of exercise on several assets, or of a program, adds to the error of a Greek,
 * measured against convolutions (exercise_greeks_test), or against exercise on one asset, over
 * seeds: variance, over that of the Greek's own paths
 * where it is fitted on as many, and what it leaves out of a Greek where it is fitted on
 * FIT_CHUNKS. Both fall with more paths. */
#define POLICY_VARIANCE 0.25
static const double policy_bias = 0.004, policy_bias_of_rates = 0.015,
                    policy_bias_of_programs = 0.008;

/* And one on an asset that jumps, however many paths there are: of a quarterly put under Merton, by
 * convolutions, delta is 0.12 % off at 2^19 and 2^22 paths. */
static const double policy_bias_of_jumps = 0.0013;

/* And of a program in a second slope, whatever its paths: over seeds and kinds of puts it is at
 * most 2.6 % off where features say all of what comes, 4 % under heston and bates, 15 % under
 * local_vol; what past returns say more is unmeasured. */
static const double policy_bias_of_second = 0.025, policy_bias_of_variance = 0.04,
                    policy_bias_of_surface = 0.12, policy_bias_of_returns = 0.3;

static double second_slope_bias(const struct market *market, const struct trade *trade)
{
    double bias = policy_bias_of_second;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        enum model model = market->assets[trade_asset(trade, i)].model;
        bias = fmax(bias, model_takes(model, TAKES_HISTORY)   ? policy_bias_of_returns
                          : model_takes(model, TAKES_SURFACE) ? policy_bias_of_surface
                          : model_takes(model, TAKES_HESTON)  ? policy_bias_of_variance
                                                              : 0.0);
    }
    return bias;
}

/* And in a first slope: puts under heston and bates, xi 0.4 and 0.5, are up to 2.4 % off in delta
 * and vega, 4.5 in rho, 19 in a theta that is not small; under past returns as much is assumed as
 * a policy without the variance had. */
static const struct {
    double variance, returns;
} first_slope_biases[] = {[GROWTH_NOTHING] = {0.025, 0.06},   [GROWTH_MONEY] = {0.025, 0.06},
                          [GROWTH_AMOUNT] = {0.025, 0.06},    [GROWTH_RATE] = {0.045, 0.14},
                          [GROWTH_VOLATILITY] = {0.025, 0.2}, [GROWTH_SHAPE] = {0.025, 0.2},
                          [GROWTH_TIME] = {0.2, 0.2}};

static double first_slope_bias(const struct market *market, const struct trade *trade,
                               enum slope slope)
{
    double bias = 0.0;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        enum model model = market->assets[trade_asset(trade, i)].model;
        if (model_takes(model, TAKES_HESTON))
            bias = fmax(bias, first_slope_biases[slope_rows[slope].growth].variance);
        if (model_takes(model, TAKES_HISTORY))
            bias = fmax(bias, first_slope_biases[slope_rows[slope].growth].returns);
    }
    return bias;
}

/* Puts it into the error of a Greek. */
static void add_policy_error(const struct valuer *valuer, const struct trade *trade,
                             const struct sensitivity *on, struct greek_value *greek)
{
    const struct greek_row *row = &greek_rows[on->greek];
    bool decides = trade_has(trade, DECIDES);
    if (product_has(trade->product, EARLY_EXERCISE) && trade_n_assets(trade) == 1 &&
        model_takes(valuer->market->assets[trade->asset].model, TAKES_JUMPS))
        greek->std_error = hypot(greek->std_error, policy_bias_of_jumps * fabs(greek->value));
    if (!trade->exercise_apart && !decides) return;
    if (decides && row->second != SLOPE_NOTHING) {
        greek->std_error =
            hypot(greek->std_error, second_slope_bias(valuer->market, trade) * fabs(greek->value));
        return;
    }
    uint64_t paths = valuer->settings.paths;
    int dates = trade->exercise.continuous ? INT_MAX : trade->exercise.n;
    int chunks = decides ? FIT_CHUNKS : chunks_for_greeks(paths, dates);
    double bias = decides                                        ? policy_bias_of_programs
                  : slope_rows[row->first].growth == GROWTH_RATE ? policy_bias_of_rates
                                                                 : policy_bias;
    double fitted = (double)chunks * CHUNK_PATHS;
    greek->std_error =
        hypot(greek->std_error * sqrt(1.0 + POLICY_VARIANCE * (double)paths / fitted),
              bias * chunks_narrow(chunks) * fabs(greek->value));
    if (decides)
        greek->std_error =
            hypot(greek->std_error,
                  first_slope_bias(valuer->market, trade, row->first) * fabs(greek->value));
}

static void take(const struct valuer *valuer, const struct greek_pool *pool,
                 const struct bump_set *set, const struct bump_markets *markets,
                 const struct findings *findings, struct risk *risk)
{
    for (int m = 0; m < set->n_contrasts; m++) {
        bool is_lost = contrast_is_lost(&set->contrasts[m], markets->lost);
        if (is_lost) risk->sensitivities[set->sensitivity[m]].left_out = markets->why;
        for (int i = 0; i < pool->n && !is_lost; i++) {
            const struct trade *trade = &valuer->trades[i];
            struct greek_value *greek = risk_own_greek(risk, set->sensitivity[m], pool->trades[i]);
            double value, std_error;
            const struct sensitivity *on = &risk->sensitivities[set->sensitivity[m]];
            if (trade_is_before(valuer->market, pool, trade, on)) continue;
            double crossing = greek_crossing(valuer->market, trade, on, &set->contrasts[m],
                                             set->bump[m], pool->first_date);
            if (!greek || !findings_value(valuer, findings, m, i, crossing, &value, &std_error))
                continue;
            double rough =
                !trade_has_paths(trade)
                    ? 0.0
                    : fabs(trade->quantity) *
                          contrast_roughness(valuer->market, trade, pool->roughness,
                                             valuer->settings.max_step, on, &set->contrasts[m]);
            greek->value = value;
            greek->std_error = hypot(std_error, rough);
            add_policy_error(valuer, trade, on, greek);
            greek->bump = set->bump[m];
            greek->method = trade->pivot > 0.0 ? "conditional expectation" : "central difference";
        }
    }
}

/* ---- a bump set as a job --------------------------------------------------------------------- */

/* One bump set of some trades of one unit. Where a curve turns those that have dates there are
 * valued apart under time that passes: they would widen the errors of the others, whose volatility
 * would turn as well. */
struct greek_job {
    const struct greek_pool *pool;
    /* Copies that stand for the pool's trades; NULL: they themselves */
    const struct slopes *slopes;
    struct bump_set *set;
    bool with, without; /* curve dates */
};

/* What a job holds between its stages. */
struct greek_job_slot {
    bool *in; /* [trade of the pool]; NULL: all; owned */
    struct bump_markets markets;
    struct prepared prepared;
    struct findings findings;
};

struct greek_jobs {
    struct valuer valuer; /* of the book */
    struct trade *trades; /* [n_trades] with their pivots, pool after pool; owned */
    struct risk *risk;
    char *
        *refused; /* [n_trades] why some of its bumps cannot be valued, NULL where all can; owned */
    struct greek_pools pools;
    struct slopes *slopes; /* [pools.n]; owned */
    int n;
    struct greek_job *jobs; /* [n] */
    struct greek_job_slot slots[JOBS_AT_ONCE];
};

static void empty_slot(struct greek_job_slot *slot)
{
    free(slot->in);
    slot->in = NULL;
    for (int v = 0; v < MARKETS_MAX; v++) shocked_market_free(&slot->markets.shocked[v]);
    prepared_free(&slot->prepared);
    findings_free(&slot->findings);
}

static struct revaluation asked_of(const struct greek_job *job, const struct greek_job_slot *slot)
{
    return (struct revaluation){
        .in = slot->in,
        .n_scenarios = job->set->n_scenarios,
        .scenarios = slot->markets.scenarios,
        .contrast_list = {.n_contrasts = job->set->n_contrasts, .contrasts = job->set->contrasts}};
}

/* Returns the pool's trades as their Greeks want them. */
static const struct trade *trades_of(const struct greek_jobs *jobs, const struct greek_pool *pool)
{
    return jobs->trades + (pool->trades - jobs->pools.order);
}

/* Returns the valuer of a job's trades alone, so that it is no larger than its pool. */
static struct valuer valuer_of(const struct greek_jobs *jobs, const struct greek_job *job)
{
    struct valuer valuer = jobs->valuer;
    valuer.n_trades = job->slopes ? job->slopes->n : job->pool->n;
    valuer.trades = job->slopes ? job->slopes->trades : trades_of(jobs, job->pool);
    return valuer;
}

/* Chooses the trades of a job that takes some of its pool. */
static enum status choose_trades(const struct valuer *valuer, const struct greek_job *job,
                                 struct greek_job_slot *slot)
{
    if (job->with && job->without) return STATUS_OK;
    slot->in = malloc(((size_t)valuer->n_trades + 1) * sizeof *slot->in);
    if (!slot->in) return STATUS_NO_MEMORY;
    for (int t = 0; t < valuer->n_trades; t++)
        slot->in[t] = steps_at_pillars_of(&valuer->trades[t]) ? job->with : job->without;
    return STATUS_OK;
}

static enum status prepare_job(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct greek_jobs *jobs = context;
    const struct greek_job *job = &jobs->jobs[i];
    struct greek_job_slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    const struct valuer valuer = valuer_of(jobs, job);
    TRY(choose_trades(&valuer, job, slot));
    TRY(make_markets(valuer.market, job->set, &slot->markets));
    const struct revaluation asked = asked_of(job, slot);
    TRY(revalue_prepare(&valuer, &asked, &slot->prepared, why));
done:
    return status;
}

static enum status run_job(void *context, int i, struct message *why)
{
    struct greek_jobs *jobs = context;
    struct greek_job_slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    const struct greek_job *job = &jobs->jobs[i];
    const struct valuer valuer = valuer_of(jobs, job);
    const struct revaluation asked = asked_of(job, slot);
    enum status status = revalue_run(&valuer, &slot->prepared, &slot->findings, why);
    prepared_free(&slot->prepared);
    return status ? status : revalue_one_by_one(&valuer, &asked, &slot->findings, why);
}

/* Takes a slope at exercise, found with the spot of `moved` bumped. A cross gamma is the mean of
 * two slopes, weighted by the relative moves of the spots: their variances are inversely
 * proportional to these. The weighted mean of their errors bounds its error. Under a best policy
 * both slopes have the same mean, so the error is at least half of their difference. */
static void take_slope(const struct market *market, const struct sensitivity *on, int moved,
                       const struct greek_value *found, struct greek_value *greek)
{
    const struct greek_value before = *greek;
    *greek = *found;
    if (isnan(before.value)) return;
    int other = moved == on->asset ? on->other : on->asset;
    double own = found->bump / market->assets[moved].spot,
           others = before.bump / market->assets[other].spot, share = others / (own + others);
    greek->value += share * (before.value - found->value);
    greek->std_error += share * (before.std_error - found->std_error);
    greek->std_error = fmax(greek->std_error, 0.5 * fabs(before.value - found->value));
    if (moved != on->asset) greek->bump = before.bump;
}

/* Takes a contrast of a job's slopes at exercise; the valuer's trades are the copies. */
static void take_slopes(const struct valuer *valuer, const struct greek_job *job, int contrast,
                        const struct bump_markets *markets, const struct findings *findings,
                        struct risk *risk)
{
    const struct contrast *of = &job->set->contrasts[contrast];
    int moved = slope_moved(job->set, contrast), asset = -1, column = -1;
    bool is_lost = contrast_is_lost(of, markets->lost);
    for (int i = 0; i < valuer->n_trades; i++) {
        const struct trade *copy = &valuer->trades[i];
        if (slope_asset(copy) != asset) {
            asset = slope_asset(copy);
            column = slope_column(risk, asset, moved);
        }
        if (column < 0) continue;
        struct sensitivity *on = &risk->sensitivities[column];
        struct greek_value found = {.reference = NAN,
                                    .reference_error = NAN,
                                    .z = NAN,
                                    .bump = job->set->bump[contrast],
                                    .method = "exercise slope"};
        struct greek_value *greek =
            risk_own_greek(risk, column, job->pool->trades[job->slopes->of[i]]);
        if (is_lost) on->left_out = markets->why;
        if (is_lost || !greek ||
            !findings_value(valuer, findings, contrast, i, slope_crossing(of, copy), &found.value,
                            &found.std_error))
            continue;
        add_policy_error(valuer, copy, on, &found);
        take_slope(valuer->market, on, moved, &found, greek);
    }
}

/* Keeps why a trade was refused, of its first bump set. */
static enum status take_refusals(struct greek_jobs *jobs, const struct greek_job *job,
                                 const struct findings *findings)
{
    for (int i = 0; i < (job->slopes ? job->slopes->n : job->pool->n); i++) {
        int trade = job->pool->trades[job->slopes ? job->slopes->of[i] : i];
        const char *why = findings->refusals[i].why.text;
        if (!why[0] || jobs->refused[trade]) continue;
        if (!(jobs->refused[trade] = strdup(why))) return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum status finish_job(void *context, int i, struct message *why)
{
    struct greek_jobs *jobs = context;
    const struct greek_job *job = &jobs->jobs[i];
    struct greek_job_slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    enum status status = STATUS_OK;
    (void)why;
    if (!ranks_follow(jobs->valuer.options->ranks)) {
        const struct valuer valuer = valuer_of(jobs, job);
        status = take_refusals(jobs, job, &slot->findings);
        for (int m = 0; job->slopes && m < job->set->n_contrasts; m++)
            take_slopes(&valuer, job, m, &slot->markets, &slot->findings, jobs->risk);
        if (!job->slopes)
            take(&valuer, job->pool, job->set, &slot->markets, &slot->findings, jobs->risk);
    }
    empty_slot(slot);
    return status;
}

static const struct job_stages job_stages = {prepare_job, run_job, finish_job};

/* ---- the book -------------------------------------------------------------------------------- */

/* What comes after the last date of a trade needs no paths. */
static void take_late_dates(const struct valuer *valuer, const struct greek_pool *pool,
                            struct risk *risk)
{
    const struct greek_value none = {0.0, 0.0, 0.0, 0.0, NAN, NAN, "after expiry"};
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *late = &risk->sensitivities[s];
        if (!pool_has(pool, late->greek)) continue;
        if (!trade_depends(valuer->market, &valuer->trades[pool->trades[0]], late)) continue;
        for (int i = 0; i < pool->n; i++) {
            const struct trade *trade = &valuer->trades[pool->trades[i]];
            struct greek_value *greek = risk_own_greek(risk, s, pool->trades[i]);
            if (greek && trade_is_before(valuer->market, pool, trade, late)) *greek = none;
        }
    }
}

/* A bump set as one job, or as two. */
static void add_jobs(struct greek_jobs *jobs, const struct greek_pool *pool, struct bump_set *set)
{
    int with = 0;
    for (int t = 0; t < pool->n; t++)
        with += steps_at_pillars_of(&jobs->valuer.trades[pool->trades[t]]);
    bool apart = set->later && with > 0 && with < pool->n;
    if (apart) jobs->jobs[jobs->n++] = (struct greek_job){pool, NULL, set, .with = true};
    jobs->jobs[jobs->n++] = (struct greek_job){pool, NULL, set, .with = !apart, .without = true};
}

/* Makes room for some more jobs, or frees the bump sets that they were to be of. */
static enum status make_room_for(struct greek_jobs *jobs, int n, struct bump_set *sets)
{
    struct greek_job *larger = realloc(jobs->jobs, (size_t)(jobs->n + n + 1) * sizeof *larger);
    if (!larger || !n) free(sets);
    if (!larger) return STATUS_NO_MEMORY;
    jobs->jobs = larger;
    return STATUS_OK;
}

/* All bump sets of a pool's slopes at exercise. */
static enum status list_slopes(struct greek_jobs *jobs, const struct greek_pool *pool,
                               struct slopes *slopes)
{
    enum status status = STATUS_OK;
    const struct valuer *valuer = &jobs->valuer;
    struct bump_set *sets = NULL;
    int n = 0;
    if (!pool->by_slopes || pool->greeks == POOL_OF_REST) return STATUS_OK;
    TRY(slopes_make(valuer->market, trades_of(jobs, pool), pool, jobs->risk, valuer->settings.paths,
                    slopes, &n, &sets));
    TRY(make_room_for(jobs, n, sets));
    for (int b = 0; b < n; b++)
        jobs->jobs[jobs->n++] = (struct greek_job){pool, slopes, sets + b, true, true};
done:
    return status;
}

/* All bump sets of all units that are bumped. */
static enum status list_jobs(struct greek_jobs *jobs)
{
    enum status status = STATUS_OK;
    const struct valuer *valuer = &jobs->valuer;
    jobs->slopes = calloc((size_t)jobs->pools.n + 1, sizeof *jobs->slopes);
    if (!jobs->slopes) TRY(STATUS_NO_MEMORY);
    for (int u = 0; u < jobs->pools.n; u++) {
        const struct greek_pool *pool = &jobs->pools.pools[u];
        struct bump_set *sets = NULL;
        int n = 0;
        if (!pool->by_likelihood) take_late_dates(valuer, pool, jobs->risk);
        TRY(bumps_make(valuer->market, valuer->trades, pool, jobs->risk, valuer->settings.paths,
                       true, &n, &sets));
        TRY(make_room_for(jobs, 2 * n, sets));
        for (int b = 0; b < n; b++) add_jobs(jobs, pool, sets + b);
        TRY(list_slopes(jobs, pool, &jobs->slopes[u]));
    }
done:
    return status;
}

/* Copies the book's trades, pool after pool, as their Greeks want them. */
static enum status copy_trades(struct greek_jobs *jobs)
{
    const struct valuer *valuer = &jobs->valuer;
    jobs->trades = malloc(((size_t)valuer->n_trades + 1) * sizeof *jobs->trades);
    if (!jobs->trades) return STATUS_NO_MEMORY;
    for (int i = 0; i < valuer->n_trades; i++) {
        const struct trade *trade = &valuer->trades[jobs->pools.order[i]];
        jobs->trades[i] = *trade;
        if (!trade_has_paths(trade)) continue;
        jobs->trades[i].pivot = conditional_pivot(valuer->market, trade);
        jobs->trades[i].exercise_apart =
            trade_n_assets(trade) > 1 && can_exercise_alike(valuer->market, trade);
    }
    return STATUS_OK;
}

static bool has_greek(const void *context, int sensitivity, int trade)
{
    const struct greek_jobs *jobs = context;
    return trade_depends(jobs->valuer.market, &jobs->valuer.trades[trade],
                         &jobs->risk->sensitivities[sensitivity]);
}

static enum status make_room(struct greek_jobs *jobs)
{
    jobs->refused = calloc((size_t)jobs->valuer.n_trades + 1, sizeof *jobs->refused);
    if (!jobs->refused) return STATUS_NO_MEMORY;
    if (ranks_follow(jobs->valuer.options->ranks)) return STATUS_OK; /* who has no Greeks */
    return risk_lay_out_greeks(jobs->risk, has_greek, jobs);
}

static int largest_job(const struct greek_jobs *jobs)
{
    int most = 0;
    for (int i = 0; i < jobs->n; i++) {
        int trades = valuer_of(jobs, &jobs->jobs[i]).n_trades;
        if (trades > most) most = trades;
    }
    return most;
}

enum status greeks_begin(const struct valuer *valuer, unsigned greeks, struct risk *risk,
                         struct greek_jobs **jobs, struct job_series *series)
{
    enum status status = STATUS_OK;
    struct greek_jobs *new = *jobs = calloc(1, sizeof **jobs);
    if (!new) return STATUS_NO_MEMORY;
    new->valuer = *valuer;
    new->risk = risk;
    TRY(sensitivities_list(valuer->market, valuer->n_trades, valuer->trades, greeks, risk));
    TRY(make_room(new));
    TRY(greek_pools_make(valuer->market, valuer->n_trades, valuer->trades, &new->pools));
    TRY(copy_trades(new));
    TRY(list_jobs(new));
    *series =
        (struct job_series){new->n, &job_stages, new, (uint64_t)largest_job(new) * MARKETS_MAX};
done:
    return status;
}

/* The columns of a trade without a number, but those left out for all trades. */
static void list_missing(const struct greek_jobs *jobs, int trade, char *names, size_t room)
{
    size_t length = 0;
    names[0] = '\0';
    for (int s = 0; s < jobs->risk->n_sensitivities && length < room; s++) {
        const struct sensitivity *sensitivity = &jobs->risk->sensitivities[s];
        const struct greek_value *greek = risk_own_greek(jobs->risk, s, trade);
        if (!greek || !isnan(greek->value) || sensitivity->left_out.text[0]) continue;
        length += (size_t)snprintf(names + length, room - length, "%s%s", length ? ", " : "",
                                   sensitivity->name);
    }
}

void greeks_tell(const struct greek_jobs *jobs, struct complaints *notes)
{
    for (int t = 0; jobs && t < jobs->valuer.n_trades; t++) {
        const struct trade *trade = &jobs->valuer.trades[t];
        char names[256];
        if (!jobs->refused[t]) continue;
        list_missing(jobs, t, names, sizeof names);
        if (!names[0]) continue;
        complaints_add(notes, trade->line, "%s:%d: note: trade '%s' has no %s: under bumps %s",
                       trade->file, trade->line, trade->id, names, jobs->refused[t]);
    }
}

/* The bump sets of one unit are one array, and those of its slopes another. */
void greeks_end(struct greek_jobs *jobs)
{
    if (!jobs) return;
    for (int i = 0; i < jobs->n; i++)
        if (!i || jobs->jobs[i].pool != jobs->jobs[i - 1].pool ||
            jobs->jobs[i].slopes != jobs->jobs[i - 1].slopes)
            free(jobs->jobs[i].set);
    for (int u = 0; jobs->slopes && u < jobs->pools.n; u++) slopes_free(&jobs->slopes[u]);
    free(jobs->slopes);
    free(jobs->jobs);
    for (int t = 0; jobs->refused && t < jobs->valuer.n_trades; t++) free(jobs->refused[t]);
    free(jobs->refused);
    free(jobs->trades);
    greek_pools_free(&jobs->pools);
    for (int s = 0; s < JOBS_AT_ONCE; s++) empty_slot(&jobs->slots[s]);
    free(jobs);
}
