/* American options on one lognormal price by finite differences in its log.
 *
 * Central differences in space; in time Crank-Nicolson, begun with four implicit half steps
 * wherever the value has a kink (Rannacher 1984; Giles and Carter 2006), steps growing with the
 * distance from it. Where exercise is possible at every moment, each step solves its
 * complementarity problem by a penalty on values below the gain (Forsyth and Vetzal 2002). At a
 * cash dividend the value is read at the spot that it leaves; exercise just before it and just
 * after it are both possible, on a date of exercise only after it. The order is two: the result is
 * extrapolated from two grids, and the bound on its error is how far it is from the same of grids
 * twice as coarse. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validation/reference/reference_american.h"

static const double REACH = 7.5;   /* deviations that the grid covers on either side */
static const double PENALTY = 1e9; /* against 1 on the diagonal */
enum { ITERATIONS = 40 };

/* The price as a product of powers of spots; for one asset its spot times its weight. */
struct american_line {
    const struct american *option;
    double share[TRADE_ASSETS_MAX]; /* powers */
    double scale;                   /* weight of a single asset */
    double spot;
    /* Dates between which coefficients are constant and nothing happens, increasing, the end
     * last */
    int n_stops;
    double *stops;
};

struct line_grid {
    const struct american_line *line;
    int n;                        /* nodes */
    double low, dx;               /* log of the price at the first node; distance of nodes */
    double *value, *gain, *price; /* [n] */
    double *diagonal, *above, *below, *right, *solved; /* [n] */
    int steps_least, steps_all; /* steps of an interval at least; of a whole life */
};

static double line_variance(const struct american_line *line, double from, double to)
{
    const struct multi_asset *assets = &line->option->assets;
    double sum = 0.0;
    for (int i = 0; i < assets->n; i++)
        for (int j = 0; j < assets->n; j++)
            sum += line->share[i] * line->share[j] * multi_asset_covariance(assets, i, j, from, to);
    return sum;
}

/* Returns the mean of the move of the log. */
static double line_drift(const struct american_line *line, double from, double to)
{
    const struct multi_asset *assets = &line->option->assets;
    double sum = 0.0;
    for (int i = 0; i < assets->n; i++) {
        double growth = multi_asset_growth(assets, i, to) - multi_asset_growth(assets, i, from);
        sum += line->share[i] * (growth - 0.5 * multi_asset_covariance(assets, i, i, from, to));
    }
    return sum;
}

static enum status line_of(const struct american *option, struct american_line *line)
{
    const struct multi_asset *assets = &option->assets;
    double total = 0.0, x = 0.0;
    *line = (struct american_line){.option = option, .scale = 1.0};
    bool geometric = option->trade->kind == BASKET_GEOMETRIC;
    for (int i = 0; i < assets->n; i++) total += assets->weight[i];
    for (int i = 0; i < assets->n; i++) {
        line->share[i] = assets->weight[i] / total;
        x += line->share[i] * log(multi_asset_at(assets, i)->spot);
    }
    if (assets->n == 1 && !geometric) line->scale = assets->weight[0];
    line->spot = line->scale * exp(x);
    return american_stops(option, &line->stops, &line->n_stops);
}

/* Makes a grid of about `nodes` nodes, the strike on one of them. */
static enum status grid_of(const struct american_line *line, int nodes, struct line_grid *grid)
{
    const struct trade *trade = line->option->trade;
    double x = log(line->spot), end = line->option->end, least = 0.0, most = 0.0, paid = 0.0;
    for (int i = 0; i < line->n_stops; i++) {
        double drift = line_drift(line, 0.0, line->stops[i]);
        least = fmin(least, drift);
        most = fmax(most, drift);
        paid += line->scale * american_dividend(line->option, line->stops[i]);
    }
    double reach = REACH * sqrt(line_variance(line, 0.0, end));
    double low = x + least - reach + log(fmax(0.2, 1.0 - paid / line->spot)),
           high = x + most + reach;
    *grid = (struct line_grid){.line = line, .dx = (high - low) / (nodes - 2)};
    double strike = log(trade->strike);
    grid->low = strike - ceil((strike - low) / grid->dx) * grid->dx;
    grid->n = nodes;
    double *all;
    enum status status =
        effort_array(line->option->assets.effort, (size_t)nodes * 8, sizeof *all, &all);
    if (status) return status;
    double **arrays[] = {&grid->value, &grid->gain,  &grid->price, &grid->diagonal,
                         &grid->above, &grid->below, &grid->right, &grid->solved};
    for (int a = 0; a < 8; a++) *arrays[a] = all + a * nodes;
    for (int i = 0; i < nodes; i++) {
        grid->price[i] = exp(grid->low + i * grid->dx);
        grid->gain[i] = american_gain(trade, grid->price[i]);
    }
    return STATUS_OK;
}

