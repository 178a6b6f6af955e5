#include "models/dynamics/step_measure.h"

#include <math.h>

#include "models/market/quanto.h"

double variance_over(const struct term_structure *variance, const struct time_step *time_step)
{
    double v0 = term_accrued(variance, time_step->from), v = term_accrued(variance, time_step->to);
    return v - v0 > 0.0 ? v - v0 : 0.0;
}

/* Returns the first of the curve's dates after t, `end` where that comes sooner. */
static double next_pillar(const struct term_structure *term, double t, double end)
{
    int i = 0;
    while (i < term->n && term->time[i] <= t) i++;
    return i < term->n && term->time[i] < end ? term->time[i] : end;
}

double product_over(const struct term_structure *first, const struct term_structure *second,
                    const struct time_step *time_step)
{
    double sum = 0.0;
    for (double t = time_step->from, next; t < time_step->to; t = next) {
        next = next_pillar(second, t, time_step->to);
        if (first) next = next_pillar(first, t, next);
        struct time_step piece = {.from = t, .to = next};
        sum +=
            sqrt((first ? variance_over(first, &piece) : next - t) * variance_over(second, &piece));
    }
    return sum;
}

enum status refuse_quanto(const struct asset *asset, const struct asset *fx, const char *because,
                          struct message *why)
{
    return say_why(STATUS_FAILED, why, "'%s' cannot be paid in the currency of '%s': %s",
                   asset->name, fx->name, because);
}

enum status measure_of(const struct market *market, int index, const struct time_step *time_step,
                       struct measure *measure, struct message *why)
{
    *measure = (struct measure){0};
    if (time_step->quanto < 0) return STATUS_OK;
    const struct asset *asset = &market->assets[index], *fx = &market->assets[time_step->quanto];
    if (fx->foreign_currency < 0) return refuse_quanto(asset, fx, "that is not an FX rate", why);
    if (other_currency(fx, asset->currency) < 0)
        return refuse_quanto(asset, fx, "the FX rate is not one of the asset's currency", why);
    if (fx->model != MODEL_BLACK_SCHOLES)
        return refuse_quanto(asset, fx, "the FX rate must have the model black_scholes", why);
    measure->fx = fx;
    measure->correlation = worth_correlation(market, index, time_step->quanto);
    return STATUS_OK;
}

double quanto_loss(const struct asset *asset, const struct measure *measure,
                   const struct time_step *time_step)
{
    if (!measure->fx) return 0.0;
    return measure->correlation * product_over(&asset->variance, &measure->fx->variance, time_step);
}

double quanto_shift(const struct measure *measure, const struct time_step *time_step)
{
    if (!measure->fx) return 0.0;
    return -measure->correlation * product_over(NULL, &measure->fx->variance, time_step) /
           sqrt(time_step->to - time_step->from);
}

double growth_over(const struct market *market, const struct asset *asset,
                   const struct time_step *time_step)
{
    const struct term_structure *rate = &market->currencies[asset->currency].rate;
    double r0 = term_accrued(rate, time_step->from),
           q0 = term_accrued(&asset->yield, time_step->from);
    double r = term_accrued(rate, time_step->to), q = term_accrued(&asset->yield, time_step->to);
    return (r - r0) - (q - q0);
}
