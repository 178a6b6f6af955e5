#include "validation/reference/stepper.h"

#include <math.h>

#include <gsl/gsl_math.h>
#include <gsl/gsl_statistics_double.h>

/* A volatility of variance below this moves no price by rounding. */
static const double LEAST_XI = 1e-6;
/* Normals beyond are too few to move a price where a variance near zero would reflect them. */
static const double NORMALS_SAFE = 3.5;

/* Of theta / xi^2, the longest step where the variance is mostly near zero: two values stand for
 * all that it may become, and over longer steps what their law leaves out does not fall with the
 * step yet. */
static const double LONGEST_NEAR_ZERO = 1.0;

/* ---- past returns drawn again in blocks ------------------------------------------------------ */

static const double NEAR = 1e-3; /* days: a date that near the end of a day is its end */

/* Makes the resampling. STATUS_FAILED where the returns do not differ, STATUS_NO_MEMORY. */
static enum status resample_make(struct effort *effort, const struct history *history,
                                 struct resample **resample)
{
    size_t n = (size_t)history->n;
    double mean = gsl_stats_mean(history->returns, 1, n);
    double stdev = gsl_stats_sd_with_fixed_mean(history->returns, 1, n, mean);
    struct resample *r;
    MUST(effort_array(effort, 1, resample));
    r = *resample;
    if (!(stdev > 0.0)) return effort_fail(effort, "the returns of the past do not differ");
    r->n = history->n;
    r->block = history->block;
    r->day = history->interval;
    MUST(effort_array(effort, n, &r->score));
    MUST(effort_array(effort, n, &r->moved));
    for (size_t i = 0; i < n; i++) r->score[i] = (history->returns[i] - mean) / stdev;
    return STATUS_OK;
}

static double in_days(const struct resample *r, double time)
{
    double days = time / r->day;
    return fabs(days - round(days)) <= NEAR ? round(days) : days;
}

static double log_mean_exp(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += expm1(x[i]);
    return log1p(sum / n);
}

/* Returns the step between two dates of one day. Steps must be asked for one after the other from
 * today on. */
static struct part_of_day resample_part(struct resample *r, const struct multi_asset *assets,
                                        int asset, double from, double to)
{
    double start = in_days(r, from), end = in_days(r, to), day = floor(start);
    double whole = asset_increment(assets, asset, day * r->day, (day + 1.0) * r->day).variance;
    struct part_of_day part = {.in_block = (int)fmod(day, r->block)};
    part.begins = part.in_block == 0 && start == day && end > start;
    part.scale = sqrt(whole) * (end - start);
    part.variance = whole * (end - start);
    if (part.begins) {
        r->lost = 0.0;
        for (int i = 0; i < r->n; i++) r->moved[i] = 0.0;
    }
    for (int i = 0; i < r->n; i++) r->moved[i] += part.scale * r->score[(i + part.in_block) % r->n];
    double lost = part.scale > 0.0 ? log_mean_exp(r->n, r->moved) : r->lost;
    part.loss = lost - r->lost;
    r->lost = lost;
    return part;
}

/* ---- steps ----------------------------------------------------------------------------------- */

enum status stepper_make(const struct multi_asset *assets, int i, double end,
                         struct stepper *stepper)
{
    const struct asset *asset = asset_at(assets, i);
    *stepper = (struct stepper){.assets = assets, .asset = i, .longest = INFINITY};
    if (assets->fx[i] >= 0 && asset->variance.n == 0) {
        stepper->fx = &assets->market->assets[assets->fx[i]].variance;
        stepper->correlation = asset_fx_correlation(assets, i);
    }
    if (asset->model == MODEL_HESTON || asset->model == MODEL_BATES)
        stepper->heston = &asset->heston;
    if (stepper->heston || asset->model == MODEL_LOCAL_VOL)
        stepper->longest = fmin(fmax(1.0 / 16.0, end / 24.0), end / 8.0);
    double xi_square = gsl_pow_2(asset->heston.xi);
    stepper->near_zero =
        stepper->heston && 4.0 * asset->heston.kappa * asset->heston.theta < xi_square;
    if (stepper->near_zero)
        stepper->longest =
            fmin(stepper->longest, LONGEST_NEAR_ZERO * asset->heston.theta / xi_square);
    if (asset->model == MODEL_MERTON || asset->model == MODEL_BATES) stepper->jumps = &asset->jumps;
    if (asset->model == MODEL_HISTORICAL)
        return resample_make(assets->effort, &asset->history, &stepper->past);
    if (asset->model != MODEL_LOCAL_VOL) return STATUS_OK;
    return implied_make(assets, i, &stepper->local);
}

