/* Any product on one asset, under any model, by simulation on GSL's Mersenne twister: the last
 * resort, and the cross-check of the other methods.
 *
 * Log spot is stepped from date to date as stepper.h says; a cash dividend takes its amount off the
 * spot on its date, before anything is looked at. Continuous monitoring takes the highest and the
 * lowest point of the Brownian bridge over each step, drawn from their exact laws (Beaglehole,
 * Dybvig and Zhou 1997), each independently of the other: exact under Black-Scholes and Merton for
 * one barrier or an extreme; for two barriers both must be near within one step to matter; under
 * the other models the variance is taken as constant over a step. The time of a hit is taken in the
 * middle of its step: a bias of (rate * step)^2 / 24 of what is paid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "validation/reference/gaussian.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/mean_controls.h"
#include "validation/reference/stepper.h"

/* One date of the path: what it is needed for, and the step that leads to it. */
struct path_date {
    double time;
    struct step_parts parts_of_step;
    double dividend;
    bool fixing, watched, start, reset;
};

/* What is simulated beside the trade, its mean being known: the spot at expiry, an option on it, or
 * the geometric Asian of the same terms. All discounted. Where the noise of a quanto's spot is
 * shifted they are simulated on a second path, driven by the same numbers, that is not. */
struct path_control {
    enum { PATH_CONTROL_SPOT, PATH_CONTROL_OPTION, PATH_CONTROL_GEOMETRIC } kind;
    double strike;
};

struct simulation {
    const struct problem *problem;
    struct stepper stepper;
    struct path_date *dates;
    int n;
    bool continuous;
    double up, down; /* walls in log spot; infinite where there is none */
    bool seen[2];    /* whether the lowest point matters to the trade, and the highest */
    double discount; /* from expiry */
    double total;    /* fixings, past and to come */
    struct path_control control[MEAN_CONTROLS_MAX];
    struct mean_controls tally;
};

/* What a path remembers. Log spots. */
struct reference_path {
    double last, start, highest, lowest;
    double sum, log_sum; /* over the fixings to come */
    /* The last fixing, and the sum of squares of the moves between fixings */
    double fixed, squares;
    double reset, returns; /* the last reset, NAN before the first; the sum of clipped returns */
    double paid;           /* what cash dividends took off log spot */
    double hit;            /* time of the first hit; negative where none */
};

static int earlier(const void *a, const void *b)
{
    double x = ((const struct path_date *)a)->time, y = ((const struct path_date *)b)->time;
    return (x > y) - (x < y);
}

/* Takes on what another moment of the same date is needed for. */
static void path_dates_merge(struct path_date *moment, const struct path_date *other)
{
    moment->fixing = moment->fixing || other->fixing;
    moment->watched = moment->watched || other->watched;
    moment->start = moment->start || other->start;
    moment->reset = moment->reset || other->reset;
    moment->dividend += other->dividend;
}

/* Sorts the dates, merges what falls on one date and measures the steps. */
static enum status simulation_arrange(struct simulation *simulation)
{
    const struct problem *problem = simulation->problem;
    struct path_date *dates = simulation->dates;
    int kept = 0;
    qsort(dates, (size_t)simulation->n, sizeof *dates, earlier);
    for (int i = 0; i < simulation->n; i++) {
        if (!kept || dates[i].time - dates[kept - 1].time > 1e-12 * problem->trade->expiry)
            dates[kept++] = dates[i];
        else path_dates_merge(&dates[kept - 1], &dates[i]);
    }
    enum status status = STATUS_OK;
    double left = effort_left(problem->curves.effort);
    simulation->n = kept;
    if (simulation->stepper.local) TRY(transitions_room(simulation->stepper.local, kept - 2.0));
    for (int i = 0; i < kept; i++) {
        TRY(stepper_parts(&simulation->stepper, &problem->curves, i ? dates[i - 1].time : 0.0,
                          dates[i].time, &dates[i].parts_of_step));
        TRY(effort_foresee_rest(problem->curves.effort, left, i + 1, kept - 1 - i));
    }
done:
    return status;
}

