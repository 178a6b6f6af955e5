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

struct transitions;

/* Makes the transitions of one of some assets. STATUS_FAILED where the surface cannot
 * be used, and what effort.h returns. All that is pointed to must live as long. */
enum status transitions_make(const struct multi_asset *assets, int i, struct transitions **out);

/* Tells whether so many steps have room. */
enum status transitions_room(const struct transitions *transitions, double steps);

/* Adds the step between two dates, `from` < `to`, and hands out its number. As effort.h returns. */
enum status transitions_step(struct transitions *transitions, double from, double to, int *step);

/* How far log spot moves in a step, and the variance of the Brownian motion that this is taken
 * for. */
struct step_move {
    double move, variance;
};

/* Moves n log spots x over a step, by the normals that are their noises. */
void transitions_move(const struct transitions *transitions, int step, int n, const double *x,
                      const double *normal, struct step_move *moves);

#endif
