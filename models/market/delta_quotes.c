#include "models/market/delta_quotes.h"

#include <math.h>

#include "models/market/surface.h"
#include "models/math/plan_functions.h"

const char *const delta_quote_names[N_DELTA_QUOTES] = {
    [QUOTE_ATM] = "atm",   [QUOTE_RR25] = "rr25", [QUOTE_BF25] = "bf25",
    [QUOTE_RR10] = "rr10", [QUOTE_BF10] = "bf10",
};

static const double delta_sizes[] = {0.25, 0.10};

static double normal(double x)
{
    return exact_normal_tail(-x);
}

/* ---- strikes and deltas ---------------------------------------------------------------------- */

double delta_of_strike(const struct delta_convention *convention, const struct delta_market *market,
                       double sign, double strike, double volatility)
{
    double deviation = volatility * sqrt(market->time),
           d = exact_log(market->forward / strike) / deviation + 0.5 * deviation;
    double delta = convention->premium_adjusted
                       ? strike / market->forward * normal(sign * (d - deviation))
                       : normal(sign * d);
    return sign * delta * (convention->delta == DELTA_SPOT ? market->foreign_discount : 1.0);
}

/* Returns the strike above which the premium-adjusted delta of a call falls: sd N(d-) = n(d-),
 * which has one root above -sd (Reiswich and Wystup, section 1.4). */
static double strike_of_most_delta(const struct delta_market *market, double deviation)
{
    double low = -deviation, high = 40.0;
    for (int i = 0; i < 200 && high - low > 0.0; i++) {
        double d = 0.5 * (low + high),
               slope = deviation * normal(d) - NORMAL_PEAK * exact_exp(-0.5 * d * d);
        if (slope < 0.0) low = d;
        else high = d;
    }
    return market->forward * exact_exp(-deviation * (0.5 * (low + high) + 0.5 * deviation));
}

double strike_of_delta(const struct delta_convention *convention, const struct delta_market *market,
                       double sign, double size, double volatility)
{
    double deviation = volatility * sqrt(market->time), reach = deviation * (12.0 + deviation);
    double low = exact_log(market->forward) - reach, high = exact_log(market->forward) + reach;
    if (convention->premium_adjusted && sign > 0.0)
        low = exact_log(strike_of_most_delta(market, deviation));
    /* The size of a call's delta falls with the strike from `low` on, that of a put's rises */
    if (sign > 0.0 && delta_of_strike(convention, market, sign, exact_exp(low), volatility) <
                          size * (1.0 + 1e-12))
        return NAN;
    if (sign < 0.0 &&
        -delta_of_strike(convention, market, sign, exact_exp(high), volatility) < size)
        return NAN;
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        double delta =
            sign * delta_of_strike(convention, market, sign, exact_exp(middle), volatility);
        if ((delta > size) == (sign > 0.0)) low = middle;
        else high = middle;
    }
    return exact_exp(0.5 * (low + high));
}

double strike_at_the_money(const struct delta_convention *convention,
                           const struct delta_market *market, double volatility)
{
    double half = 0.5 * volatility * volatility * market->time;
    if (convention->at_the_money == MONEY_FORWARD) return market->forward;
    return market->forward * exact_exp(convention->premium_adjusted ? -half : half);
}

/* ---- a smile --------------------------------------------------------------------------------- */

/* A strangle as it is dealt: both options at one volatility. */
struct strangle {
    double strike[2]; /* of the put, of the call */
    double price, vega;
};

/* Returns the price of an option out of the money and its vega, undiscounted. */
static double black(const struct delta_market *market, double sign, double strike,
                    double volatility, double *vega)
{
    double deviation = volatility * sqrt(market->time),
           d = exact_log(market->forward / strike) / deviation + 0.5 * deviation;
    *vega = market->forward * sqrt(market->time) * NORMAL_PEAK * exp(-0.5 * d * d);
    return sign * (market->forward * normal(sign * d) - strike * normal(sign * (d - deviation)));
}

static enum status refuse(double time, const char *what, struct message *why)
{
    return say_why(STATUS_BAD_INPUT, why, "at %.6g years %s", time, what);
}

/* What is made of the quotes of one expiry. */
struct smile_making {
    const struct asset *asset;
    const struct market *market;
    struct delta_convention convention;
    struct delta_market at;
    int n_deltas;
    const double *quotes; /* of enum delta_quote */
    struct strangle strangles[2];
    struct surface smile; /* of this expiry */
    struct message *why;
};