static enum status simulation_dates(struct simulation *simulation, int steps, struct message *why)
{
    const struct trade *trade = simulation->problem->trade;
    const struct asset *asset = simulation->problem->asset;
    struct effort *effort = simulation->problem->curves.effort;
    double *fixings = NULL, *watched = NULL, *breaks = NULL, *resets = NULL;
    int n_fixings = 0, n_watched = 0, n_breaks = 0, n_resets = 0;
    const struct resample *past = simulation->stepper.past;
    int n_days = past ? (int)(trade->expiry / past->day) : 0;
    if (past) steps = 1;
    enum status status = STATUS_OK;
    TRY(schedule_dates(effort, &trade->fixings, trade->expiry, &fixings, &n_fixings, why));
    TRY(schedule_dates(effort, &trade->monitoring, trade->expiry, &watched, &n_watched, why));
    TRY(schedule_dates(effort, &trade->resets, trade->expiry, &resets, &n_resets, why));
    if (simulation->continuous)
        TRY(asset_breaks(&simulation->problem->curves, trade->expiry, &breaks, &n_breaks));
    size_t most = (size_t)(n_fixings + n_watched + n_breaks + n_resets + steps + n_days +
                           asset->n_dividends + 3);
    TRY(effort_array(effort, most, sizeof *simulation->dates, &simulation->dates));
    struct path_date *m = simulation->dates;
    for (int i = 0; i < n_fixings; i++)
        *m++ = (struct path_date){.time = fixings[i], .fixing = true};
    for (int i = 0; i < n_watched; i++)
        *m++ = (struct path_date){.time = watched[i], .watched = true};
    for (int i = 0; i < n_resets; i++) *m++ = (struct path_date){.time = resets[i], .reset = true};
    for (int i = 0; i < n_breaks; i++) *m++ = (struct path_date){.time = breaks[i]};
    for (int i = 0; i < asset->n_dividends && asset->dividends[i].time <= trade->expiry; i++)
        *m++ = (struct path_date){.time = asset->dividends[i].time,
                                  .dividend = asset->dividends[i].amount};
    for (int i = 1; i <= n_days; i++)
        if (i * past->day < trade->expiry) *m++ = (struct path_date){.time = i * past->day};
    for (int i = 1; simulation->continuous && i < steps; i++)
        *m++ = (struct path_date){.time = i * trade->expiry / steps};
    if (trade->start > 0.0) *m++ = (struct path_date){.time = trade->start, .start = true};
    *m++ = (struct path_date){.time = trade->expiry, .reset = true};
    simulation->n = (int)(m - simulation->dates);
    simulation->total = n_fixings + trade->past_count;
    TRY(simulation_arrange(simulation));
done:
    effort_free(fixings);
    effort_free(watched);
    effort_free(breaks);
    effort_free(resets);
    return status;
}

static void simulation_walls(struct simulation *simulation)
{
    const struct trade *trade = simulation->problem->trade;
    simulation->up = INFINITY;
    simulation->down = -INFINITY;
    if (trade->upper > 0.0) simulation->up = log(trade->upper);
    if (trade->lower > 0.0) simulation->down = log(trade->lower);
    if (trade->barrier <= 0.0) return;
    bool above =
        trade->direction == DIRECTION_UP ||
        (trade->direction == DIRECTION_NONE && trade->barrier > simulation->problem->curves.spot);
    *(above ? &simulation->up : &simulation->down) = log(trade->barrier);
}

/* Says which extremes matter: that beyond a wall, and to a lookback the one that it is paid by. */
static void simulation_extremes(struct simulation *simulation)
{
    const struct trade *trade = simulation->problem->trade;
    bool call = trade->option == OPTION_CALL, lookback = trade->product == PRODUCT_LOOKBACK;
    bool highest = (trade->strike_type == STRIKE_FIXED) == call;
    simulation->seen[0] = isfinite(simulation->down) || (lookback && !highest);
    simulation->seen[1] = isfinite(simulation->up) || (lookback && highest);
}

