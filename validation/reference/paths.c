/* Baskets, spreads and autocallables by simulation on GSL's Mersenne twister, for what no quadrature takes:
 * several assets on several dates, cash dividends, jumps.
 *
 * Log spots take one exact step from date to date, a date being an observation, a dividend or the expiry:
 * jointly normal, and under Merton (1976) a Poisson number of normal jumps of each asset, compensated in its
 * drift. Each path is taken twice, with its normals and their opposites; the mean of the two is one sample.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort_double.h>

#include "validation/reference/autocallable.h"
#include "validation/reference/multi_asset.h"

static const double LEAST_AFTER_DIVIDEND =
    1e-6;                       /* of the spot: what a dividend larger than the spot leaves */
static const double WORK = 8e6; /* asset steps: about half a second */

/* A move from the date before to this one. */
struct step {
    double time;
    bool observed;
    double drift[TRADE_ASSETS_MAX], dividend[TRADE_ASSETS_MAX];
    square root;
};

struct simulation {
    struct multi_asset assets;
    const struct trade *trade;
    struct step *steps;
    int n;
};

/* Dates of observations, dividends and the expiry, increasing; to be freed. */
static enum status dates_of(const struct simulation *simulation, double **dates, int *n)
{
    const struct trade *trade = simulation->trade;
    size_t most = 1 + (size_t)trade->observations.n, count = 0;
    for (int i = 0; i < simulation->assets.n; i++)
        most += (size_t)multi_asset_at(&simulation->assets, i)->n_dividends;
    double *all = malloc(most * sizeof *all);
    if (!all) return STATUS_NO_MEMORY;
    for (int i = 0; i < trade->observations.n; i++) all[count++] = trade->observations.times[i];
    for (int i = 0; i < simulation->assets.n; i++) {
        const struct asset *asset = multi_asset_at(&simulation->assets, i);
        for (int d = 0; d < asset->n_dividends; d++)
            if (asset->dividends[d].time <= trade->expiry) all[count++] = asset->dividends[d].time;
    }
    all[count++] = trade->expiry;
    gsl_sort(all, 1, count);
    int kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!kept || all[i] - all[kept - 1] > 1e-12 * trade->expiry) all[kept++] = all[i];
    *dates = all;
    *n = kept;
    return STATUS_OK;
}

static bool same_date(double a, double b, const struct trade *trade)
{
    return fabs(a - b) <= 1e-12 * trade->expiry;
}

/* E of what one jump multiplies the spot by, less 1. */
static double mean_jump(const struct jumps *jumps)
{
    return expm1(jumps->mean + 0.5 * jumps->stdev * jumps->stdev);
}

static void step_between(const struct simulation *simulation, double from, double to, struct step *step)
{
    const struct multi_asset *assets = &simulation->assets;
    const struct trade *trade = simulation->trade;
    square covariance;
    *step = (struct step){.time = to};
    for (int i = 0; i < trade->observations.n; i++)
        if (same_date(trade->observations.times[i], to, trade)) step->observed = true;
    for (int i = 0; i < assets->n; i++) {
        const struct asset *asset = multi_asset_at(assets, i);
        for (int j = 0; j < assets->n; j++) covariance[i][j] = multi_asset_covariance(assets, i, j, from, to);
        step->drift[i] = multi_asset_growth(assets, i, to) - multi_asset_growth(assets, i, from);
        step->drift[i] -= 0.5 * covariance[i][i];
        if (asset->model == MODEL_MERTON)
            step->drift[i] -= asset->jumps.intensity * mean_jump(&asset->jumps) * (to - from);
        for (int d = 0; d < asset->n_dividends; d++)
            if (same_date(asset->dividends[d].time, to, trade))
                step->dividend[i] += asset->dividends[d].amount;
    }
    multi_asset_root(assets->n, covariance, step->root);
}

static enum status simulation_of(const struct problem *problem, struct simulation *simulation,
                                 struct message *why)
{
    double *dates = NULL;
    simulation->trade = problem->trade;
    enum status status = multi_asset_of(problem->market, problem->trade, &simulation->assets, why);
    if (status) return status;
    for (int i = 0; i < simulation->assets.n; i++) {
        const struct asset *asset = multi_asset_at(&simulation->assets, i);
        if (asset->model == MODEL_BLACK_SCHOLES || asset->model == MODEL_MERTON) continue;
        snprintf(why->text, sizeof why->text, "no reference for a %s under %s",
                 product_name(problem->trade->product), model_name(asset->model));
        return STATUS_FAILED;
    }
    TRY(dates_of(simulation, &dates, &simulation->n));
    simulation->steps = malloc((size_t)simulation->n * sizeof *simulation->steps);
    if (!simulation->steps) TRY(STATUS_NO_MEMORY);
    for (int i = 0; i < simulation->n; i++)
        step_between(simulation, i ? dates[i - 1] : 0.0, dates[i], &simulation->steps[i]);
done:
    free(dates);
    return status;
}

