#include "validation/reference/walk.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

/* A volatility of variance below this moves no price by rounding. */
static const double LEAST_XI = 1e-6;
/* Normals beyond are too few to move a price where a variance near zero would reflect them. */
static const double NORMALS_SAFE = 3.5;

static bool has_heston(enum model model)
{
    return model == MODEL_HESTON || model == MODEL_BATES;
}

/* Longest step, years. */
static double longest_step(enum model model, double expiry, bool driven)
{
    if (driven && (has_heston(model) || model == MODEL_LOCAL_VOL))
        return fmin(fmax(1.0 / 16.0, expiry / 24.0), expiry / 8.0);
    if (has_heston(model)) return fmin(fmax(1.0 / 32.0, expiry / 128.0), expiry / 8.0);
    if (model == MODEL_LOCAL_VOL) return 0.25;
    return INFINITY;
}

/* The FX rate of a quanto that an asset without a variance of its own is paid at. */
static void find_quanto(const struct problem *problem, struct walker *walker)
{
    const struct market *market = problem->market;
    const struct trade *trade = problem->trade;
    const struct asset *asset = problem->asset,
                       *fx = trade->quanto >= 0 ? &market->assets[trade->quanto] : NULL;
    if (!fx || fx->currency == asset->currency || asset->variance.n > 0) return;
    walker->fx = &fx->variance;
    walker->correlation = market->correlation[(asset - market->assets) * market->n_assets + trade->quanto];
}

enum status walker_make(const struct problem *problem, bool driven, struct walker *walker,
                        struct message *why)
{
    const struct asset *asset = problem->asset;
    *walker = (struct walker){.model = asset->model};
    find_quanto(problem, walker);
    walker->driven = driven || walker->fx;
    walker->longest = longest_step(asset->model, problem->trade->expiry, walker->driven);
    if (has_heston(asset->model)) walker->heston = &asset->heston;
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) walker->jumps = &asset->jumps;
    if (asset->model == MODEL_HISTORICAL)
        return resample_make(problem->terms.effort, &asset->history, &walker->past, why);
    if (asset->model != MODEL_LOCAL_VOL) return STATUS_OK;
    return transitions_make(problem, &walker->local, why);
}

void walker_free(struct walker *walker)
{
    transitions_free(walker->local);
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

/* Integral over time of the volatility whose variance the curve is. */
static double noise_accrued(const struct term_structure *curve, double from, double to)
{
    double sum = 0.0;
    for (int i = 0; from < to; i++) {
        if (i < curve->n && curve->time[i] <= from) continue;
        double next = i < curve->n ? fmin(curve->time[i], to) : to;
        sum += sqrt(fmax(terms_accrued(curve, next) - terms_accrued(curve, from), 0.0) * (next - from));
        from = next;
    }
    return sum;
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
    if (walker->fx)
        pace->shift =
            -walker->correlation * noise_accrued(walker->fx, from, to) / (to - from) * sqrt(pace->years);
    enum status status = effort_spend(terms->effort, 10.0 + (walker->past ? walker->past->n : 0.0));
    if (walker->past && !status) pace->day = resample_part(walker->past, terms, from, to);
    for (int part = 0; !status && walker->local && part < pace->parts; part++) {
        int row;
        status =
            transitions_step(walker->local, from + part * pace->years, from + (part + 1) * pace->years, &row);
        if (part == 0) pace->row = row;
    }
    return status;
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
    if (variance) *variance = integral;
    return pace->growth - 0.5 * integral + shared +
           sqrt(fmax(own * integral, 0.0)) * gsl_ran_gaussian_ziggurat(rng, 1.0);
}

double walker_move(const struct walker *walker, const struct pace *pace, int part, struct walk *walk,
                   gsl_rng *rng, double *variance)
{
    if (walker->heston && !walker->driven) return move_heston(walker->heston, pace, walk, rng, variance);
    if (walker->past) {
        if (variance) *variance = pace->day.variance;
        return pace->growth + resample_move(walker->past, &pace->day, &walk->first, rng);
    }
    double spot = gsl_ran_gaussian_ziggurat(rng, 1.0),
           other = walker->heston ? gsl_ran_gaussian_ziggurat(rng, 1.0) : 0.0;
    return walker_drive(walker, pace, part, spot, other, walk, variance);
}

/* From v over a step, by a normal: flows of the drift over half the step, of the noise, of the drift again;
 * where that could end below zero, one of two values that give the right first two moments. */
static double drive_variance(const struct heston *heston, double years, double v, double normal)
{
    double kappa = heston->kappa, xi = heston->xi, a = kappa * heston->theta, root = sqrt(years);
    double decay = exp(-kappa * years), half = exp(-0.5 * kappa * years),
           lift = -expm1(-kappa * years) / kappa;
    double gain = (a - 0.25 * xi * xi) * -expm1(-0.5 * kappa * years) / kappa, noise = 0.5 * xi * root;
    double safe = gain < 0.0 ? sqrt(-gain) + NORMALS_SAFE * noise : 0.0;
    if (half * v >= safe * safe - gain || gain >= 0.0) {
        double moved = sqrt(fmax(gain + half * v, 0.0)) + noise * normal;
        return fmax(half * moved * moved + gain, 0.0);
    }
    double mean = v * decay + a * lift, square = mean * mean + xi * xi * lift * (0.5 * a * lift + v * decay);
    double high = 0.5 * (1.0 - sqrt(fmax(1.0 - mean * mean / square, 0.0)));
    return mean / (2.0 * (gsl_cdf_ugaussian_Q(normal) < high ? high : 1.0 - high));
}

/* With w the noise of the spot and u the other one: that of the variance is rho w + sqrt(1 - rho^2) u, and
 * what is left of the spot's is independent of it. */
static double drive_heston(const struct heston *heston, const struct pace *pace, double spot, double other,
                           struct walk *walk, double *variance)
{
    double v = walk->v, rho = heston->rho, rest = sqrt(1.0 - rho * rho);
    bool certain = heston->xi < LEAST_XI;
    if (certain) walk->v = heston->theta + (v - heston->theta) * pace->decay;
    else walk->v = drive_variance(heston, pace->years, v, rho * spot + rest * other);
    double integral = pace->weight_before * v + pace->weight_after * walk->v;
    if (variance) *variance = integral;
    if (certain) return pace->growth - 0.5 * integral + sqrt(integral) * spot;
    double shared =
        rho / heston->xi * (walk->v - v - heston->kappa * (heston->theta * pace->years - integral));
    return pace->growth - 0.5 * integral + shared +
           rest * sqrt(fmax(integral, 0.0)) * (rest * spot - rho * other);
}

double walker_drive(const struct walker *walker, const struct pace *pace, int part, double spot, double other,
                    struct walk *walk, double *variance)
{
    if (!walk->unshifted) spot += pace->shift;
    if (walker->heston) return drive_heston(walker->heston, pace, spot, other, walk, variance);
    if (walker->past) {
        if (variance) *variance = pace->day.variance;
        return pace->growth + resample_move(walker->past, &pace->day, &walk->first, NULL);
    }
    if (walker->local) {
        if (variance) *variance = transitions_variance(walker->local, pace->row + part, walk->x);
        return transitions_move(walker->local, pace->row + part, walk->x, spot) - walk->x;
    }
    if (variance) *variance = pace->variance;
    return pace->growth - 0.5 * pace->variance + sqrt(pace->variance) * spot;
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
