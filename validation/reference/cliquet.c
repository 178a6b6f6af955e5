/* Cliquets under Black-Scholes and Merton: the returns of the periods are independent, so the law
 * of their sum is a convolution.
 *
 * Each clipped return is put on a grid of width h by hat functions, with the weights w_j = (c_{j-1}
 * - 2 c_j + c_{j+1}) / h where c_j is the expected excess of the return over x_j, which is a
 * difference of Black's (Merton's) prices: mean and every function that is straight between nodes
 * are kept exactly. It adds at most h^2 / 4 of variance a period, so the error falls as h^2; the
 * price on a grid of half as many nodes says how large it is. The transforms of all periods
 * multiply. */
#include <math.h>

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

#include "validation/reference/methods.h"

enum { MOST_JUMPS = 200, NODES_A_PERIOD = 24, NODES_MOST = 1 << 22 };

/* The return of one period: growth - 1 held between floor and cap. */
struct reset_period {
    double growth, variance; /* expected growth, and variance of its log without jumps */
    double years, floor, cap;
    const struct jumps *jumps; /* NULL: none */
};

/* Returns the expected excess of the unclipped growth over k: Black's price, summed over the number
 * of jumps (Merton 1976). */
static double growth_call(const struct reset_period *period, double k)
{
    const struct jumps *jumps = period->jumps;
    if (!jumps || jumps->intensity <= 0.0)
        return black(OPTION_CALL, period->growth, k, period->variance);
    double spread = jumps->stdev * jumps->stdev, size = jumps->mean + 0.5 * spread;
    double count = jumps->intensity * period->years, weight = exp(-count), sum = 0.0, left = 1.0;
    for (int n = 0; n < MOST_JUMPS && (n <= count || left > 1e-15); n++) {
        double forward = period->growth * exp(n * size - count * expm1(size));
        sum += weight * black(OPTION_CALL, forward, k, period->variance + n * spread);
        left -= weight;
        weight *= count / (n + 1);
    }
    return sum;
}

/* Counts about the operations (effort.h) that growth_call() takes. */
static double call_cost(const struct reset_period *period)
{
    const struct jumps *jumps = period->jumps;
    double count = jumps && jumps->intensity > 0.0 ? jumps->intensity * period->years : 0.0;
    return 4.0 * fmin(1.0 + 2.0 * count + 10.0 * sqrt(count), MOST_JUMPS);
}

/* Returns the expected excess of the clipped return over x. */
static double clipped_excess(const struct reset_period *period, double x)
{
    if (x >= period->cap) return 0.0;
    double above = growth_call(period, 1.0 + period->cap);
    double below = fmax(period->floor - x, 0.0);
    return below + growth_call(period, 1.0 + fmax(x, period->floor)) - above;
}

/* What holds the sum of the returns to come. */
struct sum_bounds {
    double floor, cap;
};

/* A grid for the sum: width, and how far below its floor the first period begins, so that the
 * payoff bends on nodes. */
struct sum_grid {
    double width, shift;
};

static struct sum_grid sum_grid(struct sum_bounds bounds, double low, double high,
                                double least_width)
{
    struct sum_grid grid = {least_width, 0.0};
    double rounding = 1e-9 * (high - low);
    bool floor_inside = bounds.floor >= low - rounding, cap_inside = bounds.cap <= high + rounding;
    double span = bounds.cap - bounds.floor;
    if (floor_inside && cap_inside && span > least_width)
        grid.width = span / floor(span / least_width);
    if (!floor_inside && !cap_inside) return grid;
    grid.shift = fmod(low - (floor_inside ? bounds.floor : bounds.cap), grid.width);
    if (grid.shift < 0.0) grid.shift += grid.width;
    return grid;
}

/* Makes the weights on the nodes start - h + j h; start <= floor, and the last node is at or beyond
 * the cap. */
