#include "app/pricing/value/linear_value.h"

#include <float.h>
#include <math.h>

#include "models/dynamics/step_measure.h"
#include "models/math/plan_functions.h"
#include "models/payoffs/payoff_definition.h"

/* Returns the years that are left to a date; one that would be past follows today at once, and
 * today stays. */
static double left(double date, double passed)
{
    return date > 0.0 ? fmax(date - passed, 0.0) : 0.0;
}

static double discount(const struct market *market, const struct trade *trade, double years)
{
    const struct currency *paid = &market->currencies[trade_currency(market, trade)];
    return exact_exp(-term_accrued(&paid->rate, years));
}

/* Returns how a spot grows from one date to another in the mean, under the measure of the currency
 * that is paid. */
static double mean_growth(const struct market *market, const struct trade *trade, double from,
                          double to)
{
    const struct time_step step = {from, to,
                                   quanto_rate(market->assets, &trade->quanto, trade->asset)};
    const struct asset *asset = &market->assets[trade->asset];
    struct measure measure;
    struct message why;
    if (measure_of(market, trade->asset, &step, &measure, &why)) return NAN;
    return exact_exp(growth_over(market, asset, &step) - quanto_loss(asset, &measure, &step));
}

/* Returns the mean of the spot at the expiry: the forward, from which each cash dividend is taken,
 * grown from its date on. */
static double mean_spot(const struct market *market, const struct trade *trade, double passed,
                        double *size)
{
    const struct asset *asset = &market->assets[trade->asset];
    double end = left(trade->expiry, passed),
           mean = asset->spot * mean_growth(market, trade, 0.0, end);
    *size = mean;
    for (int i = 0; i < asset->n_dividends; i++) {
        const struct cash_dividend *dividend = &asset->dividends[i];
        if (dividend->time > trade->expiry) break;
        mean -= dividend->amount * mean_growth(market, trade, left(dividend->time, passed), end);
    }
    return mean;
}

double linear_value(const struct market *market, const struct trade *trade, double passed,
                    double *size)
{
    double value = 0.0, all = 0.0, mean = 0.0, factor = 1.0;
    if (!trade_has_paths(trade) && !trade->expired) {
        double end = left(trade->expiry, passed), of_spot = 0.0;
        if (!product_has(trade->product, MARKED_DAILY))
            factor = discount(market, trade, end + trade->payment_lag);
        if (trade->asset >= 0) mean = mean_spot(market, trade, passed, &of_spot);
        value = factor * (mean - trade->strike + trade->amount);
        all = factor * (of_spot + fabs(trade->strike) + fabs(trade->amount));
    }
    for (int i = 0; i < trade->n_owed; i++) {
        double due =
            trade->owed[i].amount * discount(market, trade, left(trade->owed[i].years, passed));
        value += due;
        all += fabs(due);
    }
    if (size) *size = all;
    return value;
}

double linear_contrast(const struct scenario *scenarios, const struct contrast *contrast,
                       const struct trade *trade)
{
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < contrast->n_terms; i++) {
        const struct contrast_term *term = &contrast->terms[i];
        const struct scenario *scenario = &scenarios[term->scenario];
        double size, value = linear_value(scenario->market, trade, scenario->time_passed, &size);
        sum += term->weight * value;
        all += fabs(term->weight) * size;
    }
    return fabs(sum) > 16.0 * DBL_EPSILON * all ? sum : 0.0;
}
