/* American and Bermudan options under Black-Scholes: on one asset, a geometric basket or two assets. */
#include "validation/reference/american.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double american_gain(const struct trade *trade, double basket)
{
    return fmax(trade->option == OPTION_CALL ? basket - trade->strike : trade->strike - basket, 0.0);
}

static enum status refuse(const struct trade *trade, const char *what, struct message *why)
{
    snprintf(why->text, sizeof why->text, "no reference for an %s %s", product_name(trade->product), what);
    return STATUS_FAILED;
}

enum status reference_american(const struct problem *problem, struct reference *out, struct message *why)
{
    const struct trade *trade = problem->trade;
    struct american option = {.trade = trade, .end = trade->expiry};
    enum status status = STATUS_OK;
    bool dividends = false;
    TRY(multi_asset_of(problem->market, trade, &option.assets, why));
    for (int i = 0; i < option.assets.n; i++) {
        const struct asset *asset = multi_asset_at(&option.assets, i);
        if (asset->model != MODEL_BLACK_SCHOLES)
            return refuse(trade, "under another model than Black-Scholes", why);
        if (asset->n_dividends > 0 && asset->dividends[0].time <= trade->expiry) dividends = true;
        if (multi_asset_covariance(&option.assets, i, i, 0.0, trade->expiry) <= 0.0)
            return refuse(trade, "without volatility", why);
    }
    int n = option.assets.n;
    bool line = n == 1 || trade->kind == BASKET_GEOMETRIC;
    if (!line && n > 2) return refuse(trade, "on more than two assets", why);
    if (n > 1 && dividends) return refuse(trade, "on several assets with cash dividends", why);
    if (trade->strike <= 0.0) return refuse(trade, "without a strike", why);
    if (!trade->exercise.continuous) {
        TRY(terms_dates(&trade->exercise, trade->expiry, &option.dates, &option.n_dates, why));
        if (option.n_dates == 0 || option.dates[option.n_dates - 1] <= 0.0)
            TRY(refuse(trade, "without a date of exercise after today", why));
        option.end = option.dates[option.n_dates - 1];
    }
    if (line) TRY(american_on_a_line(&option, out, why));
    else TRY(american_on_a_plane(&option, out, why));
done:
    free(option.dates);
    return status;
}
