/* American and Bermudan options: under Black-Scholes on one asset, a geometric basket or two
 * assets; on one asset under other models. Those on two lognormal assets by convolutions in the
 * plane of their logs.
 *
 * Between two dates of exercise the value is the convolution of the later value with a bivariate
 * normal density, a product in Fourier space. Values stand on a square grid that moves with the
 * mean of the logs and is so wide that what comes round its edges does not count. The European
 * option walks along in the imaginary parts, and its known error is taken off. Where exercise
 * begins the value has a kink, so the order is two in the distance of nodes: the result is
 * extrapolated from two grids, and the bound on its error is how far it is from the same of grids
 * twice as coarse. Exercise at every moment is the limit of more and more dates, whose leading
 * error falls as one over their number, extrapolated likewise. */
#include <math.h>

#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_matrix.h>

#include "validation/reference/reference_american.h"
#include "models/payoffs/product_numbers.h"

enum { FEW_DATES = 60, MOST_DATES = 400 };

static const double REACH = 7.0;      /* deviations from the middle to an edge */
static const double CELL_COST = 24.0; /* of a node at a date, in operations (effort.h) */

enum { PARTS = 4, NODES_MOST = 512 }; /* parts of the side of a cell; nodes of a side */

struct american_plane {
    const struct grid_option *option;
    int n;                           /* nodes of a side, a power of two */
    double h[2];                     /* distances of nodes in log spot */
    double *value, *gain;            /* [n][n] complex, the first asset by rows; [n][n] real */
    double side[PARTS * NODES_MOST]; /* spots of the second asset */
};

/* Returns the mean of max(x, 0) over the cell of a node where x is linear, its changes to the next
 * nodes being a and b: a kink that crosses the cell is then summed as what it is. Exact along the
 * steeper side, by midpoints along the other. */
static double mean_gain(double x, double a, double b)
{
    double steep = fmax(fabs(a), fabs(b)), flat = fmin(fabs(a), fabs(b)), sum = 0.0;
    if (fabs(x) >= 0.5 * (steep + flat)) return fmax(x, 0.0);
    for (int p = 0; p < PARTS; p++) {
        double at = x + ((p + 0.5) / PARTS - 0.5) * flat;
        double high = fmax(at + 0.5 * steep, 0.0), low = fmax(at - 0.5 * steep, 0.0);
        sum += (high * high - low * low) / (2.0 * steep);
    }
    return sum / PARTS;
}

/* Finds what exercise at a date brings, into `gain`: the mean over parts * parts points of each
 * node's cell. */
static void gains_at(struct american_plane *plane, double t, int parts)
{
    const struct grid_option *option = plane->option;
    double middle[2], spots[2]; /* logs of the spots in the middle of the plane */
    int n = plane->n;
    for (int k = 0; k < 2; k++)
        middle[k] = log(asset_at(option->assets, k)->spot) + asset_growth(option->assets, k, t) -
                    0.5 * asset_covariance(option->assets, k, k, 0.0, t);
    for (int i = 0; i < n * n; i++) plane->gain[i] = 0.0;
    for (int i = 0; i < n * parts; i++) {
        spots[0] = exp(middle[0] + ((i + 0.5) / parts - 0.5 - n / 2) * plane->h[0]);
        for (int j = 0; j < n * parts; j++) {
            if (i == 0)
                plane->side[j] = exp(middle[1] + ((j + 0.5) / parts - 0.5 - n / 2) * plane->h[1]);
            spots[1] = plane->side[j];
            double basket = multi_asset_basket(option->assets, option->trade->kind, spots);
            double gain = option_payoff(option->trade->option, basket, option->trade->strike);
            plane->gain[i / parts * n + j / parts] += gain / (parts * parts);
        }
    }
}

/* Exercises at a date: takes the greater of gains and values; on the last one the gains, for both
 * options. */
