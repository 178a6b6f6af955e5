#include "validation/reference/implied.h"

#include <math.h>

#include <gsl/gsl_spline.h>

#include "models/payoffs/product_numbers.h"

static const double LEAST_DENSITY = 0.1, MOST_MOVE = 0.005;

/* One end of a smile: w goes on with the slope that it has there, which fades as exp(-(distance /
 * reach)^2 / 2). */
struct smile_end {
    double k, side;             /* side: -1 below, +1 above */
    double start, slope, reach; /* slope outwards */
};

struct smile_spline {
    double time, moved; /* moved: how far, for the density to be enough */
    gsl_spline *spline; /* NULL for a single strike */
    struct smile_end left, right;
};

struct implied {
    int n;
    double moved;                /* how far smoothing moved a quote at most: annual volatility */
    struct smile_spline *smiles; /* [n] */
};

/* ---- one expiry ------------------------------------------------------------------------------ */

static double end_variance(const struct smile_end *end, double distance)
{
    double part = distance / end->reach;
    return end->start + end->slope * end->reach * sqrt(2.0 * M_PI) * (normal_cdf(part) - 0.5);
}

static double smile_variance(const struct smile_spline *smile, double k)
{
    if (!smile->spline) return smile->left.start;
    if (k < smile->left.k) return end_variance(&smile->left, smile->left.k - k);
    if (k > smile->right.k) return end_variance(&smile->right, k - smile->right.k);
    return gsl_spline_eval(smile->spline, k, NULL);
}

/* Returns the density of ln S at k over the normal density of the same total variance (Gatheral and
 * Jacquier 2014, eq. 2.1). */
static double relative_density(double k, double w, double slope, double bend)
{
    if (!(w > 0.0)) return -INFINITY;
    double first = 1.0 - 0.5 * k * slope / w;
    return first * first - 0.25 * slope * slope * (1.0 / w + 0.25) + 0.5 * bend;
}

static double least_density(const gsl_spline *spline, const double *k, int n)
{
    enum { PLACES = 12 };
    double least = INFINITY;
    for (int i = 0; i + 1 < n; i++)
        for (int j = 0; j <= PLACES; j++) {
            double at = fmin(fmax(k[i] + (k[i + 1] - k[i]) * j / PLACES, k[0]), k[n - 1]);
            least = fmin(least, relative_density(at, gsl_spline_eval(spline, at, NULL),
                                                 gsl_spline_eval_deriv(spline, at, NULL),
                                                 gsl_spline_eval_deriv2(spline, at, NULL)));
        }
    return least;
}

/* Makes the integrals of the products of the second derivatives of the splines that are 1 at one
 * knot and 0 at the others: second derivatives `bends` [basis][knot] are straight between knots. */
static void bending_energy(const double *k, int n, gsl_spline *spline, double *bends,
                           double *energy)
{
    for (int j = 0; j < n; j++) {
        double *values = &energy[j * n];
        for (int i = 0; i < n; i++) values[i] = i == j;
        gsl_spline_init(spline, k, values, (size_t)n);
        for (int i = 0; i < n; i++) bends[j * n + i] = gsl_spline_eval_deriv2(spline, k[i], NULL);
    }
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            const double *a = &bends[p * n], *b = &bends[q * n];
            double sum = 0.0;
            for (int i = 0; i + 1 < n; i++)
                sum += (k[i + 1] - k[i]) / 6.0 *
                       (2.0 * a[i] * b[i] + a[i] * b[i + 1] + a[i + 1] * b[i] +
                        2.0 * a[i + 1] * b[i + 1]);
            energy[p * n + q] = sum;
        }
}

/* What a smile is fitted with: for each knot, and for each pair of them. */
struct smile_smoothing {
    int n;
    double *weight, *values; /* [n] */
    double *energy, *system; /* [n][n] */
};

/* Finds the values at the knots of Reinsch's smoothing spline (1967): (W + s energy) values = W
 * quotes. */
static void smooth_values(struct smile_smoothing *fit, const double *quote, double s)
{
    int n = fit->n;
    for (int i = 0; i < n * n; i++) fit->system[i] = s * fit->energy[i];
    for (int i = 0; i < n; i++) {
        fit->system[i * n + i] += fit->weight[i];
        fit->values[i] = fit->weight[i] * quote[i];
    }
    solve_positive((size_t)n, fit->system, fit->values);
}

/* Returns the square root of a quote's weight: its vega over that at the money, nearly. */
static double quote_vega(double k, double w)
{
    double d1 = 0.5 * sqrt(w) - k / sqrt(w);
    return exp(-0.5 * d1 * d1);
}

static void free_spline(void *spline)
{
    gsl_spline_free(spline);
}

