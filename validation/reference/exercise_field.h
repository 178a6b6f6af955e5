/* The steps of early exercise under other models than Black-Scholes, backwards in time: values on a
 * grid of log spot and, under Heston and Bates, variance. american_field.c says by which scheme. */
#ifndef PRICER_VALIDATION_REFERENCE_EXERCISE_FIELD_H
#define PRICER_VALIDATION_REFERENCE_EXERCISE_FIELD_H

#include "validation/reference/reference_american.h"
#include "validation/reference/implied.h"

enum { FIELD_BUFFERS = 8, FIELD_LINES = 4 };

/* The coefficients between two stops. */
struct field_interval {
    /* a year: of log forward less jumps, of discounting, of Merton */
    double years, growth, rate, variance;
    double fx; /* correlation times volatility of a quanto's FX rate */
};

struct field {
    const struct american *option;
    const struct asset *asset;
    const struct heston *heston; /* NULL for none */
    const struct jumps *jumps;
    const struct implied *implied;
    struct asset_curves curves;                   /* in its own currency */
    double scale;                                 /* the asset's weight */
    int nx, nv, steps;                            /* nodes; steps of a whole life */
    double low, dx, *price, *gain, *v, *weight;   /* [nx], [nv], jump weights [2 reach + 1] */
    int reach;                                    /* of jumps, nodes */
    double *variance;                             /* [nv][nx] a year */
    double *value, *push, *buffer[FIELD_BUFFERS]; /* [nv][nx]; push: the multiplier */
    double *line[FIELD_LINES], *padded;           /* of one solution; of one convolution */
};

/* Takes one step of dt years back; `damped`: implicit, for a value with kinks. STATUS_FAILED alone
 * can be returned. */
enum status field_step(struct field *field, const struct field_interval *interval, double dt,
                       bool damped);

/* Lets the option be exercised after such a step: the value is then no less than the gain. */
void field_push(struct field *field, double dt);

#endif
