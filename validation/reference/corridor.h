/* Log spot against one barrier or two, over one interval of constant drift per variance: densities
 * and expectations in closed form by images.
 *
 * The coordinate is the distance from the barrier into the living side, y = sign * log(S / level),
 * so that a path lives for 0 < y < width: a down barrier has sign +1 and infinite width, an up
 * barrier -1, two barriers +1 at the lower one and width log(upper / lower). */
#ifndef PRICER_VALIDATION_REFERENCE_CORRIDOR_H
#define PRICER_VALIDATION_REFERENCE_CORRIDOR_H

#include <stdbool.h>

#include "models/payoffs/trade.h"

/* A corridor between one or two barriers. */
struct corridor {
    double sign, level, width;
};

/* An interval: y moves by drift + sqrt(variance) * normal; `watched` throughout (a path that
 * touches a barrier is gone), or not at all. */
struct corridor_interval {
    const struct corridor *corridor;
    double drift, variance; /* of y; variance > 0 */
    bool watched;
};

/* An option on the spot at the end of an interval, paid to paths that are alive then: `cut` says
 * whether those outside the corridor at the end alone are dead too (an interval that is watched
 * kills them anyway). */
struct claim {
    const struct corridor_interval *interval;
    enum option option;
    double strike; /* > 0 */
    bool cut;
};

double corridor_distance(const struct corridor *corridor, double spot);

/* Operations (effort.h) that a density or an expectation takes at most. */
double corridor_cost(const struct corridor_interval *interval);

/* Returns the density at y of the paths that start at x and are alive: a `transition` with context
 * struct corridor_interval. */
double corridor_density(double x, double y, const void *interval);

/* Finds, from x and undiscounted, the expected payoff, and the probability of being alive.
 * `payoff`s with context struct claim. */
double corridor_option(double x, const void *claim);
double corridor_alive(double x, const void *claim);

#endif
