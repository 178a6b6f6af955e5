/* The assets of a trade under the measure of the currency it pays in: forwards, covariances and
 * discount factors.
 *
 * Log spots are jointly normal where every asset is under Black-Scholes and pays no cash dividend:
 * their means follow from the forwards, their covariance is correlation * integral of sigma_i
 * sigma_j. An asset whose own currency is the foreign one of the trade's quanto is paid one for
 * one: it grows at the rate of its own currency less its covariance with the FX rate (Reiner 1992).
 * Any other asset must be in the currency that is paid. */
#ifndef PRICER_VALIDATION_REFERENCE_MULTI_ASSET_H
#define PRICER_VALIDATION_REFERENCE_MULTI_ASSET_H

#include "validation/reference/methods.h"

/* Several assets under their correlations. */
struct multi_asset {
    const struct market *market;
    const struct term_structure *rate; /* of the currency that is paid */
    int n;
    int index[TRADE_ASSETS_MAX]; /* into the market */
    /* Of the trade; where it has none 1, or 1/n for an average of several */
    double weight[TRADE_ASSETS_MAX];
    double lag;                     /* years from what fixes a payment to the payment */
    bool foreign[TRADE_ASSETS_MAX]; /* paid one for one at the quanto's rate */
    int fx;                         /* that FX rate; -1: none */
    struct effort *effort;
};

/* Prepares the assets. STATUS_FAILED (and `why`) where an asset's currency or model does not fit a
 * quanto. Nothing to free. */
enum status multi_asset_of(const struct market *market, const struct trade *trade,
                           struct effort *effort, struct multi_asset *assets, struct message *why);

/* Returns the i-th asset. */
const struct asset *multi_asset_at(const struct multi_asset *assets, int i);

/* Returns the value today of 1 at t. */
double multi_asset_discount(const struct multi_asset *assets, double t);

/* Returns log(forward / spot) at t of the i-th asset, cash dividends left out. */
double multi_asset_growth(const struct multi_asset *assets, int i, double t);

/* Operations (effort.h) that a covariance takes at most. */
double multi_asset_cost(const struct multi_asset *assets);

/* Returns the covariance of the logs of assets i and j between two dates, jumps left out; 0 where
 * one has no Black variance. */
double multi_asset_covariance(const struct multi_asset *assets, int i, int j, double from,
                              double to);

/* Finds the yield which, beside the rate of the currency that is paid, gives the first asset its
 * drift up to the expiry: everything accrues linearly between the dates of the curves, so it is
 * such a curve itself, exactly. Of an asset without a Black variance the covariance is left out,
 * for stepper.h to put in. Free both arrays with effort_free. As multi_asset_breaks. */
enum status multi_asset_yield(const struct multi_asset *assets, double expiry,
                              struct term_structure *yield);

/* Tells whether log spots are jointly normal up to t: Black-Scholes without cash dividends. */
bool multi_asset_is_normal(const struct multi_asset *assets, double t);

/* Dates in (0, expiry) where a curve of an asset bends or a cash dividend is paid, increasing, and
 * expiry as the last one. The caller frees *times with effort_free. STATUS_NO_MEMORY,
 * STATUS_FAILED: the effort. */
enum status multi_asset_breaks(const struct multi_asset *assets, double expiry, double **times,
                               int *n);

/* Lower triangular root of a covariance [n][n] in rows of TRADE_ASSETS_MAX; a matrix that is
 * singular has columns of zeros. */
typedef double square[TRADE_ASSETS_MAX][TRADE_ASSETS_MAX];
void multi_asset_root(int n, square covariance, square root);

/* Returns what the trade compares with its strike: average, product, best or worst of the weighted
 * spots. */
double multi_asset_basket(const struct multi_asset *assets, enum basket_kind kind,
                          const double *spots);

/* The references of products on one or several assets. */
method reference_basket; /* basket, spread */
method reference_autocallable, reference_american;

#endif
