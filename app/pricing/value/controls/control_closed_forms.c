#include "app/pricing/value/controls/control_kinds.h"

#include "models/dynamics/coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"
#include "models/math/exact.h"
#include "models/math/normal_cdf.h"
#include "models/payoffs/payoff_definition.h"
#include "models/payoffs/product_numbers.h"

static double natural_exp(double x)
{
    return exact_exp2(x / LN2);
}

static double natural_log(double x)
{
    return exact_log2(x) * LN2;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Returns E max(+-(X - K), 0), X lognormal with this mean and this variance of its log (F. Black,
 * The pricing of commodity contracts, Journal of Financial Economics 3 (1976) 167-179): F N(d1) - K
 * N(d2), d1 = ln(F / K) / s + s / 2, d2 = d1 - s. K may be lognormal itself, and F and K its mean
 * (W. Margrabe, Journal of Finance 33 (1978) 177-186). */
static double black(enum option option, double forward, double strike, double variance)
{
    double sign = option_sign(option);
    if (!(strike > 0.0) || !(variance > 0.0)) return larger(sign * (forward - strike), 0.0);
    double deviation = exact_sqrt(variance);
    double d1 = natural_log(forward / strike) / deviation + 0.5 * deviation, d2 = d1 - deviation;
    return sign * (forward * normal_cdf(sign * d1) - strike * normal_cdf(sign * d2));
}

/* ---- logs of spots, jointly normal under black_scholes --------------------------------------- */

/* Returns the mean of ln S at t in the money that the trade pays, jumps left out: an asset of other
 * money loses its covariance with the FX rate (Reiner 1992). */
static double mean_log(const struct market *market, const struct trade *trade, int asset, double t)
{
    const struct asset *underlying = &market->assets[asset];
    const struct time_step time_step = {.to = t, .quanto = -1};
    double mean = natural_log(underlying->spot) +
                  term_accrued(&market->currencies[underlying->currency].rate, t) -
                  term_accrued(&underlying->yield, t) -
                  0.5 * term_accrued(&underlying->variance, t);
    int fx = quanto_rate(market->assets, &trade->quanto, asset);
    if (fx < 0) return mean;
    return mean - worth_correlation(market, asset, fx) *
                      product_over(&underlying->variance, &market->assets[fx].variance, &time_step);
}

/* Tells whether every asset's mean is known so. */
static bool has_means(const struct market *market, const struct trade *trade)
{
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *underlying = &market->assets[trade_asset(trade, i)];
        bool jumps = underlying->model == MODEL_MERTON && trade->product == PRODUCT_EUROPEAN;
        if (underlying->model != MODEL_BLACK_SCHOLES && !jumps) return false;
        if (underlying->n_dividends && underlying->dividends[0].time <= trade->expiry) return false;
        int fx = quanto_rate(market->assets, &trade->quanto, trade_asset(trade, i));
        if (fx >= 0 && market->assets[fx].model != MODEL_BLACK_SCHOLES) return false;
    }
    return true;
}

/* ---- the formulas ---------------------------------------------------------------------------- */

/* Finds the sum over the number n of jumps, Poisson of mean l = intensity T, of Black's formula for
 * F e^{n g - l k} and V + n stdev^2, where g = mean + stdev^2 / 2, k = e^g - 1 (R. Merton, Journal
 * of Financial Economics 3 (1976) 125-144). False where there are too many jumps to sum over. */