static enum status period_weights(struct effort *effort, const struct reset_period *period,
                                  double start, double h, int nodes, double *weights)
{
    double cost = 2.0 * call_cost(period);
    double before, here = clipped_excess(period, start - 2.0 * h),
                   after = clipped_excess(period, start - h);
    for (int j = 0; j < nodes; j++) {
        before = here;
        here = after;
        after = clipped_excess(period, start + j * h);
        weights[j] = (before - 2.0 * here + after) / h;
        MUST(effort_spend(effort, cost));
    }
    return STATUS_OK;
}

static void multiply_halfcomplex(double *a, const double *b, int n)
{
    a[0] *= b[0];
    a[n / 2] *= b[n / 2];
    for (int i = 1; i < n / 2; i++) {
        double real = a[i] * b[i] - a[n - i] * b[n - i],
               imaginary = a[i] * b[n - i] + a[n - i] * b[i];
        a[i] = real;
        a[n - i] = imaginary;
    }
}

static bool same_period(const struct reset_period *a, const struct reset_period *b)
{
    return fabs(a->growth - b->growth) < 1e-15 && fabs(a->variance - b->variance) < 1e-16 &&
           fabs(a->years - b->years) < 1e-13 && fabs(a->floor - b->floor) < 1e-15 &&
           fabs(a->cap - b->cap) < 1e-15;
}

static const double FFT_COST = 6.0; /* of a node in a transform, in operations */

/* Finds the expected clipped sum on a grid of `size` nodes (a power of two). */
static enum status expected_sum(struct effort *effort, struct sum_bounds bounds,
                                const struct reset_period *periods, int n, int size, double *value)
{
    double *one = NULL, *all = NULL;
    MUST(effort_array(effort, size, &one));
    MUST(effort_array(effort, size, &all));
    double low = 0.0, range = 0.0;
    int made = 0, to_make = 1;
    for (int i = 0; i < n; i++) {
        low += periods[i].floor;
        range += periods[i].cap - periods[i].floor;
        to_make += i && !same_period(&periods[i], &periods[i - 1]);
    }
    struct sum_grid grid = sum_grid(bounds, low, low + range, range / (size - 5.0 * n - 5.0));
    double h = grid.width, left = effort->work;
    for (int i = 0; i < n; i++) {
        if (i < 2 || !same_period(&periods[i], &periods[i - 1])) {
            double start = periods[i].floor - (i ? 0.0 : grid.shift);
            double wanted = ceil((periods[i].cap - start) / h) + 3.0;
            if (!(wanted <= size)) return STATUS_FAILED;
            int nodes = (int)wanted;
            MUST(period_weights(effort, &periods[i], start, h, nodes, one));
            for (int j = nodes; j < size; j++) one[j] = 0.0;
            gsl_fft_real_radix2_transform(one, 1, (size_t)size);
            MUST(effort_spend(effort, FFT_COST * size));
            made++;
            MUST(effort_foresee_rest(effort, left, made, to_make - made));
        }
        if (i == 0)
            for (int j = 0; j < size; j++) all[j] = one[j];
        else multiply_halfcomplex(all, one, size);
    }
    gsl_fft_halfcomplex_radix2_inverse(all, 1, (size_t)size);
    *value = 0.0;
    for (int j = 0; j < size; j++) {
        double sum = low - grid.shift + (j - n) * h;
        *value += all[j] * fmin(fmax(sum, bounds.floor), bounds.cap);
    }
    return STATUS_OK;
}

/* Moves floor and cap inwards to where less than rounding is expected beyond them: the expected
 * excess over a return falls, and that below it rises, monotonically. */
static void trim_period(struct reset_period *period)
{
    const double nothing = 1e-14;
    double inside = fmax(period->growth - 1.0, period->floor),
           outside = inside + fmax(1.0, fabs(inside));
    while (growth_call(period, 1.0 + outside) > nothing && outside < period->cap)
        outside = inside + 2.0 * (outside - inside);
    for (double high = fmin(outside, period->cap), low = inside;
         high - low > 1e-3 * fabs(high) + 1e-6;) {
        double middle = 0.5 * (low + high);
        *(growth_call(period, 1.0 + middle) > nothing ? &low : &high) = middle;
        period->cap = high;
    }
    inside = fmin(period->growth - 1.0, period->cap);
    for (double low = period->floor, high = inside; high - low > 1e-3 * fmax(1.0, fabs(high));) {
        double middle = 0.5 * (low + high), k = 1.0 + middle;
        bool empty = growth_call(period, k) - period->growth + k < nothing;
        *(empty ? &low : &high) = middle;
        period->floor = low;
    }
}

