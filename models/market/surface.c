#include "models/market/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/math/constants.h"
#include "models/math/plan_functions.h"

double surface_unit_spot(const struct market *market, int asset)
{
    return -exact_log(market->assets[asset].spot);
}

double surface_log_forward(const struct market *market, int asset, double t)
{
    const struct asset *a = &market->assets[asset];
    return exact_log(a->spot) + term_accrued(&market->currencies[a->currency].rate, t) -
           term_accrued(&a->yield, t);
}

static double growth(const struct market *market, int asset, double from, double to)
{
    return exp(surface_log_forward(market, asset, to) - surface_log_forward(market, asset, from));
}

double surface_forward(const struct market *market, int index, double t)
{
    const struct asset *asset = &market->assets[index];
    double value = asset->spot * growth(market, index, 0.0, t);
    for (int i = 0; i < asset->n_dividends && asset->dividends[i].time <= t; i++)
        value -= asset->dividends[i].amount * growth(market, index, asset->dividends[i].time, t);
    return value;
}

/* ---- one expiry ------------------------------------------------------------------------------ */

enum { GRID = 12 }; /* places between two strikes where arbitrage is looked for */

/* Returns place number i of the grid between the outer strikes, 0 to GRID (n - 1). */
static double grid_place(const struct smile *smile, int n, int i)
{
    if (i == GRID * (n - 1)) return smile->k[n - 1];
    int strike = i / GRID;
    return smile->k[strike] + (smile->k[strike + 1] - smile->k[strike]) * (i % GRID) / GRID;
}

/* Finds the least density between the outer strikes, and where; minus infinity where w is not
 * positive. */
static double least_density(const struct smile *smile, int n, double *where)
{
    double least = HUGE_VAL;
    for (int i = 0; i <= GRID * (n - 1); i++) {
        double k = grid_place(smile, n, i);
        struct variance_at at = smile_at(smile, n, k);
        double density = at.w > 0.0 ? surface_density(&at, k) : -HUGE_VAL;
        if (density < least) least = density, *where = k;
    }
    return least;
}

/* Returns the vega of a quote over that of one at the money of the same expiry, nearly: the normal
 * density at its d1. */
static double relative_vega(double k, double w)
{
    double d = -k / sqrt(w) + 0.5 * sqrt(w);
    return exact_exp(-0.5 * d * d);
}

/* Solves the symmetric, positive definite system of five diagonals a0 (main), a1, a2 in place: x
 * becomes the answer (Cholesky's L D L'). */
static void solve_five(int n, double *a0, double *a1, double *a2, double *x)
{
    for (int i = 0; i < n; i++) {
        double b = i > 0 ? a1[i - 1] : 0.0, c = i > 1 ? a2[i - 2] : 0.0;
        if (i > 1) a0[i] -= c * c * a0[i - 2];
        if (i > 0) a0[i] -= b * b * a0[i - 1];
        if (i + 1 < n) a1[i] = (a1[i] - (i > 0 ? a2[i - 1] * a1[i - 1] * a0[i - 1] : 0.0)) / a0[i];
        if (i + 2 < n) a2[i] /= a0[i];
        x[i] -= b * (i > 0 ? x[i - 1] : 0.0) + c * (i > 1 ? x[i - 2] : 0.0);
    }
    for (int i = 0; i < n; i++) x[i] /= a0[i];
    for (int i = n - 1; i >= 0; i--) {
        if (i + 1 < n) x[i] -= a1[i] * x[i + 1];
        if (i + 2 < n) x[i] -= a2[i] * x[i + 2];
    }
}

/* Fits the natural spline f that minimises sum of weight (quote - f)^2 plus smoothing times the
 * integral of f''^2, into smile->w and ->curve. `work` holds 3 n numbers. */