static double grid_at(const struct line_grid *grid, const double *value, double x)
{
    return american_between(grid->n, grid->low, grid->dx, grid->price, value, x);
}

/* Coefficients of dV/dt = down * V[i-1] - (down + up + rate) V[i] + up * V[i+1]. */
struct operator
{
    double down, up, rate;
};

/* Solves (1 - share * dt * L) V = (1 + (1 - share) dt L) V_before, ends linear in the price, with
 * or without exercise. */
static enum status step(struct line_grid *grid, const struct operator* l, double dt, double share,
                        bool exercise)
{
    int n = grid->n, inner = n - 2;
    double *restrict v = grid->value, *restrict right = grid->right, *restrict gain = grid->gain;
    double *restrict diagonal = grid->diagonal, *restrict solved = grid->solved;
    double *restrict below = grid->below, *restrict above = grid->above;
    double shrink = exp(-grid->dx), grow = exp(grid->dx), old = (1.0 - share) * dt, new = share *dt;
    double sum = l->down + l->up + l->rate, down = -new * l->down, up = -new * l->up;
    for (int i = 1; i <= inner; i++) {
        right[i] = v[i] + old * (l->down * v[i - 1] - sum * v[i] + l->up * v[i + 1]);
        below[i] = down;
        above[i] = up;
    }
    /* v[0] = (1 + shrink) v[1] - shrink v[2], v[n-1] = (1 + grow) v[n-2] - grow v[n-3] */
    above[1] -= down * shrink;
    below[inner] -= up * grow;
    bool changed = true;
    for (int iteration = 0; changed && iteration < ITERATIONS; iteration++) {
        enum status status = effort_spend(grid->line->option->assets.effort, 3.0 * n);
        if (status) return status;
        for (int i = 1; i <= inner; i++) {
            double penalty = exercise && v[i] < gain[i] ? PENALTY : 0.0;
            diagonal[i] = 1.0 + new *sum + penalty;
            solved[i] = right[i] + penalty * gain[i];
        }
        diagonal[1] += down * (1.0 + shrink);
        diagonal[inner] += up * (1.0 + grow);
        struct tridiagonal rows = {below + 1, diagonal + 1, above + 1, solved + 1};
        tridiagonal_solve(rows, inner);
        changed = false;
        for (int i = 1; i <= inner; i++) {
            changed = changed || (exercise && (v[i] < gain[i]) != (solved[i] < gain[i]));
            v[i] = solved[i];
        }
    }
    v[0] = (1.0 + shrink) * v[1] - shrink * v[2];
    v[n - 1] = (1.0 + grow) * v[n - 2] - grow * v[n - 3];
    return STATUS_OK;
}

/* Takes the values from `to` back to `from`, over which coefficients are constant. */
static enum status interval(struct line_grid *grid, double from, double to, bool kink)
{
    const struct american_line *line = grid->line;
    const struct american *option = line->option;
    double length = to - from, half = 0.5 * line_variance(line, from, to) / length;
    double drift = line_drift(line, from, to) / length, dx = grid->dx;
    double rate = -log(multi_asset_discount(&option->assets, to) /
                       multi_asset_discount(&option->assets, from));
    struct operator l = {half / (dx * dx) - 0.5 * drift / dx, half / (dx * dx) + 0.5 * drift / dx,
                         rate / length};
    bool exercise = option->trade->exercise.continuous;
    int steps = grid->steps_least + (int)ceil(grid->steps_all * sqrt(length / option->end));
    enum status status = STATUS_OK;
    for (int s = 0; s < steps; s++) {
        double before = (double)s / steps, after = (s + 1.0) / steps;
        double dt = length * (after * after - before * before);
        if (s >= 2 || !kink) TRY(step(grid, &l, dt, 0.5, exercise));
        else
            for (int q = 0; q < 2; q++) TRY(step(grid, &l, 0.5 * dt, 1.0, exercise));
    }
done:
    return status;
}