static enum status make_strangles(struct smile_making *making)
{
    for (int i = 0; i < making->n_deltas; i++) {
        struct strangle *strangle = &making->strangles[i];
        double volatility = making->quotes[QUOTE_ATM] + making->quotes[QUOTE_BF25 + 2 * i], vega;
        if (!(volatility > 0.0))
            return refuse(making->at.time, "a strangle's volatility must be > 0", making->why);
        for (int side = 0; side < 2; side++) {
            double sign = side ? 1.0 : -1.0;
            strangle->strike[side] =
                strike_of_delta(&making->convention, &making->at, sign, delta_sizes[i], volatility);
            if (isnan(strangle->strike[side]))
                return refuse(making->at.time, "no strike has the delta of a strangle",
                              making->why);
            strangle->price += black(&making->at, sign, strangle->strike[side], volatility, &vega);
            strangle->vega += vega;
        }
    }
    return STATUS_OK;
}

/* Sets the strikes and volatilities of smile butterflies. */
static enum status set_smile(struct smile_making *making, const double *butterfly)
{
    const double *quotes = making->quotes;
    const struct surface *smile = &making->smile;
    int middle = making->n_deltas;
    smile->vols[middle] = quotes[QUOTE_ATM];
    smile->strikes[middle] =
        strike_at_the_money(&making->convention, &making->at, quotes[QUOTE_ATM]);
    for (int i = 0; i < making->n_deltas; i++)
        for (int side = 0; side < 2; side++) {
            double sign = side ? 1.0 : -1.0;
            int at = side ? middle + 1 + i : middle - 1 - i;
            smile->vols[at] =
                quotes[QUOTE_ATM] + butterfly[i] + 0.5 * sign * quotes[QUOTE_RR25 + 2 * i];
            if (!(smile->vols[at] >= LEAST_VOLATILITY))
                return refuse(making->at.time, "the quotes make a volatility that is below 0.001",
                              making->why);
            smile->strikes[at] = strike_of_delta(&making->convention, &making->at, sign,
                                                 delta_sizes[i], smile->vols[at]);
            if (isnan(smile->strikes[at]))
                return refuse(making->at.time, "no strike has the delta of a quote", making->why);
        }
    for (int j = 1; j < 2 * middle + 1; j++)
        if (!(smile->strikes[j] > smile->strikes[j - 1]))
            return refuse(making->at.time, "the quotes make strikes that do not increase",
                          making->why);
    return STATUS_OK;
}

/* Moves each butterfly by what the smile misses of its strangle's price, over the vega. Returns the
 * largest move in `*moved`. */
static enum status move_butterflies(struct smile_making *making, double *butterfly, double *moved)
{
    enum status status = STATUS_OK;
    struct implied_surface surface = {0};
    struct asset asset = *making->asset;
    struct market market = *making->market;
    double time = making->at.time;
    asset.surface = making->smile;
    market.n_assets = 1;
    market.assets = &asset;
    *moved = 0.0;
    TRY(surface_make(&surface, &market, 0, making->why));
    for (int i = 0; i < making->n_deltas; i++) {
        const struct strangle *strangle = &making->strangles[i];
        double price = 0.0, vega;
        for (int side = 0; side < 2; side++) {
            double k = exact_log(strangle->strike[side] / making->at.forward);
            price += black(&making->at, side ? 1.0 : -1.0, strangle->strike[side],
                           surface_volatility(&surface, k, time), &vega);
        }
        double move = (strangle->price - price) / strangle->vega;
        butterfly[i] += move;
        *moved = fmax(*moved, fabs(move));
    }
done:
    surface_free(&surface);
    return status;
}

enum { MOVES_MOST = 100 };

enum status delta_smile(const struct market *market, const struct asset *asset, int date,
                        struct message *why)
{
    const struct surface *surface = &asset->surface;
    int n = surface->n_strikes, first = date * n;
    double time = surface->times[date];
    const struct term_structure *rate = &market->currencies[asset->currency].rate;
    double growth = term_accrued(rate, time) - term_accrued(&asset->yield, time);
    struct smile_making making = {.asset = asset,
                                  .market = market,
                                  .convention = asset->quotes.convention,
                                  .at = {asset->spot * exact_exp(growth),
                                         exact_exp(-term_accrued(&asset->yield, time)), time},
                                  .n_deltas = n / 2,
                                  .quotes = asset->quotes.values + first,
                                  .smile = {1, n, surface->times + date, surface->strikes + first,
                                            surface->vols + first, true},
                                  .why = why};
    if (making.convention.forward_after > 0.0 && time > making.convention.forward_after)
        making.convention.delta = DELTA_FORWARD;
    double butterfly[2] = {0.0, 0.0}, moved = 1.0;
    for (int i = 0; i < making.n_deltas; i++) butterfly[i] = making.quotes[QUOTE_BF25 + 2 * i];
    MUST(set_smile(&making, butterfly));
    if (making.convention.butterfly == BUTTERFLY_SMILE) return STATUS_OK;
    MUST(make_strangles(&making));
    for (int i = 0; i < MOVES_MOST && moved > 1e-13; i++) {
        MUST(move_butterflies(&making, butterfly, &moved));
        MUST(set_smile(&making, butterfly));
    }
    if (moved > 1e-9)
        MUST(refuse(time, "no smile gives the strangles the prices of their butterflies", why));
    return STATUS_OK;
}
