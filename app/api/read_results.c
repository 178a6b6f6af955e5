/* What a caller of the library reads of a run. */
#include <math.h>
#include <stddef.h>

#include "app/api/handle.h"
#include "app/config/dates.h"
#include "app/pricing/plan/explain.h"
#include "models/base/nearest.h"
#include "models/payoffs/payoff_definition.h"

static const struct pricer_value no_value = {NAN, NAN, NAN, NAN, NAN};

/* ---- trades ---------------------------------------------------------------------------------- */

int pricer_trades(const struct pricer_results *results)
{
    return results && results->priced.done ? results->shown.results.n : 0;
}

/* Finds the estimate of a trade; NULL where there is none. */
static const struct estimate *estimate_of(const struct pricer_results *results, int trade)
{
    bool exists = trade >= 0 && trade < pricer_trades(results);
    return exists ? &results->shown.results.estimates[trade] : NULL;
}

const char *pricer_trade_id(const struct pricer_results *results, int trade)
{
    return estimate_of(results, trade) ? results->shown.results.trades[trade].id : NULL;
}

const char *pricer_trade_currency(const struct pricer_results *results, int trade)
{
    if (!estimate_of(results, trade)) return NULL;
    const struct market *market = results->shown.results.market;
    const struct trade *shown = &results->shown.results.trades[trade];
    if (!trade_is_known(shown)) return "";
    return market->currencies[trade_currency(market, shown)].name;
}

double pricer_number(const struct pricer_results *results, enum pricer_column column, int trade)
{
    const struct estimate *estimate = estimate_of(results, trade);
    if (!estimate) return NAN;
    switch (column) {
    case PRICER_QUANTITY: return results->shown.results.trades[trade].quantity;
    case PRICER_PRICE: return estimate->price;
    case PRICER_STD_ERROR: return estimate->std_error;
    case PRICER_PATHS: return estimate->paths;
    case PRICER_REFERENCE: return estimate->reference;
    case PRICER_REFERENCE_ERROR: return estimate->reference_error;
    case PRICER_Z: return estimate->z;
    case PRICER_UPPER: return estimate->upper;
    case PRICER_UPPER_ERROR: return estimate->upper_error;
    }
    return NAN;
}

_Static_assert((int)PRICER_TRADE_REFUSED == (int)VERDICT_REFUSED &&
                   (int)PRICER_TRADE_FAILED == (int)VERDICT_FAILED &&
                   (int)PRICER_TRADE_EXPIRED == (int)VERDICT_EXPIRED,
               "statuses of trades are verdicts");

enum pricer_trade_status pricer_trade_status(const struct pricer_results *results, int trade)
{
    const struct estimate *estimate = estimate_of(results, trade);
    return estimate ? (enum pricer_trade_status)estimate->verdict : PRICER_TRADE_FAILED;
}

const char *pricer_trade_status_text(enum pricer_trade_status status)
{
    return (unsigned)status < N_VERDICTS ? verdict_name((enum verdict)status) : "unknown";
}

const char *pricer_trade_message(const struct pricer_results *results, int trade)
{
    const struct estimate *estimate = estimate_of(results, trade);
    return estimate ? estimate->message : NULL;
}

/* ---- the run --------------------------------------------------------------------------------- */

int pricer_troubles(const struct pricer_results *results)
{
    if (!results) return 0;
    const struct risk *risk = results->shown.results.risk;
    int troubles = 0;
    for (int i = 0; !results->priced.done && i < results->book->n_unpriced; i++)
        troubles += !results->book->unpriced[i].expired;
    for (int i = 0; i < pricer_trades(results); i++)
        troubles += estimate_is_trouble(&results->shown.results.estimates[i]);
    return troubles + (risk ? risk->n_unvalued + risk->n_disagree : 0);
}

uint64_t pricer_digest(const struct pricer_results *results)
{
    return results && results->priced.done ? results->shown.results.manifest.results_digest : 0;
}

const char *pricer_engine(const struct pricer_results *results)
{
    return results ? results->engine->name : NULL;
}

const char *pricer_kernel(const struct pricer_results *results)
{
    return results ? results->report.kernel : NULL;
}

const char *pricer_device(const struct pricer_results *results)
{
    return results ? results->report.device : NULL;
}

static enum status print_group(struct pricer_results *run, FILE *stream, const struct plan *plan,
                               int g, const struct trade *trades)
{
    struct route route;
    MUST(run->engine->route(plan, g, &run->engine_options, &route, &run->pricer->why));
    plan_print_group(stream, plan, g, &run->book->market, trades, &route);
    return STATUS_OK;
}

static enum status print_plan(struct pricer_results *run, FILE *stream, const struct plan *plan,
                              const struct trade *trades)
{
    plan_print(stream, plan);
    for (int g = 0; g < plan->n_groups; g++) MUST(print_group(run, stream, plan, g, trades));
    return STATUS_OK;
}

static enum status print_plans(struct pricer_results *run, FILE *stream)
{
    enum status status = print_plan(run, stream, &run->planned.plan, run->book->trades);
    if (status || !run->planned.controlled.n_groups) return status;
    fprintf(stream, "with control variates, each under the identifier of its trade:\n");
    return print_plan(run, stream, &run->planned.controlled, run->planned.controls.trades);
}

