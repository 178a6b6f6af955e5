/* An implied volatility surface made whole: total variance w(k, t) for every log-moneyness k = ln(K
 * / F(t)) and date, from quotes at strikes and expiries, free of butterfly arbitrage between the
 * quotes and checked for calendar arbitrage. Host only.
 *
 * F(t) is the forward from spot, rate and yield; cash dividends are left out of it, so k is
 * measured on the spot without them.
 *
 * Across strikes, an expiry's total variance is a natural cubic spline in k: twice continuously
 * differentiable, and through the quotes where that gives a density that is nowhere below
 * SURFACE_LEAST_DENSITY of the lognormal density of the same total variance. Quotes of a real
 * market are rounded, stale or averaged and often give less, even a negative one: there the spline
 * is the smoothing spline (C. H. Reinsch, Smoothing by spline functions, Numerische Mathematik 10
 * (1967) 177-183), quotes weighted by the square of their vega, with the least smoothing that gives
 * it. A quote that would have to move by more than SURFACE_MOST_MOVE at the vega of an option at
 * the money is called arbitrage. The density is that of J. Gatheral and A. Jacquier, Arbitrage-free
 * SVI volatility surfaces, Quantitative Finance 14 (2014) 59-71, eq. 2.1: g = (1 - k w' / (2 w))^2
 * - (w'^2 / 4) (1 / w + 1 / 4) + w'' / 2 >= 0.
 *
 * Beyond the outer strikes w goes on with the spline's slope, which fades as exp(-(distance /
 * reach)^2 / 2): the reach is two standard deviations, or more where only that keeps the density
 * (up to a straight line, which the spline's own end is), or less where w falls outwards and would
 * halve. So volatility is flat far out and the law has normal tails. Between expiries w is linear
 * in t at constant k, before the first one proportional to t, after the last one too. */
#ifndef PRICER_MODELS_MARKET_SURFACE_H
#define PRICER_MODELS_MARKET_SURFACE_H

#include <math.h>

#include "models/market/market.h"
#include "models/math/plan_functions.h"

/* What a volatility of a surface may be, a year: quotes, and between them what they are fitted by.
 * What a scenario makes of them may be beyond. */
#define LEAST_VOLATILITY 0.001
#define MOST_VOLATILITY 5.0

#define SURFACE_LEAST_DENSITY 0.1 /* of the lognormal density, between the outer strikes */
#define SURFACE_MOST_MOVE 0.005   /* volatility, times vega over vega at the money */

/* Total variance of one expiry. */
struct smile {
    double time;   /* years */
    double *k;     /* [strike] ln(strike / forward) */
    double *w;     /* [strike] total variance there, smoothed */
    double *curve; /* [strike] its second derivative in k */
    double middle; /* total variance at k = 0 */
    /* Wing below k[0]: dw/d|k| at its start, and over how much k it fades */
    double left, left_reach;
    double right, right_reach; /* the same above the last strike */
    /* How far smoothing moved a quote at most: volatility, times vega over vega at the money */
    double moved;
};

/* An implied surface between its quotes and beyond them. */
struct implied_surface {
    int n_times, n_strikes;
    struct smile *smiles; /* [time]; owned */
    double *numbers;      /* what their arrays lie in; owned */
};

/* Total variance at a point of the surface, and its derivatives. */
struct variance_at {
    double w, w_k, w_kk, w_t;
};

/* A market and the surface that was made of its quotes of an asset. */
struct surfaced_market {
    const struct market *market;
    const struct implied_surface *surface;
};

/* Makes it of an asset's quotes; free with surface_free. STATUS_BAD_INPUT, with expiry, strike and
 * size in `why`, where the quotes hold arbitrage: butterfly as above, calendar where total variance
 * falls between two expiries at equal k. STATUS_BAD_INPUT where the asset has no quotes,
 * STATUS_NO_MEMORY. */
enum status surface_make(struct implied_surface *surface, const struct market *market, int asset,
                         struct message *why);
void surface_free(struct implied_surface *surface);

/* A quote, and where smoothing moved it. */
struct surface_move {
    double time, strike;
    double from, to; /* volatility */
    double size;     /* of the move: volatility, times vega over vega at the money */
};

/* Tells whether surface_make would succeed, and with volatilities that may be; STATUS_BAD_INPUT and
 * `why` where one is out of bounds. `furthest` is then the quote that moved most. */
enum status surface_check(const struct market *market, int asset, struct surface_move *furthest,
                          struct message *why);

/* Returns a wing at a distance d > 0 from its strike: twice differentiable there too, as the
 * spline's end is straight. */
PLAN_CODE struct variance_at smile_wing(double start, double slope, double reach, double d)
{
    double part = d / reach, faded = exact_exp(-0.5 * part * part);
    return (struct variance_at){.w = start +
                                     slope * reach * sqrt(0.5 * PI) * exact_erf(part * ROOT_HALF),
                                .w_k = slope * faded,
                                .w_kk = -slope * faded * part / reach};
}

