/* Exchange rates that a scenario moves because it moves others: all rates of one pair of currencies
 * have one spot, and a cross is made of its legs. */
#include <math.h>
#include <stdlib.h>

#include "app/config/read_risk.h"

#define ROUNDING 1e-12 /* of a spot: less is no move */

/* What a scenario says of the market; NaN where it says nothing. */
struct said {
    int n_currencies;
    double *spot;       /* [asset] over today's */
    double *volatility; /* [asset] by how much at most */
    double *pair;       /* [foreign currency][currency] a rate of the pair over today's */
};

static double *pair_of(const struct said *said, int foreign, int currency)
{
    return &said->pair[foreign * said->n_currencies + currency];
}

static double *pair_of_rate(const struct said *said, const struct asset *rate)
{
    return pair_of(said, rate->foreign_currency, rate->currency);
}

/* Sets both ways round what a rate comes to, unless another rate of the pair has said it. */
static void set_pair(const struct said *said, const struct asset *rate, double growth)
{
    if (!isnan(*pair_of_rate(said, rate))) return;
    *pair_of(said, rate->currency, rate->foreign_currency) = 1.0 / growth;
    *pair_of_rate(said, rate) = growth;
}

/* Takes what the scenario says itself. */
static void take_shocks(const struct reader *reader, const struct scenario_request *scenario,
                        const struct said *said)
{
    int n = said->n_currencies;
    for (int i = 0; i < reader->n_assets; i++) said->spot[i] = said->volatility[i] = NAN;
    for (int i = 0; i < n * n; i++) said->pair[i] = NAN;
    for (int i = 0; i < scenario->n_shocks; i++) {
        const struct shock *shock = &scenario->shocks[i];
        double *spot = &said->spot[shock->target], *volatility = &said->volatility[shock->target];
        if (shock->kind == SHOCK_SPOT) *spot = (isnan(*spot) ? 1.0 : *spot) * (1.0 + shock->amount);
        if (shock->kind == SHOCK_VOLATILITY)
            *volatility = (isnan(*volatility) ? 0.0 : *volatility) + fabs(shock->amount);
    }
}

/* Moves the spots of rates that the scenario leaves where they are and whose pair it moves: by
 * another rate of the pair, or by the legs of a cross. */
static void link_spots(struct reader *reader, struct scenario_request *scenario,
                       const struct said *said)
{
    const struct asset *assets = reader->assets;
    for (int i = 0; i < reader->n_assets; i++)
        if (assets[i].foreign_currency >= 0 && !isnan(said->spot[i]))
            set_pair(said, &assets[i], said->spot[i]);
    for (int i = 0; i < reader->n_assets; i++) {
        double growth = 1.0;
        bool moved = false;
        for (int leg = 0; leg < 2 && is_cross(&assets[i]); leg++) {
            double by = *pair_of_rate(said, &assets[assets[i].cross.legs[leg]]);
            if (isnan(by)) continue;
            moved = true;
            growth = assets[i].cross.power[leg] > 0.0 ? growth * by : growth / by;
        }
        if (moved) set_pair(said, &assets[i], growth);
    }
    for (int i = 0; i < reader->n_assets; i++) {
        if (assets[i].foreign_currency < 0 || !isnan(said->spot[i])) continue;
        double amount = *pair_of_rate(said, &assets[i]) - 1.0;
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
    size_t assets = (size_t)reader->n_assets, currencies = (size_t)reader->n_currencies;
    struct said said = {.n_currencies = reader->n_currencies,
                        .spot = reader_array(reader, assets, sizeof(double)),
                        .volatility = reader_array(reader, assets, sizeof(double)),
                        .pair = reader_array(reader, currencies * currencies, sizeof(double))};
    for (int i = 0; i < n && said.spot && said.volatility && said.pair; i++) {
        take_shocks(reader, &scenarios[i], &said);
        link_spots(reader, &scenarios[i], &said);
        link_volatilities(reader, &scenarios[i], &said);
    }
    free(said.spot);
    free(said.volatility);
    free(said.pair);
}
