/* European options, digitals, forward starts and geometric Asians under Heston and Bates by Fourier
 * inversion (growth_law.h). Rates and yields enter through forwards and discount factors alone. */
#include <math.h>

#include "models/payoffs/product_numbers.h"
#include "validation/reference/growth_law.h"
#include "validation/reference/methods.h"

enum status reference_at_expiry_fourier(const struct problem *problem, struct reference *out,
                                        struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    struct growth_interval all = growth_interval_between(problem, 0.0, trade->expiry, 1.0, 0.0);
    struct growth_law law;
    enum status status = growth_law_of(problem, &all, 1, &law, why);
    if (status) return status;
    bool option = trade->product == PRODUCT_EUROPEAN, cash = reference_pays_cash(trade);
    double forward = asset_forward(curves, trade->expiry), strike = trade->strike / forward;
    double scale = asset_discount(curves, trade->expiry) * (cash ? trade->cash : forward);
    struct bounded_value value = option ? growth_law_option(&law, trade->option, strike)
                                        : growth_law_exercise(&law, trade->option, strike, !cash);
    *out = (struct reference){
        .price = scale * value.value, .error = fabs(scale) * value.error, .method = "fourier"};
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
    *out = (struct reference){
        .price = scale * option.value, .error = scale * option.error, .method = "fourier"};
    return STATUS_OK;
}

/* Prices geometric Asians (Kim and Wee 2014 for Heston with continuous fixings; here the discrete
 * ones, interval by interval): a fixed strike is an option on A = product of S(t_i)^(1/n), in which
 * the growth of an interval has as its power the share of fixings at or after its end. A floating
 * one exchanges S(T) for A: with S(T) as numeraire an option on A / S(T) against 1. */
enum status reference_asian_fourier(const struct problem *problem, struct reference *out,
                                    struct message *why)
{
    const struct trade *trade = problem->trade;
    const struct asset_curves *curves = &problem->curves;
    bool fixed = trade->strike_type == STRIKE_FIXED;
    double *dates = NULL;
    struct growth_interval *intervals = NULL;
    struct growth_law law;
    int n = 0;
    if (trade->averaging == AVERAGING_ARITHMETIC) return reference_by_simulation(problem, out, why);
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
    *out = (struct reference){
        .price = scale * option.value, .error = scale * option.error, .method = "fourier"};
done:
    effort_free(dates);
    effort_free(intervals);
    return status;
}
