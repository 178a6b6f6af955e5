/* American options on one asset under Heston, Bates, Merton and local volatility, by finite differences in
 * log spot and variance: a partial (integro-)differential equation in one dimension or two.
 *
 * Space: central differences, in the variance on nodes that lie closer towards 0; jumps by weights of linear
 * interpolation. Time: the modified scheme of Craig and Sneyd (K. J. in 't Hout and S. Foulon, ADI finite
 * difference schemes for option pricing in the Heston model with correlation, International Journal of
 * Numerical Analysis and Modeling 7 (2010) 303-320), in which jumps and the mixed derivative are explicit,
 * begun with implicit steps wherever the value has a kink. Where exercise is possible at every moment, a
 * multiplier keeps the value above the gain (S. Ikonen and J. Toivanen, Operator splitting methods for
 * American option pricing, Applied Mathematics Letters 17 (2004) 809-814). The result is extrapolated from
 * two grids; what the extrapolation adds is the bound on its error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

#include "validation/reference/american.h"
#include "validation/reference/gaussian.h"
#include "validation/reference/implied.h"

static const double REACH = 6.5; /* deviations that the grid covers on either side */
static const double THETA = 1.0 / 3.0;
enum { DAMPED = 2, BUFFERS = 8 };

/* What the coefficients are between two stops. */
struct stretch {
    double years, growth, rate, variance; /* a year: of log forward less jumps, of discounting, of Merton */
    double fx;                            /* correlation times volatility of a quanto's FX rate */
};

struct field {
    const struct american *option;
    const struct asset *asset;
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;
    const struct implied *implied;
    struct terms terms;                         /* in its own currency */
    double scale;                               /* the asset's weight */
    int nx, nv, steps;                          /* nodes; steps of a whole life */
    double low, dx, *price, *gain, *v, *weight; /* [nx], [nv], jump weights [2 reach + 1] */
    int reach;                                  /* of jumps, nodes */
    double *variance;                           /* [nv][nx] a year */
    double *value, *push, *buffer[BUFFERS];     /* [nv][nx]; push: the multiplier */
    double *line[5], *padded;                   /* of one solution; of one convolution */
};

/* ---- the operators: of the spot, of the variance, and what is explicit ----------------------------------
 */

static void spot_row(const struct field *f, const struct stretch *s, int j, int i, double *down, double *up)
{
    double v = f->variance[j * f->nx + i], drift = s->growth - 0.5 * v - s->fx * sqrt(v);
    if (!f->heston && !f->implied) drift = s->growth - 0.5 * v;
    *down = 0.5 * v / (f->dx * f->dx) - 0.5 * drift / f->dx;
    *up = 0.5 * v / (f->dx * f->dx) + 0.5 * drift / f->dx;
}

static void variance_row(const struct field *f, const struct stretch *s, int j, double *down, double *up)
{
    const struct heston *h = f->heston;
    double v = f->v[j], drift = h->kappa * (h->theta - v) - h->rho * h->xi * s->fx * sqrt(v);
    double below = j ? v - f->v[j - 1] : 0.0, above = j < f->nv - 1 ? f->v[j + 1] - v : 0.0;
    *down = *up = 0.0;
    if (j == 0) *up = fmax(drift, 0.0) / above;
    else if (j == f->nv - 1) *down = fmax(-drift, 0.0) / below;
    else {
        double noise = h->xi * h->xi * v;
        *down = (noise - drift * above) / (below * (below + above));
        *up = (noise + drift * below) / (above * (below + above));
    }
}

/* Ends are linear in the price. */
static void set_ends(const struct field *f, double *v)
{
    double shrink = exp(-f->dx), grow = exp(f->dx);
    int n = f->nx;
    v[0] = (1.0 + shrink) * v[1] - shrink * v[2];
    v[n - 1] = (1.0 + grow) * v[n - 2] - grow * v[n - 3];
}

static void apply_spot(const struct field *f, const struct stretch *s, const double *u, double *out)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 1; i < f->nx - 1; i++) {
            const double *at = &u[j * f->nx + i];
            double down, up;
            spot_row(f, s, j, i, &down, &up);
            out[j * f->nx + i] = down * at[-1] - (down + up + s->rate) * at[0] + up * at[1];
        }
}

static void apply_variance(const struct field *f, const struct stretch *s, const double *u, double *out)
{
    memset(out, 0, sizeof *out * (size_t)(f->nx * f->nv));
    for (int j = 0; f->nv > 1 && j < f->nv; j++) {
        double down, up;
        variance_row(f, s, j, &down, &up);
        for (int i = 0; i < f->nx; i++) {
            const double *at = &u[j * f->nx + i];
            if (j) out[j * f->nx + i] += down * (at[-f->nx] - at[0]);
            if (j < f->nv - 1) out[j * f->nx + i] += up * (at[f->nx] - at[0]);
        }
    }
}

