#include "validation/reference/walk.h"

#include <math.h>

#include <gsl/gsl_randist.h>

/* A volatility of variance below this moves no price by rounding. */
static const double LEAST_XI = 1e-6;

static bool has_heston(enum model model)
{
    return model == MODEL_HESTON || model == MODEL_BATES;
}

enum status walker_make(const struct problem *problem, struct walker *walker, struct message *why)
{
    const struct asset *asset = problem->asset;
    double expiry = problem->trade->expiry;
    *walker = (struct walker){.model = asset->model, .longest = INFINITY};
    if (has_heston(asset->model)) walker->heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) walker->jumps = &asset->jumps;
    if (asset->model == MODEL_LOCAL_VOL)
        walker->longest = fmin(fmax(1.0 / 128.0, expiry / 512.0), expiry / 64.0);
    if (walker->heston) walker->longest = fmin(fmax(1.0 / 32.0, expiry / 128.0), expiry / 8.0);
    if (asset->model == MODEL_HISTORICAL) return resample_make(&asset->history, &walker->past, why);
    if (asset->model != MODEL_LOCAL_VOL) return STATUS_OK;
    return local_grid_make(problem, &walker->local, why);
}

void walker_free(struct walker *walker)
{
    local_grid_free(walker->local);
    resample_free(walker->past);
    walker->local = NULL;
    walker->past = NULL;
}

/* With f = (1 - e^{-kappa t}) / kappa: E[v' | v] = v e^{-kappa t} + kappa theta f, and E[integral | v] =
 * theta t + (v - theta) f, which fixes the weights of v and v'. */
static void pace_heston(const struct heston *heston, struct pace *pace)
{
    double t = pace->years, f = -expm1(-heston->kappa * t) / heston->kappa, fall = heston->kappa * f;
    pace->decay = exp(-heston->kappa * t);
    pace->spread = 0.25 * heston->xi * heston->xi * f;
    pace->degrees = 4.0 * heston->kappa * heston->theta / (heston->xi * heston->xi);
    pace->weight_after = (t - f) / fall;
    pace->weight_before = f - pace->weight_after * pace->decay;
    pace->roughness =
        heston->xi * heston->xi * t * t * t / 12.0; /* variance of the integral given both ends, over v */
}

enum status walker_pace(struct walker *walker, const struct terms *terms, double from, double to,
                        struct pace *pace)
{
    *pace = (struct pace){.from = from};
    if (to <= from) return STATUS_OK;
    pace->parts = 1;
    if (isfinite(walker->longest)) pace->parts = (int)fmax(ceil((to - from) / walker->longest - 1e-9), 1.0);
    pace->years = (to - from) / pace->parts;
    pace->growth = (terms_growth(terms, to) - terms_growth(terms, from)) / pace->parts;
    if (walker->jumps) {
        double stdev = walker->jumps->stdev;
        pace->growth -=
            walker->jumps->intensity * pace->years * expm1(walker->jumps->mean + 0.5 * stdev * stdev);
    }
    pace->variance = terms_leg(terms, from, to).variance / pace->parts;
    if (walker->heston) pace_heston(walker->heston, pace);
    if (walker->past) pace->day = resample_part(walker->past, terms, from, to);
    for (int part = 0; walker->local && part < pace->parts; part++) {
        double start = from + part * pace->years, forward = terms_forward(terms, start);
        int row = local_grid_row(walker->local, start + 0.5 * pace->years, forward);
        if (row < 0) return STATUS_NO_MEMORY;
        if (part == 0) pace->row = row;
    }
    return STATUS_OK;
}

/* A non-central chi-square: of more than one degree the non-centrality goes into one normal, of fewer into
 * a Poisson number of further pairs of degrees. */
static double chi_square(double degrees, double non_central, gsl_rng *rng)
{
    if (degrees > 1.0) {
        double shifted = gsl_ran_gaussian_ziggurat(rng, 1.0) + sqrt(non_central);
        return shifted * shifted + 2.0 * gsl_ran_gamma(rng, 0.5 * (degrees - 1.0), 1.0);
    }
    double shape = 0.5 * degrees + gsl_ran_poisson(rng, 0.5 * non_central);
    return shape > 0.0 ? 2.0 * gsl_ran_gamma(rng, shape, 1.0) : 0.0;
}

static double move_heston(const struct heston *heston, const struct pace *pace, struct walk *walk,
                          gsl_rng *rng, double *variance)
{
    double v = walk->v, theta = heston->theta;
    bool certain = heston->xi < LEAST_XI;
    if (certain) walk->v = theta + (v - theta) * pace->decay;
    else walk->v = pace->spread * chi_square(pace->degrees, v * pace->decay / pace->spread, rng);
    double integral = pace->weight_before * v + pace->weight_after * walk->v;
    if (!certain && integral > 0.0) {
        double noise = log1p(fmin(pace->roughness * (v + walk->v) / (2.0 * integral * integral), 1.0));
        integral *= exp(sqrt(noise) * gsl_ran_gaussian_ziggurat(rng, 1.0) - 0.5 * noise);
    }
    double shared = 0.0; /* rho times the integral of sqrt(v) dW of the variance's own noise */
    if (!certain)
        shared = heston->rho / heston->xi * (walk->v - v - heston->kappa * (theta * pace->years - integral));
    double own = certain ? 1.0 : 1.0 - heston->rho * heston->rho;
    *variance = integral;
    return pace->growth - 0.5 * integral + shared +
           sqrt(fmax(own * integral, 0.0)) * gsl_ran_gaussian_ziggurat(rng, 1.0);
}

double walker_move(const struct walker *walker, const struct pace *pace, int part, struct walk *walk,
                   gsl_rng *rng, double *variance)
{
    if (walker->heston) return move_heston(walker->heston, pace, walk, rng, variance);
    if (walker->past) {
        *variance = pace->day.variance;
        return pace->growth + resample_move(walker->past, &pace->day, &walk->first, rng);
    }
    *variance = pace->variance;
    if (walker->local)
        *variance = pace->years * local_grid_variance(walker->local, pace->row + part, walk->x);
    double move = pace->growth - 0.5 * *variance;
    if (*variance > 0.0) move += sqrt(*variance) * gsl_ran_gaussian_ziggurat(rng, 1.0);
    return move;
}

int walker_jumps(const struct walker *walker, const struct pace *pace, gsl_rng *rng)
{
    if (!walker->jumps || walker->jumps->intensity <= 0.0) return 0;
    return (int)gsl_ran_poisson(rng, walker->jumps->intensity * pace->years);
}

double walker_jump(const struct walker *walker, int jumps, gsl_rng *rng)
{
    return jumps * walker->jumps->mean + sqrt(jumps) * gsl_ran_gaussian_ziggurat(rng, walker->jumps->stdev);
}
