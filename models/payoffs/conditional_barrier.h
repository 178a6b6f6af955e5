/* conditional_barrier: what a barrier option, a double barrier option or a touch on dates pays on average
 * over one normal of its path, given all the rest (margins.h). For Greeks alone: an average does not jump. */
#ifndef PRICER_MODELS_PAYOFFS_CONDITIONAL_BARRIER_H
#define PRICER_MODELS_PAYOFFS_CONDITIONAL_BARRIER_H

#include "models/math/exact.h"
#include "models/math/normal_cdf.h"
#include "models/payoffs/payoff.h"

/* E[S - K; Y < y], S = `forward` exp(shift Y - shift^2 / 2) with Y standard normal. */
HOST_DEVICE double gain_below(double y, double forward, double shift, double strike)
{
    return forward * normal_cdf(y - shift) - strike * normal_cdf(y);
}

/* Y is the pivot's normal for a call and its opposite for a put: then S - K, or its opposite, is paid where Y
 * is above some y. The path is alive while -c < Y < b. a = log2 of the mean of S over Y. value = k4 E[S - K;
 * y < Y] + k5 E[S - K; y < Y, alive] + k6 + k7 P(alive), k: 0 shift: spread of ln S over Y, negative for a
 * put; 1 its inverse in log2; 2 log2 K and half the square of the shift; 3 K. Where k4 and k5 are 0, a is any
 * row. */
HOST_DEVICE double conditional_barrier_value(const struct payoff *p, double a, double b, double c)
{
    double value = p->k[6], from = -c < b ? -c : b;
    if (p->k[7] != 0.0) value = fma(p->k[7], normal_cdf(b) - normal_cdf(from), value);
    if (p->k[4] == 0.0 && p->k[5] == 0.0) return value;
    double forward = path_exp2(a), shift = p->k[0], y = (p->k[2] - a) * p->k[1];
    double above = from > y ? from : y, least = above < b ? above : b;
    double alive = gain_below(b, forward, shift, p->k[3]) - gain_below(least, forward, shift, p->k[3]);
    if (p->k[4] != 0.0) {
        double all = (forward - p->k[3]) - gain_below(y, forward, shift, p->k[3]);
        value = fma(p->k[4], all, value);
    }
    return fma(p->k[5], alive, value);
}

#ifndef __CUDACC__
#include <math.h>

#include "models/payoffs/recipe.h"

/* Asks for the margin to the barrier above or below on the dates of `watched`: where it has none, the margin
 * is one of no date. */
static inline int recipe_ask_margin(struct recipe *recipe, struct request watched, bool above)
{
    watched.what = OBSERVE_MARGIN;
    if (above) watched.lower = 0.0;
    else watched.upper = HUGE_VAL;
    if (watched.lower == 0.0 && watched.upper == HUGE_VAL) watched.dates = (struct schedule){0};
    return recipe_ask(recipe, watched);
}

/* The recipe of a trade whose survival is `watched`, of_alive being k4 to k7 of the formula. */
static inline void conditional_barrier_recipe(const struct market *market, const struct trade *trade,
                                              struct request watched, const double of_alive[4],
                                              struct recipe *recipe)
{
    struct payoff *payoff = &recipe->payoff;
    int above = recipe_ask_margin(recipe, watched, true), below = recipe_ask_margin(recipe, watched, false);
    bool call = trade->option == OPTION_CALL, is_option = of_alive[0] != 0.0 || of_alive[1] != 0.0;
    payoff->formula = FORMULA_CONDITIONAL_BARRIER;
    payoff->seen[0] = above;
    payoff->seen[1] = call || !is_option ? above : below;
    payoff->seen[2] = call || !is_option ? below : above;
    for (int i = 0; i < 8; i++) payoff->k[i] = i < 4 ? 0.0 : of_alive[i - 4];
    if (!is_option) return;
    struct schedule pivot = {.n = 1, .times = (double *)&trade->pivot};
    payoff->seen[0] =
        recipe_ask(recipe, (struct request){.what = OBSERVE_REST, .dates = pivot, .end = trade->expiry});
    double variance = term_accrued(&market->assets[trade->asset].variance, trade->pivot);
    double shift = option_sign(trade->option) * sqrt(variance), log2_e = 1.44269504088896340736;
    payoff->k[0] = shift;
    payoff->k[1] = 1.0 / (shift * log2_e);
    payoff->k[2] = exact_log2(trade->strike) + 0.5 * variance * log2_e;
    payoff->k[3] = trade->strike;
}
#endif

#endif
