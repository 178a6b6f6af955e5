/* What a run finds beside the prices: Greeks, profit and loss under scenarios, and value at risk.
 *
 * Every number is an estimate with the standard error of its own per-path differences. A number
 * that there is not (a trade that does not depend on the asset, or could not be priced) is NaN. */
#ifndef PRICER_APP_PRICING_BASE_RISK_H
#define PRICER_APP_PRICING_BASE_RISK_H

#include <stdbool.h>
#include <stddef.h>

#include "app/pricing/base/market_shock.h"
#include "models/base/status.h"

enum greek {
#define GREEK(NAME, name, ...) GREEK_##NAME,
#include "app/pricing/base/greeks.def"
#undef GREEK
    N_GREEKS
};

/* What a Greek is the slope of the value in. */
enum slope {
#define SLOPE(NAME, ...) SLOPE_##NAME,
#include "app/pricing/base/slopes.def"
#undef SLOPE
    N_SLOPES
};

/* How what a path gains grows with what a slope is in. */
enum growth {
    GROWTH_NOTHING,
    GROWTH_MONEY,
    GROWTH_VOLATILITY,
    GROWTH_RATE,
    GROWTH_AMOUNT,
    GROWTH_TIME,
    GROWTH_SHAPE
};

/* A row of slopes.def. */
struct slope_row {
    const char *unit; /* "spot", "year"; "" for nothing */
    enum shock_kind shock;
    size_t target; /* where struct sensitivity has the target of the shock */
    enum growth growth;
    double step; /* that the report speaks of; of a spot over the spot */
};
extern const struct slope_row slope_rows[N_SLOPES];

/* What a Greek has a column for, wherever some trade depends on it: of dates, strikes and quotes
 * those of the asset's volatilities, of the currency's curve, of the asset's yields, or its
 * dividends. */
enum greek_scope {
    SCOPE_ASSET, /* of an asset, up to: */
    SCOPE_DATE,
    SCOPE_STRIKE,
    SCOPE_QUOTE,
    SCOPE_YIELD_DATE,
    SCOPE_DIVIDEND, /* here */
    SCOPE_CURRENCY, /* of a currency: both */
    SCOPE_RATE_DATE,
    SCOPE_BOOK,
    SCOPE_PAIR
};

/* How a Greek may be made. */
enum greek_method { METHOD_BUMPS, METHOD_LIKELIHOOD };

/* A row of greeks.def. */
struct greek_row {
    const char *name, *column;
    enum slope first, second;
    enum greek_scope scope;
    enum greek_method method; /* likelihood ratios where a trade has them (greek_trades.h) */
    const char *step;         /* in words: the move of the market that the report speaks of */
};
extern const struct greek_row greek_rows[N_GREEKS];

/* One column of Greeks. */
struct sensitivity {
    enum greek greek;
    /* Indices into market.assets, `other` of cross gammas and correlations; -1: none */
    int asset, other;
    int currency; /* of rho, index into market.currencies; -1: none */
    int date, at; /* indices of its date, and of its strike or quote there; EVERY: of all */
    double bucket, strike; /* years, and the strike itself; NaN: none */
    /* As files write it: delta:SX5E, vega:SX5E@0.5, vega:SX5E@0.5/4850, vega:EURCHF@0.5/rr25,
     * rho:EUR, theta, cross_gamma:SX5E:DAX, correlation:SX5E:DAX; owned */
    char *name;
    /* Why trades are left out, empty where none is: there is no such market */
    struct message left_out;
};

/* Returns the name of the other asset of a sensitivity, or of its quote by delta; NULL where it
 * has neither. */
const char *sensitivity_other(const struct market *market, const struct sensitivity *s);

/* Returns the shock by `amount` of what its slope is in; SHOCK_NOTHING where no shock moves that.
 */
struct shock sensitivity_shock(const struct sensitivity *s, enum slope slope, double amount);

/* A Greek of one trade, for its whole quantity, in its currency. */
struct greek_value {
    double value, std_error;
    double reference, reference_error; /* the reference's own Greek; NaN where it has none */
    /* (value - reference) / sqrt(std_error^2 + reference_error^2); NaN: unchecked */
    double z;
    /* By how much the market was moved, in the unit of the Greek's denominator; NaN: not */
    double bump;
    /* Two words: "central difference", "likelihood ratio", "conditional expectation", "exercise
     * slope"; static storage, never NULL */
    const char *method;
};

