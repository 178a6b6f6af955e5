/* Local volatility from date to date, without a scheme for its paths: the law of log spot at the
 * end of a step, given its beginning, as an increasing function of a normal number.
 *
 * The probability of ending below a point is a solution of Kolmogorov's backward equation, solved
 * here by finite differences for every point of a grid of log-moneyness, with the local variances
 * of implied.h. So a step has the right law at any length. What is left is the error of the grid.
 */
#ifndef PRICER_VALIDATION_REFERENCE_TRANSITION_H
#define PRICER_VALIDATION_REFERENCE_TRANSITION_H

#include "validation/reference/implied.h"
#include "validation/reference/methods.h"

/* A step's table: log-moneyness at its end by that at its beginning and by the normal. */
struct transition {
    double log_forward[2];    /* at both ends */
    double low, gap, per_gap; /* of log-moneyness; 1 / gap */
    int first, n;             /* nodes of the grid that it may begin at */
    float *end;               /* [node][normal] */
    float *variance;          /* [node] of log spot over the step, nearly */
};

/* Tells whether so many steps have room. */
enum status transitions_room(struct effort *effort, double steps);

/* Makes the step of one of some assets, which has this surface, between two dates, `from` < `to`.
 * STATUS_FAILED where the surface cannot be used, and what effort.h returns. */
enum status transition_make(const struct multi_asset *assets, int asset,
                            const struct implied *implied, double from, double to,
                            struct transition *step);

/* How far log spot moves in a step, the variance of the Brownian motion that this is taken for, and
 * what it then jumps. */
struct step_move {
    double move, variance, jump;
};

/* Moves n log spots x over a step, by the normals that are their noises. */
void transition_move(const struct transition *step, int n, const double *x, const double *normal,
                     struct step_move *moves);

#endif
