#include "app/pricing/risk/greeks/slopes.h"

#include <math.h>
#include <stdlib.h>

#include "app/pricing/risk/greeks/sensitivities.h"

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

/* ---- columns --------------------------------------------------------------------------------- */

int slope_asset(const struct trade *copy)
{
    return trade_asset(copy, copy->slope_of - 1);
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
        const struct sensitivity *on = &risk->sensitivities[s];
        const struct greek_row *row = &greek_rows[on->greek];
        if (row->first != SLOPE_SPOT || row->second != second) continue;
        bool other = on->asset == moved && on->other == asset;
        if (second != SLOPE_OTHER_SPOT ? on->asset == asset
                                       : other || (on->asset == asset && on->other == moved))
            return s;
    }
    return -1;
}

double slope_crossing(const struct contrast *contrast, const struct trade *copy)
{
    return fabs(trade_weight(copy, copy->slope_of - 1) * contrast->terms[0].weight);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static enum status copy_trades(const struct trade *trades, const struct greek_pool *pool,
                               struct slopes *slopes)
{
    size_t room = 1;
    for (int i = 0; i < pool->n; i++) room += (size_t)trade_n_assets(&trades[i]);
    slopes->trades = malloc(room * sizeof *slopes->trades);
    slopes->of = malloc(room * sizeof *slopes->of);
    if (!slopes->trades || !slopes->of) return STATUS_NO_MEMORY;
    for (int i = 0; i < pool->n; i++)
        for (int a = 0; a < trade_n_assets(&trades[i]); a++) {
            slopes->trades[slopes->n] = trades[i];
            slopes->trades[slopes->n].slope_of = 1 + a;
            slopes->of[slopes->n++] = i;
        }
    return STATUS_OK;
}

void slopes_free(struct slopes *slopes)
{
    free(slopes->trades);
    free(slopes->of);
    *slopes = (struct slopes){0};
}

/* ---- bump sets ------------------------------------------------------------------------------- */

/* What is wanted of a pool's slopes. */
struct slopes_wanted {
    bool deltas;
    int n, assets[TRADE_ASSETS_MAX]; /* whose spots are moved */
};

static void find_wanted(const struct trade *trade, const struct risk *risk,
                        struct slopes_wanted *wanted)
{
    *wanted = (struct slopes_wanted){0};
    for (int i = 0; i < trade_n_assets(trade); i++) {
        int asset = trade_asset(trade, i);
        bool moves = false;
        wanted->deltas |= slope_column(risk, asset, -1) >= 0;
        for (int j = 0; j < trade_n_assets(trade); j++)
            moves |= slope_column(risk, trade_asset(trade, j), asset) >= 0;
        if (moves) wanted->assets[wanted->n++] = asset;
    }
}

/* Adds the two markets of an asset, and their difference. */
static void add_moves(const struct market *market, const struct greek_pool *pool,
                      const struct bump_sizes *sizes, int asset, struct bump_set *set)
{
    double relative = pool_spot_bump(market, pool, sizes->spot, sizes->most_spot, asset),
           bump = relative * market->assets[asset].spot, weight = 0.5 / bump;
    int at = set->n_scenarios;
    for (int side = 0; side < 2; side++)
        set->scenarios[set->n_scenarios++] = (struct bump_scenario){
            .n_shocks = 1,
            .shocks = {{SHOCK_SPOT, asset, EVERY, EVERY, EVERY, side ? -relative : relative}}};
    set->bump[set->n_contrasts] = bump;
    set->contrasts[set->n_contrasts++] = (struct contrast){2, {{at, weight}, {at + 1, -weight}}};
}

/* Assets whose markets fit beside today's into one bump set. */
enum { ASSETS_TOGETHER = (MARKETS_MAX - 1) / 2 };

static void fill_sets(const struct market *market, const struct greek_pool *pool,
                      const struct bump_sizes *sizes, const struct slopes_wanted *wanted, int n,
                      struct bump_set *sets)
{
    for (int b = 0; b < n; b++) {
        struct bump_set *set = &sets[b];
        *set = (struct bump_set){.today = true, .n_scenarios = 1};
        if (b == 0 && wanted->deltas) {
            set->bump[0] = NAN;
            set->contrasts[set->n_contrasts++] = (struct contrast){1, {{0, 1.0}}};
        }
        for (int i = wanted->n * b / n; i < wanted->n * (b + 1) / n; i++)
            add_moves(market, pool, sizes, wanted->assets[i], set);
    }
}

enum status slopes_make(const struct market *market, const struct trade *trades,
                        const struct greek_pool *pool, const struct risk *risk, uint64_t paths,
                        struct slopes *slopes, int *n, struct bump_set **sets)
{
    struct slopes_wanted wanted;
    *n = 0;
    *sets = NULL;
    find_wanted(&trades[0], risk, &wanted);
    if (!wanted.deltas && !wanted.n) return STATUS_OK;
    int many = wanted.n ? (wanted.n + ASSETS_TOGETHER - 1) / ASSETS_TOGETHER : 1;
    enum status status = copy_trades(trades, pool, slopes);
    if (!status && !(*sets = malloc((size_t)many * sizeof **sets))) status = STATUS_NO_MEMORY;
    if (status) return status;
    *n = many;
    const struct bump_sizes sizes = pool_bump_sizes(pool, paths);
    fill_sets(market, pool, &sizes, &wanted, many, *sets);
    return STATUS_OK;
}
