/* American options on one asset, or on a geometric basket of lognormal ones, and options between
 * walls that are watched at every moment, by finite differences in the log of the price and, under
 * Heston and Bates, variance: a partial (integro-)differential equation in one dimension or two.
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

#include "validation/reference/implied.h"
#include "validation/reference/reference_american.h"

static const double REACH = 6.5;        /* deviations that the grid covers on either side */
static const double THETA = 1.0 / 3.0;  /* of the modified scheme of Craig and Sneyd */
static const double PENALTY = 1e9;      /* against 1 on the diagonal */
static const double JUMPS_A_STEP = 3.0; /* at most: explicit, more of them grow from step to step */
enum { DAMPED = 2, ITERATIONS = 40, BUFFERS = 8, LINES = 4 };

/* The coefficients between two stops. */
struct field_interval {
    /* a year: of log forward less jumps, of discounting, of Black-Scholes and Merton */
    double years, growth, rate, variance;
    double fx; /* correlation times volatility of a quanto's FX rate */
};

struct field {
    const struct grid_option *option;
    const struct asset *asset;   /* the first */
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;
    struct implied *implied;
    bool plain;             /* Black-Scholes: one line of constant coefficients */
    int nx, nv;             /* nodes */
    bool walled[2];         /* whether the lowest node, and the highest, is a wall */
    int steps_least, steps; /* of an interval at least; of a whole life */
    double low, dx, per_dx, *price, *v, *weight;   /* [nx], [nv], jump weights [2 reach + 1] */
    int reach;                                     /* of jumps, nodes */
    double *variance;                              /* [nv][nx] a year */
    double *gain, *value, *push, *buffer[BUFFERS]; /* [nv][nx]; push: the multiplier */
    double *line[LINES], *padded;                  /* of one solution; of one convolution */
};

/* ---- values between nodes ---------------------------------------------------------------------
 */

/* Tells whether a log price is between the walls. */
static bool is_alive(const struct grid_option *option, double x)
{
    return x > option->wall[0] && x < option->wall[1];
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

/* Returns the value at log price x, of those of a line: linear in the price beyond the ends. */
static double on_line(const struct field *f, const double *value, double x)
{
    static const double even[] = {0.0, 1.0, 2.0, 3.0};
    double at = (x - f->low) / f->dx;
    if (!is_alive(f->option, x)) return f->option->at_wall;
    if (!(at >= 0.0 && at <= f->nx - 1)) {
        int a = at < 0.0 ? 0 : f->nx - 2;
        double slope = (value[a + 1] - value[a]) / (f->price[a + 1] - f->price[a]);
        return value[a] + slope * (exp(x) - f->price[a]);
    }
    int i = (int)at - 1;
    i = i < 0 ? 0 : i > f->nx - 4 ? f->nx - 4 : i;
    return through_four(even, value + i, at - i);
}

/* ---- the operators: of the spot, of the variance, and what is explicit ----------------------- */

static void spot_row(const struct field *f, const struct field_interval *s, int j, int i,
                     double *down, double *up)
{
    double v = f->variance[j * f->nx + i], drift = s->growth - 0.5 * v;
    if (s->fx != 0.0) drift -= s->fx * sqrt(v);
    double spread = 0.5 * v * f->per_dx * f->per_dx, move = 0.5 * drift * f->per_dx;
    *down = spread - move;
    *up = spread + move;
}

static void variance_row(const struct field *f, const struct field_interval *s, int j, double *down,
                         double *up)
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

/* Ends are walls, or linear in the price. */
static void set_ends(const struct field *f, double *v)
{
    double shrink = exp(-f->dx), grow = exp(f->dx), at_wall = f->option->at_wall;
    int n = f->nx;
    v[0] = f->walled[0] ? at_wall : (1.0 + shrink) * v[1] - shrink * v[2];
    v[n - 1] = f->walled[1] ? at_wall : (1.0 + grow) * v[n - 2] - grow * v[n - 3];
}

static void apply_spot(const struct field *f, const struct field_interval *s, const double *u,
                       double *out)
{
    for (int j = 0; j < f->nv; j++)
        for (int i = 1; i < f->nx - 1; i++) {
            const double *at = &u[j * f->nx + i];
            double down, up;
            spot_row(f, s, j, i, &down, &up);
            out[j * f->nx + i] = down * at[-1] - (down + up + s->rate) * at[0] + up * at[1];
        }
}

static void apply_variance(const struct field *f, const struct field_interval *s, const double *u,
                           double *out)
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
    for (int i = -reach; i < n + reach; i++)
        padded[i] = i >= 0 && i < n ? u[i] : on_line(f, u, f->low + i * f->dx);
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
               a = -above / (below * (below + above)), c = below / (above * (below + above)),
               b = -a - c;
        for (int i = 1; i < n - 1; i++) {
            const double *at = &u[j * n + i];
            out[j * n + i] = mixed * (a * (at[1 - n] - at[-1 - n]) + b * (at[1] - at[-1]) +
                                      c * (at[1 + n] - at[n - 1]));
        }
    }
    for (int j = 0; f->jumps && j < f->nv; j++) add_jumps(f, &u[j * n], &out[j * n]);
}

