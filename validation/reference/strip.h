/* Log spot against one barrier or two, over one stretch of constant drift per variance: densities and
 * expectations in closed form by images.
 *
 * The coordinate is the distance from the barrier into the living side, y = sign * log(S / level), so that a
 * path lives for 0 < y < width: a down barrier has sign +1 and infinite width, an up barrier -1, two barriers
 * +1 at the lower one and width log(upper / lower). */
#ifndef PRICER_VALIDATION_REFERENCE_STRIP_H
#define PRICER_VALIDATION_REFERENCE_STRIP_H

#include <stdbool.h>

#include "models/payoffs/trade.h"

struct strip {
    double sign, level, width;
};

/* A stretch: y moves by drift + sqrt(variance) * normal; `watched` throughout (a path that touches a barrier
 * is gone), or not at all. */
struct stretch {
    const struct strip *strip;
    double drift, variance; /* of y; variance > 0 */
    bool watched;
};

/* An option on the spot at the end of a stretch, paid to paths that are alive then: `cut` says whether those
 * outside the strip at the end alone are dead too (a stretch that is watched kills them anyway). */
struct claim {
    const struct stretch *stretch;
    enum option option;
    double strike; /* > 0 */
    bool cut;
};

double strip_distance(const struct strip *strip, double spot);

/* Operations (effort.h) that a density or an expectation takes at most. */
double strip_cost(const struct stretch *stretch);

/* Density at y of the paths that start at x and are alive: a `transition` with context struct stretch. */
double strip_density(double x, double y, const void *stretch);

/* From x, undiscounted: the expected payoff, and the probability of being alive. `payoff`s with context
 * struct claim. */
double strip_option(double x, const void *claim);
double strip_alive(double x, const void *claim);

#endif