/* Adds what jumps do to a line of one variance. */
static void add_jumps(const struct field *f, const double *u, double *out)
{
    int n = f->nx, reach = f->reach;
    double *padded = f->padded + reach;
    for (int i = -reach; i < n + reach; i++) {
        int end = i < 0 ? 0 : n - 2;
        double slope = (u[end + 1] - u[end]) / (f->price[end + 1] - f->price[end]);
        padded[i] = i >= 0 && i < n ? u[i] : u[end] + slope * (exp(f->low + i * f->dx) - f->price[end]);
    }
    for (int i = 1; i < n - 1; i++) {
        double sum = -u[i];
        for (int k = -reach; k <= reach; k++) sum += f->weight[k + reach] * padded[i + k];
        out[i] += f->jumps->intensity * sum;
    }
}

static void apply_explicit(const struct field *f, const double *u, double *out)
{
    int n = f->nx;
    memset(out, 0, sizeof *out * (size_t)(n * f->nv));
    for (int j = 1; f->heston && j < f->nv - 1; j++) {
        double below = f->v[j] - f->v[j - 1], above = f->v[j + 1] - f->v[j];
        double mixed = f->heston->rho * f->heston->xi * f->v[j] / (2.0 * f->dx),
               a = -above / (below * (below + above)), c = below / (above * (below + above)), b = -a - c;
        for (int i = 1; i < n - 1; i++) {
            const double *at = &u[j * n + i];
            out[j * n + i] =
                mixed * (a * (at[1 - n] - at[-1 - n]) + b * (at[1] - at[-1]) + c * (at[1 + n] - at[n - 1]));
        }
    }
    for (int j = 0; f->jumps && j < f->nv; j++) add_jumps(f, &u[j * n], &out[j * n]);
}

/* ---- solutions ------------------------------------------------------------------------------------------
 */

/* Of a tridiagonal system of n in the lines: diagonal, above, below, right; into `answer`. */
static enum status solve_line(const struct field *f, int n, double *answer)
{
    gsl_vector_view d = gsl_vector_view_array(f->line[0], (size_t)n),
                    a = gsl_vector_view_array(f->line[1], (size_t)n - 1),
                    b = gsl_vector_view_array(f->line[2] + 1, (size_t)n - 1),
                    r = gsl_vector_view_array(f->line[3], (size_t)n),
                    x = gsl_vector_view_array(answer, (size_t)n);
    return gsl_linalg_solve_tridiag(&d.vector, &a.vector, &b.vector, &r.vector, &x.vector) ? STATUS_FAILED
                                                                                           : STATUS_OK;
}

/* (1 - dt A_spot) y = y. */
static enum status solve_spot(const struct field *f, const struct stretch *s, double dt, double *y)
{
    double *diagonal = f->line[0] - 1, *above = f->line[1] - 1, *below = f->line[2] - 1;
    double shrink = exp(-f->dx), grow = exp(f->dx), down, up;
    int inner = f->nx - 2;
    for (int j = 0; j < f->nv; j++) {
        double *at = &y[j * f->nx];
        for (int i = 1; i <= inner; i++) {
            spot_row(f, s, j, i, &down, &up);
            diagonal[i] = 1.0 + dt * (down + up + s->rate);
            above[i] = -dt * up;
            below[i] = -dt * down;
        }
        diagonal[1] += below[1] * (1.0 + shrink);
        above[1] -= below[1] * shrink;
        diagonal[inner] += above[inner] * (1.0 + grow);
        below[inner] -= above[inner] * grow;
        memcpy(f->line[3], at + 1, (size_t)inner * sizeof *at);
        if (solve_line(f, inner, at + 1)) return STATUS_FAILED;
        set_ends(f, at);
    }
    return STATUS_OK;
}

/* (1 - dt A_variance) y = y. */
static enum status solve_variance(const struct field *f, const struct stretch *s, double dt, double *y)
{
    for (int i = 0; f->nv > 1 && i < f->nx; i++) {
        for (int j = 0; j < f->nv; j++) {
            double down, up;
            variance_row(f, s, j, &down, &up);
            f->line[0][j] = 1.0 + dt * (down + up);
            f->line[1][j] = -dt * up;
            f->line[2][j] = -dt * down;
            f->line[3][j] = y[j * f->nx + i];
        }
        if (solve_line(f, f->nv, f->line[4])) return STATUS_FAILED;
        for (int j = 0; j < f->nv; j++) y[j * f->nx + i] = f->line[4][j];
    }
    return STATUS_OK;
}

