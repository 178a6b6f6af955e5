/* European options, digitals and forward starts: closed forms on the terms to their dates (Black
 * 1976; Rubinstein 1991 for the forward start). Exact for deterministic term structures, since log
 * spot is normal at each date. */
#include <math.h>

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

/* Cash or the asset itself if the option ends in the money (Haug 2007, section 4.19). The asset's
 * part is the probability of exercise under the measure of the asset, where the variance is added
 * to the mean of log spot. */
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
