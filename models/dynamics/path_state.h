/* What a path carries of one underlying from one date to the next. */
#ifndef PRICER_MODELS_DYNAMICS_PATH_STATE_H
#define PRICER_MODELS_DYNAMICS_PATH_STATE_H

#include "models/math/host_device.h"

/* The state of one underlying on a path. */
struct path_state {
    double x; /* log2 of the spot */
    double v; /* variance a year of ln S, of models that remember one; others leave it alone */
    /* Variance of log2 S between jumps, summed over the steps so far: what a Brownian bridge
     * between two dates needs; black_scholes leaves it alone, whose variances are known
     * beforehand */
    double clock;
};

#endif
