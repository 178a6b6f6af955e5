#include "app/pricing/risk/risk_make.h"

#include <stdlib.h>
#include <string.h>

#include "app/pricing/risk/greeks/greeks.h"
#include "app/pricing/risk/pnl/scenario_pnl.h"
#include "app/pricing/risk/pnl/value_at_risk.h"

bool risk_is_asked(const struct risk_request *request)
{
    return request->greeks || request->n_scenarios || request->n_days;
}

/* ---- profit and loss ------------------------------------------------------------------------- */

static enum status copy_names(int n, const struct scenario_request *requests, char ***names)
{
    *names = n ? calloc((size_t)n + 1, sizeof **names) : NULL;
    for (int i = 0; *names && i < n; i++)
        if (!((*names)[i] = strdup(requests[i].name))) return STATUS_NO_MEMORY;
    return n && !*names ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Copies the P&L of an aggregate, of profits [aggregate][scenario]. */
static enum status copy_pnl(const struct scenario_pnl *pnl_table, int aggregate, struct pnl **pnl)
{
    size_t n = (size_t)pnl_table->n;
    *pnl = malloc((n + 1) * sizeof **pnl);
    if (!*pnl) return STATUS_NO_MEMORY;
    memcpy(*pnl, pnl_table->aggregates + (size_t)aggregate * n, n * sizeof **pnl);
    return STATUS_OK;
}

/* ---- the past -------------------------------------------------------------------------------- */

static struct past_days days_of(const struct scenario_pnl *pnl_table, int aggregate)
{
    size_t first = (size_t)aggregate * (size_t)pnl_table->n;
    return (struct past_days){pnl_table->n, pnl_table->aggregates + first, pnl_table->n_blocks,
                              pnl_table->blocks + first * (size_t)pnl_table->n_blocks};
}

/* Makes the tails of an aggregate, and what it brings to those of the whole book, which is the
 * first one. */
static enum status take_tails(const struct risk_request *request,
                              const struct scenario_pnl *pnl_table, int index,
                              struct aggregate *aggregate)
{
    const struct past_days whole = days_of(pnl_table, 0), part = days_of(pnl_table, index);
    size_t n = (size_t)request->n_confidences + 1;
    struct past_days own = part;
    if (pnl_table->lone[index] >= 0) own.n_blocks = 0; /* errors of its days, as a trade has */
    MUST(copy_pnl(pnl_table, index, &aggregate->days));
    aggregate->values_at_risk = calloc(n, sizeof *aggregate->values_at_risk);
    aggregate->contributions = calloc(n, sizeof *aggregate->contributions);
    if (!aggregate->values_at_risk || !aggregate->contributions) return STATUS_NO_MEMORY;
    for (int c = 0; c < request->n_confidences; c++) {
        double confidence = request->confidences[c];
        MUST(value_at_risk_make(&own, confidence, &aggregate->values_at_risk[c]));
        MUST(risk_contribution_make(&whole, &part, confidence, &aggregate->contributions[c]));
    }
    return STATUS_OK;
}

/* Makes risk->values_at_risk [confidence][trade] of risk->days [day][trade]. */
static enum status value_at_risk_of_trades(const struct risk_request *request, struct risk *risk)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)risk->n_trades;
    struct pnl *days = malloc(((size_t)risk->n_days + 1) * sizeof *days);
    const struct past_days past = {.n = risk->n_days, .days = days};
    risk->n_confidences = request->n_confidences;
    risk->values_at_risk =
        calloc((size_t)risk->n_confidences * n + 1, sizeof *risk->values_at_risk);
    if (!days || !risk->values_at_risk) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < risk->n_days; d++) days[d] = risk->days[(size_t)d * n + i];
        for (int c = 0; c < risk->n_confidences; c++)
            TRY(value_at_risk_make(&past, request->confidences[c],
                                   &risk->values_at_risk[(size_t)c * n + i]));
    }
done:
    free(days);
    return status;
}