static void fit_spline(struct smile *smile, int n, const double *quote, const double *weight,
                       double smoothing, double *work)
{
    double *a0 = work, *a1 = work + n, *a2 = work + 2 * n, *curve = smile->curve;
    const double *k = smile->k;
    for (int i = 0; i < n; i++) smile->w[i] = quote[i], curve[i] = 0.0;
    for (int i = 1; i + 1 < n; i++) {
        double h0 = k[i] - k[i - 1], h1 = k[i + 1] - k[i], q0 = 1.0 / h0, q2 = 1.0 / h1,
               q1 = -q0 - q2;
        double next = i + 2 < n ? 1.0 / (k[i + 2] - k[i + 1]) : 0.0;
        a0[i - 1] = (h0 + h1) / 3.0 + smoothing * (q0 * q0 / weight[i - 1] + q1 * q1 / weight[i] +
                                                   q2 * q2 / weight[i + 1]);
        a1[i - 1] =
            h1 / 6.0 + smoothing * (q1 * q2 / weight[i] + q2 * (-q2 - next) / weight[i + 1]);
        a2[i - 1] = smoothing * q2 * next / weight[i + 1];
        curve[i] = (quote[i + 1] - quote[i]) * q2 - (quote[i] - quote[i - 1]) * q0;
    }
    if (n < 3) return;
    solve_five(n - 2, a0, a1, a2, curve + 1);
    for (int i = 0; i < n; i++) {
        double before = i > 0 ? (curve[i] - curve[i - 1]) / (k[i] - k[i - 1]) : 0.0;
        double after = i + 1 < n ? (curve[i + 1] - curve[i]) / (k[i + 1] - k[i]) : 0.0;
        smile->w[i] -= smoothing / weight[i] * (after - before);
    }
}

/* Returns how far smoothing moved a quote at most: volatility, times vega over vega at the
 * money. */
static double furthest_move(const struct smile *smile, int n, const double *quote)
{
    double furthest = 0.0;
    for (int i = 0; i < n; i++) {
        double moved =
            fabs(sqrt(fmax(smile->w[i], 0.0) / smile->time) - sqrt(quote[i] / smile->time));
        furthest = fmax(furthest, moved * relative_vega(smile->k[i], quote[i]));
    }
    return furthest;
}

static enum status butterfly(const struct asset *asset, const struct smile *smile, double strike,
                             double density, double move, struct message *why)
{
    return say_why(
        STATUS_BAD_INPUT, why,
        "asset '%s': butterfly arbitrage in the volatilities of expiry %.6g near strike %.6g: the "
        "density there is %.2g of the lognormal one; volatilities would have to move by %.2g",
        asset->name, smile->time, strike, density, move);
}

/* A smile's fit in the making. */
struct smile_fit {
    struct smile *smile;
    int n;
    double *quote, *weight; /* [strike] */
    double *work;           /* 3 n numbers */
    double where;           /* of the least density */
};

/* Fits with this smoothing; the least density that it leaves, over SURFACE_LEAST_DENSITY, less
 * 1. */
static double fit_density(struct smile_fit *fit, double smoothing)
{
    fit_spline(fit->smile, fit->n, fit->quote, fit->weight, smoothing, fit->work);
    double least = least_density(fit->smile, fit->n, &fit->where);
    return fmax(least / SURFACE_LEAST_DENSITY, -10.0) - 1.0;
}

#define SMOOTHING_FIRST                                                                            \
    1e-9 /* times the cube of the strikes' distance: moves a quote by far less than it is known to \
          */

/* Smooths as little as leaves enough density: found by halves in its logarithm, so far that the
 * surface moves smoothly where the quotes do. */
static enum status smooth_smile(const struct asset *asset, struct smile_fit *fit,
                                double log_forward, struct message *why)
{
    struct smile *smile = fit->smile;
    double first = fit_density(fit, 0.0), first_where = fit->where;
    smile->moved = 0.0;
    if (first >= 0.0) return STATUS_OK;
    double gap = (smile->k[fit->n - 1] - smile->k[0]) / (fit->n - 1);
    double low = exact_log(SMOOTHING_FIRST * gap * gap * gap), high = low;
    while (fit_density(fit, exact_exp(high)) < 0.0) {
        if (furthest_move(smile, fit->n, fit->quote) > SURFACE_MOST_MOVE || high > 60.0)
            return butterfly(asset, smile, exact_exp(log_forward + first_where),
                             (first + 1.0) * SURFACE_LEAST_DENSITY,
                             furthest_move(smile, fit->n, fit->quote), why);
        low = high, high += 2.0;
    }
    for (int i = 0; i < 24; i++) {
        double middle = 0.5 * (low + high);
        if (fit_density(fit, exact_exp(middle)) < 0.0) low = middle;
        else high = middle;
    }
    fit_density(fit, exact_exp(high));
    smile->moved = furthest_move(smile, fit->n, fit->quote);
    if (smile->moved > SURFACE_MOST_MOVE)
        return butterfly(asset, smile, exact_exp(log_forward + first_where),
                         (first + 1.0) * SURFACE_LEAST_DENSITY, smile->moved, why);
    return STATUS_OK;
}

