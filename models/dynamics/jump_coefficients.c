#include <math.h>
#include <stdio.h>

#include "models/dynamics/dynamics.h"
#include "models/dynamics/model_coefficients.h"
#include "models/dynamics/step_measure.h"
#include "models/math/constants.h"
#include "models/math/plan_functions.h"

#define TAIL_LEAST 0x1p-33 /* a probability that 32 bits do not resolve */

/* Returns the t with P(Z > t) = tail, 0 < tail < 1: Newton's method on the logarithm of P, which is
 * concave, so that from the second iterate on t falls monotonically to the root. */
static double normal_tail_quantile(double tail)
{
    double t = 0.0;
    for (int i = 0; i < 100; i++) {
        double p = 0.5 * exact_erfc(t * 0.707106781186547524401);
        double density = 0.398942280401432677940 * exact_exp(-0.5 * t * t);
        double change = exact_log(p / tail) * p / density;
        t += change;
        if (fabs(change) < 1e-13) break;
    }
    return t;
}

void jump_thresholds(double mean, double *threshold)
{
    for (int k = 1; k <= JUMP_THRESHOLDS; k++) {
        double term = exp(-mean), tail = 0.0;
        for (int j = 1; j <= k; j++) term *= mean / j;
        for (int j = k; j < k + 30; j++, term *= mean / j) tail += term;
        threshold[k - 1] = tail < TAIL_LEAST ? HUGE_VAL : normal_tail_quantile(tail);
    }
}

double jump_compensation(const struct jumps *jumps, const struct time_step *time_step)
{
    return jumps->intensity * expm1(jumps->mean + 0.5 * jumps->stdev * jumps->stdev) *
           (time_step->to - time_step->from);
}

enum status check_jumps(const struct asset *asset, const struct time_step *time_step,
                        struct message *why)
{
    double expected = asset->jumps.intensity * (time_step->to - time_step->from);
    if (expected <= JUMPS_A_STEP * STEP_ROUNDING) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "'%s': a step of %.6g years is too long for %g jumps a year", asset->name,
             time_step->to - time_step->from, asset->jumps.intensity);
    return STATUS_FAILED;
}

enum status merton_coefficients(const struct market *market, int index,
                                const struct time_step *time_step, double *c, struct lookup *lookup,
                                struct message *why)
{
    (void)lookup;
    const struct asset *asset = &market->assets[index];
    struct measure measure;
    MUST(check_jumps(asset, time_step, why));
    MUST(measure_of(market, index, time_step, &measure, why));
    struct growth growth = growth_over(market, asset, time_step);
    double variance = variance_over(&asset->variance, time_step);
    double loss =
        quanto_loss(asset, &measure, time_step) + jump_compensation(&asset->jumps, time_step);
    c[MERTON_DRIFT] = (growth.rate - growth.yield - 0.5 * variance - loss) / LN2;
    c[MERTON_VOLATILITY] = sqrt(variance) / LN2;
    c[MERTON_JUMP_MEAN] = asset->jumps.mean / LN2;
    c[MERTON_JUMP_VARIANCE] = asset->jumps.stdev * asset->jumps.stdev / (LN2 * LN2);
    jump_thresholds(asset->jumps.intensity * (time_step->to - time_step->from),
                    c + MERTON_THRESHOLD);
    return STATUS_OK;
}

double jumps_longest(const struct asset *asset)
{
    return asset->jumps.intensity > 0.0 ? JUMPS_A_STEP / asset->jumps.intensity : HUGE_VAL;
}

double merton_longest(const struct asset *asset, double max_step)
{
    (void)max_step;
    return jumps_longest(asset);
}
