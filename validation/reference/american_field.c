/* American options on one asset, or on a geometric basket of lognormal ones, by finite differences
 * in the log of the price and, under Heston and Bates, variance: a partial (integro-)differential
 * equation in one dimension or two.
 *
 * Space: central differences, in the variance on nodes that lie closer towards 0; jumps by weights
 * of linear interpolation. Time: the modified scheme of Craig and Sneyd (K. J. in 't Hout and S.
 * Foulon, ADI finite difference schemes for option pricing in the Heston model with correlation,
 * International Journal of Numerical Analysis and Modeling 7 (2010) 303-320), in which jumps and
 * the mixed derivative are explicit, begun with implicit steps wherever the value has a kink. Where
 * exercise is possible at every moment, a multiplier keeps the value above the gain (S. Ikonen and
 * J. Toivanen, Operator splitting methods for American option pricing, Applied Mathematics Letters
 * 17 (2004) 809-814). Under Black-Scholes: Crank-Nicolson, begun in the same way (Rannacher 1984;
 * Giles and Carter 2006), and a penalty (Forsyth and Vetzal 2002). At a cash dividend the value is
 * read at the price that it leaves; exercise just before it and just after it are both possible, on
 * a date of exercise only after it. The result is extrapolated from two grids; what the
 * extrapolation adds is the bound on its error. Black-Scholes takes little time: of it there are
 * three finer grids, and the bound is how far the result is from the same of the two coarser ones.
 */
#include <math.h>
#include <string.h>

#include "validation/reference/exercise_field.h"

static const double REACH = 6.5; /* deviations that the grid covers on either side */
enum { DAMPED = 2 };

/* ---- the grid -------------------------------------------------------------------------------- */

/* Variances of log spot over the whole life, and the greatest that v may come to. */
static double whole_variance(const struct field *f, double end, double *most)
{
    const struct heston *h = f->heston;
    double sum = american_variance(f->option, 0.0, end);
    if (h) {
        double mean = fmax(h->v0, h->theta),
               fade = -expm1(-2.0 * h->kappa * end) / (2.0 * h->kappa);
        sum = mean * end;
        *most = mean + 8.0 * h->xi * sqrt(mean * fade) + 2.0 * h->xi * h->xi * fade;
    }
    if (f->implied) sum = implied_variance(f->implied, 0.0, end) * 1.3;
    if (f->jumps)
        sum += f->jumps->intensity * end *
               (f->jumps->mean * f->jumps->mean + f->jumps->stdev * f->jumps->stdev);
    return sum;
}

/* Returns E of max(jump - a, 0). */
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
    double *at;
    MUST(effort_array(f->option->assets.effort,
                      2 * n + (size_t)f->nv + (3 + FIELD_BUFFERS) * all + FIELD_LINES * most +
                          2 * jumps + n,
                      &at));
    f->price = at, at += n;
    f->gain = at, at += n;
    f->v = at, at += f->nv;
    f->variance = at, at += all;
    f->value = at, at += all;
    f->push = at, at += all;
    for (int b = 0; b < FIELD_BUFFERS; b++, at += all) f->buffer[b] = at;
    for (int l = 0; l < FIELD_LINES; l++, at += most) f->line[l] = at;
    f->weight = at, at += jumps;
    f->padded = at;
    return STATUS_OK;
}

/* Makes a field of nx nodes in the log of the price, the strike on one of them. */
static enum status field_of(struct field *f, int nx, int nv)
{
    const struct trade *trade = f->option->trade;
    double most = 0.0, end = f->option->end, reach = REACH * sqrt(whole_variance(f, end, &most));
    double x = log(f->option->price), growth = american_growth(f->option, 0.0, end), paid = 0.0;
    for (int d = 0; d < f->asset->n_dividends && f->asset->dividends[d].time <= end; d++)
        paid += f->asset->dividends[d].amount;
    double low = x + fmin(growth, 0.0) - reach + log(fmax(0.2, 1.0 - paid / f->asset->spot));
    f->dx = (x + fmax(growth, 0.0) + reach - low) / (nx - 2);
    f->per_dx = 1.0 / f->dx;
    double strike = log(trade->strike);
    f->low = strike - ceil((strike - low) / f->dx) * f->dx;
    f->nx = nx;
    f->nv = f->heston ? nv : 1;
    if (f->jumps)
        f->reach = (int)fmin(ceil((fabs(f->jumps->mean) + REACH * f->jumps->stdev) / f->dx) + 1.0,
                             4.0 * nx);
    MUST(field_memory(f));
    for (int i = 0; i < nx; i++) {
        f->price[i] = exp(f->low + i * f->dx);
        f->gain[i] = option_payoff(trade->option, f->price[i], trade->strike);
    }
    for (int j = 0; j < f->nv; j++) {
        f->v[j] = f->nv > 1 ? most * sinh(3.5 * j / (f->nv - 1)) / sinh(3.5) : 0.0;
        for (int i = 0; i < nx; i++) {
            f->variance[j * nx + i] = f->v[j];
            f->value[j * nx + i] = f->gain[i];
        }
    }
    for (int k = -f->reach; f->jumps && k <= f->reach; k++)
        f->weight[k + f->reach] =
            (beyond(f->jumps, (k - 1) * f->dx) - 2.0 * beyond(f->jumps, k * f->dx) +
             beyond(f->jumps, (k + 1) * f->dx)) /
            f->dx;
    return STATUS_OK;
}

