/* Variance swaps with their own discrete fixings: notional * (realised - strike volatility^2) at
 * expiry, where realised = (past variance * past years + sum of squared moves of ln S between
 * fixings, from the last one on) / (past years + expiry). What is expected of a squared move needs
 * no more than the mean and the variance of ln growth over one interval. */
#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/growth_law.h"
#include "validation/reference/methods.h"

/* Returns the expected square of Y + `moved`. Mean and variance of Y are the first two derivatives
 * at 0 of K(z) = ln E exp(z Y), by Cauchy's integrals on a circle, on which the trapezoidal rule
 * converges geometrically: k! / (2 pi r^k) * integral of K(r e^{i a}) e^{-i k a}. Of a normal law K
 * is a polynomial, and they are exact. */
static double square_on_circle(const struct growth_law *law, double radius, double moved)
{
    enum { POINTS = 24 };
    double mean = moved, variance = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double complex turn = cexp(I * (2.0 * M_PI * i / POINTS)),
                       value = clog(growth_law_characteristic(law, -I * radius * turn));
        mean += creal(value / turn) / (POINTS * radius);
        variance += 2.0 * creal(value / (turn * turn)) / (POINTS * radius * radius);
    }
    return variance + mean * mean;
}

/* Finds the expected square of the move of ln S over an interval and of what it has `moved` before,
 * on two circles, which say what the error is. */
static enum status squared_move(const struct problem *problem, double from, double to, double moved,
                                struct bounded_value *squared, struct message *why)
{
    struct growth_interval intervals[] = {growth_interval_between(problem, 0.0, from, 0.0, 0.0),
                                          growth_interval_between(problem, from, to, 1.0, 0.0)};
    struct growth_law law;
    enum status status = growth_law_of(problem, intervals, 2, &law, why);
    if (status) return status;
    moved += asset_growth(&problem->assets, 0, to) - asset_growth(&problem->assets, 0, from) +
             law.log_mean;
    double value = square_on_circle(&law, 0.3, moved), other = square_on_circle(&law, 0.15, moved);
    *squared = (struct bounded_value){value, fabs(value - other)};
    return STATUS_OK;
}

enum status reference_variance_swap(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    const struct trade *trade = problem->trade;
    double *dates = NULL, from = 0.0, sum = 0.0, error = 0.0,
           moved = log(problem->asset->spot / trade->past_level); /* since the last fixing */
    int n = 0;
    enum status status = STATUS_OK;
    TRY(schedule_dates(&problem->assets, &trade->fixings, trade->expiry, &dates, &n, why));
    for (int i = 0; i < n; i++) {
        struct bounded_value move;
        TRY(effort_spend(problem->assets.effort, 500.0));
        TRY(squared_move(problem, from, dates[i], i ? 0.0 : moved, &move, why));
        sum += move.value;
        error += move.error;
        from = dates[i];
    }
    double years = trade->past_years + trade->expiry;
    double realised = (trade->past_variance * trade->past_years + sum) / years;
    double scale = trade->notional * asset_discount(&problem->assets, trade->expiry);
    out->price = scale * (realised - trade->strike_volatility * trade->strike_volatility);
    out->error = fabs(scale) * error / years;
    out->method = problem->asset->variance.n ? "closed form" : "fourier";
done:
    effort_free(dates);
    return status;
}
