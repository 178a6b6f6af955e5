/* A cash dividend: the spot falls by the amount on its date. Between dividends the spot itself
 * follows its model (the piecewise, or "spot", model: Haug, Haug and Lewis, Back to basics: a new
 * approach to the discrete dividend problem, Wilmott magazine 2003), so every date of a trade sees
 * the spot that is traded. */
#ifndef PRICER_MODELS_DYNAMICS_DIVIDEND_H
#define PRICER_MODELS_DYNAMICS_DIVIDEND_H

#include "models/math/exact.h"

#define FLOOR_AFTER_DIVIDEND 1e-6 /* of the spot: what a dividend larger than the spot leaves */

/* Returns log2 of the spot after the dividend. */
HOST_DEVICE double after_dividend(double x, double amount)
{
    double spot = path_exp2(x), least = FLOOR_AFTER_DIVIDEND * spot, left = spot - amount;
    return exact_log2(left > least ? left : least);
}

#endif