/* With f = (1 - e^{-kappa t}) / kappa: E[v' | v] = v e^{-kappa t} + kappa theta f, and E[integral |
 * v] = theta t + (v - theta) f, which fixes the weights of v and v'. */
static void heston_parts(const struct heston *heston, struct step_parts *parts_of_step)
{
    double t = parts_of_step->years, f = -expm1(-heston->kappa * t) / heston->kappa,
           fall = heston->kappa * f;
    parts_of_step->decay = exp(-heston->kappa * t);
    parts_of_step->weight_after = (t - f) / fall;
    parts_of_step->weight_before = f - parts_of_step->weight_after * parts_of_step->decay;
    parts_of_step->half = exp(-0.5 * heston->kappa * t);
    parts_of_step->lift = f;
    parts_of_step->gain = (heston->kappa * heston->theta - 0.25 * heston->xi * heston->xi) *
                          -expm1(-0.5 * heston->kappa * t) / heston->kappa;
    parts_of_step->noise = 0.5 * heston->xi * sqrt(t);
    parts_of_step->safe = parts_of_step->gain < 0.0
                              ? sqrt(-parts_of_step->gain) + NORMALS_SAFE * parts_of_step->noise
                              : 0.0;
}

enum status stepper_parts(struct stepper *stepper, double from, double to, int parts,
                          struct step_parts *parts_of_step)
{
    const struct multi_asset *assets = stepper->assets;
    int asset = stepper->asset;
    double years = (to - from) / parts;
    *parts_of_step = (struct step_parts){.years = years};
    parts_of_step->growth =
        (asset_growth(assets, asset, to) - asset_growth(assets, asset, from)) / parts;
    if (stepper->jumps) {
        double stdev = stepper->jumps->stdev;
        parts_of_step->growth -=
            stepper->jumps->intensity * years * expm1(stepper->jumps->mean + 0.5 * stdev * stdev);
    }
    parts_of_step->variance = asset_increment(assets, asset, from, to).variance / parts;
    if (stepper->heston) heston_parts(stepper->heston, parts_of_step);
    if (stepper->fx) {
        const struct term_structure one = {.beyond = 1.0}; /* a volatility of 1 */
        parts_of_step->shift = -stepper->correlation *
                               curves_covariance(stepper->fx, &one, from, to) / (to - from) *
                               sqrt(years);
    }
    MUST(effort_spend(assets->effort, 10.0 + (stepper->past ? stepper->past->n : 0.0)));
    if (stepper->past) parts_of_step->day = resample_part(stepper->past, assets, asset, from, to);
    if (stepper->local) MUST(effort_array(assets->effort, parts, &parts_of_step->local));
    for (int part = 0; stepper->local && part < parts; part++)
        MUST(transition_make(assets, asset, stepper->local, from + part * years,
                             from + (part + 1) * years, &parts_of_step->local[part]));
    return STATUS_OK;
}

/* Drives the variance from v over a step, by a normal: flows of the drift over half the step, of
 * the noise, of the drift again; where that could end below zero, a lognormal value of the right
 * first two moments. (Alfonsi draws one of two values there, which alone is of order two; but these
 * hardly go with the noise of another asset, by however short steps.) */
