#include "validation/reference/multi_asset.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>

#include <gsl/gsl_interp.h>
#include <gsl/gsl_sort_double.h>

/* Two dates closer than this fraction of the expiry are one date: rounding of i * expiry / n. */
static const double SAME_DATE = 1e-12;

/* Tells whether an exchange rate is one between two currencies, and sets its power as the worth of
 * a unit of the first. */
static bool is_between(const struct asset *fx, int from, int to, double *worth)
{
    *worth = fx->foreign_currency == from ? 1.0 : -1.0;
    return fx->foreign_currency >= 0 && ((fx->foreign_currency == from && fx->currency == to) ||
                                         (fx->foreign_currency == to && fx->currency == from));
}

/* It is one of the two of the first rate: the one that it is quoted in, unless another rate is not
 * of that. */
int paid_currency(const struct market *market, const struct trade *trade)
{
    if (trade->asset < 0) return trade->currency;
    if (!trade->quanto.n) return market->assets[trade->asset].currency;
    const struct asset *first = &market->assets[trade->quanto.fx[0]];
    for (int i = 1; i < trade->quanto.n; i++) {
        const struct asset *other = &market->assets[trade->quanto.fx[i]];
        if (other->currency != first->currency && other->foreign_currency != first->currency)
            return first->foreign_currency;
    }
    return first->currency;
}

/* Finds the rate that brings each asset into the currency that is paid. */
static enum status find_rates(const struct quanto *quanto, int paid, struct multi_asset *assets)
{
    const struct market *market = assets->market;
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        assets->fx[i] = -1;
        if (asset->currency == paid) continue;
        for (int k = 0; k < quanto->n && assets->fx[i] < 0; k++)
            if (is_between(&market->assets[quanto->fx[k]], asset->currency, paid,
                           &assets->worth[i]))
                assets->fx[i] = quanto->fx[k];
        if (assets->fx[i] >= 0 && market->assets[assets->fx[i]].variance.n > 0) continue;
        return effort_fail(assets->effort, "no reference for %s paid in another currency under %s",
                           asset->name ? asset->name : "an asset", model_name(asset->model));
    }
    return STATUS_OK;
}

enum status multi_asset_of(const struct market *market, const struct trade *trade,
                           struct effort *effort, struct multi_asset *assets)
{
    *assets = (struct multi_asset){.market = market,
                                   .n = trade->n_assets > 1 ? trade->n_assets : 1,
                                   .effort = effort,
                                   .lag = trade->payment_lag};
    int paid = paid_currency(market, trade);
    assets->rate = &market->currencies[paid].rate;
    bool average = trade->product != PRODUCT_SPREAD && trade->kind == BASKET_AVERAGE;
    for (int i = 0; i < assets->n; i++) {
        assets->index[i] = trade->assets ? trade->assets[i] : trade->asset;
        if (trade->weights) assets->weight[i] = trade->weights[i];
        else if (trade->product == PRODUCT_SPREAD) assets->weight[i] = i ? -1.0 : 1.0;
        else assets->weight[i] = average ? 1.0 / assets->n : 1.0;
    }
    return find_rates(&trade->quanto, paid, assets);
}

const struct asset *asset_at(const struct multi_asset *assets, int i)
{
    return &assets->market->assets[assets->index[i]];
}

/* ---- curves ---------------------------------------------------------------------------------- */

double curve_accrued(const struct term_structure *curve, double t)
{
    if (curve->n == 0) return curve->beyond * t;
    size_t last = (size_t)curve->n - 1;
    if (t >= curve->time[last])
        return curve->accrued[last] + curve->beyond * (t - curve->time[last]);
    if (t < curve->time[0]) return t / curve->time[0] * curve->accrued[0];
    size_t below = gsl_interp_bsearch(curve->time, t, 0, last);
    double share = (t - curve->time[below]) / (curve->time[below + 1] - curve->time[below]);
    return (1.0 - share) * curve->accrued[below] + share * curve->accrued[below + 1];
}

double asset_discount(const struct multi_asset *assets, double t)
{
    return exp(curve_accrued(assets->rate, assets->lag) -
               curve_accrued(assets->rate, t + assets->lag));
}

double asset_discount_today(const struct multi_asset *assets)
{
    return asset_discount(assets, assets->lag > 0.0 ? -assets->aged : 0.0);
}

/* Both variances accrue linearly between the dates of their curves, so the integral over such an
 * interval is the geometric mean of what they accrue. */
double curves_covariance(const struct term_structure *x, const struct term_structure *y,
                         double from, double to)
{
    double sum = 0.0, t = from;
    for (int i = 0, j = 0; t < to;) {
        while (i < x->n && x->time[i] <= t) i++;
        while (j < y->n && y->time[j] <= t) j++;
        double next = to;
        if (i < x->n) next = fmin(next, x->time[i]);
        if (j < y->n) next = fmin(next, y->time[j]);
        double accrued_x = fmax(curve_accrued(x, next) - curve_accrued(x, t), 0.0);
        double accrued_y = fmax(curve_accrued(y, next) - curve_accrued(y, t), 0.0);
        sum += sqrt(accrued_x) * sqrt(accrued_y);
        t = next;
    }
    return sum;
}

