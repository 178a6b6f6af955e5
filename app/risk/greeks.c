#include "app/risk/greeks.h"

#include <math.h>
#include <stdlib.h>

#include "app/risk/ahead.h"
#include "app/risk/bumps.h"
#include "app/risk/likelihood.h"
#include "app/risk/sensitivities.h"

static const struct greek_value no_greek = {NAN, NAN, NAN, NAN, NAN, NAN, ""};

/* ---- one bundle ---------------------------------------------------------------------------------------- */

/* The markets of a bundle's views; `lost` tells which cannot be, and `why`. */
struct markets {
    struct moved_market moved[SCENARIOS_MAX];
    struct scenario scenarios[SCENARIOS_MAX];
    bool lost[SCENARIOS_MAX];
    struct message why;
};

static enum status make_markets(const struct market *today, const struct bundle *bundle,
                                struct markets *markets)
{
    for (int v = 0; v < bundle->n_views; v++) {
        const struct view *view = &bundle->views[v];
        enum status status =
            market_move(today, view->n_moves, view->moves, &markets->moved[v], &markets->why);
        if (status == STATUS_NO_MEMORY) return status;
        markets->lost[v] = status != STATUS_OK;
        markets->scenarios[v] = (struct scenario){.market = status ? today : &markets->moved[v].market,
                                                  .time_passed = view->time_passed};
    }
    return STATUS_OK;
}

static bool measure_is_lost(const struct measure *measure, const bool *lost)
{
    for (int i = 0; i < measure->n_terms; i++)
        if (lost[measure->terms[i].scenario]) return true;
    return false;
}

static void take(const struct valuer *valuer, const struct unit *unit, const struct bundle *bundle,
                 const struct markets *markets, const struct findings *findings, struct risk *risk)
{
    size_t n = (size_t)valuer->n_trades;
    for (int m = 0; m < bundle->n_measures; m++) {
        bool is_lost = measure_is_lost(&bundle->measures[m], markets->lost);
        if (is_lost) risk->sensitivities[bundle->sensitivity[m]].left_out = markets->why;
        for (int i = 0; i < unit->n && !is_lost; i++) {
            int trade = unit->trades[i];
            struct greek_value *greek = &risk->greeks[(size_t)bundle->sensitivity[m] * n + (size_t)trade];
            if (!findings_value(valuer, findings, m, trade, &greek->value, &greek->std_error)) continue;
            greek->bump = bundle->bump[m];
            greek->method = "central difference";
        }
    }
}

/* ---- a bundle as a job --------------------------------------------------------------------------------- */

/* One bundle of one unit. */
struct job {
    const struct unit *unit;
    struct bundle *bundle;
};

/* What a job holds between its stages. */
struct slot {
    bool *in; /* [trade] */
    struct markets markets;
    struct prepared prepared;
    struct findings findings;
};

struct run {
    const struct valuer *valuer;
    struct risk *risk;
    int n_jobs;
    struct job *jobs;
    struct slot slots[JOBS_AT_ONCE];
};

static void empty_slot(struct slot *slot)
{
    for (int v = 0; v < SCENARIOS_MAX; v++) moved_market_free(&slot->markets.moved[v]);
    prepared_free(&slot->prepared);
    findings_free(&slot->findings);
}

static enum status prepare_job(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    const struct run *run = context;
    const struct job *job = &run->jobs[i];
    struct slot *slot = &((struct run *)context)->slots[i % JOBS_AT_ONCE];
    struct revaluation asked = {
        .in = slot->in,
        .n_scenarios = job->bundle->n_views,
        .scenarios = slot->markets.scenarios,
        .measuring = {.n_measures = job->bundle->n_measures, .measures = job->bundle->measures}};
    for (int t = 0; t < job->unit->n; t++) slot->in[job->unit->trades[t]] = true;
    TRY(make_markets(run->valuer->market, job->bundle, &slot->markets));
    TRY(revalue_prepare(run->valuer, &asked, &slot->prepared, why));
done:
    for (int t = 0; t < job->unit->n; t++) slot->in[job->unit->trades[t]] = false;
    return status;
}