/* Interpolates by the cubic through four points. */
static double through_four(const double *points, const double *values, double at)
{
    double sum = 0.0;
    for (int a = 0; a < 4; a++) {
        double part = values[a];
        for (int b = 0; b < 4; b++)
            if (b != a) part *= (at - points[b]) / (points[a] - points[b]);
        sum += part;
    }
    return sum;
}

/* Returns the value at a variance, of those of all variances of the field. */
static double at_variance(const struct field *f, const double *value, double v)
{
    int i = 0;
    while (i < f->nv - 4 && f->v[i + 2] < v) i++;
    return through_four(f->v + i, value + i, v);
}

/* Returns the value at log price x, of those of a line: linear in the price beyond the ends. */
static double on_line(const struct field *f, const double *value, double x)
{
    static const double even[] = {0.0, 1.0, 2.0, 3.0};
    double at = (x - f->low) / f->dx;
    if (!(at >= 0.0 && at <= f->nx - 1)) {
        int a = at < 0.0 ? 0 : f->nx - 2;
        double slope = (value[a + 1] - value[a]) / (f->price[a + 1] - f->price[a]);
        return value[a] + slope * (exp(x) - f->price[a]);
    }
    int i = (int)at - 1;
    i = i < 0 ? 0 : i > f->nx - 4 ? f->nx - 4 : i;
    return through_four(even, value + i, at - i);
}

/* ---- backwards over the life ----------------------------------------------------------------- */

static void exercise_now(struct field *f)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++)
            f->value[j * f->nx + i] = fmax(f->value[j * f->nx + i], f->gain[i]);
}

static void pay_dividend(struct field *f, double amount)
{
    double *after = f->buffer[0];
    memcpy(after, f->value, sizeof *after * (size_t)(f->nx * f->nv));
    for (int j = 0; j < f->nv; j++)
        for (int i = 0; i < f->nx; i++)
            f->value[j * f->nx + i] =
                on_line(f, &after[j * f->nx], log(spot_after_dividend(f->price[i], amount)));
}

static struct field_interval interval_between(const struct field *f, double from, double to)
{
    const struct multi_asset *assets = &f->option->assets;
    double years = to - from;
    struct field_interval s = {.years = years};
    s.growth = american_growth(f->option, from, to) / years;
    s.rate = -log(asset_discount(assets, to) / asset_discount(assets, from)) / years;
    s.variance = american_variance(f->option, from, to) / years;
    if (f->jumps)
        s.growth -=
            f->jumps->intensity * expm1(f->jumps->mean + 0.5 * f->jumps->stdev * f->jumps->stdev);
    if (assets->foreign[0] && (f->heston || f->implied)) {
        const struct market *market = assets->market;
        const struct term_structure *fx = &market->assets[assets->fx].variance;
        s.fx = market->correlation[assets->index[0] * market->n_assets + assets->fx] *
               sqrt(fmax(curve_accrued(fx, to) - curve_accrued(fx, from), 0.0) / years);
    }
    return s;
}

/* Variances a year on a grid of one line, at t. */
static void set_variances(struct field *f, const struct field_interval *s, double t)
{
    double forward = log(f->option->scale * asset_own_forward(&f->option->assets, 0, t));
    for (int i = 0; !f->heston && i < f->nx; i++)
        f->variance[i] = f->implied
                             ? implied_local_variance(f->implied, f->low + i * f->dx - forward, t)
                             : s->variance;
}