static void exercise_at(struct american_plane *plane, double t, bool last)
{
    int n = plane->n;
    double *more = plane->gain;
    gains_at(plane, t, last ? PARTS : 1);
    for (int i = 0; last && i < n * n; i++) plane->value[2 * i] = plane->value[2 * i + 1] = more[i];
    if (last) return;
    for (int i = 0; i < n * n; i++) more[i] -= plane->value[2 * i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *x = &more[i * n + j], a = 0.0, b = 0.0;
            if (i > 0 && i < n - 1) a = 0.5 * (x[n] - x[-n]);
            if (j > 0 && j < n - 1) b = 0.5 * (x[1] - x[-1]);
            plane->value[2 * (i * n + j)] += mean_gain(*x, a, b);
        }
}

/* Transforms rows, then columns, which are left as rows; the way back divides by n^2. */
static int transform(struct american_plane *plane, bool forwards)
{
    size_t n = (size_t)plane->n;
    gsl_matrix_complex_view sides = gsl_matrix_complex_view_array(plane->value, n, n);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++) {
            double *row = plane->value + 2 * n * i;
            int failed = forwards ? gsl_fft_complex_radix2_forward(row, 1, n)
                                  : gsl_fft_complex_radix2_inverse(row, 1, n);
            if (failed) return failed;
        }
        if (side == 0) gsl_matrix_complex_transpose(&sides.matrix);
    }
    return 0;
}

/* Takes values back from one date to another: the transform, of turned sides, times that of the
 * normal density of the logs' moves between them. */
static enum status convolve(struct american_plane *plane, double from, double to)
{
    const struct multi_asset *assets = plane->option->assets;
    double first = asset_covariance(assets, 0, 0, from, to),
           both = asset_covariance(assets, 0, 1, from, to),
           second = asset_covariance(assets, 1, 1, from, to),
           discount = asset_discount(assets, to) / asset_discount(assets, from);
    int n = plane->n;
    if (transform(plane, true)) return STATUS_FAILED;
    for (int i = 0; i < n; i++) {
        double a = 2.0 * M_PI * (i < n / 2 ? i : i - n) / (n * plane->h[1]);
        for (int j = 0; j < n; j++) {
            double b = 2.0 * M_PI * (j < n / 2 ? j : j - n) / (n * plane->h[0]);
            double form = a * a * second + 2.0 * a * b * both + b * b * first;
            double factor = discount * exp(-0.5 * form);
            plane->value[2 * (i * n + j)] *= factor;
            plane->value[2 * (i * n + j) + 1] *= factor;
        }
    }
    return transform(plane, false) ? STATUS_FAILED : STATUS_OK;
}

/* Finds what exercise before the end adds today, on a grid of this many nodes a side. */
static enum status value_on(const struct grid_option *option, int nodes, int n_dates,
                            const double *dates, double *value)
{
    struct american_plane plane = {.option = option, .n = nodes};
    for (int k = 0; k < 2; k++)
        plane.h[k] =
            2.0 * REACH * sqrt(asset_covariance(option->assets, k, k, 0.0, option->end)) / nodes;
    struct effort *effort = option->assets->effort;
    double cost = CELL_COST * nodes * nodes + 8.0 * asset_cost(option->assets);
    MUST(effort_array(effort, 2 * (size_t)nodes * (size_t)nodes, &plane.value));
    MUST(effort_array(effort, (size_t)nodes * (size_t)nodes, &plane.gain));
    MUST(effort_foresee(effort, cost * n_dates));
    for (int d = n_dates - 1; d >= 0; d--) {
        MUST(effort_spend(effort, cost));
        exercise_at(&plane, dates[d], d == n_dates - 1);
        MUST(convolve(&plane, d ? dates[d - 1] : 0.0, dates[d]));
    }
    const double *middle = &plane.value[2 * (nodes / 2 * nodes + nodes / 2)];
    *value = middle[0] - middle[1];
    return STATUS_OK;
}

/* Prices the European option at the last date, as a basket. */
static enum status european(const struct grid_option *option, struct reference *out)
{
    struct trade trade = *option->trade;
    trade.product = PRODUCT_BASKET;
    trade.expiry = option->end;
    const struct problem problem = {
        .assets = *option->assets, .market = option->assets->market, .trade = &trade};
    return reference_basket(&problem, out);
}

