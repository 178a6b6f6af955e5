/* The law of Y = ln(S / F) at a date, as a surface of implied volatilities says it, tabled on equal
 * places of Y.
 *
 * With w(k) the total variance of the date and s = sqrt(w), d2 = -k/s - s/2,
 *     Prob(Y < k) = N(-d2) + n(d2) ds/dk.
 * Between places probabilities are Hermite's cubics through them and the density: to 1e-6 of
 * themselves. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_MARGINAL_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_MARGINAL_H

#include "models/market/surface.h"
#include "models/math/each.h"

enum { NODES = 640 }; /* places, from LAW_REACH deviations below to as many above */
#define LAW_REACH 6.5

enum { SMILES = 2 }; /* expiries whose variances are kept: a date lies between two */

/* Places for all dates from `laid` up to places_serve(laid), and the surface's expiries there. */
struct nodes {
    double laid; /* 0: not yet */
    double low, spacing;
    double *grown;              /* [NODES] exp of the places */
    struct variance_at *smiles; /* [SMILES][NODES] */
    int smile[SMILES];          /* which expiry each is, counted from 1; 0: none */
};

/* What a step is made in (local_vol_lanes.h). */
struct table_room;

/* The marginal law on one date. */
struct marginal {
    struct nodes *nodes;
    double t, laid; /* the date, and that for which its places were laid */
    /* [NODES] Prob(Y < place), Prob(Y > place): each keeps its digits */
    double *below, *above;
    double *density; /* [NODES] */
};

/* Returns the last date that places which are laid for t are good for: a little later, as the law's
 * spread allows. */
PLAN_FUNCTION double places_serve(double t);

/* Lays the places for dates from t on. They are multiples of their distance from `origin`, see
 * aligned(). */
PLAN_FUNCTION void nodes_lay(struct nodes *nodes, const struct implied_surface *surface, double t,
                             double origin);

/* Returns log-moneyness so high that as little of the forward is above it, nearly, as a normal
 * number exceeds `deviations`: what is weighted by the spot has its own deviations further up, by
 * the law's spread. */
PLAN_FUNCTION double marginal_reach(const struct implied_surface *surface, double t,
                                    double deviations);

/* Returns the least of a scale of lengths, sixteen an octave, that is not below x > 0; and the
 * nearest multiple of `length` from `origin` to x. What is laid out by these two stays where it is
 * when the market moves a little, so that its errors move no more than the market does. */
PLAN_FUNCTION double grid_length(double x);
PLAN_FUNCTION double aligned(double x, double length, double origin);

/* Returns the place number i. */
PLAN_CODE double node_at(const struct nodes *nodes, int i)
{
    return nodes->low + i * nodes->spacing;
}

/* Returns an expiry's total variances at the places. */
PLAN_FUNCTION const struct variance_at *nodes_smile(struct nodes *nodes,
                                                    const struct implied_surface *surface, int j);

/* Makes the law at t > 0 on these positions. */
PLAN_FUNCTION void marginal_lay(struct marginal *marginal, struct nodes *nodes,
                                const struct implied_surface *surface, double t,
                                struct table_room *room);

/* The cubic of an interval of places: probability from 0 to `rise` where t is 0 to 1, slopes kept
 * to what increases (F. Fritsch and R. Carlson, SIAM J. Numer. Anal. 17 (1980) 238-246). */
struct cubic {
    double rise, start, end;
};

/* Returns that of interval i, from the tail below or above its ends. */
PLAN_CODE struct cubic cubic_of(const double *tail, const double *density, double spacing, int i,
                                int is_below)
{
    double rise = is_below ? tail[i + 1] - tail[i] : tail[i] - tail[i + 1],
           most = rise > 0.0 ? 3.0 * rise : 0.0;
    double first = density[i] * spacing, second = density[i + 1] * spacing;
    return (struct cubic){rise, first < most ? first : most, second < most ? second : most};
}

PLAN_CODE double cubic_at(const struct cubic *f, double t)
{
    double s = 1.0 - t;
    return t * (f->rise * t * (1.0 + 2.0 * s) + s * (f->start * s - f->end * t));
}

/* Returns Prob(Y < y) (is_below), or > y. */
PLAN_FUNCTION double marginal_probability(const struct marginal *marginal, double y, int is_below);

/* Returns the mean of exp(Y), 1 where what the surface says is a law: 1 + the integral of exp(Y)
 * Prob(above) over Y > 0, less that of exp(Y) Prob(below) over Y < 0. */
PLAN_FUNCTION double marginal_forward(const struct marginal *marginal, struct table_room *room);

/* Returns log-moneyness that the law exceeds as a standard normal number exceeds `score`. */
PLAN_FUNCTION double marginal_score_quantile(const struct marginal *marginal, double score,
                                             struct table_room *room);

#endif
