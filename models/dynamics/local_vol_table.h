/* Coefficients and tables of local_vol's steps, from an asset's surface of implied volatilities.
 * What makes a step is compiled for processors and, as part of a .cu file, for GPUs.
 *
 * Let Y = ln(S / F), F the forward without cash dividends, sigma^2(Y, t) Dupire's local variance
 * and, for one step, G(Y)^2 its integral over the step at constant Y (the first term of Magnus's
 * expansion; the rest is of third order in the step). Lamperti's transform phi(Y), the integral of
 * dY / G, turns dY = -sigma^2 / 2 dt + sigma dW into unit noise plus a drift: Strang's splitting of
 * the two flows, half of the drift, the noise, half of the drift (G. Strang, SIAM J. Numer. Anal. 5
 * (1968) 506-517; as a scheme of weak order 2, S. Ninomiya and N. Victoir, Applied Mathematical
 * Finance 15 (2008) 107-121), is Y' = D(phi^-1(phi(D(Y)) + z)), with D the drift -(G + G') G / 2
 * over half the step. So P = phi(D). The last two maps are replaced by what they are to second
 * order and what makes the law of Y' right: with H the distribution of P(Y) + z when Y has the
 * surface's law at the start of the step, and F that law at its end, Q = F^-1(H) (the distribution
 * is matched through its normal scores as by L. Grzelak, The CLV framework, Computational
 * Management Science 2019, but at each step and with local volatility's own P). The first step of a
 * path is then exact however long it is, and later ones do not add to the bias of European options.
 *
 * Quotes leave spikes of sigma^2 that are narrower than a step's move. Strang's splitting is of
 * second order where G is smooth over such a move; else a step from within a spike drifts, by as
 * much as its variance, and moves between dates vary too much. So G is first made what a path meets
 * within the step: 1 / G^2, to which the time spent about a place is proportional (the speed
 * measure), is averaged over a deviation of the step there by a kernel of sixth order, which leaves
 * a smooth G as it is. Where G changes by its own size within a deviation the kernel's negative
 * weights would make steps of it: the average stays near that by a normal density.
 *
 * H is F's own interpolation at the step's start, at the inverse of P as its rows have it; Q is the
 * inverse of that same interpolation at the end. So what interpolation gets wrong at one date is
 * not carried to the next, however many steps there are; what a parabola and a row's digits cannot
 * hold leaves no cell off on average, and to know that where F's density has spikes takes several
 * values in each. The floats among the coefficients are exact, for the tables are laid out by them.
 * Places and cells lie on ladders of lengths from a fixed spot, so that they stay where a market
 * moves a little and differences of prices see the market's move, not the tables'.
 *
 * Cells reach the places that the law falls below as often as a normal number exceeds 5, and above
 * which there is as little of the forward; beyond them P and Q are lines, one the other's inverse.
 *
 * Where the law that the surface says has not the forward for its mean, or rows move it, by as much
 * as a basis point of volatility moves an option at the money, the step is refused.
 *
 * Tables of 194 rows for P and 386 for Q, 4.6 KB a step. A step takes 0.1 ms to make, a surface 0.1
 * to 1 ms.
 *
 * Bias, in basis points of volatility. Europeans between 10 and 90 delta, expiries of 0.06 to 1.9
 * years, steps of 0.02 to 0.004: within 0.2 on smooth surfaces, 0.8 on the DAX of 5 July 2002,
 * whose quotes make a rough one, and 0.4 on a surface as steep as there is without arbitrage
 * (a_steep_surface_is_given_back). One year, a call at the money / a forward start from the fourth
 * month / an Asian of three dates / a variance swap of the three, against steps of 1/192 on the
 * same Brownian paths (standard errors 0.05 to 0.25 for steps of 0.021 on the equity skew, 0.2 to
 * 0.6 for 0.083; 0.5 to 1.1 on the DAX), and without the average:
 * - skew, steps of 0.083: 0.2, 0.1, 0.3, -0.6; without 0.1, 0.4, -0.1, -0.5
 * - skew, steps of 0.021: 0.0, 0.1, -0.1, 0.2; without 0.0, 0.1, 0.0, 0.2
 * - DAX, steps of 0.083: -0.2, -0.4, -0.9, 0.6; without 0.8, 8.6, -2.5, 5.8
 * - DAX, steps of 0.021: -1.3, -0.9, -1.7, 1.1; without -1.0, 6.2, -3.5, 5.6
 * Log-Euler with the volatility at the middle of the step is off by 28, 36 and 31 on a skew with
 * steps of 0.083, by 9, 10 and 13 with 0.021.
 *
 * The surface is read against the forward without cash dividends: with them, European options no
 * longer return the quotes exactly. */
