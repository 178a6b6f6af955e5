/* The assets of a trade under the measure of the currency it pays in: spots, discount factors,
 * forwards and variances, by the reference's own interpolation.
 *
 * Everything accrues linearly between the dates of its curve, so that rates, yields and variances
 * per year are constant between consecutive `breaks`, and a log spot is a Brownian motion with
 * constant drift and volatility there. Log spots are jointly normal where every asset is under
 * Black-Scholes and pays no cash dividend: their means follow from the forwards, their covariance
 * is correlation * integral of sigma_i sigma_j. An asset in another currency than the one that the
 * trade pays in needs a rate X of its quanto between the two, and is paid one for one: it grows at
 * the rate of its own currency less its covariance with what a unit of that is worth, X or 1 / X
 * (Reiner 1992). */
#ifndef PRICER_VALIDATION_REFERENCE_MULTI_ASSET_H
#define PRICER_VALIDATION_REFERENCE_MULTI_ASSET_H

#include "models/market/market.h"
#include "models/payoffs/trade.h"
#include "validation/reference/effort.h"

/* One asset, or several under their correlations. */
struct multi_asset {
    const struct market *market;
    const struct term_structure *rate; /* of the currency that is paid */
    int n;
    int index[TRADE_ASSETS_MAX]; /* into the market */
    /* Of the trade; where it has none 1, or 1/n for an average of several */
    double weight[TRADE_ASSETS_MAX];
    double lag;  /* years from what fixes a payment to the payment */
    double aged; /* years that have passed since dates of schedules after today were stated */
    int fx[TRADE_ASSETS_MAX]; /* the rate that it is paid through one for one; -1: its own currency
                               */
    double worth[TRADE_ASSETS_MAX]; /* the power of that rate: 1, or -1 where it is turned round */
    struct effort *effort;
};

/* The move of log spot between two dates: normal with this mean and variance. */
struct log_increment {
    double from, to; /* years from today */
    double drift;    /* mean of log(spot(to) / spot(from)) under the risk neutral measure */
    double variance;
};

/* Prepares the assets. STATUS_FAILED where an asset's currency or model does not fit a
 * quanto. */
enum status multi_asset_of(const struct market *market, const struct trade *trade,
                           struct effort *effort, struct multi_asset *assets);

/* Returns the currency that a trade pays in. */
int paid_currency(const struct market *market, const struct trade *trade);

/* Returns the i-th asset. */
const struct asset *asset_at(const struct multi_asset *assets, int i);

/* Returns the amount accrued by a curve from today to t. */
double curve_accrued(const struct term_structure *curve, double t);

/* Returns the integral over time of the product of the volatilities whose variances two curves
 * are. */
double curves_covariance(const struct term_structure *x, const struct term_structure *y,
                         double from, double to);

/* Returns what a payment that t fixes is worth, in units of one that today fixes: both are made
 * `lag` years later. */
double asset_discount(const struct multi_asset *assets, double t);

/* Returns the same of what today fixes, whose payment comes nearer as years pass. */
double asset_discount_today(const struct multi_asset *assets);

/* Returns the i-th asset's forward at t, and log(forward / spot); cash dividends left out. */
double asset_forward(const struct multi_asset *assets, int i, double t);
double asset_growth(const struct multi_asset *assets, int i, double t);

/* Returns its forward in its own currency. */
double asset_own_forward(const struct multi_asset *assets, int i, double t);

/* Operations (effort.h) that a covariance takes at most. */
double asset_cost(const struct multi_asset *assets);

/* Returns the covariance of the logs of assets i and j between two dates, jumps left out; 0 where
 * one has no Black variance. And the variance of one from today on. */
double asset_covariance(const struct multi_asset *assets, int i, int j, double from, double to);
double asset_variance(const struct multi_asset *assets, int i, double t);

/* Returns the correlation of the noise of asset i with what a unit of its currency is worth in that
 * which is paid; 0 where these are one. */
double asset_fx_correlation(const struct multi_asset *assets, int i);

struct log_increment asset_increment(const struct multi_asset *assets, int i, double from,
                                     double to);

/* Returns the spot that a cash dividend leaves: of one larger than the spot, a millionth. */
double spot_after_dividend(double spot, double amount);

/* Sorts dates and leaves one of those that fall together. Returns how many are left. */
int dates_sort(double *dates, size_t count, double expiry);

/* Dates in (0, expiry) where a curve of an asset bends or a cash dividend is paid, increasing, and
 * expiry as the last one. STATUS_NO_MEMORY, STATUS_FAILED: the effort. */
enum status asset_breaks(const struct multi_asset *assets, double expiry, double **times, int *n);

/* Increments of the first asset from today to expiry as few as possible: the ratio of drift to
 * variance is constant within each. The law of a path on the clock of variance depends on nothing
 * else. As asset_breaks. */
enum status asset_periods(const struct multi_asset *assets, double expiry,
                          struct log_increment **increments, int *n);

/* The dates of a schedule as they are now, increasing, without repetition, at most expiry; a date
 * within 1e-12 of expiry becomes expiry. STATUS_BAD_INPUT
 * for a date before today or after expiry; as asset_breaks. */
enum status schedule_dates(const struct multi_asset *assets, const struct schedule *schedule,
                           double expiry, double **dates, int *n);

/* Increments of the first asset between the dates of a schedule, from today on, and one more from
 * the last date to expiry, however short: n + 1. As schedule_dates. */
enum status schedule_increments(const struct multi_asset *assets, const struct schedule *schedule,
                                double expiry, struct log_increment **increments, int *n);

/* Lower triangular root of a covariance [n][n] in rows of TRADE_ASSETS_MAX; a matrix that is
 * singular has columns of zeros. */
typedef double square[TRADE_ASSETS_MAX][TRADE_ASSETS_MAX];
void multi_asset_root(int n, square covariance, square root);

/* Returns what the trade compares with its strike: average, product, best or worst of the weighted
 * spots. */
double multi_asset_basket(const struct multi_asset *assets, enum basket_kind kind,
                          const double *spots);

#endif