/* Fits the spline to the quotes, with more and more smoothing until the density is enough. */
static enum status fit_smile(struct effort *effort, struct smile_spline *smile, const double *k,
                             const double *quote, int n)
{
    struct smile_smoothing fit = {.n = n};
    double cube = (double)n * n * n;
    size_t knots = (size_t)n;
    MUST(effort_array(effort, 2 * knots * (knots + 1), &fit.values));
    MUST(effort_room(effort, 10.0 * n * sizeof *fit.values));
    MUST(effort_spend(effort, cube / 4.0 + 8.0 * n * n));
    fit.weight = fit.values + n;
    fit.energy = fit.weight + n;
    fit.system = fit.energy + knots * knots;
    smile->spline = gsl_spline_alloc(n > 2 ? gsl_interp_cspline : gsl_interp_linear, knots);
    MUST(effort_own(effort, smile->spline, free_spline));
    bending_energy(k, n, smile->spline, fit.system, fit.energy);
    for (int i = 0; i < n; i++) {
        double vega = quote_vega(k[i], quote[i]);
        fit.weight[i] = vega * vega + 1e-6;
    }
    gsl_spline_init(smile->spline, k, quote, knots);
    smile->moved = 0.0;
    double gap = (k[n - 1] - k[0]) / (n - 1), s = 1e-12 * gap * gap * gap;
    while (least_density(smile->spline, k, n) < LEAST_DENSITY) {
        MUST(effort_spend(effort, cube / 16.0 + 60.0 * n));
        smooth_values(&fit, quote, s);
        gsl_spline_init(smile->spline, k, fit.values, knots);
        smile->moved = 0.0;
        for (int i = 0; i < n; i++) {
            double move = fabs(sqrt(fmax(fit.values[i], 0.0)) - sqrt(quote[i])) / sqrt(smile->time);
            smile->moved = fmax(smile->moved, move * quote_vega(k[i], quote[i]));
        }
        if (smile->moved > MOST_MOVE || s > 1e12)
            return effort_fail(effort, "the volatilities of expiry %g hold arbitrage", smile->time);
        s *= 1.25;
    }
    effort_free(fit.values);
    return STATUS_OK;
}

/* Returns the least density within six deviations of an end. */
static double end_density(const struct smile_end *end)
{
    double least = INFINITY, deviation = sqrt(end->start);
    for (int i = 0; i < 24; i++) {
        double distance = 0.25 * i * deviation, part = distance / end->reach;
        double slope = end->slope * exp(-0.5 * part * part);
        least =
            fmin(least, relative_density(end->k + end->side * distance, end_variance(end, distance),
                                         end->side * slope, -slope * part / end->reach));
    }
    return least;
}

/* Makes an end of the smile. Its slope fades over two deviations; if it falls, before the variance
 * is halved; if it rises, over as much more as leaves half of the least density. */
static struct smile_end end_at(const struct smile_spline *smile, double k, double side)
{
    struct smile_end end = {.k = k, .side = side, .start = smile->left.start, .reach = 1.0};
    if (!smile->spline) return end;
    end.start = gsl_spline_eval(smile->spline, k, NULL);
    end.slope = side * gsl_spline_eval_deriv(smile->spline, k, NULL);
    end.reach = 2.0 * sqrt(end.start);
    if (end.slope < 0.0) end.reach = fmin(end.reach, -0.4 * end.start / end.slope);
    else
        while (end.reach < 100.0 * sqrt(end.start) && end_density(&end) < 0.5 * LEAST_DENSITY)
            end.reach *= 1.25;
    return end;
}

/* ---- the surface ----------------------------------------------------------------------------- */

enum status implied_make(const struct multi_asset *assets, int asset, struct implied **out)
{
    const struct surface *surface = &asset_at(assets, asset)->surface;
    int n = surface->n_strikes;
    struct implied *implied;
    double *k;
    MUST(effort_array(assets->effort, 1, out));
    implied = *out;
    MUST(effort_array(assets->effort, surface->n_times, &implied->smiles));
    for (int i = 0; i < surface->n_times; i++) {
        double time = surface->times[i], forward = asset_own_forward(assets, asset, time);
        struct smile_spline *smile = &implied->smiles[i];
        MUST(effort_array(assets->effort, 2 * n, &k));
        double *w = k + n;
        smile->time = time;
        for (int j = 0; j < n; j++) {
            double vol = surface->vols[i * n + j];
            k[j] = log(surface_strike(surface, i, j) / forward);
            w[j] = vol * vol * time;
        }
        smile->left.start = w[0];
        if (n > 1) MUST(fit_smile(assets->effort, smile, k, w, n));
        smile->left = end_at(smile, k[0], -1.0);
        smile->right = end_at(smile, k[n - 1], 1.0);
        implied->moved = fmax(implied->moved, smile->moved);
        implied->n++;
    }
    return STATUS_OK;
}