static enum status take_past(const struct risk_request *request, struct scenario_pnl *pnl_table,
                             struct risk *risk)
{
    if (!pnl_table->n) return STATUS_OK;
    risk->days = pnl_table->trades;
    pnl_table->trades = NULL;
    MUST(value_at_risk_of_trades(request, risk));
    for (int a = 0; a < risk->n_aggregates; a++)
        MUST(take_tails(request, pnl_table, a, &risk->aggregates[a]));
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Everything that is asked for, under way: what is not stays empty. */
struct risk_making {
    const struct valuer *valuer;
    const struct risk_request *request;
    struct risk *risk;
    struct valuer coarse; /* of scenarios and the past */
    struct aggregation aggregation;
    struct scenario_pnl scenarios, days;
    struct scenario_request *kept; /* [n_kept] the days of the request that there is a market for */
    int n_kept;
    struct complaints lost_days; /* the others */
    bool *lost_today;            /* [trade] as of struct pnl_request */
    struct complaints notes;     /* of the aggregation */
    struct greek_jobs *greek_jobs;
};

/* What is soonest planned comes first. */
enum { SERIES_GREEKS, SERIES_SCENARIOS, SERIES_DAYS, N_SERIES };

static enum status name_aggregates(const struct aggregation *aggregation, struct risk *risk)
{
    risk->aggregates = calloc((size_t)aggregation->n + 1, sizeof *risk->aggregates);
    if (!risk->aggregates) return STATUS_NO_MEMORY;
    risk->n_aggregates = aggregation->n;
    for (int i = 0; i < aggregation->n; i++) {
        const struct aggregate_name *name = &aggregation->names[i];
        risk->aggregates[i] = (struct aggregate){.by = strdup(aggregation->ways[name->way]),
                                                 .name = strdup(name->name)};
        if (!risk->aggregates[i].by || !risk->aggregates[i].name) return STATUS_NO_MEMORY;
    }
    return STATUS_OK;
}

/* Keeps the days of the past that there is a market for. A volatility that fell from a high level
 * by more than today's has none. */
static enum status keep_days(struct risk_making *making)
{
    const struct risk_request *request = making->request;
    making->kept = calloc((size_t)request->n_days + 1, sizeof *making->kept);
    if (!making->kept) return STATUS_NO_MEMORY;
    for (int d = 0; d < request->n_days; d++) {
        const struct scenario_request *day = &request->days[d];
        struct shocked_market shocked = {0};
        struct message why;
        enum status status =
            shock_market(making->valuer->market, day->n_shocks, day->shocks, &shocked, &why);
        shocked_market_free(&shocked);
        if (status == STATUS_NO_MEMORY) return status;
        if (!status) making->kept[making->n_kept++] = *day;
        else
            complaints_add(&making->lost_days, 0, "day '%s' of the past is left out: %s", day->name,
                           why.text);
    }
    return STATUS_OK;
}

static enum status begin_shocks(struct risk_making *making, struct job_series *series)
{
    const struct risk_request *request = making->request;
    const struct valuer *valuer = making->valuer;
    struct risk *risk = making->risk;
    if (!request->n_scenarios && !request->n_days) return STATUS_OK;
    making->coarse = *valuer;
    making->coarse.settings.paths =
        request->paths ? (uint64_t)request->paths : (valuer->settings.paths + 3) / 4;
    MUST(aggregation_make(valuer->market, valuer->n_trades, valuer->trades, &making->notes,
                          &making->aggregation));
    MUST(name_aggregates(&making->aggregation, risk));
    risk->n_scenarios = request->n_scenarios;
    MUST(keep_days(making));
    risk->n_days = making->n_kept;
    MUST(copy_names(request->n_scenarios, request->scenarios, &risk->scenario_names));
    MUST(copy_names(making->n_kept, making->kept, &risk->day_names));
    making->lost_today = calloc((size_t)valuer->n_trades + 1, sizeof *making->lost_today);
    if (!making->lost_today) return STATUS_NO_MEMORY;
    const struct pnl_request scenarios = {request->n_scenarios, request->scenarios,
                                          &making->aggregation, risk->currency, making->lost_today};
    const struct pnl_request days = {making->n_kept, making->kept, &making->aggregation,
                                     risk->currency, making->lost_today};
    MUST(pnl_begin(&making->coarse, &scenarios, &making->scenarios, &series[SERIES_SCENARIOS]));
    return pnl_begin(&making->coarse, &days, &making->days, &series[SERIES_DAYS]);
}

/* Tells what could not be valued, in the order of the request. */
static enum status note_unvalued(struct risk_making *making, struct complaints *notes)
{
    struct risk *risk = making->risk;
    greeks_note(making->greek_jobs, notes);
    complaints_take(notes, &making->notes);
    risk->n_unvalued = making->scenarios.notes.n + making->lost_days.n + making->days.notes.n;
    complaints_take(notes, &making->scenarios.notes);
    complaints_take(notes, &making->lost_days);
    complaints_take(notes, &making->days.notes);
    return notes->lost ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Jobs of other ranks that run beside those of this one: a job alone may have fewer batches than
 * there are ranks. */
enum { RUNNING_ELSEWHERE = 3 };

enum status risk_make(const struct valuer *valuer, const struct risk_request *request,
                      struct risk *risk, struct complaints *notes, struct message *why)
{
    enum status status = STATUS_OK;
    struct job_series series[N_SERIES] = {{0}};
    struct risk_making making = {.request = request, .risk = risk};
    int running = valuer->engine->calls + (valuer->options->ranks ? RUNNING_ELSEWHERE : 0);
    struct engine_options options = *valuer->options;
    struct valuer job_valuer = *valuer; /* of the jobs that run at a time */
    options.tally_bytes /= (size_t)running;
    job_valuer.options = &options;
    making.valuer = &job_valuer;
    *risk = (struct risk){.n_trades = valuer->n_trades, .currency = request->currency};
    if (request->greeks)
        TRY(greeks_begin(&job_valuer, request->greeks, risk, &making.greek_jobs,
                         &series[SERIES_GREEKS]));
    TRY(begin_shocks(&making, series));
    TRY(run_job_pipeline(N_SERIES, series, running, valuer->progress, valuer->progress_context,
                         why));
    TRY(note_unvalued(&making, notes));
    for (int a = 0; making.scenarios.n && a < risk->n_aggregates; a++)
        TRY(copy_pnl(&making.scenarios, a, &risk->aggregates[a].scenarios));
    if (making.scenarios.n) {
        risk->scenarios = making.scenarios.trades;
        making.scenarios.trades = NULL;
    }
    TRY(take_past(request, &making.days, risk));
done:
    greeks_end(making.greek_jobs);
    scenario_pnl_free(&making.scenarios);
    scenario_pnl_free(&making.days);
    aggregation_free(&making.aggregation);
    complaints_free(&making.lost_days);
    complaints_free(&making.notes);
    free(making.kept);
    free(making.lost_today);
    if (status) risk_free(risk);
    return status;
}
