/* Valuing trades again under other markets: one call of an engine, planned and then run. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_REVALUE_H
#define PRICER_APP_PRICING_RISK_GREEKS_REVALUE_H

#include "app/pricing/base/market_shock.h"
#include "app/pricing/base/piece.h"
#include "app/pricing/plan/plan_scenarios.h"
#include "kernels/engine.h"

/* The inputs that all calls of a run share. Nothing is owned. */
struct valuer {
    const struct market *market; /* today's */
    int n_trades;
    const struct trade *trades;
    const struct engine *engine;
    const struct engine_options *options;
    struct plan_settings settings;
    const struct store *store;     /* NULL: none */
    struct piece_memory *policies; /* of early exercise; NULL: none are kept */
    /* Of the whole run's parts; may be NULL */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *progress_context;
};

/* One call of an engine: some trades, valued under up to MARKETS_MAX scenarios. Begin it with what
 * is asked, all else zeros; free with revaluation_free. */
struct revaluation {
    struct valuer valuer;
    bool *in;                       /* [n_trades] which trades; NULL: all; owned */
    struct contrast_list contrasts; /* but for its scenarios, which are: */
    int n_scenarios;                /* as revaluation_add() adds them; policies are the first's */
    struct scenario scenarios[MARKETS_MAX];
    struct shocked_market markets[MARKETS_MAX];
    bool lost[MARKETS_MAX];  /* whether there is no such market, */
    struct message why_lost; /* and why; of the last of them */

    struct plan plan;         /* until it is run */
    struct refusal *refusals; /* [n_trades] why a trade is not valued */
    uint64_t n_chunks;
    struct tally *tallies; /* [contrast][trade] of one unit; n = 0 where a trade was not valued */
    double *totals;        /* [chunk][contrast][total]; NULL where there are none */
};

/* Adds a scenario: `scenario` under today's market with n shocks. Where there is no such market
 * today's stands for it, the scenario is lost, and what shock_market() says is returned. */
enum status revaluation_add(struct revaluation *revaluation, int n, const struct shock *shocks,
                            struct scenario scenario);

/* Plans the call and fits policies of early exercise; the next may be planned on another thread
 * while this one is run. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status revaluation_prepare(struct revaluation *revaluation, struct message *why);

/* Runs it. Trades that it refused are then valued under the markets of one contrast at a time: what
 * cannot be valued even so has no tally, and a refusal stays with its trade. STATUS_NO_MEMORY,
 * STATUS_ENGINE, STATUS_INTERRUPTED and what else an engine may return, with its line. */
enum status revaluation_run(struct revaluation *revaluation, struct message *why);

/* Finds the value of a contrast of a trade, for its whole quantity, `crossing` being what the few
 * paths that count may bring to it (app/pricing/risk/greeks/greek_errors.h; 0: no paths count more
 * than others). False, and NaN, where the trade was not valued. */
bool revaluation_value(const struct revaluation *revaluation, int contrast, int trade,
                       double crossing, double *value, double *std_error);

/* Frees what it owns, and makes it empty. */
void revaluation_free(struct revaluation *revaluation);

#endif