/* ---- the whole surface ----------------------------------------------------------------------- */

/* Finds how far a wing's slope may take to fade: from two deviations on, as far as the density
 * needs; `side` is 1 or -1. */
static double wing_reach(double start, double slope, double k, double side)
{
    double deviation = sqrt(start), reach = 2.0 * deviation;
    if (slope < 0.0) return fmin(reach, -0.4 * start / slope);
    for (; reach < 100.0 * deviation; reach *= 1.25) {
        double least = HUGE_VAL;
        for (double d = 0.0; d < 6.0 * deviation; d += 0.25 * deviation) {
            struct variance_at at = smile_wing(start, slope, reach, d);
            at.w_k *= side;
            least = fmin(least, surface_density(&at, k + side * d));
        }
        if (least >= 0.5 * SURFACE_LEAST_DENSITY) break;
    }
    return reach;
}

static void set_wings(struct smile *smile, int n)
{
    if (n == 1) return;
    double first = smile->k[1] - smile->k[0], last = smile->k[n - 1] - smile->k[n - 2];
    smile->left = -(smile->w[1] - smile->w[0]) / first + first / 6.0 * smile->curve[1];
    smile->right = (smile->w[n - 1] - smile->w[n - 2]) / last + last / 6.0 * smile->curve[n - 2];
    smile->left_reach = wing_reach(smile->w[0], smile->left, smile->k[0], -1.0);
    smile->right_reach = wing_reach(smile->w[n - 1], smile->right, smile->k[n - 1], 1.0);
}

/* Checks that total variance does not fall from one expiry to the next, at any k between the outer
 * strikes of both. */
static enum status check_calendar(const struct asset *asset, const struct smile *early,
                                  const struct smile *late, double log_forward, struct message *why)
{
    int n = asset->surface.n_strikes;
    double worst = 0.0, where = 0.0;
    for (int i = 0; i <= GRID * (n - 1); i++) {
        double k = grid_place(late, n, i);
        if (n > 1 && (k < early->k[0] || k > early->k[n - 1])) continue;
        double fall = smile_at(early, n, k).w - smile_at(late, n, k).w;
        if (fall > worst) worst = fall, where = k;
    }
    if (worst == 0.0) return STATUS_OK;
    double before = smile_at(early, n, where).w;
    return say_why(STATUS_BAD_INPUT, why,
                   "asset '%s': calendar arbitrage between the volatilities of expiries %.6g and "
                   "%.6g near strike %.6g: total variance falls from %.6g to %.6g; the later "
                   "volatility must be at least %.4g there, it is %.4g",
                   asset->name, early->time, late->time, exact_exp(log_forward + where), before,
                   before - worst, sqrt(before / late->time), sqrt((before - worst) / late->time));
}

static enum status allocate(struct implied_surface *surface, int n_times, int n_strikes)
{
    size_t times = (size_t)n_times, n = (size_t)n_strikes;
    *surface = (struct implied_surface){.n_times = n_times, .n_strikes = n_strikes};
    surface->smiles = calloc(times, sizeof *surface->smiles);
    surface->numbers = calloc(3 * n * times + 5 * n, sizeof(double)); /* and work of 5 n */
    if (!surface->smiles || !surface->numbers) return STATUS_NO_MEMORY;
    for (size_t i = 0; i < times; i++) {
        surface->smiles[i].k = surface->numbers + 3 * n * i;
        surface->smiles[i].w = surface->numbers + 3 * n * i + n;
        surface->smiles[i].curve = surface->numbers + 3 * n * i + 2 * n;
    }
    return STATUS_OK;
}

/* Fits the smile of an expiry, whose k are known; `work` has 5 numbers for each strike. */
static enum status fit_smile(const struct asset *asset, int j, double log_forward, double *work,
                             struct smile *smile, struct message *why)
{
    int n = asset->surface.n_strikes;
    struct smile_fit fit = {
        .smile = smile, .n = n, .quote = work + 4 * n, .weight = work + 3 * n, .work = work};
    for (int i = 0; i < n; i++) {
        double vol = asset->surface.vols[(size_t)j * n + i];
        fit.quote[i] = vol * vol * smile->time;
        double vega = relative_vega(smile->k[i], fit.quote[i]);
        fit.weight[i] = vega * vega + 1e-6;
    }
    MUST(smooth_smile(asset, &fit, log_forward, why));
    set_wings(smile, n);
    smile->middle = smile_at(smile, n, 0.0).w;
    return STATUS_OK;
}