/* Draws the farthest point of a bridge from x to y in the direction of sign; an end, where that or
 * no draw has crossed the wall: the least number that is drawn, 2^-32, takes it 3.4 deviations
 * beyond its ends. */
static double bridge_extreme(double x, double y, double variance, double sign, double wall,
                             gsl_rng *rng)
{
    double end = sign * x > sign * y ? x : y,
           drawn = variance > 0.0 ? gsl_rng_uniform_pos(rng) : 1.0;
    double ahead = sign * (wall - end);
    if (variance <= 0.0 || ahead <= 0.0) return end;
    if (isfinite(wall) && ahead * ahead > 16.0 * variance) return end;
    double d = y - x;
    return 0.5 * (x + y + sign * sqrt(d * d - 2.0 * variance * log(drawn)));
}

static void monitor_point(const struct simulation *simulation, double x, double time,
                          struct reference_path *path)
{
    if (x > path->highest) path->highest = x;
    if (x < path->lowest) path->lowest = x;
    if (path->hit < 0.0 && (x >= simulation->up || x <= simulation->down)) path->hit = time;
}

/* Where log spot is at a time. */
struct path_point {
    double time, x;
};

/* Watches an interval without jumps throughout. */
static void monitor_bridge(const struct simulation *simulation, struct path_point from,
                           struct path_point to, double variance, gsl_rng *rng,
                           struct reference_path *path)
{
    double high = -INFINITY, low = INFINITY, before = from.x, x = to.x;
    if (simulation->seen[1]) high = bridge_extreme(before, x, variance, 1.0, simulation->up, rng);
    if (simulation->seen[0]) low = bridge_extreme(before, x, variance, -1.0, simulation->down, rng);
    double wall = high >= simulation->up ? simulation->up : simulation->down, share = 0.5;
    if (variance <= 0.0 && x != before)
        share = fmin(fmax((wall - before) / (x - before), 0.0), 1.0);
    double time = from.time + share * (to.time - from.time);
    if (before >= simulation->up || before <= simulation->down) time = from.time;
    if (high > path->highest) path->highest = high;
    if (low < path->lowest) path->lowest = low;
    if (path->hit < 0.0 && (high >= simulation->up || low <= simulation->down)) path->hit = time;
}

/* Draws the jumps of a part of a step and watches, between them, the bridges of its continuous
 * move: jumps come at independent uniform times, here in increasing order. Hands out where it
 * ends. */
static double monitor_jumps(const struct simulation *simulation,
                            const struct step_parts *parts_of_step, struct path_point from,
                            struct step_move move, gsl_rng *rng, struct reference_path *path)
{
    int jumps = stepper_jumps(&simulation->stepper, parts_of_step, rng);
    /* The share of the part that is over, and of the continuous move */
    double at = 0.0, moved = 0.0, x = from.x, years = parts_of_step->years;
    for (int left = jumps; left >= 0; left--) {
        double next =
            left ? at + (1.0 - at) * (1.0 - pow(gsl_rng_uniform_pos(rng), 1.0 / left)) : 1.0;
        double ahead = (next - at) / (1.0 - at), now = moved + (move.move - moved) * ahead;
        if (left)
            now += sqrt(move.variance * (next - at) * (1.0 - next) / (1.0 - at)) *
                   gsl_ran_gaussian_ziggurat(rng, 1.0);
        monitor_bridge(simulation, (struct path_point){from.time + at * years, x},
                       (struct path_point){from.time + next * years, x + now - moved},
                       move.variance * (next - at), rng, path);
        x += now - moved;
        if (left) x += stepper_jump(&simulation->stepper, 1, rng);
        at = next;
        moved = now;
    }
    return x;
}

