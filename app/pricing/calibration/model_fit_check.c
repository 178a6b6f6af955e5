#include "app/pricing/calibration/model_fit.h"
#include "models/payoffs/product_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/market/surface.h"
#include "validation/reference/reference.h"

void model_fit_apply(const struct model_fit *fit, struct asset *asset)
{
    asset->model = fit->model;
    asset->heston = (struct heston){0};
    asset->jumps = (struct jumps){0};
    for (int p = 0; p < fit->n; p++)
        *asset_parameter(asset, (enum parameter)p) = fit->parameters[p];
}

/* Finds how far a quote's volatility, that of the fit, is from the reference's. STATUS_FAILED where
 * that is more than the reference's own error allows. */
static enum status check_quote(const struct market *market, int asset, const struct quote *quote,
                               const struct stop *stop, double *difference, struct message *why)
{
    struct effort effort = effort_full(stop);
    struct reference reference;
    struct trade trade = {.product = PRODUCT_EUROPEAN,
                          .asset = asset,
                          .n_assets = 1,
                          .quantity = 1.0,
                          .expiry = quote->time,
                          .option = quote->k >= 0.0 ? OPTION_CALL : OPTION_PUT,
                          .strike = quote->strike};
    MUST(reference_price(market, &trade, 1, &effort, &reference, why));
    const struct term_structure *rate = &market->currencies[market->assets[asset].currency].rate;
    double forward = exp(surface_log_forward(market, asset, quote->time));
    double unit = exp(-term_accrued(rate, quote->time)) * forward;
    double vega = black_vega(quote->k, quote->time, quote->volatility);
    double value = black_value(quote->k, quote->time, quote->volatility);
    *difference = (value - reference.price / unit) / vega;
    if (fabs(*difference) - reference.error / unit / vega <= FIT_CHECK_MOST) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "at expiry %.6g, strike %.6g the volatility of the fit is %.3g basis points off the "
             "reference's",
             quote->time, quote->strike, 1e4 * *difference);
    return STATUS_FAILED;
}

enum status model_fit_check(const struct market *market, const struct surface_quotes *quotes,
                            const struct stop *stop, struct model_fit *fit, struct message *why)
{
    enum status status = STATUS_OK;
    struct market fitted = *market;
    fitted.assets = malloc((size_t)market->n_assets * sizeof *fitted.assets);
    if (!fitted.assets) return STATUS_NO_MEMORY;
    memcpy(fitted.assets, market->assets, (size_t)market->n_assets * sizeof *fitted.assets);
    model_fit_apply(fit, &fitted.assets[quotes->asset]);
    fitted.assets[quotes->asset].n_dividends = 0; /* which no forward of a surface has */
    fit->checked = 0.0;
    for (int i = 0; i < quotes->n; i++) {
        struct quote quote = quotes->list[i];
        double difference;
        if (!quote.used) continue;
        quote.volatility = fit->volatilities[i];
        TRY(check_quote(&fitted, quotes->asset, &quote, stop, &difference, why));
        fit->checked = fmax(fit->checked, fabs(difference));
    }
done:
    free(fitted.assets);
    return status;
}

enum status fit_checked(const struct market *market, const struct surface_quotes *quotes,
                        enum model model, const struct stop *stop, struct model_fit *fit,
                        struct message *why)
{
    const struct fit_options options = {.stop = stop};
    enum status status = fit_surface(quotes, model, &options, fit, why);
    return status ? status : model_fit_check(market, quotes, stop, fit, why);
}