/* ---- solutions ------------------------------------------------------------------------------- */

/* Rows: below[i] x[i-1] + diagonal[i] x[i] + above[i] x[i+1] = right[i]. Each array holds n
 * numbers; below[0] and above[n-1] are not read. */
struct tridiagonal {
    double *below, *diagonal, *above, *right;
};

/* Solves n rows without exchanging any (Thomas), which dominance of the diagonal allows. The answer
 * stands in `right`, the reciprocals of the pivots in `diagonal`. Where coefficients do not change
 * from row to row the pivots soon come out the same too: those rows need no division, which takes
 * longer than all else. */
static void tridiagonal_solve(struct tridiagonal rows, int n)
{
    double *x = rows.right, *pivot = rows.diagonal, last = 0.0, inverse = 0.0;
    double diagonal = NAN, product = NAN; /* of the row before */
    bool still = false;                   /* its pivot was that of the row before it */
    for (int i = 0; i < n; i++) {
        double with = i ? rows.below[i] * rows.above[i - 1] : 0.0, before = inverse;
        if (!still || rows.diagonal[i] != diagonal || with != product)
            inverse = 1.0 / (rows.diagonal[i] - with * before);
        still = inverse == before;
        diagonal = rows.diagonal[i];
        product = with;
        pivot[i] = inverse;
        x[i] = last = x[i] * inverse - (i ? rows.below[i] * inverse : 0.0) * last;
    }
    for (int i = n - 2; i >= 0; i--) x[i] = last = x[i] - rows.above[i] * pivot[i] * last;
}

/* Solves (1 - dt A_spot) y = y; `pushed`: with a penalty where the value is below the gain. */
static void solve_spot(const struct field *f, const struct field_interval *s, double dt,
                       bool pushed, double *y)
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
            double gain = f->gain[j * f->nx + i];
            if (!pushed || f->value[j * f->nx + i] >= gain) continue;
            diagonal[i] += PENALTY;
            at[i] += PENALTY * gain;
        }
        if (f->walled[0]) at[1] -= below[1] * f->option->at_wall;
        else diagonal[1] += below[1] * (1.0 + shrink), above[1] -= below[1] * shrink;
        if (f->walled[1]) at[inner] -= above[inner] * f->option->at_wall;
        else diagonal[inner] += above[inner] * (1.0 + grow), below[inner] -= above[inner] * grow;
        tridiagonal_solve((struct tridiagonal){f->line[2], f->line[0], f->line[1], at + 1}, inner);
        set_ends(f, at);
    }
}

/* Solves (1 - dt A_variance) y = y. */
static void solve_variance(const struct field *f, const struct field_interval *s, double dt,
                           double *y)
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
        tridiagonal_solve((struct tridiagonal){f->line[2], f->line[0], f->line[1], f->line[3]},
                          f->nv);
        for (int j = 0; j < f->nv; j++) y[j * f->nx + i] = f->line[3][j];
    }
}

/* Takes one step by Craig and Sneyd's modified scheme, or where it is damped by Douglas' implicit
 * one. */
