/* Value functions of an exercise on one asset, on a grid of its states.
 *
 * The state of one asset is its spot, and under heston and bates its variance. On every step of the
 * grid of dates, from the last date of exercise backwards, the value of going on from each node is
 * a sum over weighted normals of the value one step later: quadrature in the place of paths (A. D.
 * Andricopoulos, M. Widdicks, P. W. Duck and D. P. Newton, Universal option valuation using
 * quadrature methods, Journal of Financial Economics 67 (2003) 447-471), whose points the CPU
 * engine moves as it moves paths. A cubic spline goes through the nodes; where it is a date, the
 * greater of it and the gain is taken after the spline, so that the kink stays where it is.
 *
 * Nodes, points and sums have one order: the functions have the same bits on every machine. They
 * are those of the plan's own steps, to about 1e-6 of the strike, and without noise: critical
 * levels can be read from them. */
#ifndef PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_GRID_H
#define PRICER_APP_PRICING_VALUE_EXERCISE_EXERCISE_GRID_H

#include "app/pricing/value/exercise/exercise_steps.h"
#include "app/pricing/value/exercise/exercise_strata.h"

/* Whether an exercise has such functions: one asset, whose features tell its whole state. */
bool grid_possible(const struct exercise *exercise);

/* Finds the functions of all dates but the last; the states that are known say how far the grid
 * goes. valuation_free, whatever is returned. STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status grid_fit(struct step_scratch *step_scratch, struct valuation *valuation);

#endif