static const double TRIM_CALLS = 100.0; /* of growth_call() in trim_period(), about */

static enum status cliquet_periods(const struct problem *problem, struct reset_period **out, int *n)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    const struct jumps *jumps =
        problem->asset->model == MODEL_MERTON ? &problem->asset->jumps : NULL;
    double *dates = NULL;
    struct reset_period *periods = NULL;
    MUST(schedule_dates(assets, &trade->resets, trade->expiry, &dates, n));
    MUST(effort_array(assets->effort, *n + 1, &periods));
    if (*n > 0 && dates[*n - 1] >= trade->expiry) --*n; /* a reset at expiry begins nothing */
    /* The first period, before today: what it has grown by is known */
    bool begun = trade->past_level > 0.0;
    int n_dates = *n;
    *n += begun;
    for (int i = 0; i < *n; i++) {
        int next = i + 1 - begun;
        double from = next ? dates[next - 1] : 0.0,
               to = next < n_dates ? dates[next] : trade->expiry;
        double grown = next ? 1.0 : problem->asset->spot / trade->past_level;
        struct log_increment increment = asset_increment(assets, 0, from, to);
        struct reset_period *period = &periods[i];
        *period = (struct reset_period){grown * exp(increment.drift + 0.5 * increment.variance),
                                        increment.variance,
                                        to - from,
                                        fmax(trade->local_floor, -1.0),
                                        trade->local_cap,
                                        jumps};
        MUST(effort_spend(assets->effort, TRIM_CALLS * call_cost(period)));
        if (period->cap > period->floor) trim_period(period);
    }
    *out = periods;
    return STATUS_OK;
}

/* Prices the sum of the returns to come, held between what the returns so far leave of the global
 * floor and cap, and adds those. */
enum status reference_cliquet(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    struct reset_period *periods = NULL;
    int n = 0;
    double fine = 0.0, coarse = 0.0, low = 0.0, high = 0.0, past = trade->past_returns;
    const struct sum_bounds bounds = {trade->global_floor - past, trade->global_cap - past};
    MUST(cliquet_periods(problem, &periods, &n));
    for (int i = 0; i < n; i++) {
        low += periods[i].floor;
        high += periods[i].cap;
    }
    out->method = "convolution";
    if (bounds.floor <= low && bounds.cap >= high) {
        /* Without global floor and cap the sum's expectation is the sum of the parts' */
        out->method = "closed form";
        for (int i = 0; i < n; i++)
            fine += periods[i].floor + clipped_excess(&periods[i], periods[i].floor);
        coarse = fine;
    } else if (bounds.cap <= low || bounds.floor >= high || high <= low) {
        /* Nothing can vary */
        fine = coarse = fmin(fmax(low, bounds.floor), bounds.cap);
    } else {
        int nodes = 1 << 16;
        while (nodes < NODES_A_PERIOD * n && nodes < NODES_MOST) nodes *= 2;
        /* A return so large that the sum is above the global cap whatever the others do needs not
         * be told from a larger one */
        for (int i = 0; i < n; i++) {
            double enough = fmax(bounds.cap - (low - periods[i].floor), periods[i].floor);
            periods[i].cap = fmin(periods[i].cap, enough);
        }
        MUST(expected_sum(problem->assets.effort, bounds, periods, n, nodes, &fine));
        MUST(expected_sum(problem->assets.effort, bounds, periods, n, nodes / 2, &coarse));
    }
    double discount = asset_discount(&problem->assets, trade->expiry),
           scale = trade->notional * discount;
    out->price = scale * fine + past * trade->notional * discount;
    out->error = fabs(scale) * (fabs(fine - coarse) + 1e-13 * n);
    return STATUS_OK;
}
