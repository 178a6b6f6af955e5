/* American and Bermudan options: under Black-Scholes on one asset, a geometric basket or two
 * assets; on one asset under other models. */
#include "validation/reference/reference_american.h"

#include <math.h>

static void choose_price(struct american *option)
{
    const struct multi_asset *assets = &option->assets;
    double total = 0.0, log_price = 0.0;
    for (int i = 0; i < assets->n; i++) total += assets->weight[i];
    for (int i = 0; i < assets->n; i++) {
        option->power[i] = assets->weight[i] / total;
        log_price += option->power[i] * log(asset_at(assets, i)->spot);
    }
    option->scale = option->trade->kind == BASKET_GEOMETRIC ? 1.0 : assets->weight[0];
    option->price = option->scale * exp(log_price);
}

double american_variance(const struct american *option, double from, double to)
{
    const struct multi_asset *assets = &option->assets;
    double sum = 0.0;
    for (int i = 0; i < assets->n; i++)
        for (int j = 0; j < assets->n; j++)
            sum += option->power[i] * option->power[j] * asset_covariance(assets, i, j, from, to);
    return sum;
}

double american_growth(const struct american *option, double from, double to)
{
    const struct multi_asset *assets = &option->assets;
    double sum = 0.5 * american_variance(option, from, to);
    for (int i = 0; i < assets->n; i++) {
        double growth = asset_growth(assets, i, to) - asset_growth(assets, i, from);
        sum += option->power[i] * (growth - 0.5 * asset_covariance(assets, i, i, from, to));
    }
    return sum;
}

bool american_is_date(const struct american *option, double t)
{
    if (option->trade->exercise.continuous) return true;
    for (int i = 0; i < option->n_dates; i++)
        if (fabs(option->dates[i] - t) <= 1e-12 * option->trade->expiry) return true;
    return false;
}

double american_dividend(const struct american *option, double t)
{
    const struct asset *asset = asset_at(&option->assets, 0);
    for (int d = 0; option->assets.n == 1 && d < asset->n_dividends; d++)
        if (fabs(asset->dividends[d].time - t) <= 1e-12 * option->trade->expiry)
            return option->scale * asset->dividends[d].amount;
    return 0.0;
}

enum status american_stops(const struct american *option, double **stops, int *n)
{
    const struct surface *surface = &asset_at(&option->assets, 0)->surface;
    double *breaks = NULL, *all = NULL;
    int n_breaks = 0;
    size_t count = 0;
    MUST(asset_breaks(&option->assets, option->end, &breaks, &n_breaks));
    MUST(effort_array(option->assets.effort, n_breaks + option->n_dates + surface->n_times, &all));
    for (int i = 0; i < n_breaks; i++) all[count++] = breaks[i];
    for (int i = 0; i < option->n_dates; i++)
        if (option->dates[i] > 0.0) all[count++] = option->dates[i];
    for (int i = 0; i < surface->n_times; i++)
        if (surface->times[i] < option->end) all[count++] = surface->times[i];
    *stops = all;
    *n = dates_sort(all, count, option->end);
    all[*n - 1] = option->end;
    return STATUS_OK;
}

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
    if (line) choose_price(&option);
    if (line) MUST(american_on_a_field(&option, out));
    else MUST(american_on_a_plane(&option, out));
    return STATUS_OK;
}