static bool european(const struct market *market, const struct trade *trade, double *value)
{
    enum { TERMS = 2000 };
    const struct asset *asset = &market->assets[trade_asset(trade, 0)];
    double t = trade->expiry, variance = term_accrued(&asset->variance, t);
    double forward =
        natural_exp(mean_log(market, trade, trade_asset(trade, 0), t) + 0.5 * variance);
    *value = black(trade->option, forward, trade->strike, variance);
    if (asset->model != MODEL_MERTON || !(asset->jumps.intensity > 0.0)) return true;
    double spread = asset->jumps.stdev * asset->jumps.stdev,
           growth = asset->jumps.mean + 0.5 * spread;
    double count = asset->jumps.intensity * t, lost = count * (natural_exp(growth) - 1.0);
    double log_weight = -count, peak = larger(count, count + lost);
    *value = 0.0;
    for (int n = 0; n < TERMS; n++) {
        if (n) log_weight += natural_log(count / n);
        double weight = natural_exp(log_weight),
               moved = natural_exp(log_weight + n * growth - lost);
        if (n > peak && weight < 1e-17 && moved < 1e-17) return true;
        if (!(weight > 0.0)) continue;
        *value += weight * black(trade->option, forward * (moved / weight), trade->strike,
                                 variance + n * spread);
    }
    return false;
}

/* Finds the value of an option on the geometric average A: ln A = (past log of the average + sum of
 * ln S at the fixings) / n is normal; of its variance the fixing of rank i takes part in itself and
 * twice in each later one (A. G. Z. Kemna and A. C. F. Vorst, Journal of Banking and Finance 14
 * (1990) 113-129). A floating strike exchanges S for A. */
static double geometric_average(const struct market *market, const struct trade *trade)
{
    int asset = trade_asset(trade, 0), n = trade->fixings.n;
    const struct term_structure *curve = &market->assets[asset].variance;
    double total = trade->past_count + n, mean = 0.0, variance = 0.0, shared = 0.0;
    if (trade->past_count) mean = trade->past_count * natural_log(trade->past_average);
    for (int i = 0; i < n; i++) {
        double t = trade->fixings.times[i], accrued = term_accrued(curve, t);
        mean += mean_log(market, trade, asset, t);
        variance += accrued * (2 * (n - 1 - i) + 1);
        shared += accrued;
    }
    mean /= total, variance /= total * total, shared /= total;
    double average = natural_exp(mean + 0.5 * variance);
    if (trade->strike_type == STRIKE_FIXED)
        return black(trade->option, average, trade->strike, variance);
    double all = term_accrued(curve, trade->expiry);
    double forward = natural_exp(mean_log(market, trade, asset, trade->expiry) + 0.5 * all);
    return black(trade->option, forward, average, larger(all + variance - 2.0 * shared, 0.0));
}

/* Finds the value of an option on the geometric basket: the product of the spots, each to the power
 * of its share of the weights, is lognormal. */
static double geometric_basket(const struct market *market, const struct trade *trade)
{
    const struct time_step time_step = {.to = trade->expiry, .quanto = -1};
    double total = 0.0, mean = 0.0, variance = 0.0;
    int n = trade_n_assets(trade);
    for (int i = 0; i < n; i++) total += trade->weights[i];
    for (int i = 0; i < n; i++) {
        int a = trade_asset(trade, i);
        mean += trade->weights[i] / total * mean_log(market, trade, a, trade->expiry);
        for (int j = 0; j < n; j++)
            variance += trade->weights[i] / total * (trade->weights[j] / total) *
                        model_covariance(market, a, trade_asset(trade, j), &time_step);
    }
    variance = larger(variance, 0.0);
    return black(trade->option, natural_exp(mean + 0.5 * variance), trade->strike, variance);
}

bool control_closed_form(const struct market *market, const struct trade *trade, double *value)
{
    if (!has_means(market, trade)) return false;
    if (trade->product == PRODUCT_ASIAN && trade->averaging == AVERAGING_GEOMETRIC)
        *value = geometric_average(market, trade);
    else if (trade->product == PRODUCT_BASKET && trade->kind == BASKET_GEOMETRIC)
        *value = geometric_basket(market, trade);
    else if (trade->product != PRODUCT_EUROPEAN || !european(market, trade, value)) return false;
    *value *= discount_factor(market, trade, trade->expiry);
    return *value - *value == 0.0; /* finite */
}
