#include <math.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/model_coefficients.h"
#include "models/math/constants.h"
#include "models/math/plan_functions.h"

#define TAIL_LEAST 0x1p-33 /* a probability that 32 bits do not resolve */

/* Returns the t with P(Z > t) = tail, 0 < tail < 1: Newton's method on the logarithm of P, which is
 * concave, so that from the second iterate on t falls monotonically to the root. */
static double normal_tail_quantile(double tail)
{
    double t = 0.0;
    for (int i = 0; i < 100; i++) {
        double p = exact_normal_tail(t);
        double density = NORMAL_PEAK * exact_exp(-0.5 * t * t);
        double change = exact_log(p / tail) * p / density;
        t += change;
        if (fabs(change) < 1e-13) break;
    }
    return t;
}

/* Makes threshold[k - 1] [JUMP_THRESHOLDS]: what a normal exceeds with probability P(N >= k), N of
 * Poisson's law with this mean. */
static void jump_thresholds(double mean, double *threshold)
{
    for (int k = 1; k <= JUMP_THRESHOLDS; k++) {
        double term = exp(-mean), tail = 0.0;
        for (int j = 1; j <= k; j++) term *= mean / j;
        for (int j = k; j < k + 30; j++, term *= mean / j) tail += term;
        threshold[k - 1] = tail < TAIL_LEAST ? HUGE_VAL : normal_tail_quantile(tail);
    }
}

/* Returns what the growth loses to the mean of the jumps. */
static double jump_compensation(const struct jumps *jumps, const struct time_step *time_step)
{
    return jumps->intensity * expm1(jumps->mean + 0.5 * jumps->stdev * jumps->stdev) *
           (time_step->to - time_step->from);
}

/* Writes mean, variance and thresholds of a step's jumps. STATUS_FAILED where it expects more than
 * JUMPS_A_STEP. */
static enum status jump_coefficients(const struct asset *asset, const struct time_step *time_step,
                                     double *c, struct message *why)
{
    const struct jumps *jumps = &asset->jumps;
    double years = time_step->to - time_step->from, expected = jumps->intensity * years;
    if (!(expected <= JUMPS_A_STEP * STEP_ROUNDING))
        return say_why(STATUS_FAILED, why,
                       "'%s': a step of %.6g years is too long for %g jumps a year", asset->name,
                       years, jumps->intensity);
    c[0] = jumps->mean / LN2;
    c[1] = jumps->stdev * jumps->stdev / (LN2 * LN2);
    jump_thresholds(expected, c + 2);
    return STATUS_OK;
}

enum status merton_coefficients(const struct market *market, int index,
                                const struct time_step *time_step, double *c, struct lookup *lookup,
                                struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    MUST(jump_coefficients(asset, time_step, c + MERTON_JUMP_MEAN, why));
    return diffusion_coefficients(market, index, time_step,
                                  jump_compensation(&asset->jumps, time_step), c, why);
}

enum status bates_coefficients(const struct market *market, int index,
                               const struct time_step *time_step, double *c, struct lookup *lookup,
                               struct message *why)
{
    const struct asset *asset = &market->assets[index];
    MUST(jump_coefficients(asset, time_step, c + BATES_JUMP_MEAN, why));
    MUST(heston_coefficients(market, index, time_step, c, lookup, why));
    c[HESTON_GROWTH] -= jump_compensation(&asset->jumps, time_step) / LN2;
    return STATUS_OK;
}

static double jumps_longest(const struct asset *asset)
{
    return asset->jumps.intensity > 0.0 ? JUMPS_A_STEP / asset->jumps.intensity : HUGE_VAL;
}

double merton_longest(const struct asset *asset, double date, double max_step)
{
    (void)date, (void)max_step;
    return jumps_longest(asset);
}

double bates_longest(const struct asset *asset, double date, double max_step)
{
    return fmin(heston_longest(asset, date, max_step), jumps_longest(asset));
}
