/* Trades whose Greeks come from the same bumps: the same assets, similar expiries, payoffs alike in whether
 * they jump, levels watched at every moment about as near.
 *
 * A bump must fit the spread of the spot at expiry. With b the bump over S sigma sqrt(T), a central second
 * difference at a kink has a variance that falls as 1 / b and a bias that grows as b^2; at a jump the
 * variance of the first difference does, and that of the second as 1 / b^3 (P. Glasserman, Monte Carlo
 * Methods in Financial Engineering, Springer 2003, 7.1). Sizes go with the number of paths as n^(-1/5), which
 * is best where the variance is that of a jump. */
#ifndef PRICER_APP_RISK_UNITS_H
#define PRICER_APP_RISK_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/market/market.h"
#include "models/math/status.h"
#include "models/payoffs/trade.h"

#define LARGEST_BUMP 0.1 /* of a spot, over the spot */

struct unit {
    int n;
    const int *trades; /* [n] indices into the book, within what units_make returned */
    double years;      /* that stand for their expiries */
    double first_date; /* years: the first date of any of them */
    double last_date;  /* the last expiry */
    double turn;  /* years: the least from today or a date of theirs to where a curve turns, if not there */
    bool laid;    /* whether paths have steps where a curve turns */
    double reach; /* a bump of the spot, over the spot, goes no further: at most half way to a level that
                   * is watched at every moment (a barrier, the extreme so far), where the value turns */
    bool jumps;   /* whether a small move of the spot can move a payoff by more than a little */
    bool scored;  /* whether its Greeks come from likelihood ratios, not from bumps */
    bool tabled;  /* whether an asset's steps are tables, whose digits make a price rough on a small scale */
};

/* Whether paths of the trade have steps where a curve turns: drift and variance are to be even between two
 * looks of what is watched at every moment, and volatilities of several assets between two dates. */
bool has_curve_dates(const struct trade *trade);

struct units {
    int n;
    struct unit *units; /* [n]; owned */
    int *order;         /* [trades]; owned */
};

/* Parts the trades of a book; neither their order in the book nor other trades change a unit's sizes, but
 * for `first_date`. Free with units_free. STATUS_NO_MEMORY. */
enum status units_make(const struct market *market, int n_trades, const struct trade *trades,
                       struct units *units);
void units_free(struct units *units);

/* How far the bumps of a unit go. */
struct bump_sizes {
    double spot;       /* over S sigma sqrt(years): of gammas */
    double delta;      /* the same of delta; equal where payoffs jump */
    double volatility; /* over sigma */
    double rate;       /* a year */
    double correlation;
    double time; /* over the first date */
};
struct bump_sizes unit_sizes(const struct unit *unit, uint64_t paths);

#endif