static enum status craig_sneyd(struct field *f, const struct field_interval *s, double dt,
                               bool damped)
{
    double *u = f->value, *first = f->buffer[0], *second = f->buffer[1], *other = f->buffer[2],
           *y = f->buffer[3], *begin = f->buffer[4],
           *again[3] = {f->buffer[5], f->buffer[6], f->buffer[7]};
    double share = damped ? dt : THETA * dt;
    size_t n = (size_t)(f->nx * f->nv);
    double jumps = f->jumps ? (2.0 * f->reach + 1.0) / 8.0 : 0.0;
    MUST(effort_spend(f->option->assets->effort,
                      (damped ? 1.0 : 2.0) * f->nx * f->nv * (6.0 + jumps)));
    for (int j = 0; j < f->nv; j++) set_ends(f, &u[j * f->nx]);
    apply_spot(f, s, u, first);
    apply_variance(f, s, u, second);
    apply_explicit(f, u, other);
    for (size_t i = 0; i < n; i++) {
        begin[i] = u[i] + dt * (first[i] + second[i] + other[i] + f->push[i]);
        y[i] = begin[i] - share * first[i];
    }
    for (int corrected = 0;; corrected = 1) {
        solve_spot(f, s, share, false, y);
        for (size_t i = 0; i < n; i++) y[i] -= share * second[i];
        solve_variance(f, s, share, y);
        for (int j = 0; j < f->nv; j++) set_ends(f, &y[j * f->nx]);
        if (damped || corrected) break;
        apply_spot(f, s, y, again[0]);
        apply_variance(f, s, y, again[1]);
        apply_explicit(f, y, again[2]);
        for (size_t i = 0; i < n; i++) {
            double all = again[0][i] + again[1][i] + again[2][i] - first[i] - second[i] - other[i];
            y[i] = begin[i] + share * (again[2][i] - other[i]) + (0.5 * dt - share) * all -
                   share * first[i];
        }
    }
    memcpy(u, y, n * sizeof *u);
    return STATUS_OK;
}

/* Lets the option be exercised after such a step: raises the value to the gain. */
static void push(struct field *f, double dt)
{
    for (int i = 0; i < f->nx * f->nv; i++) {
        double free = f->value[i] - dt * f->push[i];
        f->push[i] = fmax(0.0, (f->gain[i] - free) / dt);
        f->value[i] = fmax(free, f->gain[i]);
    }
}

/* Takes one step of one line by Crank and Nicolson, or damped, implicit; exercise at every moment
 * by a penalty on values below the gain. */
static enum status crank_nicolson(struct field *f, const struct field_interval *s, double dt,
                                  bool damped)
{
    double *u = f->value, *begin = f->buffer[0], *y = f->buffer[1], share = damped ? dt : 0.5 * dt;
    size_t bytes = (size_t)f->nx * sizeof *u;
    bool exercise = f->option->trade->exercise.continuous, changed = true;
    set_ends(f, u);
    apply_spot(f, s, u, begin);
    for (int i = 0; i < f->nx; i++) begin[i] = u[i] + (dt - share) * begin[i];
    for (int iteration = 0; changed && iteration < ITERATIONS; iteration++) {
        MUST(effort_spend(f->option->assets->effort, 3.0 * f->nx));
        memcpy(y, begin, bytes);
        solve_spot(f, s, share, exercise, y);
        changed = false;
        for (int i = 1; exercise && i < f->nx - 1; i++)
            changed = changed || (u[i] < f->gain[i]) != (y[i] < f->gain[i]);
        memcpy(u, y, bytes);
    }
    return STATUS_OK;
}

/* Takes one step of dt years back, in which the option may be exercised if it always may; `damped`:
 * implicit, for a value with kinks. */
static enum status field_step(struct field *f, const struct field_interval *s, double dt,
                              bool damped)
{
    if (f->plain) return crank_nicolson(f, s, dt, damped);
    MUST(craig_sneyd(f, s, dt, damped));
    if (f->option->trade->exercise.continuous) push(f, dt);
    return STATUS_OK;
}

/* ---- the price and its dates ------------------------------------------------------------------
 */

/* Finds the price that the grid is of: a product of powers of spots. */
static void choose_price(struct grid_option *option)
{
    const struct multi_asset *assets = option->assets;
    double total = 0.0, log_price = 0.0;
    for (int i = 0; i < assets->n; i++) total += assets->weight[i];
    for (int i = 0; i < assets->n; i++) {
        option->power[i] = assets->weight[i] / total;
        log_price += option->power[i] * log(asset_at(assets, i)->spot);
    }
    option->scale = option->trade->kind == BASKET_GEOMETRIC ? 1.0 : assets->weight[0];
    option->price = option->scale * exp(log_price);
}