/* One step by Craig and Sneyd's modified scheme, or where it is damped by Douglas' implicit one. */
static enum status step(struct field *f, const struct stretch *s, double dt, bool damped)
{
    double *u = f->value, *first = f->buffer[0], *second = f->buffer[1], *other = f->buffer[2],
           *y = f->buffer[3], *begin = f->buffer[4], *again[3] = {f->buffer[5], f->buffer[6], f->buffer[7]};
    double share = damped ? dt : THETA * dt;
    size_t n = (size_t)(f->nx * f->nv);
    enum status status = STATUS_OK;
    for (int j = 0; j < f->nv; j++) set_ends(f, &u[j * f->nx]);
    apply_spot(f, s, u, first);
    apply_variance(f, s, u, second);
    apply_explicit(f, u, other);
    for (size_t i = 0; i < n; i++) {
        begin[i] = u[i] + dt * (first[i] + second[i] + other[i] + f->push[i]);
        y[i] = begin[i] - share * first[i];
    }
    for (int corrected = 0;; corrected = 1) {
        TRY(solve_spot(f, s, share, y));
        for (size_t i = 0; i < n; i++) y[i] -= share * second[i];
        TRY(solve_variance(f, s, share, y));
        for (int j = 0; j < f->nv; j++) set_ends(f, &y[j * f->nx]);
        if (damped || corrected) break;
        apply_spot(f, s, y, again[0]);
        apply_variance(f, s, y, again[1]);
        apply_explicit(f, y, again[2]);
        for (size_t i = 0; i < n; i++) {
            double all = again[0][i] + again[1][i] + again[2][i] - first[i] - second[i] - other[i];
            y[i] = begin[i] + share * (again[2][i] - other[i]) + (0.5 * dt - share) * all - share * first[i];
        }
    }
    memcpy(u, y, n * sizeof *u);
done:
    return status;
}

/* The value where it may be exercised: no less than the gain. */
static void push_up(struct field *f, double dt)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++) {
            double *value = &f->value[j * f->nx + i], *push = &f->push[j * f->nx + i],
                   free = *value - dt * *push;
            *push = fmax(0.0, (f->gain[i] - free) / dt);
            *value = fmax(free, f->gain[i]);
        }
}

/* ---- the grid -------------------------------------------------------------------------------------------
 */

/* Variances of log spot over the whole life, and the greatest that v may come to. */
static double whole_variance(const struct field *f, double end, double *most)
{
    const struct heston *h = f->heston;
    double sum = multi_asset_covariance(&f->option->assets, 0, 0, 0.0, end);
    if (h) {
        double mean = fmax(h->v0, h->theta), fade = -expm1(-2.0 * h->kappa * end) / (2.0 * h->kappa);
        sum = mean * end;
        *most = mean + 8.0 * h->xi * sqrt(mean * fade) + 2.0 * h->xi * h->xi * fade;
    }
    if (f->implied) sum = implied_variance(f->implied, 0.0, end) * 1.3;
    if (f->jumps)
        sum +=
            f->jumps->intensity * end * (f->jumps->mean * f->jumps->mean + f->jumps->stdev * f->jumps->stdev);
    return sum;
}

/* E of max(jump - a, 0). */
static double beyond(const struct jumps *jumps, double a)
{
    double away = jumps->mean - a, d = away / jumps->stdev;
    if (jumps->stdev <= 0.0) return fmax(away, 0.0);
    return away * normal_cdf(d) + jumps->stdev * exp(-0.5 * d * d) / sqrt(2.0 * M_PI);
}

static enum status field_memory(struct field *f)
{
    size_t n = (size_t)f->nx, all = n * (size_t)f->nv, most = n > (size_t)f->nv ? n : (size_t)f->nv;
    size_t jumps = 2 * (size_t)f->reach + 1;
    double *at = calloc(2 * n + (size_t)f->nv + (3 + BUFFERS) * all + 5 * most + 2 * jumps + n, sizeof *at);
    if (!at) return STATUS_NO_MEMORY;
    f->price = at, at += n;
    f->gain = at, at += n;
    f->v = at, at += f->nv;
    f->variance = at, at += all;
    f->value = at, at += all;
    f->push = at, at += all;
    for (int b = 0; b < BUFFERS; b++, at += all) f->buffer[b] = at;
    for (int l = 0; l < 5; l++, at += most) f->line[l] = at;
    f->weight = at, at += jumps;
    f->padded = at;
    return STATUS_OK;
}

