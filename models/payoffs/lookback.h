/* lookback: on the highest (M) or lowest (m) spot of the monitoring, the extreme so far included.
 * Fixed strike: max(M - K, 0) (call), max(K - m, 0) (put); floating strike: max(S - m, 0) (call),
 * max(M - S, 0) (put), S at expiry, which may come after the last date. */
#ifndef PRICER_MODELS_PAYOFFS_LOOKBACK_H
#define PRICER_MODELS_PAYOFFS_LOOKBACK_H

#include "models/math/exact.h"
#include "models/payoffs/payoff.h"

/* k: 0 sign, 1 strike, 2 discount factor, 3 floating strike?, 4 on the highest?, 5 the extreme so far (0 or a
 * huge number where there is none). a = highest or lowest log2 S, b = log2 S at expiry (floating strike
 * only). */
HOST_DEVICE double lookback_value(const struct payoff *p, double a, double b, double c)
{
    (void)c;
    double extreme = path_exp2(a), so_far = p->k[5];
    double high = extreme > so_far ? extreme : so_far, low = extreme < so_far ? extreme : so_far;
    extreme = p->k[4] != 0.0 ? high : low;
    double gain = extreme - p->k[1];
    if (p->k[3] != 0.0) gain = path_exp2(b) - extreme;
    gain = p->k[0] * gain;
    return p->k[2] * (gain > 0.0 ? gain : 0.0);
}

#ifndef __CUDACC__
#include "models/payoffs/recipe.h"

static inline void lookback_recipe(const struct market *market, const struct trade *trade,
                                   struct recipe *recipe)
{
    double *k = recipe->payoff.k;
    bool floating = trade->strike_type == STRIKE_FLOATING;
    bool highest = (trade->option == OPTION_CALL) != floating;
    recipe_ask(recipe, (struct request){.what = highest ? OBSERVE_HIGH : OBSERVE_LOW,
                                        .dates = trade->monitoring,
                                        .end = trade->expiry});
    k[0] = option_sign(trade->option);
    k[1] = trade->strike;
    k[2] = discount_factor(market, trade, trade->expiry);
    k[4] = highest;
    k[5] = trade->extreme > 0.0 || highest ? trade->extreme : 1e300;
    if (floating) {
        recipe->payoff.seen[1] = recipe_ask_spot(recipe, &trade->expiry);
        k[3] = 1.0;
    }
}
#endif

#endif
