/* Variance swaps with their own discrete fixings: notional * (realised - strike volatility^2) at
 * expiry, where realised = (past variance * past years + sum of squared moves of ln S between
 * fixings, from the last one on) / (past years + expiry). What is expected of a squared move needs
 * no more than the first two moments of ln growth over one interval. */
#include <math.h>

#include <gsl/gsl_math.h>

#include "validation/reference/growth_law.h"
#include "validation/reference/methods.h"

/* Expected square of the move of ln S over an interval and of what it has `moved` before, and a
 * bound on the error. */
typedef enum status squared_move(const struct problem *problem, double from, double to,
                                 double moved, struct bounded_value *square, struct message *why);

/* Finds the mean square of a move that is normal, with a compound Poisson sum of normal jumps
 * (Merton 1976): variance plus the square of the mean. */
static enum status normal_move(const struct problem *problem, double from, double to, double moved,
                               struct bounded_value *square, struct message *why)
{
    (void)why;
    struct log_increment increment = asset_increment(&problem->curves, from, to);
    double mean = moved + increment.drift, variance = increment.variance;
    if (problem->asset->model == MODEL_MERTON) {
        const struct jumps *jumps = &problem->asset->jumps;
        double count = jumps->intensity * (to - from), spread = jumps->stdev * jumps->stdev;
        mean += count * (jumps->mean - expm1(jumps->mean + 0.5 * spread));
        variance += count * (jumps->mean * jumps->mean + spread);
    }
    *square = (struct bounded_value){variance + mean * mean, 0.0};
    return STATUS_OK;
}

/* Finds the k-th moment (k = 1, 2) of Y from M(z) = E exp(z Y), by Cauchy's integral on a circle
 * around 0, on which the trapezoidal rule converges geometrically: k! / (2 pi r^k) * integral of
 * M(r e^{i a}) e^{-i k a}. */
static void circle_moments(const struct growth_law *law, double radius, double moments[3])
{
    enum { POINTS = 24 };
    moments[1] = moments[2] = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double angle = 2.0 * M_PI * i / POINTS;
        double complex turn = cexp(I * angle),
                       value = growth_law_characteristic(law, -I * radius * turn);
        moments[1] += creal(value / turn) / (POINTS * radius);
        moments[2] += 2.0 * creal(value / (turn * turn)) / (POINTS * radius * radius);
    }
}

/* Finds the mean square of a move under Heston and Bates from the characteristic function of the
 * growth between two later dates, on two circles. */
static enum status transformed_move(const struct problem *problem, double from, double to,
                                    double moved, struct bounded_value *square, struct message *why)
{
    struct growth_interval intervals[] = {growth_interval_between(problem, 0.0, from, 0.0, 0.0),
                                          growth_interval_between(problem, from, to, 1.0, 0.0)};
    struct growth_law law;
    double moments[2][3], squares[2];
    enum status status = growth_law_of(problem, intervals, 2, &law, why);
    if (status) return status;
    double drift = asset_growth(&problem->curves, to) - asset_growth(&problem->curves, from) +
                   law.log_mean + moved;
    for (int i = 0; i < 2; i++) {
        circle_moments(&law, i ? 0.15 : 0.3, moments[i]);
        squares[i] = moments[i][2] + 2.0 * drift * moments[i][1] + drift * drift;
    }
    *square = (struct bounded_value){squares[0], fabs(squares[0] - squares[1]) + 1e-14};
    return STATUS_OK;
}

static enum status expected_swap(const struct problem *problem, squared_move *expect,
                                 struct reference *out, struct message *why)
{
    const struct trade *trade = problem->trade;
    double *dates = NULL, from = 0.0, sum = 0.0, error = 0.0,
           moved = log(problem->curves.spot / trade->past_level); /* since the last fixing */
    int n = 0;
    enum status status = STATUS_OK;
    TRY(schedule_dates(problem->curves.effort, &trade->fixings, trade->expiry, &dates, &n, why));
    for (int i = 0; i < n; i++) {
        struct bounded_value square;
        TRY(effort_spend(problem->curves.effort, 500.0));
        TRY(expect(problem, from, dates[i], i ? 0.0 : moved, &square, why));
        sum += square.value;
        error += square.error;
        from = dates[i];
    }
    double years = trade->past_years + trade->expiry;
    double realised = (trade->past_variance * trade->past_years + sum) / years;
    double scale = trade->notional * asset_discount(&problem->curves, trade->expiry);
    out->price = scale * (realised - trade->strike_volatility * trade->strike_volatility);
    out->error = fabs(scale) * error / years;
done:
    effort_free(dates);
    return status;
}

enum status reference_variance_swap(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    out->method = "closed form";
    return expected_swap(problem, normal_move, out, why);
}

enum status reference_variance_swap_fourier(const struct problem *problem, struct reference *out,
                                            struct message *why)
{
    out->method = "fourier";
    return expected_swap(problem, transformed_move, out, why);
}
