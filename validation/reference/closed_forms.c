/* European options, digitals, forward starts and geometric Asians: closed forms on the terms to
 * their dates (Black 1976; Rubinstein 1991 for the forward start). Exact for deterministic term
 * structures, since log spot is normal at each date. */
#include <math.h>
#include <stdlib.h>

#include "validation/reference/gaussian.h"
#include "validation/reference/methods.h"

enum status reference_european(const struct problem *problem, struct reference *out,
                               struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    double forward = asset_forward(curves, trade->expiry),
           variance = asset_variance(curves, trade->expiry);
    out->price = asset_discount(curves, trade->expiry) *
                 black(trade->option, forward, trade->strike, variance);
    out->method = "closed form";
    return STATUS_OK;
}

/* Prices cash or the asset itself if the option ends in the money (Haug 2007, section 4.19). The
 * asset's part is the probability of exercise under the measure of the asset, where the variance is
 * added to the mean of log spot. */
enum status reference_digital(const struct problem *problem, struct reference *out,
                              struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    double forward = asset_forward(curves, trade->expiry),
           variance = asset_variance(curves, trade->expiry);
    double amount = trade->cash, mean = forward;
    if (trade->payout == PAYOUT_ASSET) {
        amount = forward;
        mean = forward * exp(variance);
    }
    double exercise = black_exercise(trade->option, mean, trade->strike, variance);
    out->price = asset_discount(curves, trade->expiry) * amount * exercise;
    out->method = "closed form";
    return STATUS_OK;
}

/* Pays on S(T) against ratio * S(start): S(start) factors out, and what is left is an option on the
 * growth between (Rubinstein 1991; Haug 2007, section 4.5). */
enum status reference_forward_start(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    struct log_increment increment = asset_increment(curves, trade->start, trade->expiry);
    double growth = exp(increment.drift + 0.5 * increment.variance);
    double value = black(trade->option, growth, trade->strike_ratio, increment.variance);
    out->price =
        asset_discount(curves, trade->expiry) * asset_forward(curves, trade->start) * value;
    out->method = "closed form";
    return STATUS_OK;
}

/* ---- geometric Asians ------------------------------------------------------------------------ */

/* Geometric Asians: the log of the average is normal (Kemna and Vorst 1990; Clewlow and Strickland
 * 1998, section 4.7 for discrete fixings). The floating strike exchanges one lognormal for another
 * (Margrabe 1978). Exact. */

/* Mean and variance of log average, and its covariance with log spot at expiry. */
struct average_moments {
    double mean, variance, covariance;
};

/* Returns the moments of log A = (past log a + sum of x_j) / total. Of the variance, the fixing of
 * rank i (0 first) takes part in itself and twice in each later one: cov(x_i, x_j) =
 * variance(min(t_i, t_j)). */
static struct average_moments log_average(const struct asset_curves *curves,
                                          const struct trade *trade, const double *dates, int n)
{
    double total = trade->past_count + n;
    struct average_moments sum = {0};
    if (trade->past_count > 0) sum.mean = trade->past_count * log(trade->past_average);
    for (int i = 0; i < n; i++) {
        double variance = asset_variance(curves, dates[i]);
        sum.mean += log(curves->spot) + asset_growth(curves, dates[i]) - 0.5 * variance;
        sum.variance += variance * (2 * (n - 1 - i) + 1);
        sum.covariance += variance;
    }
    return (struct average_moments){sum.mean / total, sum.variance / (total * total),
                                    sum.covariance / total};
}

enum status reference_asian_geometric(const struct problem *problem, struct reference *out,
                                      struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    double *dates = NULL;
    int n = 0;
    enum status status =
        schedule_dates(curves->effort, &trade->fixings, trade->expiry, &dates, &n, why);
    if (status) return status;
    struct average_moments moments = log_average(curves, trade, dates, n);
    effort_free(dates);
    double average = exp(moments.mean + 0.5 * moments.variance), value;
    if (trade->strike_type == STRIKE_FIXED) {
        value = black(trade->option, average, trade->strike, moments.variance);
    } else {
        double spread =
            asset_variance(curves, trade->expiry) + moments.variance - 2.0 * moments.covariance;
        value =
            black(trade->option, asset_forward(curves, trade->expiry), average, fmax(spread, 0.0));
    }
    out->price = asset_discount(curves, trade->expiry) * value;
    out->method = "closed form";
    return STATUS_OK;
}
