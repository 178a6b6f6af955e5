/* Several assets walked together on the references' own generators: log spots step from date to date as
 * walk.h says, driven by normals whose correlations are those of the market.
 *
 * A date is an observation, a dividend, a day of the past or the expiry. Between dates steps are as short as
 * the model with the shortest wants, on two levels: the coarse steps are twice as long as the fine ones, and
 * driven by the same noise. */
#ifndef PRICER_VALIDATION_REFERENCE_SEVERAL_H
#define PRICER_VALIDATION_REFERENCE_SEVERAL_H

#include "validation/reference/multi_asset.h"
#include "validation/reference/walk.h"

enum level { FINE, COARSE, N_LEVELS };

/* A move from the date before to this one. */
struct step {
    double time;
    bool observed;
    int parts; /* fine; none where the dates are one */
    double dividend[TRADE_ASSETS_MAX];
    bool begins[TRADE_ASSETS_MAX]; /* a block of the past */
    struct pace pace[N_LEVELS][TRADE_ASSETS_MAX];
    square root; /* of the correlations of the spots' noises */
};

/* The random numbers of one part of a step. */
struct draw {
    double normal[TRADE_ASSETS_MAX], other[TRADE_ASSETS_MAX]; /* of the spot's noise, and independent of it */
    double jump[TRADE_ASSETS_MAX], jump_mean[TRADE_ASSETS_MAX];
    unsigned long first[TRADE_ASSETS_MAX]; /* of the past */
};

struct several {
    struct multi_asset assets;
    const struct trade *trade;
    struct problem problems[TRADE_ASSETS_MAX]; /* each asset by itself, in its own currency */
    struct walker walkers[TRADE_ASSETS_MAX];
    int twin[TRADE_ASSETS_MAX]; /* historical: an asset before that is drawn together with it; -1: none */
    double longest;             /* years, of coarse steps */
    bool exact;                 /* at any length of steps: there is no coarse level */
    struct step *steps;         /* [n]; owned */
    int n, parts;               /* dates, fine parts */
    struct draw *draws;         /* [parts] of the present path; owned */
};

/* Whether two times are one date of the trade. */
bool several_same_date(double a, double b, const struct trade *trade);

/* STATUS_FAILED (and `why`) where an asset does not fit the trade's currency or its surface cannot be used,
 * and what effort.h returns. Begun as {0}; several_free in any case. Must not be moved, nor `problem`. */
enum status several_make(const struct problem *problem, struct several *several, struct message *why);
void several_free(struct several *several);

/* Draws a path's numbers. */
void several_draw(struct several *several, gsl_rng *rng);

/* Begins a path; then takes it over one step after the other, dividends paid, by its numbers (sign 1) or
 * their opposites (-1), of which `*draw`, begun as several->draws, tells those that come next. */
void several_begin(const struct several *several, struct walk *walks);
void several_step(const struct several *several, int step, enum level level, double sign,
                  const struct draw **draw, struct walk *walks);

#endif