/* About nx nodes in log spot, the strike on one of them. */
static enum status field_of(struct field *f, int nx, int nv)
{
    const struct trade *trade = f->option->trade;
    double most = 0.0, end = f->option->end, reach = REACH * sqrt(whole_variance(f, end, &most));
    double x = log(f->asset->spot), growth = multi_asset_growth(&f->option->assets, 0, end), paid = 0.0;
    for (int d = 0; d < f->asset->n_dividends && f->asset->dividends[d].time <= end; d++)
        paid += f->asset->dividends[d].amount;
    double low = x + fmin(growth, 0.0) - reach + log(fmax(0.2, 1.0 - paid / f->asset->spot));
    f->dx = (x + fmax(growth, 0.0) + reach - low) / (nx - 2);
    double strike = log(trade->strike / f->scale);
    f->low = strike - ceil((strike - low) / f->dx) * f->dx;
    f->nx = nx;
    f->nv = f->heston ? nv : 1;
    if (f->jumps) f->reach = (int)ceil((fabs(f->jumps->mean) + REACH * f->jumps->stdev) / f->dx) + 1;
    if (f->reach > 4 * nx) f->reach = 4 * nx;
    enum status status = field_memory(f);
    if (status) return status;
    for (int i = 0; i < nx; i++) {
        f->price[i] = exp(f->low + i * f->dx);
        f->gain[i] = american_gain(trade, f->scale * f->price[i]);
    }
    for (int j = 0; j < f->nv; j++) {
        f->v[j] = f->nv > 1 ? most * sinh(3.5 * j / (f->nv - 1)) / sinh(3.5) : 0.0;
        for (int i = 0; i < nx; i++) {
            f->variance[j * nx + i] = f->v[j];
            f->value[j * nx + i] = f->gain[i];
        }
    }
    for (int k = -f->reach; f->jumps && k <= f->reach; k++)
        f->weight[k + f->reach] = (beyond(f->jumps, (k - 1) * f->dx) - 2.0 * beyond(f->jumps, k * f->dx) +
                                   beyond(f->jumps, (k + 1) * f->dx)) /
                                  f->dx;
    return STATUS_OK;
}

/* Cubic through four of n points; `points` NULL for 0, 1, ... */
static double between_four(int n, const double *points, const double *values, int stride, double at)
{
    int i = 0;
    double sum = 0.0;
    while (i < n - 4 && (points ? points[i + 2] : i + 2) < at) i++;
    for (int a = i; a < i + 4; a++) {
        double part = values[a * stride];
        for (int b = i; b < i + 4; b++)
            if (b != a)
                part *=
                    (at - (points ? points[b] : b)) / ((points ? points[a] : a) - (points ? points[b] : b));
        sum += part;
    }
    return sum;
}

/* On one line, at log spot x; linear in the price beyond the ends. */
static double on_line(const struct field *f, const double *line, double x)
{
    double at = (x - f->low) / f->dx;
    int end = at < 0.0 ? 0 : f->nx - 2, near = (int)fmin(fmax(at - 1.0, 0.0), f->nx - 4);
    if (at >= 0.0 && at <= f->nx - 1) return between_four(4, NULL, line + near, 1, at - near);
    return line[end] +
           (line[end + 1] - line[end]) / (f->price[end + 1] - f->price[end]) * (exp(x) - f->price[end]);
}

/* ---- backwards over the life ----------------------------------------------------------------------------
 */

static void exercise_now(struct field *f)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++) f->value[j * f->nx + i] = fmax(f->value[j * f->nx + i], f->gain[i]);
}

static void pay_dividend(struct field *f, double amount)
{
    double *after = f->buffer[0];
    memcpy(after, f->value, sizeof *after * (size_t)(f->nx * f->nv));
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++)
            f->value[j * f->nx + i] =
                on_line(f, &after[j * f->nx], log(fmax(f->price[i] - amount, 1e-6 * f->price[i])));
}

static struct stretch stretch_between(const struct field *f, double from, double to)
{
    const struct multi_asset *assets = &f->option->assets;
    double years = to - from;
    struct stretch s = {.years = years};
    s.growth = (multi_asset_growth(assets, 0, to) - multi_asset_growth(assets, 0, from)) / years;
    s.rate = -log(multi_asset_discount(assets, to) / multi_asset_discount(assets, from)) / years;
    s.variance = multi_asset_covariance(assets, 0, 0, from, to) / years;
    if (f->jumps)
        s.growth -= f->jumps->intensity * expm1(f->jumps->mean + 0.5 * f->jumps->stdev * f->jumps->stdev);
    if (assets->foreign[0]) {
        const struct market *market = assets->market;
        const struct term_structure *fx = &market->assets[assets->fx].variance;
        s.fx = market->correlation[assets->index[0] * market->n_assets + assets->fx] *
               sqrt(fmax(terms_accrued(fx, to) - terms_accrued(fx, from), 0.0) / years);
    }
    return s;
}

