/* What a caller of the library reads of a run. */
#include <math.h>
#include <stddef.h>

#include "app/api/handle.h"
#include "app/config/dates.h"
#include "app/pricing/plan/explain.h"
#include "models/base/nearest.h"

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
    return estimate_of(results, trade) ? results_currency(&results->shown.results, trade) : NULL;
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
    return estimate ? estimate_message(&results->shown.results.trades[trade], estimate) : NULL;
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

/* Tells whether a trade is in a group. */
static bool has_trade(const struct run_group *at, const char *id)
{
    for (int p = 0; p < at->group->n_payoffs; p++)
        if (!strcmp(at->trades[at->group->trades[p]].id, id)) return true;
    return false;
}

/* Writes the groups of the plans; those of one trade alone, or where `id` is NULL all, under the
 * heads of their plans. */
static enum status print_groups(struct pricer_results *run, FILE *stream, const char *id)
{
    if (!id) plan_print(stream, &run->planned.plan);
    for (int i = 0; i < session_groups(run); i++) {
        const struct run_group at = session_group(run, i);
        struct route route;
        if (!id && at.plan == &run->planned.controlled && !at.index) {
            fprintf(stream, "with control variates, each under the identifier of its trade:\n");
            plan_print(stream, at.plan);
        }
        if (id && !has_trade(&at, id)) continue;
        MUST(session_route(run, &at, &route));
        plan_print_group(stream, at.plan, at.index, &run->book->market, at.trades, &route);
    }
    return STATUS_OK;
}

enum pricer_status pricer_plan_print(struct pricer_results *results, FILE *stream)
{
    if (pricer_begin_with(pricer_of(results), "stream", stream)) return PRICER_BAD_INPUT;
    const struct book *book = results->book;
    enum status status = print_groups(results, stream, NULL);
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

static enum status explain(struct pricer_results *run, int index, FILE *stream)
{
    long today = 0;
    const char *refusal = run->planned.refusals[index].why.text;
    const struct trade *trade = &run->book->trades[index];
    date_read(run->book->valuation_date, &today);
    explain_trade(stream, &run->book->market, trade, today);
    if (refusal[0]) fprintf(stream, "cannot be priced: %s\n", refusal);
    return print_groups(run, stream, trade->id);
}

enum pricer_status pricer_explain(struct pricer_results *results, const char *trade, FILE *stream)
{
    if (pricer_begin_with(pricer_of(results), "stream trade", stream, trade))
        return PRICER_BAD_INPUT;
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
