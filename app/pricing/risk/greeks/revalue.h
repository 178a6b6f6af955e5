/* Valuing trades again under other markets: one call of an engine, planned and then run. */
#ifndef PRICER_APP_PRICING_RISK_GREEKS_REVALUE_H
#define PRICER_APP_PRICING_RISK_GREEKS_REVALUE_H

#include "app/pricing/value/stored_price.h"
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

/* One call of an engine: some trades, under up to MARKETS_MAX scenarios. Policies are those of the
 * first. */
struct revaluation {
    const bool *in; /* [n_trades]; NULL: all */
    int n_scenarios;
    const struct scenario *scenarios;
    struct contrast_list contrast_list;
};

/* The findings of a call; their arrays belong to the caller, who frees them with findings_free. */
struct findings {
    uint64_t n_chunks;
    struct tally *tallies; /* [contrast][trade] of one unit; n = 0 where a trade was not valued */
    double *totals;        /* [chunk][contrast][total]; NULL where there are none */
    struct refusal *refusals; /* [n_trades] why not */
};

/* A call that is planned. */
struct prepared {
    struct plan plan;
    struct refusal *refusals; /* [n_trades] */
    const bool *in;           /* of the call */
    double *linear; /* [contrast][trade] what needs no path, of one unit; NULL: no trade has any */
};

/* Plans the call and fits policies of early exercise; the next may be planned on another thread
 * while this one is run. STATUS_NO_MEMORY, STATUS_INTERRUPTED. Free with prepared_free, whatever is
 * returned. */
enum status revalue_prepare(const struct valuer *valuer, const struct revaluation *asked,
                            struct prepared *prepared, struct message *why);
void prepared_free(struct prepared *prepared);

/* Runs it, and allocates and fills the findings, which take the refusals. STATUS_NO_MEMORY,
 * STATUS_ENGINE, STATUS_INTERRUPTED and what else an engine may return, with its line. */
enum status revalue_run(const struct valuer *valuer, struct prepared *prepared,
                        struct findings *findings, struct message *why);
void findings_free(struct findings *findings);

/* Finds the value of a contrast of a trade, for its whole quantity, `crossing` being what the few
 * paths that count may bring to it (app/pricing/risk/greeks/crossings.h; 0: no paths count more
 * than others). False, and NaN, where the trade was not valued. */
bool findings_value(const struct valuer *valuer, const struct findings *findings, int contrast,
                    int trade, double crossing, double *value, double *std_error);

#endif
