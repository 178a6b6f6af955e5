/* American and Bermudan options: under Black-Scholes on one asset, a geometric basket or two
 * assets; on one asset under other models. */
#include "validation/reference/reference_american.h"

#include <math.h>

static enum status refuse(const struct problem *problem, const char *feature)
{
    return effort_fail(problem->assets.effort, "no reference for an %s %s",
                       product_name(problem->trade->product), feature);
}

enum status reference_american(const struct problem *problem, struct reference *out)
{
    const struct trade *trade = problem->trade;
    struct american option = {.assets = problem->assets, .trade = trade, .end = trade->expiry};
    bool dividends = false, other = false;
    for (int i = 0; i < option.assets.n; i++) {
        const struct asset *asset = asset_at(&option.assets, i);
        if (asset->model == MODEL_HISTORICAL) return refuse(problem, "under historical");
        if (asset->model != MODEL_BLACK_SCHOLES) other = true;
        if (asset->n_dividends > 0 && asset->dividends[0].time <= trade->expiry) dividends = true;
        bool known = asset->model == MODEL_BLACK_SCHOLES || asset->model == MODEL_MERTON;
        if (known && asset_covariance(&option.assets, i, i, 0.0, trade->expiry) <= 0.0)
            return refuse(problem, "without volatility");
    }
    int n = option.assets.n;
    if (n > 1 && other)
        return refuse(problem, "on several assets under another model than Black-Scholes");
    bool line = n == 1 || trade->kind == BASKET_GEOMETRIC;
    for (int i = 0; line && i < n; i++)
        if (option.assets.weight[i] <= 0.0)
            return refuse(problem, "with a weight that is not positive");
    if (!line && n > 2) return refuse(problem, "on more than two assets");
    if (n > 1 && dividends) return refuse(problem, "on several assets with cash dividends");
    if (trade->strike <= 0.0) return refuse(problem, "without a strike");
    if (!trade->exercise.continuous) {
        MUST(schedule_dates(&problem->assets, &trade->exercise, trade->expiry, &option.dates,
                            &option.n_dates));
        if (option.n_dates == 0 || option.dates[option.n_dates - 1] <= 0.0)
            MUST(refuse(problem, "without a date of exercise after today"));
        option.end = option.dates[option.n_dates - 1];
    }
    return line ? american_on_a_field(&option, out) : american_on_a_plane(&option, out);
}