/* The random numbers of one step, to be used with either sign. */
struct draw {
    double normal[TRADE_ASSETS_MAX], jump[TRADE_ASSETS_MAX], jump_mean[TRADE_ASSETS_MAX];
};

static void draw_step(const struct simulation *simulation, double length, gsl_rng *rng, struct draw *draw)
{
    for (int i = 0; i < simulation->assets.n; i++) {
        const struct asset *asset = multi_asset_at(&simulation->assets, i);
        draw->normal[i] = gsl_ran_gaussian_ziggurat(rng, 1.0);
        draw->jump[i] = draw->jump_mean[i] = 0.0;
        if (asset->model != MODEL_MERTON) continue;
        unsigned count = gsl_ran_poisson(rng, asset->jumps.intensity * length);
        draw->jump_mean[i] = count * asset->jumps.mean;
        draw->jump[i] = sqrt((double)count) * asset->jumps.stdev * gsl_ran_gaussian_ziggurat(rng, 1.0);
    }
}

static void move(const struct simulation *simulation, const struct step *step, const struct draw *draw,
                 double sign, double *spots)
{
    for (int i = 0; i < simulation->assets.n; i++) {
        double noise = draw->jump[i];
        for (int j = 0; j <= i; j++) noise += step->root[i][j] * draw->normal[j];
        spots[i] *= exp(step->drift[i] + draw->jump_mean[i] + sign * noise);
        if (step->dividend[i] > 0.0)
            spots[i] = fmax(spots[i] - step->dividend[i], LEAST_AFTER_DIVIDEND * spots[i]);
    }
}

/* One of the two paths of a sample, and what it has paid, discounted. */
struct walker {
    double spots[TRADE_ASSETS_MAX], value;
    struct autocallable_state note;
};

static void observe(const struct simulation *simulation, const struct step *step, struct walker *walker)
{
    const struct trade *trade = simulation->trade;
    if (trade->product != PRODUCT_AUTOCALLABLE || walker->note.called) return;
    bool end = same_date(step->time, trade->expiry, trade);
    double worst = INFINITY, discount = multi_asset_discount(&simulation->assets, step->time);
    if (!step->observed && !end) return;
    for (int i = 0; i < simulation->assets.n; i++) worst = fmin(worst, walker->spots[i] / trade->initial[i]);
    if (step->observed) walker->value += discount * autocallable_pays(trade, worst, &walker->note);
    if (end && !walker->note.called) walker->value += discount * autocallable_redeems(trade, worst);
}

static double final_value(const struct simulation *simulation, const struct walker *walker)
{
    const struct trade *trade = simulation->trade;
    if (trade->product == PRODUCT_AUTOCALLABLE) return walker->value;
    enum basket_kind kind = trade->product == PRODUCT_SPREAD ? BASKET_AVERAGE : trade->kind;
    double basket = multi_asset_basket(&simulation->assets, kind, walker->spots);
    double gain = trade->option == OPTION_CALL ? basket - trade->strike : trade->strike - basket;
    return multi_asset_discount(&simulation->assets, trade->expiry) * fmax(gain, 0.0);
}

static double sample(const struct simulation *simulation, gsl_rng *rng)
{
    struct walker walkers[2] = {0};
    struct draw draw;
    for (int w = 0; w < 2; w++)
        for (int i = 0; i < simulation->assets.n; i++)
            walkers[w].spots[i] = multi_asset_at(&simulation->assets, i)->spot;
    for (int s = 0; s < simulation->n; s++) {
        const struct step *step = &simulation->steps[s];
        draw_step(simulation, step->time - (s ? step[-1].time : 0.0), rng, &draw);
        for (int w = 0; w < 2; w++) {
            move(simulation, step, &draw, w ? -1.0 : 1.0, walkers[w].spots);
            observe(simulation, step, &walkers[w]);
        }
    }
    return 0.5 * (final_value(simulation, &walkers[0]) + final_value(simulation, &walkers[1]));
}

enum status reference_by_paths(const struct problem *problem, struct reference *out, struct message *why)
{
    struct simulation simulation = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    enum status status = rng ? STATUS_OK : STATUS_NO_MEMORY;
    if (status) goto done;
    TRY(simulation_of(problem, &simulation, why));
    gsl_rng_set(rng, (unsigned long)(problem->seed ^ problem->seed >> 32));
    long samples = (long)(0.5 * WORK / (simulation.n * simulation.assets.n));
    samples = samples > 500000 ? 500000 : samples < 1000 ? 1000 : samples;
    double mean = 0.0, m2 = 0.0;
    for (long i = 0; i < samples; i++) {
        double value = sample(&simulation, rng), before = value - mean;
        mean += before / (i + 1);
        m2 += before * (value - mean);
    }
    out->price = mean;
    out->error = sqrt(m2 / (samples - 1.0) / samples);
    out->method = "monte carlo";
done:
    free(simulation.steps);
    if (rng) gsl_rng_free(rng);
    return status;
}
