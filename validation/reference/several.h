/* Several assets walked together on the references' own generators: log spots step from date to
 * date as stepper.h says, driven by normals whose correlations are those of the market.
 *
 * A date is one that is asked for, a dividend or a day of the past. Between dates steps are as
 * short as the model with the shortest wants, on two levels: the coarse steps are twice as long as
 * the fine ones, and driven by the same noise. Samples go side by side, all of them over one part
 * of a step before any is taken over the next, so that what a step reads is at hand. */
#ifndef PRICER_VALIDATION_REFERENCE_SEVERAL_H
#define PRICER_VALIDATION_REFERENCE_SEVERAL_H

#include "validation/reference/multi_asset.h"
#include "validation/reference/stepper.h"

enum level { FINE, COARSE, N_LEVELS };

/* A move from the date before to this one. */
struct joint_step {
    double time;
    int parts; /* fine; none where the dates are one */
    double dividend[TRADE_ASSETS_MAX];
    struct step_parts parts_of_step[N_LEVELS][TRADE_ASSETS_MAX];
    square root; /* of the correlations of the spots' noises */
};

enum {
    SAMPLES = ABREAST,
    SIGNS = 2
}; /* samples that are walked side by side; the numbers, and their opposites */

/* The random numbers of one part of a step for one asset. */
struct joint_draw {
    double normal[SAMPLES], other[SAMPLES]; /* of the spot's noise, and independent of it */
    double jump[SAMPLES], jumps[SAMPLES];   /* sum less its mean, and number; zeros without jumps */
};

/* What some samples of one asset have just done over a part of a step: first they moved, then they
 * jumped. */
struct joint_move {
    enum level level;
    int sign, asset, n;
    const struct step_state *to;   /* [n] where they are now */
    const struct step_move *moves; /* [n] */
    const double *jump, *jumps;    /* [n] sum of jumps, and number; NULL: there are none */
};

/* Looks at every such move of log spots, as continuous monitoring must. */
typedef void several_watch(void *watcher, const struct joint_move *move);

struct several {
    several_watch *watch; /* NULL: nobody; the caller sets it, with its first argument */
    void *watcher;
    struct multi_asset assets;
    struct stepper steppers[TRADE_ASSETS_MAX];
    /* historical: an asset before that is drawn together with it; -1: none */
    int twin[TRADE_ASSETS_MAX];
    bool exact;                /* at any length of steps: there is no coarse level */
    struct joint_step *steps;  /* [n] */
    int n, parts;              /* dates, fine parts */
    struct joint_draw *draws;  /* [parity of the part, or 2: two joined][asset] */
    struct step_state *states; /* [level][sign][asset][SAMPLES] */
};

/* Prepares the simulation of `assets`, which are copied, up to the last of n dates, in any order:
 * `end`. Dividends and days of the past are dates too. STATUS_FAILED where a surface
 * cannot be used, and what effort.h returns. Begun as {0}. Must not be moved. */
enum status several_make(const struct multi_asset *assets, int n, const double *dates,
                         struct several *several);

/* Begins some samples, at most SAMPLES. */
void several_begin(struct several *several);

/* Takes n samples over a step, dividends paid, by numbers that it draws, and by their opposites;
 * the first `compared` ones on coarse steps too. */
void several_step(struct several *several, int step, int n, int compared, gsl_rng *rng);

/* Returns the log spots of an asset where the samples are now. */
struct step_state *several_walks(const struct several *several, int level, int sign, int asset);

#endif
