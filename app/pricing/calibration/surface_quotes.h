/* The quotes of an implied surface, and their model prices all at once: the characteristic function
 * is computed at fixed nodes once an expiry and shared by its strikes. */
#ifndef PRICER_APP_PRICING_CALIBRATION_SURFACE_QUOTES_H
#define PRICER_APP_PRICING_CALIBRATION_SURFACE_QUOTES_H

#include <stdbool.h>

#include "models/market/market.h"

/* The parameters, in the order of every array of them; heston has the first five, bates all. */
enum { N_HESTON_PARAMETERS = PARAMETER_JUMP_INTENSITY };

/* Values are those of the option out of the money, on a forward of 1, without discounting. */
struct quote {
    double time, strike;
    double k;          /* ln(strike / forward) */
    double volatility; /* of the market, annual */
    double value;      /* at that volatility */
    double vega;       /* of that value, per 1.00 of volatility */
    /* false: worth less than QUOTE_LEAST_VALUE, so its volatility cannot be told from its price */
    bool used;
};

#define QUOTE_LEAST_VALUE 1e-7 /* of the forward */

enum { NODE_LANES = 8 }; /* sums over nodes side by side, for vectors */

/* The nodes at which the characteristic function of an expiry is taken, and the weights of its
 * values. */
struct expiry_nodes {
    int n_nodes;     /* a multiple of NODE_LANES */
    double *u;       /* [node]; owned, and the others are behind it */
    double *cosines; /* [strike][node] weights of its real part in a value */
    double *sines;   /* [strike][node] and of its imaginary part */
    double *bases;   /* [strike] value plus these sums over Black's own characteristic function */
};

/* The quotes of one surface and all that their model prices need. */
struct surface_quotes {
    int asset; /* of the market */
    int n, n_used, n_times, n_strikes;
    struct quote *list;            /* [time][strike]; owned, as the others */
    struct expiry_nodes *expiries; /* [time] */
    double *work;                  /* [1 + N_PARAMETERS][2][node] */
};

/* Makes the quotes of an asset's surface, with the forward of surface.h (cash dividends left out).
 * STATUS_NO_MEMORY alone can be returned; free with surface_quotes_free. */
enum status surface_quotes_make(const struct market *market, int asset,
                                struct surface_quotes *quotes);
void surface_quotes_free(struct surface_quotes *quotes);

/* Returns the quote of an expiry that is nearest to the forward. */
const struct quote *quote_at_the_money(const struct surface_quotes *quotes, int expiry);

/* Computes the model values of every quote, [n], and (NULL: not wanted) their derivatives
 * [n][n_parameters]. Fixed nodes: smooth in the parameters. Within 1e-7 of a volatility for what
 * fits a market; model_fit_check.c holds every fitted value against the reference. Not thread safe:
 * it uses quotes->work. */
void model_values(const struct surface_quotes *quotes, int n_parameters, const double *parameters,
                  double *values, double *gradient);

/* Computes value and vega of the option out of the money at log-moneyness k, on a forward of 1. */
double black_value(double k, double t, double volatility);
double black_vega(double k, double t, double volatility);

/* Returns the volatility at which Black's formula has the value; a value outside (1e-12, most it
 * can be) is taken as the nearest within. */
double black_implied(double k, double t, double value);

#endif
