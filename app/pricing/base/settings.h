/* How a book is to be priced, and what it asks beside prices: the groups `settings` and `risk` of
 * its file. */
#ifndef PRICER_APP_PRICING_BASE_SETTINGS_H
#define PRICER_APP_PRICING_BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/pricing/base/market_shock.h"

/* Which trades get a reference. Each trade is in one of the five fifths, whatever the seed: five
 * nights that take them in turn check all. */
enum check_mode { CHECK_ALL, CHECK_SAMPLE, CHECK_NONE, CHECK_FIRST, CHECK_FIFTH = CHECK_FIRST + 4 };

enum bad_trade { BAD_TRADE_REFUSE, BAD_TRADE_STOP }; /* it alone, or the book with it */

enum sampler { SAMPLER_PHILOX, SAMPLER_SOBOL };

enum { CONTROL_PATHS = 32768 }; /* least paths that control variates are tried with */

enum {
    SETTING_TEXT = 32,  /* room for the name of an engine or a kernel */
    LOCATION_TEXT = 256 /* and for its location */
};

/* The settings of a book. */
struct settings {
    int64_t paths;   /* 1 to 2^40, as asked: rounding up to whole chunks is the plan's work */
    uint64_t seed;   /* at most 2^63 - 1 */
    double max_step; /* years, >= 1e-6 */
    enum sampler sampler;
    bool antithetic;       /* not with points */
    bool control_variates; /* neither with points nor with antithetic; of 32768 paths and more */
    double target_stderr;  /* of one unit, >= 0; 0: none */
    int64_t max_paths;     /* of a trade, where there is a target */
    char kernel[SETTING_TEXT]; /* "auto" or a row of the engine's table; not checked here */
    char engine[SETTING_TEXT]; /* "auto", "cuda" or "cpu" */
    /* "book.cfg:4: "; "" where the book has none */
    char kernel_location[LOCATION_TEXT], engine_location[LOCATION_TEXT],
        paths_location[LOCATION_TEXT];
    enum check_mode check;
    enum bad_trade on_bad_trade;
    bool strict; /* what is doubtful in the book is refused */
    /* Widest interval of an early exercise that is a check, as a share of the price */
    double exercise_width;
};

/* ---- beside prices --------------------------------------------------------------------------- */

/* One market that the book is valued under: today's, shocked. */
struct scenario_request {
    char *name; /* owned */
    int n_shocks;
    struct shock *shocks; /* [n_shocks]; owned */
};

enum { CONFIDENCES_MAX = 8 };

/* The risk numbers that a book asks for. */
struct risk_request {
    unsigned greeks; /* bit g: enum greek g */
    int currency;    /* that totals are in: index into market.currencies */
    int64_t paths;   /* of scenarios and history, as asked; 0: a quarter of the book's */

    int n_scenarios;
    struct scenario_request *scenarios; /* owned */

    int n_days; /* of the past; 0: no value at risk is asked for */
    /* [n_days] the shocks of the market up to that date, in horizon_days; owned */
    struct scenario_request *days;
    int horizon_days;
    int n_confidences;
    double confidences[CONFIDENCES_MAX]; /* increasing, above 0.5 and below 1 */
};

#endif
