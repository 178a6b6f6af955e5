/* The references of one product each, as reference.c's table calls them. */
#ifndef PRICER_VALIDATION_REFERENCE_METHODS_H
#define PRICER_VALIDATION_REFERENCE_METHODS_H

#include "validation/reference/gaussian.h"
#include "validation/reference/reference.h"
#include "validation/reference/multi_asset.h"

/* A trade and its market as a method of the reference gets them. */
struct problem {
    struct multi_asset assets; /* the trade's */
    const struct trade *trade;
    uint64_t seed; /* of Monte Carlo */
    const struct market *market;
    const struct asset *asset; /* the first */
    /* The market that fixes what is fixed today, so many years before */
    const struct market *today;
    double aged;
    int part; /* as of struct reference_scenario */
};

/* A trade without a date at time 0: its past says what that date saw. Its lists are those of the
 * book's. */
struct trade_fixed_today {
    struct trade trade;
    double paid;  /* money that changes hands today, whatever comes */
    bool certain; /* nothing of the trade is open: what is left pays `last` at its expiry */
    double last;
};

/* States what today's spots fix: the fixings, resets, observations and looks at a barrier of a date
 * at time 0, the strike of a forward start that has started, the levels that a variance swap counts
 * from, and what is watched at every moment from today on. The market is that of today, whatever
 * scenario the trade is priced in. The right to exercise is no fixing: it is left. */
void fix_today(const struct market *today, const struct trade *trade,
               struct trade_fixed_today *stated);

/* Prices such a trade in the problem's market; of the problem neither trade nor assets need be
 * known. STATUS_FAILED, STATUS_INTERRUPTED, STATUS_NO_MEMORY, STATUS_BAD_INPUT. */
enum status reference_stated(struct problem *problem, const struct trade_fixed_today *stated,
                             struct effort *effort, struct reference *out);

/* Makes `moved` of today's market: shocks one after the other, and cash dividends nearer by the
 * years that pass. Names, strikes that are quoted and returns of the past are shared, the rest is
 * `owner`'s. STATUS_FAILED where there is no such market, STATUS_NO_MEMORY. */
enum status scenario_market(const struct market *today, const struct reference_scenario *scenario,
                            struct effort *owner, struct market *moved);

/* Makes the strikes and volatilities of one expiry of an asset's surface anew of its quotes by
 * delta, which have moved a little. As above. */
enum status quoted_smile(const struct market *market, int index, int date, struct effort *owner);

/* Takes the years that pass off what is to come of a trade, but for its schedules, which
 * schedule_dates() reads. */
void age_trade(double years, struct trade *trade);

/* A method fills price and its name, and in error what it knows beyond rounding (0 for a closed
 * form). STATUS_FAILED where it cannot price this trade or has no effort left;
 * STATUS_INTERRUPTED, STATUS_NO_MEMORY, STATUS_BAD_INPUT. */
typedef enum status method(const struct problem *problem, struct reference *out);

/* Fills in what no simulation has found. */
static inline void reference_found(struct reference *out, double price, double error,
                                   const char *name)
{
    *out = (struct reference){.price = price, .error = error, .method = name};
}

method reference_at_expiry, reference_dividends; /* european and digital */
method reference_forward_start;
method reference_forward;

/* Returns what money of one unit is worth `years` later: the amount of a trade that is nothing
 * else, and what any trade is owed. */
double reference_money(const struct term_structure *rate, const struct trade *trade, double years);

method reference_asian, reference_asian_geometric;
method reference_barrier; /* one or two, and touches */
method reference_lookback;
method reference_cliquet, reference_variance_swap;
method reference_basket; /* and spread */
method reference_autocallable, reference_american;

/* Tells whether all that a path ever pays is the trade's cash. */
bool reference_pays_cash(const struct trade *trade);

/* Returns the largest amount of money in play: rounding errors are fractions of it, and one path
 * may pay about as much. */
double reference_stake(const struct problem *problem);

/* Where an autocallable has come to. */
struct autocallable_state {
    /* Observations without a coupon since the last one that paid; counted if the trade has
     * memory */
    int missed;
    int observations; /* made so far */
    bool called;
};

/* Returns the payment at an observation of a note that is alive, with the worst of spot over
 * initial spot: the coupons that are due, and the notional where it is called. */
double autocallable_pays(const struct trade *trade, double worst, struct autocallable_state *state);

/* Returns the payment at the expiry of a note that was never called. */
double autocallable_redeems(const struct trade *trade, double worst);

/* Prices any product but american by simulation with the work of about half a second and control
 * variates: for what no other method takes. */
method reference_by_simulation;

/* The same by so many paths, without calls as controls; 0: as above. */
enum status reference_monte_carlo(const struct problem *problem, long paths, struct reference *out);

#endif
