/* A thousand strikes for the price of one: options whose payoff is a straight line on one side of
 * their strike, on the same date, priced together from sums between neighbouring strikes.
 *
 * With strikes K_0 < K_1 < ... a path with spot S falls into bin b = number of strikes below S. A
 * bin counts its paths and adds D = S - centre and D^2, path after path over STRIP_CHUNKS chunks,
 * whose sums are then added. A payoff that is alpha + beta D beyond its strike and nothing before
 * it then has, from the sums (N, A, Q) of the bins beyond,
 *
 *     sum = alpha N + beta A,   sum of squares = alpha^2 N + 2 alpha beta A + beta^2 Q,
 *
 * so a path costs one search, not one payoff a strike. The order of every addition is fixed: within
 * a bin by path, then by tile of chunks, beyond a strike from the outermost bin inwards. */
#ifndef PRICER_KERNELS_STRIKE_STRIP_H
#define PRICER_KERNELS_STRIKE_STRIP_H

#include "models/math/exact.h"
#include "models/math/tally.h"

/* A payoff that is alpha + beta D for S above strike number `strike`, or not above it. */
struct strip_payoff {
    int strike;
    int above;
    double alpha, beta;
};

/* Strikes are found by a table of cells even in log2 S: the bin of a spot is first[cell], moved on
 * by at most `depth` comparisons. */
struct strike_strip {
    int row; /* of the observed spot, log2 S */
    /* The group's payoffs first_payoff .. first_payoff + n_payoffs - 1 are on this strike strip */
    int first_payoff;
    int n_payoffs, n_strikes; /* bins are 0 .. n_strikes */
    int first_bin;            /* bins of the group's strips before it */
    int n_cells, depth;
    double low, cells_a_log2; /* cell of x: (x - low) cells_a_log2, cut to the table */
    double centre;
    double *strikes;              /* [n_strikes + depth] increasing, then huge */
    int *first;                   /* [cell] */
    struct strip_payoff *payoffs; /* [payoff] */
};

/* Sums of the paths of one bin; `unused` keeps a bin on 32 bytes. */
struct strike_bin {
    double n, sum, squares, unused;
};

HOST_DEVICE int strip_cell(const struct strike_strip *strip, double x)
{
    double cell = (x - strip->low) * strip->cells_a_log2, last = (double)(strip->n_cells - 1);
    cell = cell > 0.0 ? cell : 0.0;
    return (int)(cell < last ? cell : last);
}

HOST_DEVICE int strike_bin_of(const struct strike_strip *strip, int cell, double spot)
{
    int bin = strip->first[cell];
    for (int i = 0; i < strip->depth; i++) bin += spot > strip->strikes[bin];
    return bin;
}

HOST_DEVICE struct strike_bin strike_bin_add(struct strike_bin a, struct strike_bin b)
{
    a.n = a.n + b.n;
    a.sum = a.sum + b.sum;
    a.squares = a.squares + b.squares;
    return a;
}

/* Returns the tally of a payoff over `paths` paths from the sums of all bins beyond its strike. */
HOST_DEVICE struct tally strip_tally(struct strip_payoff p, struct strike_bin beyond, double paths)
{
    struct tally tally;
    double sum = fma(p.alpha, beyond.n, p.beta * beyond.sum);
    double squares = fma(p.alpha * p.alpha, beyond.n,
                         fma(2.0 * p.alpha * p.beta, beyond.sum, p.beta * p.beta * beyond.squares));
    double mean = sum / paths, m2 = fma(-sum, mean, squares);
    tally.n = paths;
    tally.mean = mean;
    tally.m2 = m2 > 0.0 ? m2 : squares - squares;
    return tally;
}

#endif
