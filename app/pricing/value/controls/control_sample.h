/* Linear control variates: a price from values of a trade and of controls whose means are known.
 *
 * With y the mean of the trade's values, c those of the controls, mu what these should be, S the
 * matrix of sums of products of differences from the means over m values, and beta = S_cc^-1 S_cy,
 *
 *     price = y - beta (c - mu),   s^2 = (S_yy - beta S_cy) / (m - 1 - q),
 *     std_error^2 = s^2 (1 / m + (c - mu) S_cc^-1 (c - mu)).
 *
 * (S. S. Lavenberg and P. D. Welch, Management Science 27 (1981) 322-335; P. Glasserman, Monte
 * Carlo Methods in Financial Engineering, Springer 2004, 4.1.) Where the values are jointly normal
 * the price has no bias and its distance over the standard error follows Student's distribution
 * with m - 1 - q degrees of freedom, q being the number of controls. So a value here is the mean
 * over a chunk of CHUNK_PATHS paths, which is nearly normal, and not over a path (batches: B. L.
 * Nelson, European Journal of Operational Research 43 (1989) 184-196). Estimating beta costs a
 * factor of (m - 2) / (m - 2 - q) in variance.
 *
 * Sums are taken in the order of the values, and all is + - * / and square roots: the bits depend
 * on nothing else. */
#ifndef PRICER_APP_PRICING_VALUE_CONTROLS_CONTROL_SAMPLE_H
#define PRICER_APP_PRICING_VALUE_CONTROLS_CONTROL_SAMPLE_H

#include <stdbool.h>

#include "models/math/tally.h"

enum {
    CONTROLS_MAX = 4,     /* of a trade */
    CONTROLS_CHUNKS = 32, /* least values that controls are tried with */
};

/* A control has to bring the variance below this share of what it is without it; one that leaves
 * less than the other share is the trade itself under another name, and then nothing would be
 * simulated. */
#define CONTROLS_WORTH 0.9
#define CONTROLS_ITSELF 1e-9

/* Values of a trade (index 0) and its controls (1, ...), all of one unit. */
struct control_sample {
    double n;
    double mean[1 + CONTROLS_MAX];
    /* Of differences from the means: of two, [i][j], i <= j; and of three */
    double products[1 + CONTROLS_MAX][1 + CONTROLS_MAX];
    double cubes[1 + CONTROLS_MAX][1 + CONTROLS_MAX][1 + CONTROLS_MAX];
};

/* Adds one value of each, indices 0 to n_controls. (The update of Welford 1962, as tally_add(); of
 * three differences P. Pebay, Formulas for robust, one-pass parallel computation of covariances and
 * arbitrary-order statistical moments, Sandia report SAND2008-6212.) */
void control_sample_add(struct control_sample *sample, int n_controls, const double *values);

/* The mean of a control, and what that may be wrong by. */
struct known_mean {
    double mean, error;
};

/* A price by some of the controls. */
struct controlled {
    int n; /* of them; 0: none is worth it, and nothing below is said */
    /* Their indices, 1 to CONTROLS_MAX, in the order in which they were taken */
    int used[CONTROLS_MAX];
    double beta[CONTROLS_MAX]; /* of each */
    /* Mean m - q values, m - 1 - q degrees of freedom; its standard error is the price's */
    struct tally price;
};

/* Takes the controls one after the other: of those left the one that leaves the least variance, as
 * long as that is below CONTROLS_WORTH times the one before. */
struct controlled control_sample_price(const struct control_sample *sample, int n_controls,
                                       const struct known_mean *known);

/* Returns how many paths decide what the first `n` of the controls leave of the trade; of n = 0 the
 * trade itself. Where N paths of the sample bring D and all others nothing, sums of squares and of
 * cubes are N D^2 and N D^3: so it is (sum e^2)^3 / (sum e^3)^2 with e what is left of a value.
 * What is normal has a skewness by chance alone, and is decided by n^2 / 6 or more. */
double control_sample_deciding(const struct control_sample *sample,
                               const struct controlled *controlled, int n);

#endif