/* Variances a year on a grid of one line, at t. */
static void set_variances(struct field *f, const struct stretch *s, double t)
{
    double forward = log(terms_forward(&f->terms, t));
    for (int i = 0; !f->heston && i < f->nx; i++)
        f->variance[i] =
            f->implied ? implied_local_variance(f->implied, f->low + i * f->dx - forward, t) : s->variance;
}

static enum status go_back(struct field *f, double from, double to, bool kink)
{
    struct stretch s = stretch_between(f, from, to);
    bool exercise = f->option->trade->exercise.continuous;
    int steps = 2 + (int)ceil(f->steps * sqrt(s.years / f->option->end));
    enum status status = STATUS_OK;
    if (kink) memset(f->push, 0, sizeof *f->push * (size_t)(f->nx * f->nv));
    for (int n = 0; n < steps; n++) {
        double before = (double)n / steps, after = (n + 1.0) / steps;
        double dt = s.years * (after * after - before * before);
        int parts = kink && n < DAMPED ? 2 : 1;
        set_variances(f, &s, to - 0.5 * s.years * (after * after + before * before));
        for (int q = 0; q < parts; q++) {
            TRY(step(f, &s, dt / parts, parts > 1));
            if (exercise) push_up(f, dt / parts);
        }
    }
done:
    return status;
}

static enum status field_value(const struct field *made, int nx, int nv, int steps, int n_stops,
                               const double *stops, double *value)
{
    struct field f = *made;
    const struct american *option = f.option;
    bool continuous = option->trade->exercise.continuous;
    double line[4096];
    enum status status = STATUS_OK;
    TRY(field_of(&f, nx, nv));
    f.steps = steps;
    for (int s = n_stops - 1; s >= 0; s--) {
        double dividend = american_dividend(option, stops[s]);
        bool date = american_is_date(option, stops[s]);
        if (date) exercise_now(&f);
        if (dividend > 0.0) pay_dividend(&f, dividend);
        if (dividend > 0.0 && continuous) exercise_now(&f);
        bool kink = dividend > 0.0 || s == n_stops - 1 || (date && !continuous);
        TRY(go_back(&f, s ? stops[s - 1] : 0.0, stops[s], kink));
    }
    for (int j = 0; j < f.nv; j++) line[j] = on_line(&f, &f.value[j * f.nx], log(f.asset->spot));
    *value = f.nv > 1 ? between_four(f.nv, f.v, line, 1, f.heston->v0) : line[0];
done:
    free(f.price);
    return status;
}

enum status american_on_a_field(const struct american *option, struct reference *out, struct message *why)
{
    enum { NX = 161, NV = 25, STEPS = 40 };
    const struct asset *asset = multi_asset_at(&option->assets, 0);
    const struct currency *own = &option->assets.market->currencies[asset->currency];
    struct field f = {.option = option, .asset = asset, .scale = 1.0};
    struct implied *implied = NULL;
    double *stops = NULL, coarse, fine;
    int n_stops;
    enum status status = STATUS_OK;
    f.terms = (struct terms){&own->rate, &asset->yield, &asset->variance, asset->spot};
    if (option->trade->kind != BASKET_GEOMETRIC) f.scale = option->assets.weight[0];
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES) f.heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) f.jumps = &asset->jumps;
    if (asset->model == MODEL_LOCAL_VOL) TRY(implied_make(asset, &f.terms, &implied, why));
    f.implied = implied;
    TRY(american_stops(option, &stops, &n_stops));
    TRY(field_value(&f, NX, NV, STEPS, n_stops, stops, &coarse));
    TRY(field_value(&f, 2 * NX - 1, 2 * NV - 1, 2 * STEPS, n_stops, stops, &fine));
    double gain = american_gain(option->trade, f.scale * asset->spot);
    out->price = fine + (fine - coarse) / 3.0;
    if (american_is_date(option, 0.0)) out->price = fmax(out->price, gain);
    out->error = fabs(fine - coarse) / 3.0 + 1e-6 * option->trade->strike;
    out->method = "finite differences";
done:
    implied_free(implied);
    free(stops);
    return status;
}
