/* European options, digitals, forward starts and geometric Asians under Heston and Bates by Fourier
 * inversion (growth_law.h), and under Merton by his series. Rates and yields enter through forwards
 * and discount factors alone. */
#include <math.h>
#include <stdlib.h>

#include "validation/reference/gaussian.h"
#include "validation/reference/growth_law.h"
#include "validation/reference/methods.h"

enum status reference_european_fourier(const struct problem *problem, struct reference *out,
                                       struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    struct growth_interval all = growth_interval_between(problem, 0.0, trade->expiry, 1.0, 0.0);
    struct growth_law law;
    enum status status = growth_law_of(problem, &all, 1, &law, why);
    if (status) return status;
    double forward = asset_forward(curves, trade->expiry);
    double scale = asset_discount(curves, trade->expiry) * forward;
    struct bounded_value option = growth_law_option(&law, trade->option, trade->strike / forward);
    *out = (struct reference){scale * option.value, scale * option.error, "fourier"};
    return STATUS_OK;
}

enum status reference_digital_fourier(const struct problem *problem, struct reference *out,
                                      struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    struct growth_interval all = growth_interval_between(problem, 0.0, trade->expiry, 1.0, 0.0);
    struct growth_law law;
    enum status status = growth_law_of(problem, &all, 1, &law, why);
    if (status) return status;
    bool weighted = trade->payout == PAYOUT_ASSET;
    double forward = asset_forward(curves, trade->expiry);
    double scale = asset_discount(curves, trade->expiry) * (weighted ? forward : trade->cash);
    struct bounded_value exercise =
        growth_law_exercise(&law, trade->option, trade->strike / forward, weighted);
    *out = (struct reference){scale * exercise.value, fabs(scale) * exercise.error, "fourier"};
    return STATUS_OK;
}

/* Prices a forward start: S(start) leaves as the numeraire, and what is left is an option on the
 * growth from there (Kruse and Noegel 2005). */
enum status reference_forward_start_fourier(const struct problem *problem, struct reference *out,
                                            struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    struct growth_interval intervals[] = {
        growth_interval_between(problem, 0.0, trade->start, 0.0, 1.0),
        growth_interval_between(problem, trade->start, trade->expiry, 1.0, 0.0)};
    struct growth_law law;
    enum status status = growth_law_of(problem, intervals, 2, &law, why);
    if (status) return status;
    double growth = asset_forward(curves, trade->expiry) / asset_forward(curves, trade->start);
    double scale = asset_discount(curves, trade->expiry) * asset_forward(curves, trade->expiry);
    struct bounded_value option =
        growth_law_option(&law, trade->option, trade->strike_ratio / growth);
    *out = (struct reference){scale * option.value, scale * option.error, "fourier"};
    return STATUS_OK;
}

/* Prices geometric Asians (Kim and Wee 2014 for Heston with continuous fixings; here the discrete
 * ones, interval by interval): a fixed strike is an option on A = product of S(t_i)^(1/n), in which
 * the growth of an interval has as its power the share of fixings at or after its end. A floating
 * one exchanges S(T) for A: with S(T) as numeraire an option on A / S(T) against 1. */
static enum status geometric_asian(const struct problem *problem, struct reference *out,
                                   struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    bool fixed = trade->strike_type == STRIKE_FIXED;
    double *dates = NULL;
    struct growth_interval *intervals = NULL;
    struct growth_law law;
    int n = 0;
    enum status status =
        schedule_dates(curves->effort, &trade->fixings, trade->expiry, &dates, &n, why);
    if (status) return status;
    TRY(effort_array(curves->effort, (size_t)n + 1, sizeof *intervals, &intervals));
    double total = trade->past_count + n, spot = log(curves->spot), from = 0.0;
    double log_forward =
        (trade->past_count ? trade->past_count * log(trade->past_average) : 0.0) / total;
    for (int i = 0; i <= n; i++) {
        double to = i < n ? dates[i] : trade->expiry, weight = (n - i) / total;
        intervals[i] = growth_interval_between(problem, from, to, fixed ? weight : weight - 1.0,
                                               fixed ? 0.0 : 1.0);
        if (i < n) log_forward += (spot + asset_growth(curves, to)) / total;
        from = to;
    }
    TRY(growth_law_of(problem, intervals, n + 1, &law, why));
    double forward = asset_forward(curves, trade->expiry),
           average = exp(log_forward + law.log_mean);
    double scale = asset_discount(curves, trade->expiry) * average;
    enum option other = trade->option == OPTION_CALL ? OPTION_PUT : OPTION_CALL;
    struct bounded_value option =
        fixed ? growth_law_option(&law, trade->option, trade->strike / average)
              : growth_law_option(&law, other, forward / average);
    *out = (struct reference){scale * option.value, scale * option.error, "fourier"};
done:
    effort_free(dates);
    effort_free(intervals);
    return status;
}

