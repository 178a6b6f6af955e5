#include "validation/reference/reference.h"

#include <gsl/gsl_errno.h>

#include <math.h>
#include <stdio.h>

#include "validation/reference/methods.h"

/* The products, in the order of payoffs.def. */
static method *const methods[N_PRODUCTS] = {
    [PRODUCT_EUROPEAN] = reference_european,
    [PRODUCT_DIGITAL] = reference_digital,
    [PRODUCT_ASIAN] = reference_asian,
    [PRODUCT_BARRIER] = reference_barrier,
    [PRODUCT_DOUBLE_BARRIER] = reference_double_barrier,
    [PRODUCT_TOUCH] = reference_touch,
    [PRODUCT_LOOKBACK] = reference_lookback,
    [PRODUCT_FORWARD_START] = reference_forward_start,
};

/* The largest amount of money in play: rounding errors are fractions of it. */
static double amount_at_stake(const struct terms *terms, const struct trade *trade)
{
    double rounding = terms->spot + fabs(trade->strike) + fabs(trade->cash) + fabs(trade->rebate);
    return rounding + fabs(trade->extreme) + fabs(trade->past_average);
}

void reference_begin(void)
{
    gsl_set_error_handler_off();
}

enum status reference_price(const struct market *market, const struct trade *trade, uint64_t seed,
                            struct reference *reference, struct message *why)
{
    const struct asset *asset = &market->assets[trade->asset];
    *reference = (struct reference){.method = "none"};
    if (asset->model != MODEL_BLACK_SCHOLES || !methods[trade->product]) {
        snprintf(why->text, sizeof why->text, "no reference for a %s under %s", product_name(trade->product),
                 model_name(asset->model));
        return STATUS_FAILED;
    }
    struct problem problem = {
        .terms = {&market->currencies[asset->currency].rate, &asset->yield, &asset->variance, asset->spot},
        .trade = trade,
        .seed = seed,
    };
    enum status status = methods[trade->product](&problem, reference, why);
    if (status) return status;
    if (!isfinite(reference->price) || !isfinite(reference->error)) {
        snprintf(why->text, sizeof why->text, "the %s reference is not a number", reference->method);
        return STATUS_FAILED;
    }
    reference->error += 1e-12 * (fabs(reference->price) + amount_at_stake(&problem.terms, trade));
    return STATUS_OK;
}