static enum status on_dates(const struct grid_option *option, int n_dates, const double *dates,
                            struct reference *out)
{
    /* Of the coarsest of three grids */
    int nodes = n_dates <= FEW_DATES ? NODES_MOST / 4 : NODES_MOST / 8;
    double value[3];
    struct reference held;
    MUST(european(option, &held));
    if (n_dates > MOST_DATES)
        return effort_fail(option->assets->effort,
                           "no reference for an american on two assets on %d dates", n_dates);
    for (int grid = 0; grid < 3; grid++)
        MUST(value_on(option, nodes << grid, n_dates, dates, &value[grid]));
    double fine = american_extrapolated(value[1], value[2]);
    out->price = held.price + fine;
    out->error = held.error + fabs(fine - american_extrapolated(value[0], value[1]));
    return STATUS_OK;
}

/* Extrapolates 8, 16 and 32 dates to all moments. */
static enum status at_every_moment(const struct grid_option *option, struct reference *out)
{
    enum { MOST = 32 };
    double dates[MOST], price[3], space = 0.0;
    struct reference one;
    for (int level = 0; level < 3; level++) {
        int n = MOST >> (2 - level);
        for (int i = 0; i < n; i++) dates[i] = (i + 1) * option->end / n;
        MUST(on_dates(option, n, dates, &one));
        price[level] = one.price;
        space = fmax(space, one.error);
    }
    double before = 2.0 * price[1] - price[0];
    out->price = 2.0 * price[2] - price[1];
    out->error = fabs(out->price - before) + 2.0 * space;
    return STATUS_OK;
}

/* Prices on two assets without cash dividends. */
static enum status american_on_a_plane(const struct grid_option *option, struct reference *out)
{
    const struct trade *trade = option->trade;
    bool continuous = trade->exercise.continuous, now = continuous || option->dates[0] <= 0.0;
    int past = !continuous && now; /* the date that is today */
    double spots[2];
    MUST(continuous ? at_every_moment(option, out)
                    : on_dates(option, option->n_dates - past, option->dates + past, out));
    for (int k = 0; k < 2; k++) spots[k] = asset_at(option->assets, k)->spot;
    double basket = multi_asset_basket(option->assets, trade->kind, spots);
    if (now) out->price = fmax(out->price, option_payoff(trade->option, basket, trade->strike));
    out->method = "convolution";
    return STATUS_OK;
}

static enum status refuse(const struct problem *problem, const char *feature)
{
    return effort_fail(problem->assets.effort, "no reference for an %s %s",
                       product_name(problem->trade->product), feature);
}

enum status reference_american(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    struct grid_option option = {
        .assets = &problem->assets, .trade = trade, .end = trade->expiry, WITHOUT_WALLS};
    bool dividends = false, other = false;
    for (int i = 0; i < option.assets->n; i++) {
        const struct asset *asset = asset_at(option.assets, i);
        if (asset->model == MODEL_HISTORICAL) return refuse(problem, "under historical");
        if (asset->model != MODEL_BLACK_SCHOLES) other = true;
        if (asset->n_dividends > 0 && asset->dividends[0].time <= trade->expiry) dividends = true;
        bool known = asset->model == MODEL_BLACK_SCHOLES || asset->model == MODEL_MERTON;
        if (known && asset_covariance(option.assets, i, i, 0.0, trade->expiry) <= 0.0)
            return refuse(problem, "without volatility");
    }
    int n = option.assets->n;
    if (n > 1 && other)
        return refuse(problem, "on several assets under another model than Black-Scholes");
    bool line = n == 1 || trade->kind == BASKET_GEOMETRIC;
    for (int i = 0; line && i < n; i++)
        if (option.assets->weight[i] <= 0.0)
            return refuse(problem, "with a weight that is not positive");
    if (!line && n > 2) return refuse(problem, "on more than two assets");
    if (n > 1 && dividends) return refuse(problem, "on several assets with cash dividends");
    if (trade->strike <= 0.0) return refuse(problem, "without a strike");
    if (!trade->exercise.continuous) {
        MUST(schedule_dates(&problem->assets, &trade->exercise, trade->expiry, &option.dates,
                            &option.n_dates));
        if (option.n_dates == 0 || option.dates[option.n_dates - 1] <= 0.0)
            MUST(refuse(problem, "without a date of exercise after today"));
        option.end = option.dates[option.n_dates - 1];
    }
    return line ? price_on_a_field(&option, out) : american_on_a_plane(&option, out);
}