static double drive_variance(const struct heston *heston, const struct step_parts *parts_of_step,
                             double v, double normal)
{
    double xi = heston->xi, a = heston->kappa * heston->theta, decay = parts_of_step->decay,
           lift = parts_of_step->lift, gain = parts_of_step->gain;
    if (gain >= 0.0 ||
        parts_of_step->half * v >= parts_of_step->safe * parts_of_step->safe - gain) {
        double under = gain + parts_of_step->half * v,
               moved = (under > 0.0 ? sqrt(under) : 0.0) + parts_of_step->noise * normal;
        double ended = parts_of_step->half * moved * moved + gain;
        return ended > 0.0 ? ended : 0.0;
    }
    double mean = v * decay + a * lift,
           second = mean * mean + xi * xi * lift * (0.5 * a * lift + v * decay);
    double variance = log(second / (mean * mean));
    return mean * exp(sqrt(variance) * normal - 0.5 * variance);
}

/* With w the noise of the spot and u the other one: that of the variance is rho w + sqrt(1 - rho^2)
 * u, and what is left of the spot's is independent of it; `rest` is the root. */
static struct step_move drive_heston(const struct heston *heston,
                                     const struct step_parts *parts_of_step, double spot,
                                     double other, double rest, struct step_state *state)
{
    double v = state->v, rho = heston->rho;
    bool certain = heston->xi < LEAST_XI;
    if (certain) state->v = heston->theta + (v - heston->theta) * parts_of_step->decay;
    else state->v = drive_variance(heston, parts_of_step, v, rho * spot + rest * other);
    double integral = parts_of_step->weight_before * v + parts_of_step->weight_after * state->v;
    if (certain)
        return (struct step_move){parts_of_step->growth - 0.5 * integral + sqrt(integral) * spot,
                                  integral, 0.0};
    double shared =
        rho / heston->xi *
        (state->v - v - heston->kappa * (heston->theta * parts_of_step->years - integral));
    double noise = rest * (integral > 0.0 ? sqrt(integral) : 0.0) * (rest * spot - rho * other);
    return (struct step_move){parts_of_step->growth - 0.5 * integral + shared + noise, integral,
                              0.0};
}

void stepper_drive(const struct stepper *stepper, const struct step_parts *parts_of_step, int part,
                   int n, double sign, const struct step_noise *noise, struct step_state *states,
                   struct step_move *moves)
{
    double shifted[ABREAST], x[ABREAST], deviation = sqrt(parts_of_step->variance);
    const struct part_of_day *day = &parts_of_step->day;
    for (int b = 0; b < n; b++) shifted[b] = sign * noise->normal[b] + parts_of_step->shift;
    if (stepper->local) {
        for (int b = 0; b < n; b++) x[b] = states[b].x;
        transition_move(&parts_of_step->local[part], n, x, shifted, moves);
    } else if (stepper->heston) {
        const struct heston heston = *stepper->heston; /* which no store into walks can change */
        const struct step_parts step = *parts_of_step;
        double rest = sqrt(1.0 - heston.rho * heston.rho);
        for (int b = 0; b < n; b++)
            moves[b] =
                drive_heston(&heston, &step, shifted[b], sign * noise->other[b], rest, &states[b]);
    } else if (stepper->past) {
        const struct resample *past = stepper->past;
        for (int b = 0; b < n; b++) {
            unsigned long drawn = states[b].first + (unsigned long)day->in_block;
            double score = past->score[drawn % (unsigned long)past->n];
            moves[b] = (struct step_move){parts_of_step->growth + (day->scale * score - day->loss),
                                          day->variance, 0.0};
        }
    } else {
        for (int b = 0; b < n; b++)
            moves[b] = (struct step_move){parts_of_step->growth - 0.5 * parts_of_step->variance +
                                              deviation * shifted[b],
                                          parts_of_step->variance, 0.0};
    }
    for (int b = 0; b < n; b++) states[b].x += moves[b].move;
    for (int b = 0; stepper->jumps && b < n; b++) {
        moves[b].jump = noise->jumps[b] * stepper->jumps->mean + sign * noise->jump[b];
        states[b].x += moves[b].jump;
    }
}
