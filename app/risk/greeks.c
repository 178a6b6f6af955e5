#include "app/risk/greeks.h"

#include <math.h>
#include <stdlib.h>

#include "app/risk/bumps.h"
#include "app/risk/likelihood.h"
#include "app/risk/sensitivities.h"

static const struct greek_value no_greek = {NAN, NAN, NAN, NAN, NAN, NAN, ""};

/* ---- one bundle ---------------------------------------------------------------------------------------- */

/* The markets of a bundle's views; `lost` tells which cannot be. */
struct markets {
    struct moved_market moved[SCENARIOS_MAX];
    struct scenario scenarios[SCENARIOS_MAX];
    bool lost[SCENARIOS_MAX];
};

static enum status make_markets(const struct market *today, const struct bundle *bundle,
                                struct markets *markets)
{
    for (int v = 0; v < bundle->n_views; v++) {
        const struct view *view = &bundle->views[v];
        struct message why;
        enum status status = market_move(today, view->n_moves, view->moves, &markets->moved[v], &why);
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
                 const bool *lost, const struct findings *findings, struct risk *risk)
{
    size_t n = (size_t)valuer->n_trades;
    for (int m = 0; m < bundle->n_measures; m++)
        for (int i = 0; i < unit->n && !measure_is_lost(&bundle->measures[m], lost); i++) {
            size_t trade = (size_t)unit->trades[i];
            struct tally tally = findings->tallies[(size_t)m * n + trade];
            double quantity = valuer->trades[trade].quantity;
            struct greek_value *greek = &risk->greeks[(size_t)bundle->sensitivity[m] * n + trade];
            if (tally.n == 0.0) continue;
            greek->value = quantity * tally.mean;
            greek->std_error = fabs(quantity) * tally_standard_error(tally);
            greek->bump = bundle->bump[m];
            greek->method = "central difference";
        }
}

static enum status run_bundle(const struct valuer *valuer, const struct unit *unit, const bool *in,
                              const struct bundle *bundle, struct risk *risk, struct message *why)
{
    enum status status = STATUS_OK;
    struct markets markets = {0};
    struct findings findings = {0};
    struct revaluation asked = {
        .in = in,
        .n_scenarios = bundle->n_views,
        .scenarios = markets.scenarios,
        .measuring = {.n_measures = bundle->n_measures, .measures = bundle->measures}};
    TRY(make_markets(valuer->market, bundle, &markets));
    TRY(revalue(valuer, &asked, &findings, why));
    take(valuer, unit, bundle, markets.lost, &findings, risk);
done:
    for (int v = 0; v < bundle->n_views; v++) moved_market_free(&markets.moved[v]);
    findings_free(&findings);
    return status;
}

/* ---- the book ------------------------------------------------------------------------------------------ */

static enum status run_unit(const struct valuer *valuer, const struct unit *unit, bool *in, struct risk *risk,
                            struct message *why)
{
    enum status status = STATUS_OK;
    struct bundle *bundles = NULL;
    int n = 0;
    for (int i = 0; i < unit->n; i++) in[unit->trades[i]] = true;
    TRY(bumps_make(valuer->market, valuer->trades, unit, risk, valuer->settings.paths, &n, &bundles));
    for (int b = 0; b < n; b++) TRY(run_bundle(valuer, unit, in, &bundles[b], risk, why));
done:
    for (int i = 0; i < unit->n; i++) in[unit->trades[i]] = false;
    free(bundles);
    return status;
}

enum status greeks_make(const struct valuer *valuer, unsigned greeks, struct risk *risk, struct message *why)
{
    enum status status = STATUS_OK;
    struct units units = {0};
    bool *in = calloc((size_t)valuer->n_trades + 1, sizeof *in);
    if (!in) TRY(STATUS_NO_MEMORY);
    TRY(sensitivities_list(valuer->market, valuer->n_trades, valuer->trades, greeks, risk));
    size_t n = (size_t)risk->n_sensitivities * (size_t)valuer->n_trades;
    risk->greeks = malloc((n + 1) * sizeof *risk->greeks);
    if (!risk->greeks) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < n; i++) risk->greeks[i] = no_greek;
    TRY(units_make(valuer->market, valuer->n_trades, valuer->trades, &units));
    for (int u = 0; u < units.n; u++) {
        if (!units.units[u].scored) TRY(run_unit(valuer, &units.units[u], in, risk, why));
        say_progress(valuer, u + 1, units.n);
    }
    TRY(likelihood_make(valuer, risk, why));
done:
    units_free(&units);
    free(in);
    return status;
}