/* Returns, of the log of that price between two dates, the variance where the model has one that is
 * known, jumps left out, and the log of the mean growth. */
static double american_variance(const struct grid_option *option, double from, double to)
{
    const struct multi_asset *assets = option->assets;
    double sum = 0.0;
    for (int i = 0; i < assets->n; i++)
        for (int j = 0; j < assets->n; j++)
            sum += option->power[i] * option->power[j] * asset_covariance(assets, i, j, from, to);
    return sum;
}

static double american_growth(const struct grid_option *option, double from, double to)
{
    const struct multi_asset *assets = option->assets;
    double sum = 0.5 * american_variance(option, from, to);
    for (int i = 0; i < assets->n; i++) {
        double growth = asset_growth(assets, i, to) - asset_growth(assets, i, from);
        sum += option->power[i] * (growth - 0.5 * asset_covariance(assets, i, i, from, to));
    }
    return sum;
}

static bool american_is_date(const struct grid_option *option, double t)
{
    if (option->trade->exercise.continuous) return true;
    for (int i = 0; i < option->n_dates; i++)
        if (fabs(option->dates[i] - t) <= 1e-12 * option->trade->expiry) return true;
    return false;
}

/* Returns what a cash dividend at t takes off the price, 0 where there is none. */
static double american_dividend(const struct grid_option *option, double t)
{
    const struct asset *asset = asset_at(option->assets, 0);
    for (int d = 0; option->assets->n == 1 && d < asset->n_dividends; d++)
        if (fabs(asset->dividends[d].time - t) <= 1e-12 * option->trade->expiry)
            return option->scale * asset->dividends[d].amount;
    return 0.0;
}

/* Lists dates between which curves are straight and nothing happens, increasing, the end last. */
static enum status american_stops(const struct grid_option *option, double **stops, int *n)
{
    const struct surface *surface = &asset_at(option->assets, 0)->surface;
    double *breaks = NULL, *all = NULL;
    int n_breaks = 0;
    size_t count = 0;
    MUST(asset_breaks(option->assets, option->end, &breaks, &n_breaks));
    MUST(effort_array(option->assets->effort, n_breaks + option->n_dates + surface->n_times, &all));
    for (int i = 0; i < n_breaks; i++) all[count++] = breaks[i];
    for (int i = 0; i < option->n_dates; i++)
        if (option->dates[i] > 0.0) all[count++] = option->dates[i];
    for (int i = 0; i < surface->n_times; i++)
        if (surface->times[i] < option->end) all[count++] = surface->times[i];
    *stops = all;
    *n = dates_sort(all, count, option->end);
    all[*n - 1] = option->end;
    return STATUS_OK;
}

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
    struct effort *effort = f->option->assets->effort;
    int all = f->nx * f->nv, longest = f->nx > f->nv ? f->nx : f->nv, jumps = 2 * f->reach + 1;
    MUST(effort_array(effort, f->nx, &f->price));
    MUST(effort_array(effort, all, &f->gain));
    MUST(effort_array(effort, f->nv, &f->v));
    MUST(effort_array(effort, all, &f->variance));
    MUST(effort_array(effort, all, &f->value));
    MUST(effort_array(effort, all, &f->push));
    for (int b = 0; b < BUFFERS; b++) MUST(effort_array(effort, all, &f->buffer[b]));
    for (int l = 0; l < LINES; l++) MUST(effort_array(effort, longest, &f->line[l]));
    MUST(effort_array(effort, jumps, &f->weight));
    return effort_array(effort, f->nx + jumps, &f->padded);
}

/* Returns what is paid at the end at log price x: where the strike is on no node, its mean about
 * the node next to it. */
static double end_value(const struct field *f, double x)
{
    const struct grid_option *option = f->option;
    double strike = option->trade->strike, k = log(strike), half = 0.5 * f->dx;
    double pays = option_payoff(option->trade->option, exp(x), strike);
    if (option->options == 0.0) return option->cash;
    if ((f->walled[0] || f->walled[1]) && fabs(x - k) < half)
        pays = option->trade->option == OPTION_CALL
                   ? (exp(x + half) - strike - strike * (x + half - k)) / f->dx
                   : (strike * (k - x + half) - strike + exp(x - half)) / f->dx;
    return option->options * pays + option->cash;
}

