/* The Brownian bridge: from normals in the order of their importance to those of the steps.
 *
 * The first normal of a path places the end of a Brownian motion, the next its middle, then the
 * middles of the two halves, and so on; the increments over the steps, divided by the roots of
 * their lengths, are the normals that the steps take. It is an orthogonal transformation, so they
 * are independent standard normals again; but most of what a payoff sees of a path is told by its
 * first few normals, where points of low discrepancy are at their best (R. E. Caflisch, W. Morokoff
 * and A. B. Owen, Valuation of mortgage-backed securities using Brownian bridges to reduce
 * effective dimension, Journal of Computational Finance 1 (1997) 27-46).
 *
 * An interval between two known dates is always halved by the step in its middle, and the left half
 * is filled to its end before the right one: then what lies left of a new date is the last date
 * passed, and what lies right of it is on top of a stack. Engines follow the nodes in this order,
 * keep the stack in registers or lanes, and so share every operation and its order. */
#ifndef PRICER_KERNELS_BRIDGE_H
#define PRICER_KERNELS_BRIDGE_H

#include "models/math/exact.h"
#include "models/base/status.h"

enum { BRIDGE_DEPTH = 32 }; /* dates on the stack at most */

/* A date that gets its value: left (value of the last date passed) + right (value on top of the
 * stack) + deviation (normal number `rank`), by fma in this order. It goes on the stack; then
 * `passes` dates are passed, each from the top of the stack. */
struct bridge_node {
    int rank, passes;
    double left, right, deviation;
};

/* The order in which the dates of a Brownian motion get their values, with the weights. */
struct bridge {
    int n;                     /* steps; 0: no bridge */
    struct bridge_node *nodes; /* [n] in the order in which they are built; owned */
    double *scales;            /* [step] 1 / sqrt(its length); owned */
};

/* Returns the value on a date from those of the last date passed and on top of the stack, and its
 * normal. */
HOST_DEVICE double bridge_value(const struct bridge_node *node, double passed, double top,
                                double normal)
{
    return fma(node->deviation, normal, fma(node->right, top, node->left * passed));
}

/* Returns the normal of a step from the values at its ends. As float, for that is how normals are
 * stored. */
HOST_DEVICE float bridge_normal(double scale, double begin, double end)
{
    return (float)((end - begin) * scale);
}

/* Makes the bridge over n_steps steps that end at `times`, which increase from above 0; empty where
 * there are none. STATUS_NO_MEMORY; free with bridge_free after both. */
enum status bridge_make(int n_steps, const double *times, struct bridge *bridge);
void bridge_free(struct bridge *bridge);

#endif