static enum status go_back(struct field *f, double from, double to, bool kink)
{
    struct field_interval s = interval_between(f, from, to);
    int steps = f->steps_least + (int)ceil(f->steps * sqrt(s.years / f->option->end));
    if (kink) memset(f->push, 0, sizeof *f->push * (size_t)(f->nx * f->nv));
    for (int n = 0; n < steps; n++) {
        double before = (double)n / steps, after = (n + 1.0) / steps;
        double dt = s.years * (after * after - before * before);
        int parts = kink && n < DAMPED ? 2 : 1;
        if (f->implied) MUST(effort_spend(f->option->assets.effort, f->nx * IMPLIED_COST));
        set_variances(f, &s, to - 0.5 * s.years * (after * after + before * before));
        for (int q = 0; q < parts; q++) MUST(field_step(f, &s, dt / parts, parts > 1));
    }
    return STATUS_OK;
}

/* Finds the value on a grid so many times as fine as the coarsest. */
static enum status field_value(const struct field *made, int fineness, int n_stops,
                               const double *stops, double *value)
{
    enum { NX = 161, NV = 25 };
    struct field f = *made;
    const struct american *option = f.option;
    bool continuous = option->trade->exercise.continuous;
    MUST(field_of(&f, (NX - 1) * fineness + 1, (NV - 1) * fineness + 1));
    f.steps = (f.plain ? 50 : 40) * fineness;
    f.steps_least = 1 + fineness;
    double left = option->assets.effort->work;
    for (int s = n_stops - 1; s >= 0; s--) {
        double dividend = american_dividend(option, stops[s]);
        bool date = american_is_date(option, stops[s]);
        if (date) exercise_now(&f);
        if (dividend > 0.0) pay_dividend(&f, dividend);
        if (dividend > 0.0 && continuous) exercise_now(&f);
        bool kink = dividend > 0.0 || s == n_stops - 1 || (date && !continuous);
        MUST(effort_spend(option->assets.effort,
                          1.0 + option->n_dates + 4.0 * asset_cost(&option->assets)));
        MUST(go_back(&f, s ? stops[s - 1] : 0.0, stops[s], kink));
        MUST(effort_foresee_rest(option->assets.effort, left, n_stops - s, s));
    }
    for (int j = 0; j < f.nv; j++)
        f.line[0][j] = on_line(&f, &f.value[j * f.nx], log(option->price));
    *value = f.nv > 1 ? at_variance(&f, f.line[0], f.heston->v0) : f.line[0][0];
    return STATUS_OK;
}

/* Tells whether there is no time in which a price of Black-Scholes is certain. */
static bool has_volatility(const struct american *option, int n_stops, const double *stops)
{
    for (int s = 0; s < n_stops; s++)
        if (american_variance(option, s ? stops[s - 1] : 0.0, stops[s]) <= 0.0) return false;
    return true;
}

enum status american_on_a_field(const struct american *option, struct reference *out)
{
    enum { GRIDS = 3 };
    const struct asset *asset = asset_at(&option->assets, 0);
    struct field f = {
        .option = option, .asset = asset, .plain = asset->model == MODEL_BLACK_SCHOLES};
    struct implied *implied = NULL;
    double *stops = NULL, value[GRIDS] = {0.0};
    int n_stops;
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES) f.heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) f.jumps = &asset->jumps;
    if (asset->model == MODEL_LOCAL_VOL) MUST(implied_make(&option->assets, 0, &implied));
    f.implied = implied;
    MUST(american_stops(option, &stops, &n_stops));
    if (f.plain && !has_volatility(option, n_stops, stops))
        return effort_fail(option->assets.effort,
                           "no reference for an american with a time of no volatility");
    for (int g = f.plain ? 0 : 1; g < GRIDS; g++)
        MUST(field_value(&f, f.plain ? 3 << g : g, n_stops, stops, &value[g]));
    double fine = american_extrapolated(value[1], value[2]),
           coarse = f.plain ? american_extrapolated(value[0], value[1]) : value[2];
    const struct trade *trade = option->trade;
    out->price = fine;
    if (american_is_date(option, 0.0))
        out->price = fmax(fine, option_payoff(trade->option, option->price, trade->strike));
    out->error = fabs(fine - coarse) +
                 (f.plain ? 1e-9 * (option->price + trade->strike) : 1e-6 * trade->strike);
    out->method = "finite differences";
    return STATUS_OK;
}