enum status reference_asian_fourier(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    if (problem->trade->averaging == AVERAGING_ARITHMETIC)
        return reference_by_simulation(problem, out, why);
    return geometric_asian(problem, out, why);
}

/* What one number of jumps adds: n of them make the forward (1 + k)^n e^{-lambda k t} times itself
 * and add n stdev^2 to the variance. Of a forward and a variance, the expected payoff of a unit. */
typedef double payoff_of(const struct trade *trade, double forward, double variance);

static const double SERIES_COST = 8.0; /* of a term, in operations (effort.h) */

/* Prices by Merton (1976): the sum over the number of jumps of Poisson weights times Black's
 * formula. Terms are added until the weights left, under the pricing measure and under that of the
 * asset, are below rounding. */
static enum status merton_series(const struct problem *problem, double from, double forward,
                                 payoff_of *payoff, struct reference *out)
{
    const struct jumps *jumps = &problem->asset->jumps;
    const struct trade *trade = problem->trade;
    double t = trade->expiry - from, mean = jumps->intensity * t;
    double log_growth = jumps->mean + 0.5 * jumps->stdev * jumps->stdev, k = expm1(log_growth);
    double variance = asset_increment(&problem->curves, from, trade->expiry).variance;
    double sum = 0.0, left = 1.0, left_asset = 1.0; /* of both laws of the count */
    double most = mean * fmax(1.0, 1.0 + k) * 2.0 + 12.0 * sqrt(mean * fmax(1.0, 1.0 + k)) + 60.0;
    enum status status = effort_foresee(problem->curves.effort, SERIES_COST * most);
    if (status) return status;
    for (int n = 0; n < (int)most && (left > 1e-16 || left_asset > 1e-16); n++) {
        if ((status = effort_spend(problem->curves.effort, SERIES_COST))) return status;
        double log_factor = n ? n * log(mean) - lgamma(n + 1.0) : 0.0;
        if (n && mean <= 0.0) break;
        double weight = exp(log_factor - mean);
        double asset_weight = exp(log_factor + n * log_growth - mean * (1.0 + k));
        sum += weight * payoff(trade, forward * exp(n * log_growth - mean * k),
                               variance + n * jumps->stdev * jumps->stdev);
        left -= weight;
        left_asset -= asset_weight;
    }
    double discount = asset_discount(&problem->curves, trade->expiry);
    double scale = forward + fabs(trade->strike) + fabs(trade->cash);
    double error = discount * scale * (fabs(left) + fabs(left_asset) + 1e-15);
    *out = (struct reference){discount * sum, error, "series"};
    return STATUS_OK;
}

static double pays_option(const struct trade *trade, double forward, double variance)
{
    return black(trade->option, forward, trade->strike, variance);
}

static double pays_digital(const struct trade *trade, double forward, double variance)
{
    if (trade->payout == PAYOUT_CASH)
        return trade->cash * black_exercise(trade->option, forward, trade->strike, variance);
    return forward *
           black_exercise(trade->option, forward * exp(variance), trade->strike, variance);
}

static double pays_forward_start(const struct trade *trade, double growth, double variance)
{
    return black(trade->option, growth, trade->strike_ratio, variance);
}

enum status reference_european_series(const struct problem *problem, struct reference *out,
                                      struct message *why)
{
    (void)why;
    double forward = asset_forward(&problem->curves, problem->trade->expiry);
    return merton_series(problem, 0.0, forward, pays_option, out);
}

enum status reference_digital_series(const struct problem *problem, struct reference *out,
                                     struct message *why)
{
    (void)why;
    double forward = asset_forward(&problem->curves, problem->trade->expiry);
    return merton_series(problem, 0.0, forward, pays_digital, out);
}

enum status reference_forward_start_series(const struct problem *problem, struct reference *out,
                                           struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    double start = asset_forward(&problem->curves, trade->start);
    double growth = asset_forward(&problem->curves, trade->expiry) / start;
    enum status status = merton_series(problem, trade->start, growth, pays_forward_start, out);
    out->price *= start;
    out->error *= start;
    return status;
}