/* Returns rho * integral of sigma_a sigma_b. */
static double covariance_of(const struct market *market, int a, int b, double from, double to)
{
    const struct term_structure *x = &market->assets[a].variance, *y = &market->assets[b].variance;
    if (!x->n || !y->n) return 0.0;
    if (a == b) return fmax(curve_accrued(x, to) - curve_accrued(x, from), 0.0);
    return market->correlation[a * market->n_assets + b] * curves_covariance(x, y, from, to);
}

/* Returns log(forward / spot) in the asset's own currency. */
static double own_growth(const struct multi_asset *assets, int i, double t)
{
    const struct asset *asset = asset_at(assets, i);
    return curve_accrued(&assets->market->currencies[asset->currency].rate, t) -
           curve_accrued(&asset->yield, t);
}

double asset_growth(const struct multi_asset *assets, int i, double t)
{
    double growth = own_growth(assets, i, t);
    if (assets->fx[i] < 0) return growth;
    return growth - assets->worth[i] *
                        covariance_of(assets->market, assets->index[i], assets->fx[i], 0.0, t);
}

double asset_forward(const struct multi_asset *assets, int i, double t)
{
    return asset_at(assets, i)->spot * exp(asset_growth(assets, i, t));
}

double asset_own_forward(const struct multi_asset *assets, int i, double t)
{
    return asset_at(assets, i)->spot * exp(own_growth(assets, i, t));
}

/* Returns the variance of the rate that asset i is paid through, of no dates where there is none.
 */
static const struct term_structure *fx_variance(const struct multi_asset *assets, int i)
{
    static const struct term_structure none = {0};
    return assets->fx[i] < 0 ? &none : &assets->market->assets[assets->fx[i]].variance;
}

double asset_fx_correlation(const struct multi_asset *assets, int i)
{
    const struct market *market = assets->market;
    if (assets->fx[i] < 0) return 0.0;
    return assets->worth[i] *
           market->correlation[assets->index[i] * market->n_assets + assets->fx[i]];
}

double asset_cost(const struct multi_asset *assets)
{
    int longest = 0;
    for (int i = 0; i < assets->n; i++) {
        int n = asset_at(assets, i)->variance.n, of_fx = fx_variance(assets, i)->n;
        longest = n > longest ? n : longest;
        longest = of_fx > longest ? of_fx : longest;
    }
    return 4.0 + 8.0 * longest;
}

double asset_covariance(const struct multi_asset *assets, int i, int j, double from, double to)
{
    return covariance_of(assets->market, assets->index[i], assets->index[j], from, to);
}

double asset_variance(const struct multi_asset *assets, int i, double t)
{
    return asset_covariance(assets, i, i, 0.0, t);
}

struct log_increment asset_increment(const struct multi_asset *assets, int i, double from,
                                     double to)
{
    double variance = asset_covariance(assets, i, i, from, to);
    /* a difference of rounding errors */
    if (variance < 1e-15 * asset_variance(assets, i, to)) variance = 0.0;
    double growth = asset_growth(assets, i, to) - asset_growth(assets, i, from);
    return (struct log_increment){from, to, growth - 0.5 * variance, variance};
}

double spot_after_dividend(double spot, double amount)
{
    return fmax(spot - amount, 1e-6 * spot);
}

/* ---- dates ----------------------------------------------------------------------------------- */

int dates_sort(double *dates, size_t count, double expiry)
{
    int n = 0;
    gsl_sort(dates, 1, count);
    for (size_t i = 0; i < count; i++)
        if (!n || dates[i] - dates[n - 1] > SAME_DATE * expiry) dates[n++] = dates[i];
    return n;
}

/* Finds the dates in (0, expiry) that lie `lag` before one where a curve bends. Returns how many.
 */
static size_t curve_dates(const struct term_structure *curve, double lag, double expiry,
                          double *dates)
{
    size_t count = 0;
    for (int i = 0; i < curve->n; i++) {
        double time = curve->time[i] - lag;
        if (time > 0.0 && time < expiry * (1.0 - SAME_DATE)) dates[count++] = time;
    }
    return count;
}

