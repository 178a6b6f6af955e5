/* From a market to the coefficients of a model's steps. Host only. */
#ifndef PRICER_MODELS_DYNAMICS_COEFFICIENTS_H
#define PRICER_MODELS_DYNAMICS_COEFFICIENTS_H

#include <stddef.h>

#include "models/market/market.h"

/* One step of the grid, and the measure under which the asset moves over it. */
struct time_step {
    double from, to; /* years from today */
    int quanto; /* index of the FX rate through which the asset is paid one for one; -1: none */
};

/* Returns the longest step that the model can take on the way to a date, in years (HUGE_VAL: to
 * any): HUGE_VAL where it is exact at any length. A scheme that is not exact: max_step, or what it
 * bears where that is less (heston.h: HESTON_TILT). merton is exact up to JUMPS_A_STEP expected
 * jumps, for every max_step; bates bears the smaller of both. */
double model_longest_step(const struct asset *asset, double date, double max_step);

/* Returns the number of bytes that a step of the model appends to a lookup. */
size_t model_step_bytes(enum model model);

/* State of a path today. */
struct path_state;
void model_begin(const struct asset *asset, struct path_state *state);

/* A growing list of floats that steps of local_vol and historical look numbers up in; freed by its
 * owner. Between a path's first step and lookup_forget() it also holds what local_vol's set-up uses
 * again: one lookup serves one market until then. */
struct local_vol_path;
struct tabled_steps;
/* Floats that steps look numbers up in, in a table of the group. */
struct lookup {
    int n, room;
    float *table;
    struct local_vol_path *paths; /* a list, one for each asset; NULL where there is none; owned */
    /* Where steps of local_vol go whose tables are made later (local_vol_table.h); NULL: now */
    struct tabled_steps *later;
};

/* Forgets all but the table: when the coefficients of all steps are written, or where that
 * failed. */
void lookup_forget(struct lookup *lookup);

/* Writes the coefficients of one step, model_coefficients() of them, and appends to `lookup` what
 * they refer to.
 *
 * STATUS_FAILED and `why` where the model cannot do it: a step longer than model_longest_step(), or
 * under historical one of more than one day; a surface with arbitrage; a quanto through an FX rate
 * that is not black_scholes or is not the rate of the asset's currency. STATUS_NO_MEMORY. */
enum status model_step_coefficients(const struct market *market, int asset,
                                    const struct time_step *time_step, double *c,
                                    struct lookup *lookup, struct message *why);

/* Returns the covariance of ln S of two assets over the time_step, both under black_scholes: what
 * the steps of a grid that end where a volatility changes make of their correlation. */
double model_covariance(const struct market *market, int asset, int other,
                        const struct time_step *time_step);

/* Completes the coefficients of all steps of a path, those of step j at c + j * width as
 * model_step_coefficients() wrote them, by what depends on more than one step, and appends to
 * `lookup` what they share: of historical alone. Errors as above. */
enum status model_path_coefficients(const struct asset *asset, int n_steps, int width, double *c,
                                    struct lookup *lookup, struct message *why);

/* Computes mean and standard deviation (of the n returns, not of a sample) of the past. */
double historical_stdev(const struct history *history, double *mean);

/* Returns years from today from which on E[S^2] is infinite, and with it the variance of every
 * payoff that grows like the spot; HUGE_VAL where that never comes. Jumps of Bates's law change
 * nothing, nor does the growth.
 *
 * E[S^2] is exp(B(t) v0 + ...) with B' = 1 + (2 rho xi - kappa) B + xi^2 B^2 / 2, B(0) = 0, and
 * ends where B does: at the integral of dB / (1 + (2 rho xi - kappa) B + xi^2 B^2 / 2) from 0 to
 * infinity, if no B in between makes that 0 (L. Andersen and V. Piterbarg, Moment explosions in
 * stochastic volatility models, Finance and Stochastics 11 (2007) 29-50, proposition 3.1). */
double heston_square_ends(const struct heston *heston);

#endif
