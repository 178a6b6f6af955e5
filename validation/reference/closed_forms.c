/* European options, digitals, forward starts, geometric Asians, forwards, futures, positions and
 * money: closed forms on the terms to their dates (Black 1976; Rubinstein 1991 for the forward
 * start), under Merton by his series. Exact for deterministic term structures, since log spot is
 * normal at each date. */
#include <math.h>

#include "validation/reference/gaussian.h"
#include "models/payoffs/product_numbers.h"
#include "validation/reference/methods.h"

/* Of a forward and a variance, the expected payoff of a unit. */
typedef double payoff_of(const struct trade *trade, double forward, double variance);

static const double SERIES_COST = 8.0; /* of a term, in operations (effort.h) */

/* Prices by Merton (1976): the sum over the number of jumps of Poisson weights times Black's
 * formula; n jumps make the forward (1 + k)^n e^{-lambda k t} times itself and add n stdev^2 to the
 * variance. Terms are added until the weights left, under the pricing measure and under that of the
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
    *out = (struct reference){.price = discount * sum, .error = error, .method = "series"};
    return STATUS_OK;
}

/* Prices what is paid on a lognormal from `from` to the expiry, with Merton's jumps or none. */
static enum status price_lognormal(const struct problem *problem, double from, double forward,
                                   payoff_of *payoff, struct reference *out)
{
    const struct trade *trade = problem->trade;
    if (problem->asset->model == MODEL_MERTON)
        return merton_series(problem, from, forward, payoff, out);
    double variance = asset_increment(&problem->curves, from, trade->expiry).variance;
    out->price = asset_discount(&problem->curves, trade->expiry) * payoff(trade, forward, variance);
    out->method = "closed form";
    return STATUS_OK;
}

double pays_at_expiry(const struct trade *trade, double forward, double variance)
{
    if (trade->product == PRODUCT_EUROPEAN)
        return black(trade->option, forward, trade->strike, variance);
    if (trade->payout == PAYOUT_CASH)
        return trade->cash * black_exercise(trade->option, forward, trade->strike, variance);
    return forward *
           black_exercise(trade->option, forward * exp(variance), trade->strike, variance);
}

enum status reference_at_expiry(const struct problem *problem, struct reference *out,
                                struct message *why)
{
    (void)why;
    double forward = asset_forward(&problem->curves, problem->trade->expiry);
    return price_lognormal(problem, 0.0, forward, pays_at_expiry, out);
}

static double pays_forward_start(const struct trade *trade, double growth, double variance)
{
    return black(trade->option, growth, trade->strike_ratio, variance);
}

/* Pays on S(T) against ratio * S(start): S(start) factors out, and what is left is an option on the
 * growth between (Rubinstein 1991; Haug 2007, section 4.5). */
enum status reference_forward_start(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    double start = asset_forward(&problem->curves, trade->start);
    double growth = asset_forward(&problem->curves, trade->expiry) / start;
    enum status status = price_lognormal(problem, trade->start, growth, pays_forward_start, out);
    out->price *= start;
    out->error *= start;
    return status;
}

/* ---- geometric Asians ------------------------------------------------------------------------ */

/* Geometric Asians: the log of the average is normal (Kemna and Vorst 1990; Clewlow and Strickland
 * 1998, section 4.7 for discrete fixings). The floating strike exchanges one lognormal for another
 * (Margrabe 1978). Exact. */

/* Prices by the moments of log A = (past log a + sum of x_j) / total. Of its variance, the fixing
 * of rank i (0 first) takes part in itself and twice in each later one: cov(x_i, x_j) =
 * variance(min(t_i, t_j)). */
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
    double total = trade->past_count + n, mean = 0.0, variance = 0.0, covariance = 0.0, value;
    if (trade->past_count > 0) mean = trade->past_count * log(trade->past_average);
    for (int i = 0; i < n; i++) {
        double one = asset_variance(curves, dates[i]);
        mean += log(curves->spot) + asset_growth(curves, dates[i]) - 0.5 * one;
        variance += one * (2 * (n - 1 - i) + 1);
        covariance += one; /* with log spot at expiry */
    }
    effort_free(dates);
    mean /= total, variance /= total * total, covariance /= total;
    double average = exp(mean + 0.5 * variance);
    if (trade->strike_type == STRIKE_FIXED) {
        value = black(trade->option, average, trade->strike, variance);
    } else {
        double spread = asset_variance(curves, trade->expiry) + variance - 2.0 * covariance;
        value =
            black(trade->option, asset_forward(curves, trade->expiry), average, fmax(spread, 0.0));
    }
    out->price = asset_discount(curves, trade->expiry) * value;
    out->method = "closed form";
    return STATUS_OK;
}

/* ---- without options ------------------------------------------------------------------------- */

/* Prices forwards, futures and positions: the mean of a spot that pays cash dividends is its
 * forward less each of them, grown from its day on. */
enum status reference_forward(const struct problem *problem, struct reference *out,
                              struct message *why)
{
    (void)why;
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    double to_end = asset_growth(curves, trade->expiry), mean = curves->spot * exp(to_end);
    for (int i = 0; i < problem->asset->n_dividends; i++) {
        double time = problem->asset->dividends[i].time;
        if (time <= trade->expiry)
            mean -= problem->asset->dividends[i].amount *
                    exp(to_end - asset_growth(curves, fmax(time, 0.0)));
    }
    out->price = mean - trade->strike;
    if (trade->product == PRODUCT_FORWARD) out->price *= asset_discount(curves, trade->expiry);
    out->method = "closed form";
    return STATUS_OK;
}

static double of_payment(const struct term_structure *rate, double amount, double when,
                         double years)
{
    double to_come = when > 0.0 && when > years ? when - years : 0.0;
    return amount * exp(-curve_accrued(rate, to_come));
}

double reference_money(const struct term_structure *rate, const struct trade *trade, double years)
{
    double sum = 0.0;
    if (trade->asset < 0) sum = of_payment(rate, trade->amount, trade->expiry, years);
    for (int i = 0; i < trade->n_owed; i++)
        sum += of_payment(rate, trade->owed[i].amount, trade->owed[i].years, years);
    return sum;
}