/* Walks one part of the step that leads to a moment. */
static void walk_part(const struct simulation *simulation, const struct step_parts *parts_of_step,
                      int part, const struct walks *walks, gsl_rng *rng,
                      struct reference_path *paths)
{
    const struct stepper *stepper = &simulation->stepper;
    double from = parts_of_step->from + part * parts_of_step->years;
    struct step_move moves[ABREAST];
    stepper_move(stepper, parts_of_step, part, walks, rng, moves);
    for (int b = 0; b < walks->n; b++) {
        double *x = &walks->states[b].x;
        if (simulation->continuous) {
            *x = monitor_jumps(simulation, parts_of_step, (struct path_point){from, *x}, moves[b],
                               rng, &paths[b]);
        } else {
            int jumps = stepper_jumps(stepper, parts_of_step, rng);
            *x += moves[b].move;
            if (jumps) *x += stepper_jump(stepper, jumps, rng);
        }
    }
}

static void pay_dividend(double dividend, struct step_state *state, struct reference_path *path)
{
    double before = state->x, spot = exp(before);
    state->x = log(spot_after_dividend(spot, dividend));
    path->paid += before - state->x;
}

static void path_reset(const struct trade *trade, double x, struct reference_path *path)
{
    if (!isnan(path->reset))
        path->returns += fmin(fmax(expm1(x - path->reset), trade->local_floor), trade->local_cap);
    path->reset = x;
}

/* Notes what a moment means to a path that is at x. */
static void look(const struct simulation *simulation, const struct path_date *moment, double x,
                 struct reference_path *path)
{
    if (moment->fixing) {
        path->sum += exp(x);
        path->log_sum += x;
        path->squares += (x - path->fixed) * (x - path->fixed);
        path->fixed = x;
    }
    if (moment->start) path->start = x;
    if (moment->reset) path_reset(simulation->problem->trade, x, path);
    if (moment->watched || (simulation->continuous && moment->dividend > 0.0))
        monitor_point(simulation, x, moment->time, path);
}

/* Counts the operations (effort.h) of a path's step to a moment, a path's beginning and end, and
 * the path. */
static double step_cost(const struct simulation *simulation, const struct step_parts *parts_of_step)
{
    const struct stepper *stepper = &simulation->stepper;
    double part = (stepper->heston ? 40.0 : 8.0) + (simulation->continuous ? 12.0 : 0.0);
    double jumps = stepper->jumps ? stepper->jumps->intensity * parts_of_step->years : 0.0;
    return 4.0 + parts_of_step->parts * (part + (stepper->jumps ? 4.0 : 0.0) + 30.0 * jumps);
}

static const double ENDS_COST = 10.0;

static double path_cost(const struct simulation *simulation)
{
    double sum = ENDS_COST;
    for (int i = 0; i < simulation->n; i++)
        sum += step_cost(simulation, &simulation->dates[i].parts_of_step);
    return simulation->stepper.fx ? 2.0 * sum : sum;
}

