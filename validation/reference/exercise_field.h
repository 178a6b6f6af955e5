/* The steps of early exercise backwards in time: values on a grid of the log of one price and,
 * under Heston and Bates, variance. american_field.c says by which scheme. */
#ifndef PRICER_VALIDATION_REFERENCE_EXERCISE_FIELD_H
#define PRICER_VALIDATION_REFERENCE_EXERCISE_FIELD_H

#include "validation/reference/reference_american.h"
#include "validation/reference/implied.h"

enum { FIELD_BUFFERS = 8, FIELD_LINES = 4 };

/* The coefficients between two stops. */
struct field_interval {
    /* a year: of log forward less jumps, of discounting, of Black-Scholes and Merton */
    double years, growth, rate, variance;
    double fx; /* correlation times volatility of a quanto's FX rate */
};

struct field {
    const struct american *option;
    const struct asset *asset;   /* the first */
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;
    const struct implied *implied;
    bool plain;             /* Black-Scholes: one line of constant coefficients */
    int nx, nv;             /* nodes */
    int steps_least, steps; /* of an interval at least; of a whole life */
    double low, dx, per_dx, *price, *gain, *v, *weight; /* [nx], [nv], jump weights [2 reach + 1] */
    int reach;                                          /* of jumps, nodes */
    double *variance;                                   /* [nv][nx] a year */
    double *value, *push, *buffer[FIELD_BUFFERS];       /* [nv][nx]; push: the multiplier */
    double *line[FIELD_LINES], *padded;                 /* of one solution; of one convolution */
};

/* Takes one step of dt years back, in which the option may be exercised if it always may; `damped`:
 * implicit, for a value with kinks. As effort_spend. */
enum status field_step(struct field *field, const struct field_interval *interval, double dt,
                       bool damped);

#endif