static enum status run_job(void *context, int i, struct message *why)
{
    struct run *run = context;
    struct slot *slot = &run->slots[i % JOBS_AT_ONCE];
    return revalue_run(run->valuer, &slot->prepared, &slot->findings, why);
}

static enum status finish_job(void *context, int i, struct message *why)
{
    struct run *run = context;
    const struct job *job = &run->jobs[i];
    struct slot *slot = &run->slots[i % JOBS_AT_ONCE];
    (void)why;
    take(run->valuer, job->unit, job->bundle, &slot->markets, &slot->findings, run->risk);
    say_progress(run->valuer, i + 1, run->n_jobs);
    empty_slot(slot);
    return STATUS_OK;
}

static const struct stages job_stages = {prepare_job, run_job, finish_job};

/* ---- the book ------------------------------------------------------------------------------------------ */

/* Buckets after the last expiry need no paths. */
static void take_late_buckets(const struct valuer *valuer, const struct unit *unit, struct risk *risk)
{
    const struct greek_value none = {0.0, 0.0, 0.0, 0.0, 0.0, NAN, "after expiry"};
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *bucket = &risk->sensitivities[s];
        if (bucket->greek != GREEK_VEGA_BUCKET || !bucket_is_late(valuer->market, unit, bucket)) continue;
        if (!trade_depends(valuer->market, &valuer->trades[unit->trades[0]], bucket)) continue;
        for (int i = 0; i < unit->n; i++)
            risk->greeks[(size_t)s * (size_t)valuer->n_trades + (size_t)unit->trades[i]] = none;
    }
}

/* All bundles of all units that are bumped. */
static enum status list_jobs(struct run *run, const struct units *units)
{
    enum status status = STATUS_OK;
    const struct valuer *valuer = run->valuer;
    for (int u = 0; u < units->n; u++) {
        const struct unit *unit = &units->units[u];
        struct bundle *bundles = NULL;
        int n = 0;
        if (unit->scored) continue;
        take_late_buckets(valuer, unit, run->risk);
        TRY(bumps_make(valuer->market, valuer->trades, unit, run->risk, valuer->settings.paths, &n,
                       &bundles));
        struct job *larger = realloc(run->jobs, (size_t)(run->n_jobs + n + 1) * sizeof *larger);
        if (!larger) free(bundles);
        if (!larger) TRY(STATUS_NO_MEMORY);
        run->jobs = larger;
        for (int b = 0; b < n; b++) larger[run->n_jobs + b] = (struct job){unit, bundles + b};
        run->n_jobs += n;
        if (!n) free(bundles);
    }
done:
    return status;
}

/* Bundles of one unit are one array. */
static void free_jobs(struct run *run)
{
    for (int i = 0; i < run->n_jobs; i++)
        if (!i || run->jobs[i].unit != run->jobs[i - 1].unit) free(run->jobs[i].bundle);
    free(run->jobs);
    for (int s = 0; s < JOBS_AT_ONCE; s++) {
        empty_slot(&run->slots[s]);
        free(run->slots[s].in);
    }
}

enum status greeks_make(const struct valuer *valuer, unsigned greeks, struct risk *risk, struct message *why)
{
    enum status status = STATUS_OK;
    struct units units = {0};
    struct run run = {.valuer = valuer, .risk = risk};
    for (int s = 0; s < JOBS_AT_ONCE; s++)
        if (!(run.slots[s].in = calloc((size_t)valuer->n_trades + 1, sizeof(bool))))
            status = STATUS_NO_MEMORY;
    TRY(status);
    TRY(sensitivities_list(valuer->market, valuer->n_trades, valuer->trades, greeks, risk));
    size_t n = (size_t)risk->n_sensitivities * (size_t)valuer->n_trades;
    risk->greeks = malloc((n + 1) * sizeof *risk->greeks);
    if (!risk->greeks) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++) risk->greeks[i] = no_greek;
    TRY(units_make(valuer->market, valuer->n_trades, valuer->trades, &units));
    TRY(list_jobs(&run, &units));
    TRY(run_side_by_side(run.n_jobs, valuer->engine->calls, &job_stages, &run, why));
    TRY(likelihood_make(valuer, risk, why));
done:
    free_jobs(&run);
    units_free(&units);
    return status;
}