/* Makes a field of nx nodes in the log of the price, the strike on one of them, or its ends on the
 * walls. One jump may lead to the strike where nothing else does; beyond the ends, where it may
 * lead as well, the value is next to linear in the price. */
static enum status field_of(struct field *f, int nx, int nv)
{
    const struct trade *trade = f->option->trade;
    double most = 0.0, end = f->option->end, reach = REACH * sqrt(whole_variance(f, end, &most));
    double x = log(f->option->price), growth = american_growth(f->option, 0.0, end), paid = 0.0;
    double strike = log(trade->strike > 0.0 ? trade->strike : f->option->price), from = x - reach,
           to = x + reach;
    for (int d = 0; d < f->asset->n_dividends && f->asset->dividends[d].time <= end; d++)
        paid += f->asset->dividends[d].amount;
    if (f->jumps) from = fmin(from, strike - 0.5 * reach), to = fmax(to, strike + 0.5 * reach);
    double low = from + fmin(growth, 0.0) + log(fmax(0.2, 1.0 - paid / f->asset->spot));
    double high = to + fmax(growth, 0.0);
    const double *wall = f->option->wall;
    f->walled[0] = wall[0] > low, f->walled[1] = wall[1] < high;
    bool walled = f->walled[0] || f->walled[1];
    if (f->walled[0]) low = wall[0];
    if (f->walled[1]) high = wall[1];
    f->dx = (high - low) / (walled ? nx - 1 : nx - 2);
    f->per_dx = 1.0 / f->dx;
    f->low = walled ? low : strike - ceil((strike - low) / f->dx) * f->dx;
    f->nx = nx;
    f->nv = f->heston ? nv : 1;
    if (f->jumps)
        f->reach = (int)fmin(ceil((fabs(f->jumps->mean) + REACH * f->jumps->stdev) / f->dx) + 1.0,
                             4.0 * nx);
    MUST(field_memory(f));
    for (int i = 0; i < nx; i++) f->price[i] = exp(f->low + i * f->dx);
    for (int j = 0; j < f->nv; j++) {
        f->v[j] = f->nv > 1 ? most * sinh(3.5 * j / (f->nv - 1)) / sinh(3.5) : 0.0;
        for (int i = 0; i < nx; i++) {
            int at = j * nx + i;
            f->variance[at] = f->v[j];
            f->value[at] = f->gain[at] = end_value(f, f->low + i * f->dx);
        }
    }
    for (int k = -f->reach; f->jumps && k <= f->reach; k++)
        f->weight[k + f->reach] =
            (beyond(f->jumps, (k - 1) * f->dx) - 2.0 * beyond(f->jumps, k * f->dx) +
             beyond(f->jumps, (k + 1) * f->dx)) /
            f->dx;
    return STATUS_OK;
}

/* ---- backwards over the life ----------------------------------------------------------------- */

static void exercise_now(struct field *f)
{
    for (int i = 0; i < f->nx * f->nv; i++) f->value[i] = fmax(f->value[i], f->gain[i]);
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
    const struct multi_asset *assets = f->option->assets;
    double years = to - from;
    struct field_interval s = {.years = years};
    s.growth = american_growth(f->option, from, to) / years;
    s.rate = -log(asset_discount(assets, to) / asset_discount(assets, from)) / years;
    s.variance = american_variance(f->option, from, to) / years;
    if (f->jumps)
        s.growth -=
            f->jumps->intensity * expm1(f->jumps->mean + 0.5 * f->jumps->stdev * f->jumps->stdev);
    if (assets->fx[0] >= 0 && (f->heston || f->implied)) {
        const struct term_structure *fx = &assets->market->assets[assets->fx[0]].variance;
        s.fx = asset_fx_correlation(assets, 0) *
               sqrt(fmax(curve_accrued(fx, to) - curve_accrued(fx, from), 0.0) / years);
    }
    return s;
}

/* Variances a year on a grid of one line, at t. */
static void set_variances(struct field *f, const struct field_interval *s, double t)
{
    double forward = log(f->option->scale * asset_own_forward(f->option->assets, 0, t));
    for (int i = 0; !f->heston && i < f->nx; i++)
        f->variance[i] = f->implied
                             ? implied_local_variance(f->implied, f->low + i * f->dx - forward, t)
                             : s->variance;
}

