/* Strikes and volatilities of quotes by delta that have moved a little, from where they were: by
 * Newton's method, and the reference's own surface for strangles. */
#include "validation/reference/methods.h"

#include <math.h>

#include <gsl/gsl_randist.h>

#include "validation/reference/implied.h"

static const double SIZES[2] = {0.25, 0.1}; /* of the deltas that quotes are of */

/* One expiry of an asset. */
struct quoted_expiry {
    struct multi_asset assets; /* the asset alone */
    const struct asset *asset;
    double time, forward;
    double discount; /* of the foreign currency where deltas are of the spot, else 1 */
    int money;       /* the place of the strike at the money */
    const double *quotes;
    double *strikes, *vols;
};

/* Returns ln of the strike of a call (side 1) or put (-1) whose delta has a size, next to another
 * one. */
static double strike_next_to(const struct quoted_expiry *expiry, double side, double size,
                             double vol, double strike)
{
    bool adjusted = expiry->asset->quotes.convention.premium_adjusted;
    double spread = vol * sqrt(expiry->time), k = log(strike / expiry->forward), move = 1.0;
    for (int i = 0; i < 100 && fabs(move) > 1e-14; i++) {
        double d = -k / spread + (adjusted ? -0.5 : 0.5) * spread,
               paid = expiry->discount * (adjusted ? exp(k) : 1.0), share = normal_cdf(side * d);
        double fall = side * gsl_ran_ugaussian_pdf(d) / spread - (adjusted ? share : 0.0);
        move = (paid * share - size) / (paid * fall);
        k += move;
    }
    return expiry->forward * exp(k);
}

/* Sets the strikes and volatilities of the butterflies of a smile. */
static void set_strikes(const struct quoted_expiry *expiry, const double *butterflies)
{
    const struct delta_convention *convention = &expiry->asset->quotes.convention;
    int m = expiry->money;
    double atm = expiry->quotes[QUOTE_ATM], half = 0.5 * atm * atm * expiry->time;
    expiry->vols[m] = atm;
    if (convention->at_the_money != MONEY_FORWARD)
        expiry->strikes[m] = expiry->forward * exp(convention->premium_adjusted ? -half : half);
    for (int i = 0; i < m; i++)
        for (int side = -1; side <= 1; side += 2) {
            int at = m + side * (i + 1);
            double reversal = expiry->quotes[QUOTE_RR25 + 2 * i];
            expiry->vols[at] = atm + butterflies[i] + 0.5 * side * reversal;
            expiry->strikes[at] =
                strike_next_to(expiry, side, SIZES[i], expiry->vols[at], expiry->strikes[at]);
        }
}

/* Returns what strangle i is dealt at less what it is worth on the surface, over its vega. */
static double strangle_missing(const struct quoted_expiry *expiry, const struct implied *implied,
                               int i)
{
    double vol = expiry->quotes[QUOTE_ATM] + expiry->quotes[QUOTE_BF25 + 2 * i], t = expiry->time,
           missing = 0.0, vega = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        enum option option = side < 0 ? OPTION_PUT : OPTION_CALL;
        double f = expiry->forward, near = expiry->strikes[expiry->money + side * (i + 1)];
        double strike = strike_next_to(expiry, side, SIZES[i], vol, near);
        missing += black(option, f, strike, vol * vol * t) -
                   black(option, f, strike, implied_variance(implied, log(strike / f), t));
        vega += (black(option, f, strike, vol * vol * 1.01 * t) -
                 black(option, f, strike, vol * vol * 0.99 * t)) /
                (0.01 * vol);
    }
    return missing / vega;
}

enum status quoted_smile(const struct market *market, int index, int date, struct effort *owner)
{
    const struct asset *asset = &market->assets[index];
    const struct surface *surface = &asset->surface;
    const struct delta_convention *convention = &asset->quotes.convention;
    int n = surface->n_strikes, m = n / 2;
    double t = surface->times[date], moved = 1.0, butterflies[2] = {0.0, 0.0};
    bool forward_delta = convention->delta == DELTA_FORWARD ||
                         (convention->forward_after > 0.0 && t > convention->forward_after);
    struct quoted_expiry expiry = {
        .assets = {.market = market, .n = 1, .index = {index}, .fx = {-1}, .effort = owner},
        .asset = asset,
        .time = t,
        .discount = forward_delta ? 1.0 : exp(-curve_accrued(&asset->yield, t)),
        .money = m,
        .quotes = asset->quotes.values + date * n,
        .strikes = surface->strikes + date * n,
        .vols = surface->vols + date * n};
    bool dealt = convention->butterfly == BUTTERFLY_MARKET;
    expiry.forward = asset_own_forward(&expiry.assets, 0, t);
    for (int i = 0; i < m; i++)
        butterflies[i] =
            dealt ? 0.5 * (expiry.vols[m + 1 + i] + expiry.vols[m - 1 - i]) - expiry.vols[m]
                  : expiry.quotes[QUOTE_BF25 + 2 * i];
    set_strikes(&expiry, butterflies);
    for (int round = 0; dealt && round < 100 && moved > 1e-12; round++) {
        struct implied *implied;
        MUST(implied_make(&expiry.assets, 0, &implied));
        moved = 0.0;
        for (int i = 0; i < m; i++) {
            double missing = strangle_missing(&expiry, implied, i);
            butterflies[i] += missing;
            moved = fmax(moved, fabs(missing));
        }
        set_strikes(&expiry, butterflies);
    }
    for (int j = 0; j < n; j++)
        if (!(expiry.vols[j] > 0.0 && (!j || expiry.strikes[j] > expiry.strikes[j - 1])))
            return effort_fail(owner, "the reference has no strikes of the quotes");
    return STATUS_OK;
}