/* Returns w and its derivatives in k; w_t is left 0. */
PLAN_CODE struct variance_at smile_at(const struct smile *smile, int n, double k)
{
    if (n == 1) return (struct variance_at){.w = smile->w[0]};
    if (k > smile->k[n - 1])
        return smile_wing(smile->w[n - 1], smile->right, smile->right_reach, k - smile->k[n - 1]);
    if (k < smile->k[0]) {
        struct variance_at at =
            smile_wing(smile->w[0], smile->left, smile->left_reach, smile->k[0] - k);
        at.w_k = -at.w_k;
        return at;
    }
    int i = 0;
    while (k > smile->k[i + 1]) i++;
    double h = smile->k[i + 1] - smile->k[i], b = (k - smile->k[i]) / h, a = 1.0 - b;
    double c0 = smile->curve[i], c1 = smile->curve[i + 1],
           rise = (smile->w[i + 1] - smile->w[i]) / h;
    return (struct variance_at){
        .w = a * smile->w[i] + b * smile->w[i + 1] +
             ((a * a - 1.0) * a * c0 + (b * b - 1.0) * b * c1) * h * h / 6.0,
        .w_k = rise + ((3.0 * b * b - 1.0) * c1 - (3.0 * a * a - 1.0) * c0) * h / 6.0,
        .w_kk = a * c0 + b * c1};
}

/* Returns the total variance of expiry j alone, w_t left 0. */
PLAN_CODE struct variance_at surface_smile(const struct implied_surface *surface, int j, double k)
{
    return smile_at(&surface->smiles[j], surface->n_strikes, k);
}

/* The position of a date t > 0 between two expiries, which may be the same: w = a early + b late,
 * likewise w_k and w_kk, and w_t = fall early + rise late. */
struct date_between {
    int early, late;
    double a, b, fall, rise;
    double t;
    double least; /* local variance a year */
};

/* Local variance may be this part of the variance a year at k = 0, the implied one or the forward
 * one, whichever is less. */
#define LEAST_LOCAL (1.0 / 25.0)

PLAN_CODE struct date_between surface_date(const struct implied_surface *surface, double t)
{
    int last = surface->n_times - 1, i = 0;
    const struct smile *smiles = surface->smiles;
    while (i < last && t > smiles[i].time) i++; /* the first expiry not before t, or the last */
    if (i == 0 || t > smiles[i].time)
        return (struct date_between){i,   i,
                                     0.0, t / smiles[i].time,
                                     0.0, 1.0 / smiles[i].time,
                                     t,   LEAST_LOCAL * smiles[i].middle / smiles[i].time};
    double span = smiles[i].time - smiles[i - 1].time, b = (t - smiles[i - 1].time) / span;
    double early = smiles[i - 1].middle, late = smiles[i].middle, forward = (late - early) / span,
           implied = ((1.0 - b) * early + b * late) / t;
    return (struct date_between){
        i - 1,       i,          1.0 - b, b,
        -1.0 / span, 1.0 / span, t,       LEAST_LOCAL * (forward < implied ? forward : implied)};
}

PLAN_CODE struct variance_at variance_between(const struct date_between *date,
                                              const struct variance_at *early,
                                              const struct variance_at *late)
{
    return (struct variance_at){.w = date->a * early->w + date->b * late->w,
                                .w_k = date->a * early->w_k + date->b * late->w_k,
                                .w_kk = date->a * early->w_kk + date->b * late->w_kk,
                                .w_t = date->fall * early->w + date->rise * late->w};
}

/* Returns the total variance at log-moneyness k and date t > 0. */
PLAN_CODE struct variance_at surface_variance(const struct implied_surface *surface, double k,
                                              double t)
{
    struct date_between date = surface_date(surface, t);
    struct variance_at late = surface_smile(surface, date.late, k), early = late;
    if (date.early != date.late) early = surface_smile(surface, date.early, k);
    return variance_between(&date, &early, &late);
}

/* Returns the Black volatility, a year. */
double surface_volatility(const struct implied_surface *surface, double k, double t);

/* Returns the density over the lognormal density of the same total variance (Gatheral and
 * Jacquier's g). */
PLAN_CODE double surface_density(const struct variance_at *at, double k)
{
    double over = 1.0 / at->w, lean = 1.0 - 0.5 * k * at->w_k * over;
    return lean * lean - 0.25 * at->w_k * at->w_k * (over + 0.25) + 0.5 * at->w_kk;
}

/* Returns Dupire's local variance a year, of ln S (B. Dupire, Pricing with a smile, Risk 7 (1994)
 * 18-20, in total variance: J. Gatheral, The Volatility Surface, Wiley 2006, eq. 1.10): w_t / g.
 * The density g is taken for 1/25 at least. Of the variance there is a least as well: where total
 * variance nearly falls in time away from the money, it would be next to nothing there. */
PLAN_CODE double local_variance(const struct variance_at *at, double k,
                                const struct date_between *date)
{
    double density = surface_density(at, k), none = at->w / date->t / 2500.0;
    double local = density > 1.0 / 25.0 ? at->w_t / density : 25.0 * at->w_t;
    double least = date->least > none ? date->least : none;
    return local > least ? local : least;
}
double surface_local_variance(const struct implied_surface *surface, double k, double t);

/* Returns log-moneyness of a spot of 1 against today's. */
double surface_unit_spot(const struct market *market, int asset);

/* Returns ln of the forward of an asset without its cash dividends. */
double surface_log_forward(const struct market *market, int asset, double t);

/* Returns the forward after the cash dividends until then. */
double surface_forward(const struct market *market, int asset, double t);

#endif