static void exercise_now(struct line_grid *grid)
{
    for (int i = 0; i < grid->n; i++) grid->value[i] = fmax(grid->value[i], grid->gain[i]);
}

static void pay_dividend(struct line_grid *grid, double amount)
{
    double *after = grid->solved;
    memcpy(after, grid->value, (size_t)grid->n * sizeof *after);
    for (int i = 0; i < grid->n; i++)
        grid->value[i] = grid_at(grid, after, log(spot_after_dividend(grid->price[i], amount)));
}

/* Counts the operations (effort.h) that a stop takes beside its steps. */
static double line_cost(const struct american_line *line)
{
    const struct multi_asset *assets = &line->option->assets;
    return 4.0 * assets->n * (assets->n + 1.0) * multi_asset_cost(assets) + line->option->n_dates;
}

/* Finds the value on a grid so many times as fine as the coarsest. */
static enum status line_value(const struct american_line *line, int fineness, double *value)
{
    struct effort *effort = line->option->assets.effort;
    struct line_grid grid = {0};
    bool continuous = line->option->trade->exercise.continuous;
    enum status status = STATUS_OK;
    TRY(grid_of(line, 500 * fineness + 1, &grid));
    grid.steps_all = 150 * fineness;
    grid.steps_least = 3 * fineness;
    bool kink = false;
    double left = effort_left(effort);
    for (int s = line->n_stops - 1; s >= 0; s--) {
        double t = line->stops[s], dividend = line->scale * american_dividend(line->option, t);
        if (american_is_date(line->option, t)) exercise_now(&grid);
        if (dividend > 0.0) pay_dividend(&grid, dividend);
        if (dividend > 0.0 && continuous) exercise_now(&grid);
        kink = dividend > 0.0 || s == line->n_stops - 1 ||
               (american_is_date(line->option, t) && !continuous);
        TRY(effort_spend(effort, line_cost(line)));
        TRY(interval(&grid, s ? line->stops[s - 1] : 0.0, t, kink));
        TRY(effort_foresee_rest(effort, left, line->n_stops - s, s));
    }
    *value = grid_at(&grid, grid.value, log(line->spot));
    if (american_is_date(line->option, 0.0))
        *value = fmax(*value, american_gain(line->option->trade, line->spot));
done:
    effort_free(grid.value);
    return status;
}

enum status american_on_a_line(const struct american *option, struct reference *out,
                               struct message *why)
{
    struct american_line line = {0};
    double coarse, middle, fine;
    enum status status = STATUS_OK;
    TRY(line_of(option, &line));
    TRY(effort_spend(option->assets.effort, line.n_stops * line_cost(&line)));
    for (int s = 0; s < line.n_stops; s++)
        if (line_variance(&line, s ? line.stops[s - 1] : 0.0, line.stops[s]) <= 0.0) {
            snprintf(why->text, sizeof why->text,
                     "no reference for an american with a time of no volatility");
            TRY(STATUS_FAILED);
        }
    TRY(line_value(&line, 1, &coarse));
    TRY(line_value(&line, 2, &middle));
    TRY(line_value(&line, 4, &fine));
    double before = middle + (middle - coarse) / 3.0;
    out->price = fine + (fine - middle) / 3.0;
    if (american_is_date(line.option, 0.0))
        out->price = fmax(out->price, american_gain(option->trade, line.spot));
    out->error = fabs(out->price - before) + 1e-9 * (line.spot + option->trade->strike);
    out->method = "finite differences";
done:
    effort_free(line.stops);
    return status;
}