#ifndef PRICER_MODELS_DYNAMICS_LOCAL_VOL_TABLE_H
#define PRICER_MODELS_DYNAMICS_LOCAL_VOL_TABLE_H

#include "models/dynamics/coefficients.h"
#include "models/dynamics/local_vol.h"
#include "models/market/surface.h"

/* A step, and what its tables depend on beside its asset: on no other step. */
struct tabled_step {
    int asset;
    double from, to;           /* years from today */
    double laid_from, laid_to; /* the dates that the places of the laws at both were laid for */
    double drift;              /* of z over the step, in the measure of another currency */
    double *c;                 /* where its coefficients go */
    int first;                 /* and its rows, in the lookup's table */
};

/* Steps whose tables are made later. Begin with {0}; `steps` is the owner's. */
struct tabled_steps {
    int n, room;
    struct tabled_step *steps; /* [n] */
};

/* Writes the coefficients of local_vol_step() for one step and appends its rows to `lookup`, which
 * keeps the asset's surface for the next step: lookup_forget() when all are written. Where
 * lookup->later is there, the step goes there instead, with room for its rows.
 *
 * STATUS_FAILED, with `why`, where the surface holds arbitrage, and for a quanto through an FX rate
 * that is not black_scholes; STATUS_NO_MEMORY. */
enum status local_vol_coefficients(const struct market *market, int asset,
                                   const struct time_step *time_step, double *c,
                                   struct lookup *lookup, struct message *why);

/* What a thread makes steps of one surface with, in any order; soonest where the law at a step's
 * start is that at the end of the one before. */
struct local_vol_maker;

/* Makes it, with surface_unit_spot() of the asset; the surface must outlive it. Free with
 * local_vol_maker_free in any case. STATUS_NO_MEMORY. */
enum status local_vol_maker_make(const struct implied_surface *surface, double unit_spot,
                                 struct local_vol_maker **maker);
void local_vol_maker_free(struct local_vol_maker *maker);

/* By how much a step moves the forward, as a part of it: the surface's law at its end, and rows. */
struct forward_moves {
    double law, rows;
    double points; /* where the step's convolution would take too many of them: no table is made */
};

/* Writes a step's coefficients to c, and its rows [2 LOCAL_VOL_ROWS]. STATUS_NO_MEMORY. */
enum status local_vol_tables(struct local_vol_maker *maker, const struct market *market,
                             const struct tabled_step *step, double *c, float *rows,
                             struct forward_moves *moves);

/* A step asked of an engine that makes many at a time, and what it made of it. */
struct table_request {
    struct tabled_step step;
    double log_from, log_to; /* ln of the forwards at both ends */
    double unit_spot;        /* surface_unit_spot() */
    int surface;             /* which of the surfaces */
};
struct table_made {
    double c[LOCAL_VOL_COEFFICIENTS];
    struct forward_moves moves;
    float rows[2 * LOCAL_VOL_ROWS];
    int made; /* 0: there was no room for it */
};

/* Makes coefficients, copied from a step with equal tables, refer to the step's own rows. */
PLAN_CODE void local_vol_refer(const struct tabled_step *step, double *c)
{
    c[LOCAL_VOL_FIRST] = LOCAL_VOL_ROUND + (step->first / 2 - LOCAL_VOL_ROW_ZERO);
}

/* Refuses, with STATUS_FAILED, a path whose forward is off at t years, the end of the step that
 * moves it; `moved`, by the rows of all steps before, takes in the step's. */
enum status local_vol_check(const char *asset, double t, const struct forward_moves *moves,
                            double *moved, struct message *why);

/* Tells whether equal steps of an asset have equal tables under two markets. */
bool local_vol_alike(const struct market *a, const struct market *b, int asset);

/* Returns the last date that places which are laid for t are good for: a little later, as the law's
 * spread allows. */
PLAN_CODE double places_serve(double t)
{
    return 1.44 * t;
}

/* Tells whether one step has equal tables under two: it reads the expiries about its dates, and
 * forwards and the spot, not what lies elsewhere. */
bool local_vol_steps_alike(const struct surfaced_market *a, const struct surfaced_market *b,
                           const struct tabled_step *step);

/* Frees the list that a lookup holds. */
void local_vol_forget(struct local_vol_path *path);

#endif
