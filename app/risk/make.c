#include "app/risk/make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/risk/greeks.h"
#include "app/risk/profits.h"
#include "app/risk/sensitivities.h"
#include "app/risk/tail.h"
#include "kernels/clock.h"

bool risk_is_asked(const struct risk_request *request)
{
    return request->greeks || request->n_scenarios || request->n_days;
}

/* ---- profit and loss ----------------------------------------------------------------------------------- */

static enum status copy_names(int n, const struct scenario_request *requests, char ***names)
{
    *names = calloc((size_t)n + 1, sizeof **names);
    if (!*names) return STATUS_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (!((*names)[i] = strdup(requests[i].name))) return STATUS_NO_MEMORY;
    return STATUS_OK;
}

/* The P&L of an aggregate, of profits [aggregate][scenario]. */
static enum status copy_pnl(const struct profits *profits, int aggregate, struct pnl **pnl)
{
    size_t n = (size_t)profits->n;
    *pnl = malloc((n + 1) * sizeof **pnl);
    if (!*pnl) return STATUS_NO_MEMORY;
    memcpy(*pnl, profits->aggregates + (size_t)aggregate * n, n * sizeof **pnl);
    return STATUS_OK;
}

static enum status value_scenarios(const struct valuer *valuer, const struct risk_request *request,
                                   const struct totals *totals, struct risk *risk, struct complaints *notes,
                                   struct message *why)
{
    enum status status = STATUS_OK;
    struct profits profits = {.n_aggregates = risk->n_aggregates};
    if (!request->n_scenarios) return STATUS_OK;
    risk->n_scenarios = request->n_scenarios; /* names that are there are freed, whatever comes */
    TRY(copy_names(request->n_scenarios, request->scenarios, &risk->scenario_names));
    TRY(profits_make(valuer, request->n_scenarios, request->scenarios, totals, risk->currency, &profits,
                     notes, why));
    for (int a = 0; a < risk->n_aggregates; a++) TRY(copy_pnl(&profits, a, &risk->aggregates[a].scenarios));
    risk->scenarios = profits.trades;
    profits.trades = NULL;
done:
    profits_free(&profits);
    return status;
}

/* ---- the past ------------------------------------------------------------------------------------------ */

static enum status tails_of_aggregate(const struct risk_request *request, const struct profits *profits,
                                      int index, struct aggregate *aggregate)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)profits->n, at = (size_t)index * (size_t)profits->n_blocks * n;
    const struct blocks blocks = {profits->n_blocks, profits->blocks + at};
    TRY(copy_pnl(profits, index, &aggregate->days));
    aggregate->tails = calloc((size_t)request->n_confidences + 1, sizeof *aggregate->tails);
    if (!aggregate->tails) TRY(STATUS_NO_MEMORY);
    for (int c = 0; c < request->n_confidences; c++)
        TRY(tail_make(profits->n, aggregate->days, request->confidences[c], &blocks, &aggregate->tails[c]));
done:
    return status;
}

/* risk->tails [confidence][trade] of risk->days [day][trade]. */
static enum status tails_of_trades(const struct risk_request *request, struct risk *risk)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)risk->n_trades;
    struct pnl *days = malloc(((size_t)risk->n_days + 1) * sizeof *days);
    risk->n_confidences = request->n_confidences;
    risk->tails = calloc((size_t)risk->n_confidences * n + 1, sizeof *risk->tails);
    if (!days || !risk->tails) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < risk->n_days; d++) days[d] = risk->days[(size_t)d * n + i];
        for (int c = 0; c < risk->n_confidences; c++)
            TRY(tail_make(risk->n_days, days, request->confidences[c], NULL,
                          &risk->tails[(size_t)c * n + i]));
    }
done:
    free(days);
    return status;
}

static enum status value_past(const struct valuer *valuer, const struct risk_request *request,
                              const struct totals *totals, struct risk *risk, struct complaints *notes,
                              struct message *why)
{
    enum status status = STATUS_OK;
    struct profits profits = {.n_aggregates = risk->n_aggregates};
    if (!request->n_days) return STATUS_OK;
    risk->n_days = request->n_days;
    TRY(copy_names(request->n_days, request->days, &risk->day_names));
    TRY(profits_make(valuer, request->n_days, request->days, totals, risk->currency, &profits, notes, why));
    risk->days = profits.trades;
    profits.trades = NULL;
    TRY(tails_of_trades(request, risk));
    for (int a = 0; a < risk->n_aggregates; a++)
        TRY(tails_of_aggregate(request, &profits, a, &risk->aggregates[a]));
done:
    profits_free(&profits);
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static enum status value_moves(const struct valuer *valuer, const struct risk_request *request,
                               struct risk *risk, struct complaints *notes, struct message *why)
{
    enum status status = STATUS_OK;
    struct totals totals = {0};
    struct valuer coarse = *valuer;
    if (!request->n_scenarios && !request->n_days) return STATUS_OK;
    coarse.settings.paths = request->paths ? (uint64_t)request->paths : (valuer->settings.paths + 3) / 4;
    int told;
    TRY(totals_make(valuer->market, valuer->n_trades, valuer->trades, risk, &totals));
    if (totals.n_left_out)
        complaints_add(notes, 0,
                       "note: totals leave out %d trades: no FX rate leads from their currency to %s",
                       totals.n_left_out, valuer->market->currencies[risk->currency].name);
    told = notes->n;
    TRY(value_scenarios(&coarse, request, &totals, risk, notes, why));
    TRY(value_past(&coarse, request, &totals, risk, notes, why));
    risk->n_unvalued = notes->n - told;
done:
    totals_free(&totals);
    return status;
}

enum status risk_make(const struct valuer *valuer, const struct risk_request *request, struct risk *risk,
                      struct complaints *notes, struct message *why)
{
    enum status status = STATUS_OK;
    double began = seconds_now();
    *risk = (struct risk){.n_trades = valuer->n_trades, .currency = request->currency};
    if (request->greeks) TRY(greeks_make(valuer, request->greeks, risk, why));
    TRY(sensitivities_tell(valuer->market, risk, notes));
    TRY(value_moves(valuer, request, risk, notes, why));
    risk->seconds = seconds_now() - began;
done:
    if (status) risk_free(risk);
    return status;
}
