/* Europeans and digitals under Black-Scholes with cash dividends: the spot falls by the amount on
 * its date and follows its model between (Haug, Haug and Lewis 2003).
 *
 * The density of log spot is carried from one dividend to the next by quadrature on panels, each
 * point moved by its dividend, and after the last one every point is worth Black's price. What is
 * paid on the expiry itself raises the strike. Wider panels say how large the error is. */
#include <math.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/methods.h"
#include "validation/reference/panels.h"

/* Returns what a european or a digital is expected to pay, undiscounted, on such a lognormal that
 * falls by `fall`, to no less than 0: a digital that pays the asset is exercised under its measure,
 * where the variance is added to the mean of log spot (Haug 2007, section 4.19). */
static double pays_at_expiry(const struct trade *trade, double fall, double forward,
                             double variance)
{
    double strike = trade->strike + fall, lost = 0.0;
    if (trade->option == OPTION_PUT && fall > 0.0)
        lost = black(OPTION_PUT, forward, fall, variance);
    if (trade->product == PRODUCT_EUROPEAN)
        return black(trade->option, forward, strike, variance) - lost;
    double exercised = black_exercise(trade->option, forward, strike, variance);
    if (trade->payout == PAYOUT_CASH) return trade->cash * exercised;
    return forward * black_exercise(trade->option, forward * exp(variance), strike, variance) -
           fall * exercised + lost;
}

/* Value, undiscounted, of what the trade pays at expiry, from a log spot after the last
 * dividend. */
struct value_after_dividend {
    const struct trade *trade;
    struct log_increment increment;
    double fall; /* of the dividends that are paid on the expiry */
};

static double value_after(double x, const void *context)
{
    const struct value_after_dividend *after = context;
    double variance = after->increment.variance;
    return pays_at_expiry(after->trade, after->fall,
                          exp(x + after->increment.drift + 0.5 * variance), variance);
}

/* Takes the dividend off every point; the points then lie on no panels. */
static void pay_dividend(struct distribution *d, double amount)
{
    for (int i = 0; i < d->n; i++) d->point[i] = log(spot_after_dividend(exp(d->point[i]), amount));
    d->panels = (struct panels){0};
}

/* Spreads the points that carry mass to speak of onto panels as wide as an increment reaches. */
static enum status spread_increment(struct effort *effort, struct distribution *d,
                                    const struct log_increment *increment, double width)
{
    double low = INFINITY, high = -INFINITY, reach = GAUSSIAN_CUT * sqrt(increment->variance);
    for (int i = 0; i < d->n; i++) {
        if (increment->variance <= 0.0) d->point[i] += increment->drift;
        else if (d->mass[i] > 1e-18) {
            low = fmin(low, d->point[i]);
            high = fmax(high, d->point[i]);
        }
    }
    if (increment->variance <= 0.0) return STATUS_OK;
    return distribution_move(
        effort, d, &(struct motion){.drift = increment->drift, .variance = increment->variance},
        panels_between(-INFINITY, INFINITY, low + increment->drift - reach,
                       high + increment->drift + reach, width),
        d);
}

/* Finds the undiscounted price after n dividends and the `fall` on the expiry; `resolution` in
 * panels a deviation of the shorter of the increments on both sides. */
static enum status carry(const struct problem *problem, const struct log_increment *increments,
                         int n, double fall, double resolution, double *value)
{
    struct distribution d;
    struct effort *effort = problem->assets.effort;
    MUST(distribution_at(effort, log(problem->asset->spot), &d));
    double left = effort->work;
    for (int i = 0; i < n; i++) {
        double least = increments[i + 1].variance > 0.0
                           ? fmin(increments[i].variance, increments[i + 1].variance)
                           : increments[i].variance;
        MUST(spread_increment(effort, &d, &increments[i], sqrt(least) / resolution));
        MUST(effort_foresee_rest(effort, left, i + 1, n - 1 - i));
        pay_dividend(&d, problem->asset->dividends[i].amount);
    }
    struct value_after_dividend after = {problem->trade, increments[n], fall};
    *value = distribution_mean(&d, value_after, &after);
    return STATUS_OK;
}

enum status reference_dividends(const struct problem *problem, struct reference *out)
{
    const struct asset *asset = problem->asset;
    double expiry = problem->trade->expiry, from = 0.0, fine = 0.0, coarse = 0.0, fall = 0.0;
    int n = 0;
    while (n < asset->n_dividends && asset->dividends[n].time < expiry) n++;
    for (int i = n; i < asset->n_dividends && asset->dividends[i].time <= expiry; i++)
        fall += asset->dividends[i].amount;
    struct log_increment *increments; /* to each dividend, and to expiry */
    MUST(effort_array(problem->assets.effort, n + 1, &increments));
    for (int i = 0; i <= n; i++) {
        double to = i < n ? asset->dividends[i].time : expiry;
        increments[i] = asset_increment(&problem->assets, 0, from, to);
        from = to;
    }
    MUST(carry(problem, increments, n, fall, PANELS_COARSE, &coarse));
    MUST(carry(problem, increments, n, fall, PANELS_FINE, &fine));
    double discount = asset_discount(&problem->assets, expiry);
    reference_found(out, discount * fine, discount * (fabs(fine - coarse) + 1e-13 * fabs(fine)),
                    "quadrature");
    return STATUS_OK;
}
