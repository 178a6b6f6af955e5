/* Assets that a scenario moves because it moves others: all exchange rates of one pair of
 * currencies have one spot, and a cross is made of its legs. */
#include <math.h>
#include <stdlib.h>

#include "app/config/read_risk.h"

#define ROUNDING 1e-12 /* of a spot: less is no move */

/* What a scenario says of the assets; NaN where it says nothing. */
struct said {
    double *spot;       /* [asset] over today's */
    double *volatility; /* [asset] by how much at most */
    double *pair;       /* [asset] one that is the first of its pair, over today's */
    int *first; /* [asset] the first rate of its pair of currencies; itself: no exchange rate */
};

static bool is_of_pair(const struct asset *rate, int foreign, int currency)
{
    return rate->foreign_currency == foreign && rate->currency == currency;
}

/* Finds the first rate of the pair of each, whichever way round. */
static void find_pairs(const struct reader *reader, int *first)
{
    const struct asset *assets = reader->assets;
    for (int i = 0; i < reader->n_assets; i++) {
        int foreign = assets[i].foreign_currency, currency = assets[i].currency;
        first[i] = foreign < 0 ? i : 0;
        while (foreign >= 0 && !is_of_pair(&assets[first[i]], foreign, currency) &&
               !is_of_pair(&assets[first[i]], currency, foreign))
            first[i]++;
    }
}

/* Returns what an asset comes to, by the first of its pair. */
static double growth_of_pair(const struct said *said, const struct asset *assets, int asset)
{
    int first = said->first[asset];
    double growth = said->pair[first];
    return assets[first].currency == assets[asset].currency ? growth : 1.0 / growth;
}

/* Says what a pair comes to by one of its rates, unless another has said it. */
static void set_pair(const struct said *said, const struct asset *assets, int asset, double growth)
{
    int first = said->first[asset];
    if (!isnan(said->pair[first])) return;
    said->pair[first] = assets[first].currency == assets[asset].currency ? growth : 1.0 / growth;
}

/* Takes what the scenario says itself. */
static void take_shocks(const struct reader *reader, const struct scenario_request *scenario,
                        const struct said *said)
{
    for (int i = 0; i < reader->n_assets; i++)
        said->spot[i] = said->volatility[i] = said->pair[i] = NAN;
    for (int i = 0; i < scenario->n_shocks; i++) {
        const struct shock *shock = &scenario->shocks[i];
        if (shock->kind == SHOCK_SPOT) {
            double *spot = &said->spot[shock->target];
            *spot = (isnan(*spot) ? 1.0 : *spot) * (1.0 + shock->amount);
        } else if (shock->kind == SHOCK_VOLATILITY) {
            double *volatility = &said->volatility[shock->target];
            *volatility = (isnan(*volatility) ? 0.0 : *volatility) + fabs(shock->amount);
        }
    }
}

/* Moves the spots of assets that the scenario leaves where they are and whose pair it moves: by
 * another rate of the pair, or by the legs of a cross. */
static void link_spots(struct reader *reader, struct scenario_request *scenario,
                       const struct said *said)
{
    const struct asset *assets = reader->assets;
    for (int i = 0; i < reader->n_assets; i++)
        if (!isnan(said->spot[i])) set_pair(said, assets, i, said->spot[i]);
    for (int i = 0; i < reader->n_assets; i++) {
        double growths[2] = {1.0, 1.0};
        bool moved = false;
        for (int leg = 0; leg < 2 && is_cross(&assets[i]); leg++) {
            double by = growth_of_pair(said, assets, assets[i].cross.legs[leg]);
            if (isnan(by)) continue;
            moved = true;
            growths[leg] = by;
        }
        if (moved) set_pair(said, assets, i, cross_level(&assets[i].cross, growths[0], growths[1]));
    }
    for (int i = 0; i < reader->n_assets; i++) {
        if (!isnan(said->spot[i])) continue;
        double amount = growth_of_pair(said, assets, i) - 1.0;
        if (fabs(amount) > ROUNDING)
            shock_add(reader, scenario, (struct shock){SHOCK_SPOT, i, EVERY, EVERY, EVERY, amount});
    }
}

/* Makes anew the volatilities of crosses whose legs' the scenario moves, and not their own. */
static void link_volatilities(struct reader *reader, struct scenario_request *scenario,
                              const struct said *said)
{
    for (int i = 0; i < reader->n_assets; i++) {
        const struct cross *cross = &reader->assets[i].cross;
        double amount = 0.0;
        if (!has_crossed_volatility(&reader->assets[i]) || !isnan(said->volatility[i])) continue;
        for (int leg = 0; leg < 2; leg++)
            if (!isnan(said->volatility[cross->legs[leg]]))
                amount += said->volatility[cross->legs[leg]];
        if (amount == 0.0) continue;
        said->volatility[i] = amount;
        shock_add(reader, scenario, (struct shock){SHOCK_LEGS, i, EVERY, EVERY, EVERY, amount});
    }
}

void link_rates(struct reader *reader, int n, struct scenario_request *scenarios)
{
    size_t assets = (size_t)reader->n_assets;
    struct said said = {.spot = reader_array(reader, assets, sizeof(double)),
                        .volatility = reader_array(reader, assets, sizeof(double)),
                        .pair = reader_array(reader, assets, sizeof(double)),
                        .first = reader_array(reader, assets, sizeof(int))};
    if (!reader->status) find_pairs(reader, said.first);
    for (int i = 0; i < n && !reader->status; i++) {
        take_shocks(reader, &scenarios[i], &said);
        link_spots(reader, &scenarios[i], &said);
        link_volatilities(reader, &scenarios[i], &said);
    }
    free(said.spot);
    free(said.volatility);
    free(said.pair);
    free(said.first);
}
