/* The law of Y = ln(S / F) at a date, as a surface of implied volatilities says it, tabled on equal
 * places of Y.
 *
 * With w(k) the total variance of the date and s = sqrt(w), d2 = -k/s - s/2,
 *     Prob(Y < k) = N(-d2) + n(d2) ds/dk.
 * Between places probabilities are Hermite's cubics through them and the density: to 1e-6 of
 * themselves. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_MARGINAL_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_MARGINAL_H

#include "models/dynamics/local_vol_lanes.h"

#define MOST_SPREAD 6.0 /* beyond which a forward's share is not followed */

/* ---- at one place ---------------------------------------------------------------------------- */

struct marginal_at {
    double below, above, density;
};

PLAN_CODE struct marginal_at marginal_at(const struct variance_at *at, double k)
{
    double s = sqrt(at->w), over = 1.0 / s, d2 = -k * over - 0.5 * s, power,
           tail = 0.5 * exact_erfc_with_power(fabs(d2) * ROOT_HALF, &power), rest = 1.0 - tail,
           n = NORMAL_PEAK * power;
    double density = surface_density(at, k), lean = 0.5 * n * at->w_k * over;
    return (struct marginal_at){.below = (d2 > 0.0 ? tail : rest) + lean,
                                .above = (d2 > 0.0 ? rest : tail) - lean,
                                .density = density > 0.0 ? density * n * over : 0.0};
}

/* Finds the k that the law at t exceeds as a normal number exceeds `score`: Newton's method on the
 * logarithm of the probability, between bounds that close in. */
PLAN_CODE double score_place(const struct implied_surface *surface, double t, double score)
{
    double probability = exact_normal_tail(fabs(score)), sign = score < 0.0 ? 1.0 : -1.0;
    double step = sqrt(surface_variance(surface, 0.0, t).w);
    double low = -HUGE_VAL, high = HUGE_VAL, k = score * step;
    for (int i = 0; i < 100; i++) {
        struct variance_at at = surface_variance(surface, k, t);
        struct marginal_at marginal = marginal_at(&at, k);
        double tail = fmax(score < 0.0 ? marginal.below : marginal.above, 1e-300);
        double excess = sign * exact_log(tail / probability);
        if (excess > 0.0) high = k;
        else low = k;
        double next = k - excess * tail / marginal.density;
        if (!(next > low && next < high) || fabs(next - k) > step) {
            if (isinf(low)) next = k - step;
            else if (isinf(high)) next = k + step;
            else next = 0.5 * (low + high);
        }
        if (fabs(next - k) < 1e-6 * step) return next;
        k = next;
    }
    return k;
}

/* ---- at all places --------------------------------------------------------------------------- */

/* Returns log-moneyness so high that as little of the forward is above it, nearly, as a normal
 * number exceeds `deviations`: what is weighted by the spot has its own deviations further up, by
 * the law's spread. */
PLAN_CODE double marginal_reach(const struct implied_surface *surface, double t, double deviations)
{
    double high = score_place(surface, t, deviations);
    return score_place(surface, t,
                       deviations + fmin(sqrt(surface_variance(surface, high, t).w), MOST_SPREAD));
}

/* Returns the least of a scale of lengths, sixteen an octave, that is not below x > 0; and the
 * nearest multiple of `length` from `origin` to x. What is laid out by these two stays where it is
 * when the market moves a little, so that its errors move no more than the market does. */
PLAN_CODE double grid_length(double x)
{
    return exact_exp(ceil(16.0 / LN2 * exact_log(x)) / 16.0 * LN2);
}

PLAN_CODE double aligned(double x, double length, double origin)
{
    return origin + length * floor((x - origin) / length + 0.5);
}

/* Lays the places for dates from t on. They are multiples of their distance from `origin`, see
 * aligned(). */
PLAN_CODE void nodes_lay(struct nodes *nodes, const struct implied_surface *surface, double t,
                         double origin)
{
    double until = places_serve(t), low = score_place(surface, until, -LAW_REACH);
    double high = marginal_reach(surface, until, LAW_REACH);
    nodes->laid = t;
    nodes->spacing = grid_length((high - low) / (NODES - 1));
    nodes->low = aligned(0.5 * (low + high - (NODES - 1) * nodes->spacing), nodes->spacing, origin);
    for (int i = 0; i < SMILES; i++) nodes->smile[i] = 0;
    EACH (i, NODES) nodes->grown[i] = exact_exp(node_at(nodes, i));
}

