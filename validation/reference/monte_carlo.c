/* Any product by simulation on GSL's Mersenne twister: the last resort, and the cross-check of the other
 * methods.
 *
 * Log spot is stepped exactly from date to date. Continuous monitoring takes the highest and the lowest point
 * of the Brownian bridge over each step, drawn from their exact laws (Beaglehole, Dybvig and Zhou 1997), each
 * independently of the other: exact for one barrier or an extreme; for two barriers both must be near within
 * one step to matter. The time of a hit is taken in the middle of its step: a bias of (rate * step)^2 / 24 of
 * what is paid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "validation/reference/methods.h"

/* One date of the path: what it is needed for, and the step that leads to it. */
struct moment {
    double time, drift, variance;
    bool fixing, watched, start;
};

struct simulation {
    const struct problem *problem;
    struct moment *moments;
    int n;
    bool continuous;
    double up, down; /* walls in log spot; infinite where there is none */
    double total;    /* fixings, past and to come */
};

/* What a path remembers. Log spots. */
struct path {
    double last, start, highest, lowest;
    double sum, log_sum; /* over the fixings to come */
    double hit;          /* time of the first hit; negative where none */
};

static int earlier(const void *a, const void *b)
{
    double x = ((const struct moment *)a)->time, y = ((const struct moment *)b)->time;
    return (x > y) - (x < y);
}

/* Sorts, merges what falls on one date and measures the steps. */
static void simulation_arrange(struct simulation *simulation)
{
    const struct problem *problem = simulation->problem;
    struct moment *moments = simulation->moments;
    int kept = 0;
    qsort(moments, (size_t)simulation->n, sizeof *moments, earlier);
    for (int i = 0; i < simulation->n; i++) {
        if (!kept || moments[i].time - moments[kept - 1].time > 1e-12 * problem->trade->expiry) {
            moments[kept++] = moments[i];
        } else {
            moments[kept - 1].fixing = moments[kept - 1].fixing || moments[i].fixing;
            moments[kept - 1].watched = moments[kept - 1].watched || moments[i].watched;
            moments[kept - 1].start = moments[kept - 1].start || moments[i].start;
        }
    }
    simulation->n = kept;
    for (int i = 0; i < kept; i++) {
        struct leg leg = terms_leg(&problem->terms, i ? moments[i - 1].time : 0.0, moments[i].time);
        moments[i].drift = leg.drift;
        moments[i].variance = leg.variance;
    }
}

static enum status simulation_dates(struct simulation *simulation, int steps, struct message *why)
{
    const struct trade *trade = simulation->problem->trade;
    double *fixings = NULL, *watched = NULL, *breaks = NULL;
    int n_fixings = 0, n_watched = 0, n_breaks = 0;
    enum status status = STATUS_OK;
    TRY(terms_dates(&trade->fixings, trade->expiry, &fixings, &n_fixings, why));
    TRY(terms_dates(&trade->monitoring, trade->expiry, &watched, &n_watched, why));
    if (simulation->continuous)
        TRY(terms_breaks(&simulation->problem->terms, trade->expiry, &breaks, &n_breaks));
    size_t most = (size_t)(n_fixings + n_watched + n_breaks + steps + 3);
    struct moment *m = simulation->moments = calloc(most, sizeof *m);
    if (!m) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < n_fixings; i++) *m++ = (struct moment){.time = fixings[i], .fixing = true};
    for (int i = 0; i < n_watched; i++) *m++ = (struct moment){.time = watched[i], .watched = true};
    for (int i = 0; i < n_breaks; i++) *m++ = (struct moment){.time = breaks[i]};
    for (int i = 1; simulation->continuous && i < steps; i++)
        *m++ = (struct moment){.time = i * trade->expiry / steps};
    *m++ = (struct moment){.time = trade->start, .start = true};
    *m++ = (struct moment){.time = trade->expiry};
    simulation->n = (int)(m - simulation->moments);
    simulation->total = n_fixings + trade->past_count;
    simulation_arrange(simulation);
done:
    free(fixings);
    free(watched);
    free(breaks);
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
    bool above = trade->direction == DIRECTION_UP ||
                 (trade->direction == DIRECTION_NONE && trade->barrier > simulation->problem->terms.spot);
    *(above ? &simulation->up : &simulation->down) = log(trade->barrier);
}

/* The farthest point of a bridge from x to y in the direction of sign. */
static double bridge_extreme(double x, double y, double variance, double sign, gsl_rng *rng)
{
    if (variance <= 0.0) return sign * fmax(sign * x, sign * y);
    double d = y - x;
    return 0.5 * (x + y + sign * sqrt(d * d - 2.0 * variance * log(gsl_rng_uniform_pos(rng))));
}

static void watch_step(const struct simulation *simulation, const struct moment *moment, double before,
                       double x, gsl_rng *rng, struct path *path)
{
    double high = x, low = x, time = moment->time,
           from = (moment > simulation->moments) ? moment[-1].time : 0.0;
    if (simulation->continuous) {
        high = bridge_extreme(before, x, moment->variance, 1.0, rng);
        low = bridge_extreme(before, x, moment->variance, -1.0, rng);
        double wall = high >= simulation->up ? simulation->up : simulation->down, share = 0.5;
        if (moment->variance <= 0.0 && x != before)
            share = fmin(fmax((wall - before) / (x - before), 0.0), 1.0);
        time = from + share * (moment->time - from);
        if (before >= simulation->up || before <= simulation->down) time = from;
    } else if (!moment->watched) {
        return;
    }
    path->highest = fmax(path->highest, high);
    path->lowest = fmin(path->lowest, low);
    if (path->hit < 0.0 && (high >= simulation->up || low <= simulation->down)) path->hit = time;
}