/* The Greeks of all trades: row after row, each of the sensitivities that the trade depends on, in
 * their order. */
struct greek_table {
    size_t *first;              /* [n_trades + 1] where a trade's row begins; NULL: no rows */
    int *sensitivity;           /* [first[n_trades]] */
    struct greek_value *values; /* the same */
};

/* Profit and loss for the whole quantity: the value in the scenario less today's. */
struct pnl {
    double value, std_error;
};

/* Value at risk and expected shortfall: losses, positive where money is lost. */
struct value_at_risk {
    double confidence;        /* as 0.99 */
    double var, var_error;    /* error: of the simulation alone, one standard error */
    double var_low, var_high; /* 95 % interval, of the finite past and the simulation together */
    double shortfall, shortfall_error; /* mean of the losses beyond */
    double shortfall_low, shortfall_high;
};

/* What an aggregate brings to the tail of the whole book. Errors are the simulation's. */
struct risk_contribution {
    /* Components: its part of the whole's losses on the whole's own days. They add up to the
     * whole's over the aggregates of one way. */
    double component_var, component_var_error;
    double component_shortfall, component_shortfall_error;
    /* The whole's less those of the book without it */
    double incremental_var, incremental_var_error;
    double incremental_shortfall, incremental_shortfall_error;
};

/* The whole book, or the trades on one asset, or with one value of a tag, in the reporting
 * currency (app/pricing/base/aggregation.h). */
struct aggregate {
    char *by;              /* "total", "asset", or the name of a tag; owned */
    char *name;            /* "total", an asset (a trade's first one), or a value; owned */
    struct pnl *scenarios; /* [n_scenarios]; owned */
    struct pnl *days;      /* [n_days]; owned */
    struct value_at_risk *values_at_risk;    /* [n_confidences]; owned */
    struct risk_contribution *contributions; /* [n_confidences]; owned */
};

struct risk {
    int n_trades;
    int currency; /* reporting currency: index into market.currencies */

    int n_sensitivities;
    struct sensitivity *sensitivities; /* [n_sensitivities]; owned */
    struct greek_table greeks;         /* owned */

    int n_scenarios;
    char **scenario_names; /* [n_scenarios]; owned */
    struct pnl *scenarios; /* [scenario][trade] in the trade's currency; owned */

    int n_days;       /* of the past that was revalued; 0: none asked for */
    char **day_names; /* [n_days] dates of the history file; owned */
    struct pnl *days; /* [day][trade] in the trade's currency; owned */
    int n_confidences;
    struct value_at_risk *values_at_risk; /* [confidence][trade] in the trade's currency; owned */

    int n_aggregates;             /* the total, assets in the market's order, then tags */
    struct aggregate *aggregates; /* [n_aggregates]; owned */

    /* Trades, each time that they could not be valued under some scenarios, or once where they
     * could not today, and days of the past that there is no market for */
    int n_unvalued;
    int n_disagree; /* Greeks further from their references than chance allows */
};

/* Lays out the table for the sensitivities and trades of `risk`, all without a number, `depends`
 * saying which of them there are. STATUS_NO_MEMORY. */
enum status risk_lay_out_greeks(struct risk *risk,
                                bool (*depends)(const void *context, int sensitivity, int trade),
                                const void *context);

/* Returns a Greek of a trade; one without a number where the trade does not depend on what it
 * moves. Never NULL. */
const struct greek_value *risk_greek(const struct risk *risk, int sensitivity, int trade);

/* Returns the same to be written; NULL where there is none. */
struct greek_value *risk_own_greek(const struct risk *risk, int sensitivity, int trade);

/* Makes room for `n` trades, of which trade i becomes trade row_of[i], increasing; the others have
 * no numbers. The aggregates stay. STATUS_NO_MEMORY. */
enum status risk_spread(struct risk *risk, int n, const int *row_of);

/* Releases what the structure owns and makes it empty. */
void risk_free(struct risk *risk);

#endif