/* Simulates n paths side by side. */
static enum status simulate_paths(const struct simulation *simulation, bool unshifted, int n,
                                  gsl_rng *rng, struct reference_path *paths)
{
    const struct problem *problem = simulation->problem;
    const struct trade *trade = problem->trade;
    double spot = log(problem->curves.spot),
           level = trade->past_level > 0.0 ? log(trade->past_level) : NAN;
    struct step_state states[ABREAST];
    const struct walks walks = {n, states};
    struct effort *effort = problem->curves.effort;
    enum status status = effort_spend(effort, ENDS_COST * n);
    for (int b = 0; b < n; b++) {
        states[b] =
            (struct step_state){.x = spot, .v = problem->asset->heston.v0, .unshifted = unshifted};
        paths[b] = (struct reference_path){.start = spot,
                                           .highest = -INFINITY,
                                           .lowest = INFINITY,
                                           .fixed = isnan(level) ? spot : level,
                                           .reset = level,
                                           .returns = trade->past_returns,
                                           .hit = -1.0};
    }
    for (int i = 0; i < simulation->n && !status; i++) {
        const struct path_date *moment = &simulation->dates[i];
        double cost =
            step_cost(simulation, &moment->parts_of_step) / fmax(moment->parts_of_step.parts, 1.0);
        if (!moment->parts_of_step.parts) status = effort_spend(effort, cost * n);
        for (int part = 0; part < moment->parts_of_step.parts && !status; part++) {
            status = effort_spend(effort, cost * n);
            walk_part(simulation, &moment->parts_of_step, part, &walks, rng, paths);
        }
        for (int b = 0; b < n; b++) {
            if (moment->dividend > 0.0) pay_dividend(moment->dividend, &states[b], &paths[b]);
            look(simulation, moment, states[b].x, &paths[b]);
        }
    }
    for (int b = 0; b < n; b++) paths[b].last = states[b].x;
    return status;
}

static double asian_payoff(const struct simulation *simulation, const struct reference_path *path,
                           enum averaging averaging)
{
    const struct trade *trade = simulation->problem->trade;
    double average = (path->sum + trade->past_count * trade->past_average) / simulation->total;
    if (averaging == AVERAGING_GEOMETRIC) {
        double past = trade->past_count ? trade->past_count * log(trade->past_average) : 0.0;
        average = exp((path->log_sum + past) / simulation->total);
    }
    if (trade->strike_type == STRIKE_FIXED)
        return option_payoff(trade->option, average, trade->strike);
    return option_payoff(trade->option, exp(path->last), average);
}

static double lookback_payoff(const struct trade *trade, const struct reference_path *path)
{
    double high = exp(path->highest), low = exp(path->lowest);
    if (trade->extreme > 0.0) {
        high = fmax(high, trade->extreme);
        low = fmin(low, trade->extreme);
    }
    bool call = trade->option == OPTION_CALL;
    if (trade->strike_type == STRIKE_FIXED)
        return option_payoff(trade->option, call ? high : low, trade->strike);
    return option_payoff(trade->option, exp(path->last), call ? low : high);
}

/* Returns the realised variance a year, what has passed included: (past variance * past years + sum
 * of squared moves of log spot) / (past years + expiry), less the strike's. */
static double variance_payoff(const struct trade *trade, const struct reference_path *path)
{
    double years = trade->past_years + trade->expiry;
    double realised = (trade->past_variance * trade->past_years + path->squares) / years;
    return trade->notional * (realised - trade->strike_volatility * trade->strike_volatility);
}

/* Returns the value today of what a path pays. A hit before today has been paid; one today pays at
 * once. */
static double path_value(const struct simulation *simulation, const struct reference_path *path)
{
    const struct trade *trade = simulation->problem->trade;
    const struct asset_curves *curves = &simulation->problem->curves;
    double spot = exp(path->last), end = simulation->discount;
    bool hit = trade->hit || path->hit >= 0.0;
    double paid = trade->pay_at == PAY_AT_EXPIRY ? end : 0.0;
    if (trade->pay_at == PAY_AT_HIT && !trade->hit && hit) paid = asset_discount(curves, path->hit);
    switch ((enum product)trade->product) {
    case PRODUCT_EUROPEAN: return end * option_payoff(trade->option, spot, trade->strike);
    case PRODUCT_DIGITAL:
        if (option_payoff(trade->option, spot, trade->strike) <= 0.0) return 0.0;
        return end * (trade->payout == PAYOUT_CASH ? trade->cash : spot);
    case PRODUCT_ASIAN: return end * asian_payoff(simulation, path, trade->averaging);
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
        if (hit == (trade->knock == KNOCK_IN))
            return end * option_payoff(trade->option, spot, trade->strike);
        return trade->rebate * (trade->knock == KNOCK_IN ? end : paid);
    case PRODUCT_TOUCH:
        if (trade->touch == TOUCH_NO) return hit ? 0.0 : end * trade->cash;
        return hit ? paid * trade->cash : 0.0;
    case PRODUCT_LOOKBACK: return end * lookback_payoff(trade, path);
    case PRODUCT_FORWARD_START:
        return end * option_payoff(trade->option, spot, trade->strike_ratio * exp(path->start));
    case PRODUCT_CLIQUET:
        return end * trade->notional *
               fmin(fmax(path->returns, trade->global_floor), trade->global_cap);
    case PRODUCT_VARIANCE_SWAP: return end * variance_payoff(trade, path);
    case PRODUCT_BASKET: /* this and the next have methods of their own */
    case PRODUCT_SPREAD:
    case PRODUCT_AUTOCALLABLE:
    case PRODUCT_AMERICAN:
    case PRODUCT_FORWARD:
    case PRODUCT_FUTURE:
    case PRODUCT_POSITION:
    case PRODUCT_CASH:
    case PRODUCT_PREMIUM:
    case PRODUCT_FEE:
    case PRODUCT_SCRIPT:
    case N_PRODUCTS: break;
    }
    return NAN;
}