static struct path simulate_path(const struct simulation *simulation, gsl_rng *rng)
{
    double spot = log(simulation->problem->terms.spot), x = spot;
    struct path path = {.start = spot, .highest = -INFINITY, .lowest = INFINITY, .hit = -1.0};
    for (int i = 0; i < simulation->n; i++) {
        const struct moment *moment = &simulation->moments[i];
        double before = x;
        x += moment->drift;
        if (moment->variance > 0.0) x += sqrt(moment->variance) * gsl_ran_gaussian_ziggurat(rng, 1.0);
        if (moment->fixing) {
            path.sum += exp(x);
            path.log_sum += x;
        }
        if (moment->start) path.start = x;
        watch_step(simulation, moment, before, x, rng, &path);
    }
    path.last = x;
    return path;
}

static double option_on(enum option option, double price, double strike)
{
    return fmax(option == OPTION_CALL ? price - strike : strike - price, 0.0);
}

static double asian_payoff(const struct simulation *simulation, const struct path *path)
{
    const struct trade *trade = simulation->problem->trade;
    double average = (path->sum + trade->past_count * trade->past_average) / simulation->total;
    if (trade->averaging == AVERAGING_GEOMETRIC) {
        double past = trade->past_count ? trade->past_count * log(trade->past_average) : 0.0;
        average = exp((path->log_sum + past) / simulation->total);
    }
    if (trade->strike_type == STRIKE_FIXED) return option_on(trade->option, average, trade->strike);
    return option_on(trade->option, exp(path->last), average);
}

static double lookback_payoff(const struct trade *trade, const struct path *path)
{
    double high = exp(path->highest), low = exp(path->lowest);
    if (trade->extreme > 0.0) {
        high = fmax(high, trade->extreme);
        low = fmin(low, trade->extreme);
    }
    bool call = trade->option == OPTION_CALL;
    if (trade->strike_type == STRIKE_FIXED) return option_on(trade->option, call ? high : low, trade->strike);
    return option_on(trade->option, exp(path->last), call ? low : high);
}

/* Value today of what a path pays. A hit before today has been paid; one today pays at once. */
static double path_value(const struct simulation *simulation, const struct path *path)
{
    const struct trade *trade = simulation->problem->trade;
    const struct terms *terms = &simulation->problem->terms;
    double spot = exp(path->last), end = terms_discount(terms, trade->expiry);
    bool hit = trade->hit || path->hit >= 0.0;
    double paid = trade->pay_at == PAY_AT_EXPIRY ? end : 0.0;
    if (trade->pay_at == PAY_AT_HIT && !trade->hit && hit) paid = terms_discount(terms, path->hit);
    switch (trade->product) {
    case PRODUCT_EUROPEAN: return end * option_on(trade->option, spot, trade->strike);
    case PRODUCT_DIGITAL:
        if (option_on(trade->option, spot, trade->strike) <= 0.0) return 0.0;
        return end * (trade->payout == PAYOUT_CASH ? trade->cash : spot);
    case PRODUCT_ASIAN: return end * asian_payoff(simulation, path);
    case PRODUCT_BARRIER:
    case PRODUCT_DOUBLE_BARRIER:
        if (hit == (trade->knock == KNOCK_IN)) return end * option_on(trade->option, spot, trade->strike);
        return trade->rebate * (trade->knock == KNOCK_IN ? end : paid);
    case PRODUCT_TOUCH:
        if (trade->touch == TOUCH_NO) return hit ? 0.0 : end * trade->cash;
        return hit ? paid * trade->cash : 0.0;
    case PRODUCT_LOOKBACK: return end * lookback_payoff(trade, path);
    case PRODUCT_FORWARD_START:
        return end * option_on(trade->option, spot, trade->strike_ratio * exp(path->start));
    default: return NAN;
    }
}

enum status reference_monte_carlo(const struct problem *problem, long paths, int steps, struct reference *out,
                                  struct message *why)
{
    struct simulation simulation = {.problem = problem, .continuous = problem->trade->monitoring.continuous};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    enum status status = rng ? STATUS_OK : STATUS_NO_MEMORY;
    if (status) goto done;
    TRY(simulation_dates(&simulation, steps, why));
    simulation_walls(&simulation);
    gsl_rng_set(rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    if (terms_variance(&problem->terms, problem->trade->expiry) <= 0.0) paths = 1;
    double mean = 0.0, m2 = 0.0;
    for (long i = 0; i < paths; i++) {
        struct path path = simulate_path(&simulation, rng);
        double value = path_value(&simulation, &path), before = value - mean;
        mean += before / (i + 1);
        m2 += before * (value - mean);
    }
    out->price = mean;
    out->error = paths > 1 ? sqrt(m2 / (paths - 1.0) / paths) : 0.0;
    out->method = paths > 1 ? "monte carlo" : "deterministic path";
done:
    free(simulation.moments);
    if (rng) gsl_rng_free(rng);
    return status;
}

enum status reference_by_simulation(const struct problem *problem, struct reference *out, struct message *why)
{
    enum { STEPS = 256 };
    int steps = problem->trade->monitoring.continuous ? STEPS : problem->trade->monitoring.n + 1;
    long paths = 12000000 / (steps + problem->trade->fixings.n);
    return reference_monte_carlo(problem, paths < 1000000 ? paths : 1000000, steps, out, why);
}
