/* European options, digitals, forward starts, geometric Asians and variance swaps by the law of a
 * product of growths (growth_law.h): Black's formula (1976) where it is normal, else by Fourier
 * inversion; of the first two under local volatility by the surface (implied.h). Forwards, futures,
 * positions and money. Rates and yields enter through forwards and discount factors alone.
 */
#include <math.h>

#include <gsl/gsl_math.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/growth_law.h"
#include "validation/reference/implied.h"

static enum status state_price(const struct problem *problem, double scale,
                               struct bounded_value value, struct reference *out)
{
    enum model model = problem->asset->model;
    bool closed = model == MODEL_BLACK_SCHOLES || model == MODEL_LOCAL_VOL;
    reference_found(out, scale * value.value, fabs(scale) * value.error,
                    closed ? "closed form" : "fourier");
    return STATUS_OK;
}

enum status reference_at_expiry(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    bool option = trade->product == PRODUCT_EUROPEAN, cash = reference_pays_cash(trade);
    double forward = asset_forward(assets, 0, trade->expiry), strike = trade->strike / forward;
    double scale = asset_discount(assets, trade->expiry) * (cash ? trade->cash : forward);
    if (problem->asset->model == MODEL_LOCAL_VOL) {
        struct implied *implied;
        MUST(implied_make(assets, 0, &implied));
        return state_price(problem, scale, implied_at_expiry(implied, trade, strike), out);
    }
    struct growth_interval all = growth_interval_between(problem, 0.0, trade->expiry, 1.0, 0.0);
    struct growth_law law = growth_law_of(problem, &all, 1);
    return state_price(problem, scale,
                       option ? growth_law_option(&law, trade->option, strike)
                              : growth_law_exercise(&law, trade->option, strike, !cash),
                       out);
}

/* Prices a forward start: S(start) leaves as the numeraire, and what is left is an option on the
 * growth from there (Rubinstein 1991; Kruse and Noegel 2005). */
enum status reference_forward_start(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    struct growth_interval intervals[] = {
        growth_interval_between(problem, 0.0, trade->start, 0.0, 1.0),
        growth_interval_between(problem, trade->start, trade->expiry, 1.0, 0.0)};
    struct growth_law law = growth_law_of(problem, intervals, 2);
    double growth =
        asset_forward(assets, 0, trade->expiry) / asset_forward(assets, 0, trade->start);
    double scale = asset_discount(assets, trade->expiry) * asset_forward(assets, 0, trade->expiry);
    return state_price(problem, scale,
                       growth_law_option(&law, trade->option, trade->strike_ratio / growth), out);
}

/* Prices geometric Asians, interval by interval between the fixings (Kemna and Vorst 1990; Kim and
 * Wee 2014 for Heston with continuous ones): a fixed strike is an option on A = product of
 * S(t_i)^(1/n), in which the growth of an interval has as its power the share of fixings at or
 * after its end. A floating one exchanges S(T) for A (Margrabe 1978): with S(T) as numeraire an
 * option on A / S(T) against 1. */
enum status reference_asian_geometric(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    bool fixed = trade->strike_type == STRIKE_FIXED;
    double *dates = NULL;
    struct growth_interval *intervals = NULL;
    int n = 0;
    MUST(schedule_dates(assets, &trade->fixings, trade->expiry, &dates, &n));
    MUST(effort_array(assets->effort, n + 1, &intervals));
    double total = trade->past_count + n, spot = log(problem->asset->spot), from = 0.0;
    double log_forward =
        (trade->past_count ? trade->past_count * log(trade->past_average) : 0.0) / total;
    for (int i = 0; i <= n; i++) {
        double to = i < n ? dates[i] : trade->expiry, weight = (n - i) / total;
        intervals[i] = growth_interval_between(problem, from, to, fixed ? weight : weight - 1.0,
                                               fixed ? 0.0 : 1.0);
        if (i < n) log_forward += (spot + asset_growth(assets, 0, to)) / total;
        from = to;
    }
    struct growth_law law = growth_law_of(problem, intervals, n + 1);
    double forward = asset_forward(assets, 0, trade->expiry),
           average = exp(log_forward + law.log_mean);
    double scale = asset_discount(assets, trade->expiry) * average;
    enum option other = trade->option == OPTION_CALL ? OPTION_PUT : OPTION_CALL;
    return state_price(problem, scale,
                       fixed ? growth_law_option(&law, trade->option, trade->strike / average)
                             : growth_law_option(&law, other, forward / average),
                       out);
}

/* ---- variance swaps -------------------------------------------------------------------------- */

/* With their own discrete fixings: notional * (realised - strike volatility^2) at expiry, where
 * realised = (past variance * past years + sum of squared moves of ln S between fixings, from the
 * last one on) / (past years + expiry). What is expected of a squared move needs no more than the
 * mean and the variance of ln growth over one interval. */

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

/* Returns the expected square of the move of ln S over an interval and of what it has `moved`
 * before, on two circles, which say what the error is. */
static struct bounded_value squared_move(const struct problem *problem, double from, double to,
                                         double moved)
{
    struct growth_interval intervals[] = {growth_interval_between(problem, 0.0, from, 0.0, 0.0),
                                          growth_interval_between(problem, from, to, 1.0, 0.0)};
    struct growth_law law = growth_law_of(problem, intervals, 2);
    moved += asset_growth(&problem->assets, 0, to) - asset_growth(&problem->assets, 0, from) +
             law.log_mean;
    double value = square_on_circle(&law, 0.3, moved), other = square_on_circle(&law, 0.15, moved);
    return (struct bounded_value){value, fabs(value - other)};
}

enum status reference_variance_swap(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    double *dates = NULL, from = 0.0, sum = 0.0, error = 0.0,
           moved = log(problem->asset->spot / trade->past_level); /* since the last fixing */
    int n = 0;
    MUST(schedule_dates(&problem->assets, &trade->fixings, trade->expiry, &dates, &n));
    for (int i = 0; i < n; i++) {
        MUST(effort_spend(problem->assets.effort, 500.0));
        struct bounded_value move = squared_move(problem, from, dates[i], i ? 0.0 : moved);
        sum += move.value;
        error += move.error;
        from = dates[i];
    }
    double years = trade->past_years + trade->expiry;
    double realised = (trade->past_variance * trade->past_years + sum) / years;
    double scale = trade->notional * asset_discount(&problem->assets, trade->expiry);
    reference_found(out, scale * (realised - trade->strike_volatility * trade->strike_volatility),
                    fabs(scale) * error / years,
                    problem->asset->variance.n ? "closed form" : "fourier");
    return STATUS_OK;
}

/* ---- without options ------------------------------------------------------------------------- */

/* Prices forwards, futures and positions: the mean of a spot that pays cash dividends is its
 * forward less each of them, grown from its day on. */
enum status reference_forward(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    const struct multi_asset *assets = &problem->assets;
    double to_end = asset_growth(assets, 0, trade->expiry),
           mean = problem->asset->spot * exp(to_end);
    for (int i = 0; i < problem->asset->n_dividends; i++) {
        double time = problem->asset->dividends[i].time;
        if (time <= trade->expiry)
            mean -= problem->asset->dividends[i].amount *
                    exp(to_end - asset_growth(assets, 0, fmax(time, 0.0)));
    }
    out->price = mean - trade->strike;
    if (trade->product == PRODUCT_FORWARD) out->price *= asset_discount(assets, trade->expiry);
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