enum status asset_breaks(const struct multi_asset *assets, double expiry, double **times, int *n)
{
    const struct market *market = assets->market;
    size_t most = 1 + 2 * (size_t)assets->rate->n;
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        most += (size_t)(asset->yield.n + asset->variance.n + asset->n_dividends +
                         fx_variance(assets, i)->n + market->currencies[asset->currency].rate.n);
    }
    MUST(effort_array(assets->effort, most, times));
    double *at = *times;
    at += curve_dates(assets->rate, 0.0, expiry, at);
    if (assets->lag > 0.0) at += curve_dates(assets->rate, assets->lag, expiry, at);
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = asset_at(assets, i);
        at += curve_dates(&asset->yield, 0.0, expiry, at);
        at += curve_dates(&asset->variance, 0.0, expiry, at);
        at += curve_dates(fx_variance(assets, i), 0.0, expiry, at);
        at += curve_dates(&market->currencies[asset->currency].rate, 0.0, expiry, at);
        for (int d = 0; d < asset->n_dividends; d++)
            if (asset->dividends[d].time < expiry) *at++ = asset->dividends[d].time;
    }
    *at++ = expiry;
    *n = dates_sort(*times, (size_t)(at - *times), expiry);
    (*times)[*n - 1] = expiry;
    return STATUS_OK;
}

/* Tells whether two increments have the same drift per variance, to rounding on the scale of the
 * whole path. */
static bool same_ratio(const struct log_increment *a, const struct log_increment *b,
                       double deviation)
{
    if (a->variance <= 0.0 || b->variance <= 0.0) return false;
    double ratio_a = a->drift / a->variance, ratio_b = b->drift / b->variance;
    return fabs(ratio_a - ratio_b) * deviation < 1e-12 * (1.0 + fabs(ratio_a) * deviation);
}

enum status asset_periods(const struct multi_asset *assets, double expiry,
                          struct log_increment **increments, int *n)
{
    struct log_increment *all = NULL;
    double *times = NULL, deviation = sqrt(asset_variance(assets, 0, expiry));
    int breaks = 0, n_periods = 0;
    MUST(asset_breaks(assets, expiry, &times, &breaks));
    MUST(effort_array(assets->effort, breaks, &all));
    for (int i = 0; i < breaks; i++) {
        struct log_increment increment =
            asset_increment(assets, 0, i ? times[i - 1] : 0.0, times[i]);
        if (n_periods && same_ratio(&all[n_periods - 1], &increment, deviation))
            all[n_periods - 1] = asset_increment(assets, 0, all[n_periods - 1].from, increment.to);
        else all[n_periods++] = increment;
    }
    *increments = all;
    *n = n_periods;
    return STATUS_OK;
}

enum status schedule_dates(const struct multi_asset *assets, const struct schedule *schedule,
                           double expiry, double **dates, int *n)
{
    int count = schedule->n;
    double *all;
    MUST(effort_array(assets->effort, count, &all));
    for (int i = 0; i < count; i++) {
        double t = schedule->times[i];
        if (t > 0.0) t -= assets->aged;
        if (fabs(t - expiry) <= SAME_DATE * expiry) t = expiry;
        if (!(t >= 0.0 && t <= expiry)) {
            effort_fail(assets->effort, "date %g is not between today and expiry %g", t, expiry);
            return STATUS_BAD_INPUT;
        }
        all[i] = t;
    }
    *dates = all;
    *n = dates_sort(all, (size_t)count, expiry);
    return STATUS_OK;
}

enum status schedule_increments(const struct multi_asset *assets, const struct schedule *schedule,
                                double expiry, struct log_increment **increments, int *n)
{
    double *dates = NULL;
    MUST(schedule_dates(assets, schedule, expiry, &dates, n));
    MUST(effort_array(assets->effort, *n + 1, increments));
    for (int i = 0; i <= *n; i++)
        (*increments)[i] =
            asset_increment(assets, 0, i ? dates[i - 1] : 0.0, i < *n ? dates[i] : expiry);
    return STATUS_OK;
}

/* ---- several --------------------------------------------------------------------------------- */

void multi_asset_root(int n, square covariance, square root)
{
    for (int j = 0; j < n; j++) {
        double left = covariance[j][j];
        for (int k = 0; k < j; k++) left -= root[j][k] * root[j][k];
        bool flat = left <= 1e-14 * covariance[j][j];
        root[j][j] = flat ? 0.0 : sqrt(left);
        for (int i = j + 1; i < n; i++) {
            double sum = covariance[i][j];
            for (int k = 0; k < j; k++) sum -= root[i][k] * root[j][k];
            root[i][j] = flat ? 0.0 : sum / root[j][j];
            root[j][i] = 0.0;
        }
    }
}

double multi_asset_basket(const struct multi_asset *assets, enum basket_kind kind,
                          const double *spots)
{
    double sum = 0.0, log_sum = 0.0, weights = 0.0, best = -INFINITY, worst = INFINITY;
    for (int i = 0; i < assets->n; i++) {
        double part = assets->weight[i] * spots[i];
        sum += part;
        best = fmax(best, part);
        worst = fmin(worst, part);
        weights += assets->weight[i];
        if (kind == BASKET_GEOMETRIC) log_sum += assets->weight[i] * log(spots[i]);
    }
    switch (kind) {
    case BASKET_AVERAGE: return sum;
    case BASKET_GEOMETRIC: return exp(log_sum / weights);
    case BASKET_BEST_OF: return best;
    case BASKET_WORST_OF: return worst;
    }
    return NAN;
}
