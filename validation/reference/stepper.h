/* One step of a simulated path under each model, on GSL's generators: by schemes of the reference's
 * own.
 *
 * A step is driven by normals that are given: one is the noise of the spot, which may be correlated
 * with others and have a mean, the other one independent of it. Black-Scholes and Merton are exact
 * at any length. Heston and Bates: the variance takes the step of A. Alfonsi, High order
 * discretization schemes for the CIR process, Mathematics of Computation 79 (2010) 209-237, section
 * 3, of weak order two, and a lognormal one next to zero (L. Andersen and R. Brotherton-Ratcliffe,
 * Extended LIBOR market models with stochastic volatility, 2001); log spot is normal given the
 * variance's path, whose integral is its mean given both ends on average. Local volatility:
 * transition.h, exact at any length. Historical: see resample_part(); a step lies within one day.
 */
#ifndef PRICER_VALIDATION_REFERENCE_STEPPER_H
#define PRICER_VALIDATION_REFERENCE_STEPPER_H

#include <gsl/gsl_rng.h>

#include "validation/reference/multi_asset.h"
#include "validation/reference/transition.h"

/* ---- past returns drawn again in blocks ------------------------------------------------------ */

/* Past returns drawn again in blocks (the model historical), by the reference's own reading of what
 * that means: models/dynamics/historical.h says what the law is.
 *
 * The k-th day from today, k = 0, 1, ..., lasts from k to k + 1 times the interval of the returns.
 * Of each block of days the first return is drawn by GSL, uniformly from all; the next days have
 * the next ones, the first of the past after the last. A day's move is its volatility times the
 * standardised return, spread evenly over the day, less what makes the mean over all first returns
 * of the exponential of the block's moves so far equal to 1. */

struct resample {
    int n, block;
    double day;    /* years */
    double *score; /* [n] standardised returns */
    /* [n] log moves of the present block up to where resample_part() has come, by first return */
    double *moved;
    double lost; /* log of the mean of their exponentials */
};

/* A step within one day. */
struct part_of_day {
    bool begins;     /* a block */
    int in_block;    /* days of the block before this one */
    double scale;    /* of the standardised return */
    double loss;     /* what the move loses to make up for the mean */
    double variance; /* of a Brownian motion of the day's volatility */
};

/* ---- steps ----------------------------------------------------------------------------------- */

/* The step of a model, and the longest one that it may take. */
struct stepper {
    const struct multi_asset *assets;
    int asset; /* of them */
    const struct heston *heston;
    const struct jumps *jumps;
    struct implied *local; /* local_vol */
    struct resample *past; /* historical */
    double longest;        /* years; infinite where steps are exact */
    bool near_zero;        /* its variance is mostly near zero: steps are of order one */
    double correlation;    /* of the spot's noise to what a unit of its money is worth */
    /* Variance of the FX rate; NULL for no quanto, or one that the terms allow for */
    const struct term_structure *fx;
};

/* A step between two dates, cut into equal parts: what the models need of one part. */
struct step_parts {
    struct transition *local; /* [parts] local_vol */
    double years;             /* length of a part */
    /* Of log forward less what jumps make up for; of Black-Scholes and Merton */
    double growth, variance;
    double decay;                       /* Heston, over a part */
    double weight_before, weight_after; /* of both ends, in the integral of v */
    /* Of the variance's drift over half a part, over a part; its noise; the least root of the
     * variance that needs no care */
    double half, lift, gain, noise, safe;
    struct part_of_day day; /* historical */
    double shift;           /* mean of the noise of the spot over a part, of a quanto */
};

/* log spot, its variance a year under Heston and Bates, the first return of the block under
 * historical. */
struct step_state {
    double x, v;
    double paid; /* what cash dividends took off log spot */
    unsigned long first;
};

/* Makes the stepper of one of some assets, `end` years from now on. STATUS_FAILED where
 * the model's surface cannot be used, and what effort.h returns. `assets` must live as long, and
 * the stepper must not be moved. */
enum status stepper_make(const struct multi_asset *assets, int asset, double end,
                         struct stepper *stepper);

/* Prepares the parts of a step, `from` < `to`. STATUS_NO_MEMORY, STATUS_INTERRUPTED; STATUS_FAILED:
 * the effort. */
enum status stepper_parts(struct stepper *stepper, double from, double to, int parts,
                          struct step_parts *parts_of_step);

enum { ABREAST = 128 }; /* most walks that are moved side by side */

/* The random numbers of one part of a step. */
struct step_noise {
    double normal[ABREAST], other[ABREAST]; /* of the spot, of mean 0, and independent of it */
    double jump[ABREAST], jumps[ABREAST];   /* sum less its mean, and number; zeros without jumps */
};

/* Moves n walks over one part by its noise, or (sign -1) by its opposite, and says how. The step's
 * shift comes to the noise of the spot. Historical: by the first return of the block, which is
 * given. */
void stepper_drive(const struct stepper *stepper, const struct step_parts *parts_of_step, int part,
                   int n, double sign, const struct step_noise *noise, struct step_state *states,
                   struct step_move *moves);

#endif