static enum status go_back(struct field *f, double from, double to, bool kink)
{
    struct field_interval s = interval_between(f, from, to);
    double steps_wanted = f->steps_least + ceil(f->steps * sqrt(s.years / f->option->end));
    if (f->jumps)
        steps_wanted = fmax(steps_wanted, ceil(2.0 * f->jumps->intensity * s.years / JUMPS_A_STEP));
    MUST(effort_foresee(f->option->assets->effort, steps_wanted));
    int steps = (int)steps_wanted;
    if (kink) memset(f->push, 0, sizeof *f->push * (size_t)(f->nx * f->nv));
    for (int n = 0; n < steps; n++) {
        double before = (double)n / steps, after = (n + 1.0) / steps;
        double dt = s.years * (after * after - before * before);
        int parts = kink && n < DAMPED ? 2 : 1;
        if (f->implied) MUST(effort_spend(f->option->assets->effort, f->nx * IMPLIED_COST));
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
    const struct grid_option *option = f.option;
    bool continuous = option->trade->exercise.continuous;
    MUST(field_of(&f, (NX - 1) * fineness + 1, (NV - 1) * fineness + 1));
    f.steps = (f.plain ? 50 : 40) * fineness;
    f.steps_least = 1 + fineness;
    double left = option->assets->effort->work;
    for (int s = n_stops - 1; s >= 0; s--) {
        double dividend = american_dividend(option, stops[s]);
        bool date = american_is_date(option, stops[s]);
        if (date) exercise_now(&f);
        if (dividend > 0.0) pay_dividend(&f, dividend);
        if (dividend > 0.0 && continuous) exercise_now(&f);
        bool kink = dividend > 0.0 || s == n_stops - 1 || (date && !continuous);
        MUST(effort_spend(option->assets->effort,
                          1.0 + option->n_dates + 4.0 * asset_cost(option->assets)));
        MUST(go_back(&f, s ? stops[s - 1] : 0.0, stops[s], kink));
        MUST(effort_foresee_rest(option->assets->effort, left, n_stops - s, s));
    }
    for (int j = 0; j < f.nv; j++)
        f.line[0][j] = on_line(&f, &f.value[j * f.nx], log(option->price));
    int v = 0; /* the first of four variances around today's */
    while (f.heston && v < f.nv - 4 && f.v[v + 2] < f.heston->v0) v++;
    *value = f.heston ? through_four(f.v + v, f.line[0] + v, f.heston->v0) : f.line[0][0];
    return STATUS_OK;
}

enum status price_on_a_field(struct grid_option *option, struct reference *out)
{
    enum { GRIDS = 3 };
    const struct asset *asset = asset_at(option->assets, 0);
    struct field f = {
        .option = option, .asset = asset, .plain = asset->model == MODEL_BLACK_SCHOLES};
    double *stops = NULL, value[GRIDS] = {0.0};
    int n_stops;
    choose_price(option);
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES) f.heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) f.jumps = &asset->jumps;
    if (asset->model == MODEL_LOCAL_VOL) MUST(implied_make(option->assets, 0, &f.implied));
    MUST(american_stops(option, &stops, &n_stops));
    for (int s = 0; f.plain && s < n_stops; s++)
        if (american_variance(option, s ? stops[s - 1] : 0.0, stops[s]) <= 0.0)
            return effort_fail(option->assets->effort,
                               "no reference for an american with a time of no volatility");
    for (int g = f.plain ? 0 : 1; g < GRIDS; g++)
        MUST(field_value(&f, f.plain ? 3 << g : g, n_stops, stops, &value[g]));
    double fine = american_extrapolated(value[1], value[2]),
           coarse = f.plain ? american_extrapolated(value[0], value[1]) : value[2];
    const struct trade *trade = option->trade;
    out->price = fine;
    if (american_is_date(option, 0.0))
        out->price = fmax(fine, option_payoff(trade->option, option->price, trade->strike));
    double most = option->options * trade->strike + option->cash + option->at_wall;
    out->error = fabs(fine - coarse) + (f.plain ? 1e-9 * (option->price + most) : 1e-6 * most);
    out->method = "finite differences";
    return STATUS_OK;
}