enum status surface_make(struct implied_surface *surface, const struct market *market, int asset,
                         struct message *why)
{
    enum status status = STATUS_OK;
    const struct asset *a = &market->assets[asset];
    const struct surface *quotes = &a->surface;
    int n = quotes->n_strikes;
    *surface = (struct implied_surface){0};
    if (quotes->n_times < 1 || n < 1)
        return say_why(STATUS_BAD_INPUT, why,
                       "asset '%s': local_vol needs a surface of volatilities", a->name);
    TRY(allocate(surface, quotes->n_times, n));
    double *work = surface->numbers + (size_t)3 * n * quotes->n_times;
    for (int j = 0; j < quotes->n_times; j++) {
        struct smile *smile = &surface->smiles[j];
        double log_forward = surface_log_forward(market, asset, quotes->times[j]);
        smile->time = quotes->times[j];
        for (int i = 0; i < n; i++)
            smile->k[i] = exact_log(surface_strike(quotes, j, i)) - log_forward;
        TRY(fit_smile(a, j, log_forward, work, smile, why));
        if (j) TRY(check_calendar(a, smile - 1, smile, log_forward, why));
    }
done:
    if (status != STATUS_OK) surface_free(surface);
    return status;
}

void surface_free(struct implied_surface *surface)
{
    free(surface->smiles);
    free(surface->numbers);
    *surface = (struct implied_surface){0};
}

/* Finds a volatility out of bounds between the outer strikes. */
static enum status check_bounds(const struct asset *asset, const struct smile *smile, int n,
                                double log_forward, struct message *why)
{
    static const double rounding = 1e-6;
    for (int i = 0; i <= GRID * (n - 1); i++) {
        double k = grid_place(smile, n, i);
        double volatility = sqrt(smile_at(smile, n, k).w / smile->time);
        if (volatility >= LEAST_VOLATILITY * (1.0 - rounding) &&
            volatility <= MOST_VOLATILITY * (1.0 + rounding))
            continue;
        return say_why(STATUS_BAD_INPUT, why,
                       "asset '%s': the volatility of expiry %.6g at strike %.6g is %.4g: it must "
                       "be from %g to %g, at quotes and between them",
                       asset->name, smile->time, exact_exp(log_forward + k), volatility,
                       LEAST_VOLATILITY, MOST_VOLATILITY);
    }
    return STATUS_OK;
}

/* Finds the quote of an asset that its surface lies furthest from, by volatility times vega. */
static void find_furthest(const struct implied_surface *surface, const struct surface *quotes,
                          struct surface_move *furthest)
{
    *furthest = (struct surface_move){0};
    for (int j = 0; j < surface->n_times; j++)
        for (int i = 0; i < surface->n_strikes; i++) {
            const struct smile *smile = &surface->smiles[j];
            double t = smile->time, from = quotes->vols[(size_t)j * surface->n_strikes + i],
                   to = sqrt(fmax(smile->w[i], 0.0) / t),
                   size = fabs(to - from) * relative_vega(smile->k[i], from * from * t);
            if (size > furthest->size)
                *furthest = (struct surface_move){t, surface_strike(quotes, j, i), from, to, size};
        }
}

enum status surface_check(const struct market *market, int asset, struct surface_move *furthest,
                          struct message *why)
{
    struct implied_surface surface;
    enum status status = surface_make(&surface, market, asset, why);
    for (int j = 0; status == STATUS_OK && j < surface.n_times; j++)
        status = check_bounds(&market->assets[asset], &surface.smiles[j], surface.n_strikes,
                              surface_log_forward(market, asset, surface.smiles[j].time), why);
    if (!status) find_furthest(&surface, &market->assets[asset].surface, furthest);
    surface_free(&surface);
    return status;
}

/* ---- asking it ------------------------------------------------------------------------------- */

double surface_volatility(const struct implied_surface *surface, double k, double t)
{
    return sqrt(surface_variance(surface, k, t).w / t);
}

double surface_local_variance(const struct implied_surface *surface, double k, double t)
{
    struct variance_at at = surface_variance(surface, k, t);
    struct date_between date = surface_date(surface, t);
    return local_variance(&at, k, &date);
}
