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
    pace->half = exp(-0.5 * heston->kappa * t);
    pace->lift = f;
    pace->gain = (heston->kappa * heston->theta - 0.25 * heston->xi * heston->xi) *
                 -expm1(-0.5 * heston->kappa * t) / heston->kappa;
    pace->noise = 0.5 * heston->xi * sqrt(t);
    pace->safe = pace->gain < 0.0 ? sqrt(-pace->gain) + NORMALS_SAFE * pace->noise : 0.0;
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
        pace->no_jump = exp(-walker->jumps->intensity * pace->years);
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

/* From v over a step, by a normal: flows of the drift over half the step, of the noise, of the drift again;
 * where that could end below zero, one of two values that give the right first two moments. */
static double drive_variance(const struct heston *heston, const struct pace *pace, double v, double normal)
{
    double xi = heston->xi, a = heston->kappa * heston->theta, decay = pace->decay, lift = pace->lift,
           gain = pace->gain;
    if (gain >= 0.0 || pace->half * v >= pace->safe * pace->safe - gain) {
        double under = gain + pace->half * v,
               moved = (under > 0.0 ? sqrt(under) : 0.0) + pace->noise * normal;
        double ended = pace->half * moved * moved + gain;
        return ended > 0.0 ? ended : 0.0;
    }
    double mean = v * decay + a * lift, square = mean * mean + xi * xi * lift * (0.5 * a * lift + v * decay);
    double high = 0.5 * (1.0 - sqrt(fmax(1.0 - mean * mean / square, 0.0)));
    return mean / (2.0 * (gsl_cdf_ugaussian_Q(normal) < high ? high : 1.0 - high));
}

/* With w the noise of the spot and u the other one: that of the variance is rho w + sqrt(1 - rho^2) u, and
 * what is left of the spot's is independent of it; `rest` is the root. */
static double drive_heston(const struct heston *heston, const struct pace *pace, double spot, double other,
                           double rest, struct walk *walk, double *variance)
{
    double v = walk->v, rho = heston->rho;
    bool certain = heston->xi < LEAST_XI;
    if (certain) walk->v = heston->theta + (v - heston->theta) * pace->decay;
    else walk->v = drive_variance(heston, pace, v, rho * spot + rest * other);
    double integral = pace->weight_before * v + pace->weight_after * walk->v;
    if (variance) *variance = integral;
    if (certain) return pace->growth - 0.5 * integral + sqrt(integral) * spot;
    double shared =
        rho / heston->xi * (walk->v - v - heston->kappa * (heston->theta * pace->years - integral));
    return pace->growth - 0.5 * integral + shared +
           rest * (integral > 0.0 ? sqrt(integral) : 0.0) * (rest * spot - rho * other);
}

void walker_drive(const struct walker *walker, const struct pace *pace, int part, int n, double sign,
                  const double *spot, const double *other, struct walk *walks, double *moves,
                  double *variance)
{
    double shifted[ABREAST], x[ABREAST], own, deviation = sqrt(pace->variance);
    for (int b = 0; b < n; b++) shifted[b] = sign * spot[b] + (walks[b].unshifted ? 0.0 : pace->shift);
    if (walker->local) {
        for (int b = 0; b < n; b++) x[b] = walks[b].x;
        transitions_move(walker->local, pace->row + part, n, x, shifted, moves, variance);
        return;
    }
    if (walker->heston) {
        const struct heston heston = *walker->heston; /* which no store into walks can change */
        const struct pace own_pace = *pace;
        double rest = sqrt(1.0 - heston.rho * heston.rho);
        for (int b = 0; b < n; b++) {
            moves[b] = drive_heston(&heston, &own_pace, shifted[b], sign * other[b], rest, &walks[b], &own);
            if (variance) variance[b] = own;
        }
        return;
    }
    for (int b = 0; b < n; b++)
        moves[b] = walker->past
                       ? pace->growth + resample_move(walker->past, &pace->day, &walks[b].first, NULL)
                       : pace->growth - 0.5 * pace->variance + deviation * shifted[b];
    for (int b = 0; variance && b < n; b++) variance[b] = walker->past ? pace->day.variance : pace->variance;
}

void walker_move(const struct walker *walker, const struct pace *pace, int part, int n, struct walk *walks,
                 gsl_rng *rng, double *moves, double *variance)
{
    double spot[ABREAST], other[ABREAST] = {0};
    if (walker->heston && !walker->driven) {
        for (int b = 0; b < n; b++)
            moves[b] = move_heston(walker->heston, pace, &walks[b], rng, variance ? &variance[b] : NULL);
        return;
    }
    if (walker->past) {
        for (int b = 0; b < n; b++) {
            if (variance) variance[b] = pace->day.variance;
            moves[b] = pace->growth + resample_move(walker->past, &pace->day, &walks[b].first, rng);
        }
        return;
    }
    for (int b = 0; b < n; b++) spot[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
    for (int b = 0; walker->heston && b < n; b++) other[b] = gsl_ran_gaussian_ziggurat(rng, 1.0);
    walker_drive(walker, pace, part, n, 1.0, spot, other, walks, moves, variance);
}

/* Poisson's law. Few are counted by a product of uniform numbers until it is below the probability of none.
 */
int walker_jumps(const struct walker *walker, const struct pace *pace, gsl_rng *rng)
{
    const double least = 1e-4;
    if (!walker->jumps || walker->jumps->intensity <= 0.0 || pace->years <= 0.0) return 0;
    if (pace->no_jump < least) return (int)gsl_ran_poisson(rng, walker->jumps->intensity * pace->years);
    int jumps = 0;
    for (double left = gsl_rng_uniform(rng); left > pace->no_jump; left *= gsl_rng_uniform(rng)) jumps++;
    return jumps;
}

double walker_jump(const struct walker *walker, int jumps, gsl_rng *rng)
{
    return jumps * walker->jumps->mean + sqrt(jumps) * gsl_ran_gaussian_ziggurat(rng, walker->jumps->stdev);
}
