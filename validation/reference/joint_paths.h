/* What a payoff is worth on several assets, by simulation on GSL's Mersenne twister: log spots step
 * from date to date as stepper.h says, driven by normals whose correlations are those of the
 * market.
 *
 * A date is one that is shown, a dividend or a day of the past. Between dates steps are as short as
 * the model with the shortest wants. Several assets one of which is under local volatility, whose
 * steps are dear, do not stop at every one of many dates: there a path lies on the chord of its
 * step, and off it by the Brownian bridge of its own noise. Samples go side by side, all of them
 * over one part of a step before any is taken over the next, so that what a step reads is at hand.
 *
 * Each path is taken twice, with its numbers and with their opposites; the mean of the two is one
 * sample. The spots at the end, cash dividends left out, and calls on the first one, where their
 * means are known, are controls. What the length of the steps does is measured: some samples are
 * taken again on steps twice as long, driven by the same noise, and move by -D. The truth is then
 * D / 3 farther on for a scheme of order two, and D for one of order one; the price is moved by
 * D / 2, and D / 2 is in its error. */
#ifndef PRICER_VALIDATION_REFERENCE_JOINT_PATHS_H
#define PRICER_VALIDATION_REFERENCE_JOINT_PATHS_H

#include "validation/reference/mean_controls.h"
#include "validation/reference/methods.h"
#include "validation/reference/stepper.h"
#include "validation/reference/watch.h"

enum level { FINE, COARSE, N_LEVELS }; /* of steps */

/* Samples that are walked side by side; the numbers, and their opposites. */
enum { SAMPLES = ABREAST, SIGNS = 2 };

/* What paths are to show. */
struct joint_view {
    int n;
    const double *times; /* [n] columns: dates from today on, increasing, the last one after it */
    int n_watches;
    const struct watch *watches; /* [n_watches] */
    const double *today;         /* [asset] spots that are watched beside where the paths begin */
    bool closely;                /* several watches go together: short steps */
    bool variances;              /* shows those of all assets on the dates, behind the watches */
};

/* Finds what a path pays, discounted to today, and a second value where the payoff has one: spots
 * are [column][asset], watched [watch][column], extremes or probabilities, and behind them
 * variances [column][asset] where the view shows them. STATUS_FAILED. */
typedef enum status joint_value(void *context, const double *spots, const double *watched,
                                double *values);

/* What a second value says: nothing; it differs from the first by about twice what that may be off
 * by; it has a mean that is known. */
enum second_value { SECOND_NONE, SECOND_GAP, SECOND_CONTROL };

enum { JOINT_LEVELS = 4 };

/* What is paid. */
struct joint_payoff {
    joint_value *value;
    void *context;
    enum second_value second;
    double second_mean;
    double cost;  /* operations of its values */
    double most;  /* about the most that one path pays */
    long samples; /* at most; 0: as many as an effort that is fair gives */
    /* Calls on the spot of the first asset at the end, and what they pay in the mean */
    int n_calls;
    double strike[JOINT_LEVELS], call_mean[JOINT_LEVELS];
};

struct joint_paths {
    struct joint_view view;
    int part; /* as of struct reference_scenario */
    const struct multi_asset *assets;
    struct stepper steppers[TRADE_ASSETS_MAX];
    /* historical: an asset before that is drawn together with it; -1: none */
    int twin[TRADE_ASSETS_MAX];
    int levels;               /* 1 where steps are exact at any length */
    int chords;               /* steps of a life that pass over dates; 0: they stop at each */
    struct joint_step *steps; /* [n] */
    int n, parts;             /* dates; fine parts, and dates that are passed */
    double *passed; /* [column passed in a step][asset][SAMPLES] noise since a coarse part began */
    double now;     /* the date that the step which is taken ends on */
    struct step_noise *draws;  /* [parity of the part, or 2: two joined][asset] */
    struct step_state *states; /* [level][sign][asset][SAMPLES] */
    gsl_rng *rng, *other;      /* of the paths; of what they do between dates */
    double *said;              /* [level][sign][watch][SAMPLES] by the watches */
    double *shown;             /* [level][sign][abreast][record] spots, then watches */
    int abreast;               /* samples at a time */
    size_t record;
    struct mean_controls controls, moves, gap;
    int asset_of[MEAN_CONTROLS_MAX + 1]; /* control; -1: the second value */
    double strike_of[MEAN_CONTROLS_MAX + 1];
};

/* Prepares paths of the problem's assets, which must live as long. Begun as {0}. STATUS_FAILED
 * where a surface cannot be used, and what effort.h returns. */
enum status joint_paths_make(const struct problem *problem, const struct joint_view *view,
                             struct joint_paths *paths);

/* Takes n samples, at most paths->abreast, the first `compared` ones on both levels of steps. */
enum status joint_paths_take(struct joint_paths *paths, int n, int compared);

/* Tells whether all paths of the assets up to t are one. */
bool joint_paths_are_certain(const struct multi_asset *assets, double t);

/* Finds the means over both signs of what a sample pays: means[2]. */
enum status joint_paths_pay(const struct joint_paths *paths, enum level level, int sample,
                            const struct joint_payoff *payoff, double *means);

/* Finds price and error. */
enum status joint_paths_mean(struct joint_paths *paths, const struct joint_payoff *payoff,
                             struct reference *out);

#endif