/* ---- controls -------------------------------------------------------------------------------- */

/* Returns the value of a control, of the spot as it would be without cash dividends: under every
 * model but local volatility, where the dividends change how it moves, its law is known: `spot` at
 * expiry. */
static double control_value(const struct simulation *simulation, const struct path_control *control,
                            const struct reference_path *path, double spot)
{
    double end = simulation->discount;
    switch (control->kind) {
    case PATH_CONTROL_SPOT: return end * spot;
    case PATH_CONTROL_OPTION: return end * option_payoff(OPTION_CALL, spot, control->strike);
    case PATH_CONTROL_GEOMETRIC: break;
    }
    return end * asian_payoff(simulation, path, AVERAGING_GEOMETRIC);
}

/* Adds a control if its exact price can be had. */
static void control_add(struct simulation *simulation, const struct market *market,
                        struct path_control control)
{
    struct trade priced = *simulation->problem->trade;
    struct reference exact;
    struct message why;
    const struct problem *problem = simulation->problem;
    int n = simulation->tally.n;
    double scale = 1.0;
    if (simulation->stepper.fx || priced.payment_lag > 0.0) {
        /* Without the quanto and paid at once, and paid all the same */
        const struct term_structure *own = &market->currencies[problem->asset->currency].rate;
        scale = exp(curve_accrued(own, priced.expiry)) *
                asset_discount(&problem->curves, priced.expiry);
        if (simulation->stepper.fx) priced.quanto = -1;
        priced.payment_lag = 0.0;
    }
    priced.product = control.kind == PATH_CONTROL_GEOMETRIC ? PRODUCT_ASIAN : PRODUCT_EUROPEAN;
    priced.averaging = AVERAGING_GEOMETRIC;
    if (control.kind != PATH_CONTROL_GEOMETRIC) {
        priced.option = OPTION_CALL;
        priced.strike = control.kind == PATH_CONTROL_OPTION ? control.strike : 0.0;
    }
    if (n == MEAN_CONTROLS_MAX) return;
    if (reference_price(market, &priced, problem->seed, problem->curves.effort, &exact, &why)) {
        effort_forgive(problem->curves.effort);
        return;
    }
    simulation->control[n] = control;
    simulation->tally.known[n + 1] = scale * exact.price;
    simulation->tally.n = n + 1;
}

/* Adds the spot as a control, where no other price is to be had. */
static void add_spot(struct simulation *simulation)
{
    const struct asset_curves *curves = &simulation->problem->curves;
    double expiry = simulation->problem->trade->expiry;
    simulation->control[0] = (struct path_control){PATH_CONTROL_SPOT, 0.0};
    simulation->tally.known[1] = asset_discount(curves, expiry) * asset_forward(curves, expiry);
    simulation->tally.n = 1;
}

