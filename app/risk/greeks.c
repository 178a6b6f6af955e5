#include "app/risk/greeks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/risk/apart.h"
#include "app/risk/bumps.h"
#include "app/risk/conditional.h"
#include "app/risk/flips.h"
#include "app/risk/sensitivities.h"

static const struct greek_value no_greek = {NAN, NAN, NAN, NAN, NAN, NAN, ""};

/* ---- one bundle ---------------------------------------------------------------------------------------- */

/* The markets of a bundle's views; `lost` tells which cannot be, and `why`. */
struct markets {
    struct moved_market moved[MARKETS_MAX];
    struct scenario scenarios[MARKETS_MAX];
    bool lost[MARKETS_MAX];
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
            double value, std_error;
            double flip = flip_of_greek(valuer->market, &valuer->trades[trade],
                                        &risk->sensitivities[bundle->sensitivity[m]], &bundle->measures[m],
                                        bundle->bump[m]);
            if (!findings_value(valuer, findings, m, trade, flip, &value, &std_error)) continue;
            greek->value = value;
            greek->std_error = std_error;
            greek->bump = bundle->bump[m];
            greek->method =
                valuer->trades[trade].pivot > 0.0 ? "conditional expectation" : "central difference";
        }
    }
}

/* ---- a bundle as a job --------------------------------------------------------------------------------- */

/* One bundle of some trades of one unit. Where a curve turns those that have dates there are valued apart
 * under time that passes: they would widen the errors of the others, whose volatility would turn as well. */
struct job {
    const struct unit *unit;
    struct bundle *bundle;
    bool with, without; /* curve dates */
};

/* What a job holds between its stages. */
struct slot {
    bool *in; /* [trade] */
    struct markets markets;
    struct prepared prepared;
    struct findings findings;
};

struct greek_jobs {
    struct valuer valuer; /* of `trades` */
    struct trade *trades; /* [n_trades] the book's, with their pivots; owned */
    struct risk *risk;
    char **refused; /* [n_trades] why some of its bumps cannot be valued, NULL where all can; owned */
    struct units units;
    int n;
    struct job *jobs; /* [n] */
    struct slot slots[JOBS_AT_ONCE];
};

static void empty_slot(struct slot *slot)
{
    for (int v = 0; v < MARKETS_MAX; v++) moved_market_free(&slot->markets.moved[v]);
    prepared_free(&slot->prepared);
    findings_free(&slot->findings);
}

static struct revaluation asked_of(const struct job *job, const struct slot *slot)
{
    return (struct revaluation){
        .in = slot->in,
        .n_scenarios = job->bundle->n_views,
        .scenarios = slot->markets.scenarios,
        .measuring = {.n_measures = job->bundle->n_measures, .measures = job->bundle->measures}};
}

static enum status prepare_job(void *context, int i, struct message *why)
{
    enum status status = STATUS_OK;
    struct greek_jobs *jobs = context;
    const struct job *job = &jobs->jobs[i];
    struct slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    const struct revaluation asked = asked_of(job, slot);
    for (int t = 0; t < job->unit->n; t++) {
        int trade = job->unit->trades[t];
        slot->in[trade] = has_curve_dates(&jobs->valuer.trades[trade]) ? job->with : job->without;
    }
    TRY(make_markets(jobs->valuer.market, job->bundle, &slot->markets));
    TRY(revalue_prepare(&jobs->valuer, &asked, &slot->prepared, why));
done:
    for (int t = 0; t < job->unit->n; t++) slot->in[job->unit->trades[t]] = false;
    return status;
}

static enum status run_job(void *context, int i, struct message *why)
{
    struct greek_jobs *jobs = context;
    struct slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    const struct revaluation asked = asked_of(&jobs->jobs[i], slot);
    enum status status = revalue_run(&jobs->valuer, &slot->prepared, &slot->findings, why);
    return status ? status : revalue_apart(&jobs->valuer, &asked, &slot->findings, why);
}