enum pricer_status pricer_plan_print(struct pricer_results *results, FILE *stream)
{
    if (pricer_begin_with(pricer_of(results), "stream", stream)) return PRICER_BAD_INPUT;
    const struct book *book = results->book;
    enum status status = print_plans(results, stream);
    if (status) return pricer_end(results->pricer, status);
    for (int i = 0; i < book->n_trades; i++)
        if (results->planned.refusals[i].why.text[0])
            fprintf(stream, "%s:%d: trade '%s' cannot be priced: %s\n", book->trades[i].file,
                    book->trades[i].line, book->trades[i].id,
                    results->planned.refusals[i].why.text);
    for (int i = 0; i < book->n_unpriced; i++) {
        const struct unpriced_trade *unpriced = &book->unpriced[i];
        if (unpriced->expired)
            fprintf(stream, "%s:%d: trade '%s' %s\n", unpriced->trade.file, unpriced->trade.line,
                    unpriced->trade.id, unpriced->message);
        else fprintf(stream, "refused: %s\n", unpriced->message);
    }
    return PRICER_OK;
}

/* Writes the groups of a plan in which a trade is. */
static enum status print_groups_of(struct pricer_results *run, FILE *stream,
                                   const struct plan *plan, const struct trade *trades,
                                   const char *id)
{
    for (int g = 0; g < plan->n_groups; g++) {
        const struct group *group = &plan->groups[g];
        int p = 0;
        while (p < group->n_payoffs && strcmp(trades[group->trades[p]].id, id) != 0) p++;
        if (p < group->n_payoffs) MUST(print_group(run, stream, plan, g, trades));
    }
    return STATUS_OK;
}

static enum status explain(struct pricer_results *run, int index, FILE *stream)
{
    long today = 0;
    const struct planned *planned = &run->planned;
    const struct trade *trade = &run->book->trades[index];
    date_read(run->book->valuation_date, &today);
    explain_trade(stream, &run->book->market, trade, today);
    if (planned->refusals[index].why.text[0])
        fprintf(stream, "cannot be priced: %s\n", planned->refusals[index].why.text);
    MUST(print_groups_of(run, stream, &planned->plan, run->book->trades, trade->id));
    return print_groups_of(run, stream, &planned->controlled, planned->controls.trades, trade->id);
}

enum pricer_status pricer_explain(struct pricer_results *results, const char *trade, FILE *stream)
{
    if (pricer_begin_with(pricer_of(results), "stream", stream)) return PRICER_BAD_INPUT;
    if (pricer_begin_with(pricer_of(results), "trade", trade)) return PRICER_BAD_INPUT;
    const struct book *book = results->book;
    struct message *why = &results->pricer->why;
    struct nearest nearest = {.wanted = trade};
    char hint[HINT_ROOM];
    for (int i = 0; i < book->n_trades; i++) {
        if (!strcmp(book->trades[i].id, trade))
            return pricer_end(results->pricer, explain(results, i, stream));
        nearest_try(&nearest, book->trades[i].id);
    }
    snprintf(why->text, sizeof why->text, "no trade '%.80s' of this book is priced%s", trade,
             nearest_hint(&nearest, hint));
    for (int i = 0; i < book->n_unpriced; i++)
        if (!strcmp(book->unpriced[i].trade.id, trade))
            snprintf(why->text, sizeof why->text, "%s", book->unpriced[i].message);
    return pricer_end(results->pricer, STATUS_BAD_INPUT);
}

/* ---- Greeks and scenarios -------------------------------------------------------------------- */

static const struct risk *risk_of(const struct pricer_results *results)
{
    return results && results->priced.done ? results->shown.results.risk : NULL;
}

int pricer_greeks(const struct pricer_results *results)
{
    return risk_of(results) ? results->risked.risk.n_sensitivities : 0;
}

const char *pricer_greek_name(const struct pricer_results *results, int greek)
{
    bool exists = greek >= 0 && greek < pricer_greeks(results);
    return exists ? results->risked.risk.sensitivities[greek].name : NULL;
}

struct pricer_value pricer_greek(const struct pricer_results *results, int greek, int trade)
{
    if (!pricer_greek_name(results, greek) || !estimate_of(results, trade)) return no_value;
    const struct greek_value *value = risk_greek(&results->risked.risk, greek, trade);
    return (struct pricer_value){value->value, value->std_error, value->reference,
                                 value->reference_error, value->z};
}

int pricer_scenarios(const struct pricer_results *results)
{
    return risk_of(results) ? results->risked.risk.n_scenarios : 0;
}

const char *pricer_scenario_name(const struct pricer_results *results, int scenario)
{
    bool exists = scenario >= 0 && scenario < pricer_scenarios(results);
    return exists ? results->risked.risk.scenario_names[scenario] : NULL;
}

struct pricer_value pricer_scenario(const struct pricer_results *results, int scenario, int trade)
{
    if (!pricer_scenario_name(results, scenario)) return no_value;
    const struct risk *risk = &results->risked.risk;
    if (trade != -1 && !estimate_of(results, trade)) return no_value;
    const struct pnl *pnl =
        trade == -1 ? &risk->aggregates[0].scenarios[scenario]
                    : &risk->scenarios[(size_t)scenario * (size_t)risk->n_trades + (size_t)trade];
    return (struct pricer_value){pnl->value, pnl->std_error, NAN, NAN, NAN};
}