/* Adds as controls the spot, calls at the levels that matter to the trade, and of an arithmetic
 * Asian the geometric one. */
static void add_controls(struct simulation *simulation, const struct market *market, bool pays)
{
    const struct problem *problem = simulation->problem;
    const struct trade *trade = problem->trade;
    double levels[] = {trade->strike, trade->barrier, trade->lower, trade->upper};
    bool local = problem->asset->model == MODEL_LOCAL_VOL;
    if (problem->asset->model == MODEL_HISTORICAL) {
        add_spot(simulation);
        return;
    }
    control_add(simulation, market, (struct path_control){PATH_CONTROL_SPOT, 0.0});
    if (local && pays) return;
    for (int i = 0; i < 4; i++)
        if (levels[i] > 0.0)
            control_add(simulation, market, (struct path_control){PATH_CONTROL_OPTION, levels[i]});
    if (trade->strike <= 0.0)
        control_add(simulation, market,
                    (struct path_control){PATH_CONTROL_OPTION,
                                          asset_forward(&problem->curves, trade->expiry)});
    if (trade->product == PRODUCT_ASIAN && !local && !pays)
        control_add(simulation, market, (struct path_control){PATH_CONTROL_GEOMETRIC, 0.0});
}

/* Controls are priced in the market without the asset's cash dividends. */
static enum status simulation_controls(struct simulation *simulation)
{
    const struct problem *problem = simulation->problem;
    struct market market = *problem->market;
    bool pays = problem->asset->n_dividends > 0;
    size_t size = (size_t)market.n_assets * sizeof *market.assets;
    enum status status = effort_array(problem->curves.effort, 1, size, &market.assets);
    if (status) return status;
    memcpy(market.assets, problem->market->assets, size);
    market.assets[problem->trade->asset].n_dividends = 0;
    add_controls(simulation, &market, pays);
    effort_free(market.assets);
    return STATUS_OK;
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/* Tells whether every path is the same one. */
static bool is_certain(const struct problem *problem)
{
    return problem->asset->model == MODEL_BLACK_SCHOLES &&
           asset_variance(&problem->curves, problem->trade->expiry) <= 0.0;
}

/* Returns about the most that one path pays. */
static double largest_payment(const struct problem *problem)
{
    const struct trade *trade = problem->trade;
    if (reference_pays_cash(trade)) return fabs(trade->cash);
    return trade->notional != 0.0 ? fabs(trade->notional)
                                  : reference_stake(&problem->curves, trade);
}

/* More says nothing to the check of a price: the error is that of so many paths without
 * controls. */
static const double PATHS_ENOUGH = 16777216.0;
static const long PATHS_FEWEST = 16384; /* that an error is trusted of */

/* Makes the estimate so far. Where next to no path pays, their spread knows nothing of the one that
 * would have. */
static void result_of(const struct simulation *simulation, double *price, double *error)
{
    double count = simulation->tally.count;
    mean_controls_result(&simulation->tally, price, error);
    if (count > 1.0) *error = fmax(*error, largest_payment(simulation->problem) / count);
}

static bool is_enough(const struct simulation *simulation)
{
    const struct mean_controls *tally = &simulation->tally;
    double price, error;
    result_of(simulation, &price, &error);
    return error * error * PATHS_ENOUGH < tally->product[0][0] / tally->count;
}

/* Simulates at most so many paths; with `saving` fewer where fewer do, looked at whenever they have
 * doubled. */
static enum status simulate(struct simulation *simulation, long paths, bool saving,
                            struct reference *out)
{
    const struct problem *problem = simulation->problem;
    bool shifted = simulation->stepper.fx;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937), *again = gsl_rng_alloc(gsl_rng_mt19937);
    enum status status = STATUS_OK;
    if (!rng || !again) TRY(STATUS_NO_MEMORY);
    gsl_rng_set(rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    if (is_certain(problem)) paths = 1;
    TRY(effort_foresee(problem->curves.effort, path_cost(simulation) * paths));
    long done = 0, look_at = PATHS_FEWEST;
    for (; done < paths; done += ABREAST) {
        int n = paths - done < ABREAST ? (int)(paths - done) : ABREAST;
        if (saving && done == look_at) {
            if (is_enough(simulation)) break;
            look_at *= 2;
        }
        struct reference_path some[ABREAST];
        double values[ABREAST][MEAN_CONTROLS_MAX + 1];
        if (shifted) gsl_rng_memcpy(again, rng);
        TRY(simulate_paths(simulation, false, n, rng, some));
        for (int b = 0; b < n; b++) values[b][0] = path_value(simulation, &some[b]);
        if (shifted) TRY(simulate_paths(simulation, true, n, again, some));
        for (int b = 0; b < n; b++) {
            double spot = exp(some[b].last + some[b].paid);
            for (int c = 0; c < simulation->tally.n; c++)
                values[b][c + 1] =
                    control_value(simulation, &simulation->control[c], &some[b], spot);
            mean_controls_add(&simulation->tally, values[b]);
        }
    }
    result_of(simulation, &out->price, &out->error);
    out->method = paths > 1 ? "monte carlo" : "deterministic path";
done:
    if (rng) gsl_rng_free(rng);
    if (again) gsl_rng_free(again);
    return status;
}

static enum status simulation_make(const struct problem *problem, int steps,
                                   struct simulation *simulation, struct message *why)
{
    enum status status = STATUS_OK;
    *simulation = (struct simulation){.problem = problem,
                                      .continuous = problem->trade->monitoring.continuous};
    TRY(stepper_make(problem, false, &simulation->stepper, why));
    TRY(simulation_dates(simulation, steps, why));
    simulation_walls(simulation);
    simulation_extremes(simulation);
    simulation->discount = asset_discount(&problem->curves, problem->trade->expiry);
done:
    return status;
}

static void simulation_free(struct simulation *simulation)
{
    effort_free(simulation->dates);
    stepper_free(&simulation->stepper);
}

enum status reference_monte_carlo(const struct problem *problem, long paths, int steps,
                                  struct reference *out, struct message *why)
{
    struct simulation simulation;
    enum status status = STATUS_OK;
    TRY(simulation_make(problem, steps, &simulation, why));
    TRY(simulate(&simulation, paths, false, out));
done:
    simulation_free(&simulation);
    return status;
}

/* What about half a second is enough for: parts of steps, and of continuous monitoring, whose
 * bridges cost as much again, steps of equal length. Bridges are exact under Merton, so there the
 * steps only part the times of hits, and two walls. */
static const struct {
    double parts;
    int steps;
} enough[N_MODELS] = {[MODEL_BLACK_SCHOLES] = {12e6, 256}, [MODEL_MERTON] = {8e6, 32},
                      [MODEL_HESTON] = {2.5e6, 96},        [MODEL_BATES] = {2.2e6, 96},
                      [MODEL_LOCAL_VOL] = {6e6, 128},      [MODEL_HISTORICAL] = {12e6, 1}};

enum status reference_by_simulation(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    enum model model = problem->asset->model;
    struct simulation simulation;
    enum status status = STATUS_OK;
    double work = problem->trade->fixings.n;
    bool two_walls = problem->trade->lower > 0.0;
    TRY(simulation_make(problem, two_walls ? 2 * enough[model].steps : enough[model].steps,
                        &simulation, why));
    for (int i = 0; i < simulation.n; i++) work += simulation.dates[i].parts_of_step.parts;
    if (simulation.continuous && model != MODEL_BLACK_SCHOLES) work *= 1.7;
    if (!is_certain(problem)) TRY(simulation_controls(&simulation));
    TRY(simulate(&simulation, (long)fmin(enough[model].parts / work, 1e6), true, out));
done:
    simulation_free(&simulation);
    return status;
}