/* Keeps why a trade was refused, of its first bundle. */
static enum status take_refusals(struct greek_jobs *jobs, const struct unit *unit,
                                 const struct findings *findings)
{
    for (int i = 0; i < unit->n; i++) {
        int trade = unit->trades[i];
        const char *why = findings->refusals[trade].why.text;
        if (!why[0] || jobs->refused[trade]) continue;
        if (!(jobs->refused[trade] = strdup(why))) return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

static enum status finish_job(void *context, int i, struct message *why)
{
    struct greek_jobs *jobs = context;
    const struct job *job = &jobs->jobs[i];
    struct slot *slot = &jobs->slots[i % JOBS_AT_ONCE];
    enum status status = take_refusals(jobs, job->unit, &slot->findings);
    (void)why;
    take(&jobs->valuer, job->unit, job->bundle, &slot->markets, &slot->findings, jobs->risk);
    empty_slot(slot);
    return status;
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

/* A bundle as one job, or as two. */
static void add_jobs(struct greek_jobs *jobs, const struct unit *unit, struct bundle *bundle)
{
    int with = 0;
    for (int t = 0; t < unit->n; t++) with += has_curve_dates(&jobs->valuer.trades[unit->trades[t]]);
    bool apart = bundle->later && with > 0 && with < unit->n;
    if (apart) jobs->jobs[jobs->n++] = (struct job){unit, bundle, .with = true};
    jobs->jobs[jobs->n++] = (struct job){unit, bundle, .with = !apart, .without = true};
}

/* All bundles of all units that are bumped. */
static enum status list_jobs(struct greek_jobs *jobs)
{
    enum status status = STATUS_OK;
    const struct valuer *valuer = &jobs->valuer;
    for (int u = 0; u < jobs->units.n; u++) {
        const struct unit *unit = &jobs->units.units[u];
        struct bundle *bundles = NULL;
        int n = 0;
        if (unit->scored) continue;
        take_late_buckets(valuer, unit, jobs->risk);
        TRY(bumps_make(valuer->market, valuer->trades, unit, jobs->risk, valuer->settings.paths, &n,
                       &bundles));
        struct job *larger = realloc(jobs->jobs, (size_t)(jobs->n + 2 * n + 1) * sizeof *larger);
        if (!larger) free(bundles);
        if (!larger) TRY(STATUS_NO_MEMORY);
        jobs->jobs = larger;
        for (int b = 0; b < n; b++) add_jobs(jobs, unit, bundles + b);
        if (!n) free(bundles);
    }
done:
    return status;
}

static enum status make_room(struct greek_jobs *jobs)
{
    struct risk *risk = jobs->risk;
    size_t n_trades = (size_t)jobs->valuer.n_trades, n = (size_t)risk->n_sensitivities * n_trades;
    for (int s = 0; s < JOBS_AT_ONCE; s++)
        if (!(jobs->slots[s].in = calloc(n_trades + 1, sizeof(bool)))) return STATUS_NO_MEMORY;
    jobs->refused = calloc(n_trades + 1, sizeof *jobs->refused);
    risk->greeks = malloc((n + 1) * sizeof *risk->greeks);
    if (!risk->greeks || !jobs->refused) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < n; i++) risk->greeks[i] = no_greek;
    return STATUS_OK;
}

enum status greeks_begin(const struct valuer *valuer, unsigned greeks, struct risk *risk,
                         struct greek_jobs **jobs, struct series *series)
{
    enum status status = STATUS_OK;
    struct greek_jobs *new = *jobs = calloc(1, sizeof **jobs);
    if (!new) return STATUS_NO_MEMORY;
    new->valuer = *valuer;
    new->risk = risk;
    TRY(conditional_trades(valuer->market, valuer->n_trades, valuer->trades, &new->trades));
    new->valuer.trades = new->trades;
    TRY(sensitivities_list(valuer->market, valuer->n_trades, valuer->trades, greeks, risk));
    TRY(make_room(new));
    TRY(units_make(valuer->market, valuer->n_trades, valuer->trades, &new->units));
    TRY(list_jobs(new));
    *series = (struct series){new->n, &job_stages, new};
done:
    return status;
}

/* The columns of a trade without a number, but those left out for all trades. */
static void list_missing(const struct greek_jobs *jobs, int trade, char *names, size_t room)
{
    size_t length = 0;
    names[0] = '\0';
    for (int s = 0; s < jobs->risk->n_sensitivities && length < room; s++) {
        const struct sensitivity *of = &jobs->risk->sensitivities[s];
        size_t at = (size_t)s * (size_t)jobs->valuer.n_trades + (size_t)trade;
        if (!isnan(jobs->risk->greeks[at].value) || of->left_out.text[0]) continue;
        if (!trade_depends(jobs->valuer.market, &jobs->trades[trade], of)) continue;
        length += (size_t)snprintf(names + length, room - length, "%s%s", length ? ", " : "", of->name);
    }
}

void greeks_tell(const struct greek_jobs *jobs, struct complaints *notes)
{
    for (int t = 0; jobs && t < jobs->valuer.n_trades; t++) {
        const struct trade *trade = &jobs->trades[t];
        char names[256];
        if (!jobs->refused[t]) continue;
        list_missing(jobs, t, names, sizeof names);
        if (!names[0]) continue;
        complaints_add(notes, trade->line, "%s:%d: note: trade '%s' has no %s: under bumps %s", trade->file,
                       trade->line, trade->id, names, jobs->refused[t]);
    }
}

/* Bundles of one unit are one array. */
void greeks_end(struct greek_jobs *jobs)
{
    if (!jobs) return;
    for (int i = 0; i < jobs->n; i++)
        if (!i || jobs->jobs[i].unit != jobs->jobs[i - 1].unit) free(jobs->jobs[i].bundle);
    free(jobs->jobs);
    for (int t = 0; jobs->refused && t < jobs->valuer.n_trades; t++) free(jobs->refused[t]);
    free(jobs->refused);
    free(jobs->trades);
    units_free(&jobs->units);
    for (int s = 0; s < JOBS_AT_ONCE; s++) {
        empty_slot(&jobs->slots[s]);
        free(jobs->slots[s].in);
    }
    free(jobs);
}