double implied_variance(const struct implied *implied, double k, double t)
{
    int after = 0, last = implied->n - 1;
    while (after < last && implied->smiles[after].time < t) after++;
    const struct smile_spline *late = &implied->smiles[after];
    if (after == 0 || t > late->time) return smile_variance(late, k) * t / late->time;
    const struct smile_spline *early = late - 1;
    double share = (t - early->time) / (late->time - early->time);
    return (1.0 - share) * smile_variance(early, k) + share * smile_variance(late, k);
}

/* Prices an option on a unit of forward, out of the money: put below, call above. */
static double unit_option(const struct implied *implied, enum option option, double k, double t)
{
    return black(option, 1.0, exp(k), implied_variance(implied, k, t));
}

/* Returns how fast total variance rises, a year. */
static double variance_rise(const struct implied *implied, double k, double t, double dt)
{
    return (implied_variance(implied, k, t + dt) - implied_variance(implied, k, t - dt)) /
           (2.0 * dt);
}

/* Returns the local variance, with C(k, t) on a unit of forward: sigma^2 = 2 C_t / (C_kk - C_k). */
double implied_local_variance(const struct implied *implied, double k, double t)
{
    enum option option = k < 0.0 ? OPTION_PUT : OPTION_CALL;
    double w = implied_variance(implied, k, t), h = 5e-3 * sqrt(w), dt = 1e-5 * t;
    double middle = unit_option(implied, option, k, t), up = unit_option(implied, option, k + h, t),
           down = unit_option(implied, option, k - h, t);
    double later = unit_option(implied, option, k, t + dt),
           earlier = unit_option(implied, option, k, t - dt);
    double bend = (up - 2.0 * middle + down) / (h * h) - (up - down) / (2.0 * h);
    double local = bend > 0.0 ? (later - earlier) / dt / bend : INFINITY;
    double least = fmin(variance_rise(implied, 0.0, t, dt), implied_variance(implied, 0.0, t) / t);
    local = fmin(local, 25.0 * variance_rise(implied, k, t, dt));
    return fmax(local, fmax(least / 25.0, w / t / 2500.0));
}

/* ---- Europeans ------------------------------------------------------------------------------- */

/* Returns what an option pays on a unit of forward, by Black's formula at the surface's own
 * volatility for the strike, which local volatility reproduces (Dupire 1994). Where quotes were
 * smoothed, the least smoothing is known to a factor of 1.25: a quarter of what it moved is the
 * error. */
static struct bounded_value option_on_surface(const struct implied *implied, enum option option,
                                              double strike, double t)
{
    double k = log(fmax(strike, 1e-9)), w = implied_variance(implied, k, t),
           vega = quote_vega(k, w) * sqrt(t) / sqrt(2.0 * M_PI);
    return (struct bounded_value){black(option, 1.0, strike, w),
                                  vega * (1e-7 + 0.25 * implied->moved)};
}

/* Returns what a digital pays, 1 or a unit of forward. With V(K) the price of a put: the
 * probability of ending below K is V', of which the central difference at two widths gives the
 * value and its error. The asset is K times the cash less the put. */
static struct bounded_value digital_on_surface(const struct implied *implied,
                                               const struct trade *trade, double strike, double t)
{
    double below[2], k = log(fmax(strike, 1e-9)), w = implied_variance(implied, k, t);
    for (int i = 0; i < 2; i++) {
        double h = (i ? 2e-3 : 1e-3) * sqrt(w);
        below[i] = (unit_option(implied, OPTION_PUT, k + h, t) -
                    unit_option(implied, OPTION_PUT, k - h, t)) /
                   (2.0 * h * strike);
    }
    double share = (4.0 * below[0] - below[1]) / 3.0,
           error = fabs(below[0] - below[1]) / 3.0 + 1e-11 + 0.25 * implied->moved * sqrt(t / w);
    if (trade->payout == PAYOUT_ASSET) {
        share = strike * share - unit_option(implied, OPTION_PUT, k, t);
        error *= strike;
    }
    return (struct bounded_value){trade->option == OPTION_PUT ? share : 1.0 - share, error};
}

struct bounded_value implied_at_expiry(const struct implied *implied, const struct trade *trade,
                                       double strike)
{
    return trade->product == PRODUCT_EUROPEAN
               ? option_on_surface(implied, trade->option, strike, trade->expiry)
               : digital_on_surface(implied, trade, strike, trade->expiry);
}
