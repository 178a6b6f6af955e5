#include "app/pricing/risk/greeks/slopes.h"

#include <math.h>
#include <stdlib.h>

bool has_slopes_at_exercise(const struct market *market, const struct trade *trade)
{
    bool leads = trade->kind == BASKET_BEST_OF || trade->kind == BASKET_WORST_OF;
    if (!product_has(trade->product, EARLY_EXERCISE)) return false;
    if (trade_n_assets(trade) > 1 && !leads) return false;
    for (int i = 0; i < trade_n_assets(trade); i++) {
        const struct asset *asset = &market->assets[trade_asset(trade, i)];
        if (model_takes(asset->model, TAKES_HISTORY) || model_takes(asset->model, TAKES_SURFACE) ||
            (asset->n_dividends && asset->dividends[0].time <= trade->expiry))
            return false;
    }
    return true;
}

bool is_of_spots(enum greek greek)
{
    enum slope second = greek_rows[greek].second;
    return greek_rows[greek].first == SLOPE_SPOT &&
           (second == SLOPE_NOTHING || second == SLOPE_SPOT || second == SLOPE_OTHER_SPOT);
}

int slope_moved(const struct bump_set *set, int contrast)
{
    const struct bump_scenario *up = &set->scenarios[set->contrasts[contrast].terms[0].scenario];
    return up->n_shocks ? up->shocks[0].target : -1;
}

int slope_column(const struct risk *risk, int asset, int moved)
{
    enum slope second = moved < 0 ? SLOPE_NOTHING : moved == asset ? SLOPE_SPOT : SLOPE_OTHER_SPOT;
    for (int s = 0; s < risk->n_sensitivities; s++) {
        const struct sensitivity *sensitivity = &risk->sensitivities[s];
        const struct greek_row *row = &greek_rows[sensitivity->greek];
        if (row->first != SLOPE_SPOT || row->second != second) continue;
        bool other = sensitivity->asset == moved && sensitivity->other == asset;
        if (second != SLOPE_OTHER_SPOT
                ? sensitivity->asset == asset
                : other || (sensitivity->asset == asset && sensitivity->other == moved))
            return s;
    }
    return -1;
}

double slope_crossing(const struct contrast *contrast, const struct trade *copy)
{
    return fabs(trade_weight(copy, copy->slope_of - 1) * contrast->terms[0].weight);
}

enum status slope_copies(const struct trade *trades, const struct greek_pool *pool,
                         struct greek_trades *copies)
{
    size_t room = (size_t)pool->n * (size_t)pool->n_assets + 1;
    copies->trades = malloc(room * sizeof *copies->trades);
    copies->rows = malloc(room * sizeof *copies->rows);
    if (!copies->trades || !copies->rows) return STATUS_NO_MEMORY;
    for (int i = 0; i < pool->n; i++)
        for (int a = 0; a < pool->n_assets; a++) {
            copies->trades[copies->n] = trades[i];
            copies->trades[copies->n].slope_of = 1 + a;
            copies->rows[copies->n++] = pool->trades[i];
        }
    return STATUS_OK;
}