/* Returns an expiry's total variances at the places. */
PLAN_CODE const struct variance_at *nodes_smile(struct nodes *nodes,
                                                const struct implied_surface *surface, int j)
{
    struct variance_at *smile = nodes->smiles + (size_t)(j % SMILES) * NODES;
    if (nodes->smile[j % SMILES] != j + 1) {
        WAIT();
        EACH (i, NODES) smile[i] = surface_smile(surface, j, node_at(nodes, i));
    }
    nodes->smile[j % SMILES] = j + 1;
    return smile;
}

/* Makes the law at t > 0 on these positions. */
PLAN_CODE void marginal_lay(struct marginal *marginal, struct nodes *nodes,
                            const struct implied_surface *surface, double t,
                            struct table_room *room)
{
    struct date_between date = surface_date(surface, t);
    const struct variance_at *early = nodes_smile(nodes, surface, date.early);
    const struct variance_at *late = nodes_smile(nodes, surface, date.late);
    marginal->nodes = nodes, marginal->t = t, marginal->laid = nodes->laid;
    make_law(&date, early, late, marginal, room);
}

/* ---- backwards ------------------------------------------------------------------------------- */

/* Returns Prob(Y < y) (is_below), or > y. */
PLAN_CODE double marginal_probability(const struct marginal *marginal, double y, int is_below)
{
    double place = (y - marginal->nodes->low) / marginal->nodes->spacing;
    if (place <= 0.0) return is_below ? 0.0 : 1.0;
    if (!(place < NODES - 1)) return is_below ? 1.0 : 0.0;
    int i = (int)place;
    const double *tail = is_below ? marginal->below : marginal->above;
    struct cubic cubic = cubic_of(tail, marginal->density, marginal->nodes->spacing, i, is_below);
    double rise = cubic_at(&cubic, place - i);
    return is_below ? tail[i] + rise : tail[i] - rise;
}

/* Returns the integral over an interval from both ends' values and slopes. */
PLAN_CODE double hermite_integral(double length, double v0, double s0, double v1, double s1)
{
    return 0.5 * length * (v0 + v1) + length * length / 12.0 * (s0 - s1);
}

/* Returns the mean of exp(Y), 1 where what the surface says is a law: 1 + the integral of exp(Y)
 * Prob(above) over Y > 0, less that of exp(Y) Prob(below) over Y < 0. */
PLAN_CODE double marginal_forward(const struct marginal *marginal, struct table_room *room)
{
    const struct nodes *nodes = marginal->nodes;
    int i = (int)floor(-nodes->low / nodes->spacing); /* the place below Y = 0 */
    double sum = 0.0, from = node_at(nodes, i), to = node_at(nodes, i + 1);
    double *parts = room->score;
    EACH (j, NODES)
        parts[j] =
            nodes->spacing * nodes->grown[j] * (j <= i ? -marginal->below[j] : marginal->above[j]);
    WAIT();
    for (int j = 0; j < NODES; j++) sum += parts[j];
    double part = -from / nodes->spacing,
           density =
               marginal->density[i] + part * (marginal->density[i + 1] - marginal->density[i]);
    double below = marginal_probability(marginal, 0.0, 1),
           above = marginal_probability(marginal, 0.0, 0);
    double first = exact_exp(from) * -marginal->below[i],
           first_slope = first - exact_exp(from) * marginal->density[i];
    double last = exact_exp(to) * marginal->above[i + 1],
           last_slope = last - exact_exp(to) * marginal->density[i + 1];
    double apart2 =
        nodes->spacing * nodes->spacing / 12.0; /* trapezoids end at the two places about 0 */
    sum += -0.5 * nodes->spacing * (first + last) - apart2 * first_slope + apart2 * last_slope;
    sum += hermite_integral(-from, first, first_slope, -below, -below - density);
    return 1.0 + sum + hermite_integral(to, above, above - density, last, last_slope);
}

/* Returns log-moneyness that the law exceeds as a standard normal number exceeds `score`. */
PLAN_CODE double marginal_score_quantile(const struct marginal *marginal, double score,
                                         struct table_room *room)
{
    int from = NODES / 2;
    if (ONCE) room->tray->asked = exact_normal_tail(fabs(score));
    WAIT();
    find_quantiles(marginal, 1, score < 0.0, &from, &room->tray->asked, room);
    return room->tray->asked;
}

#endif
