/* From what a trade asks of its path to what the engines do at each date: the coefficients of
 * observables.h. Host only. */
#ifndef PRICER_MODELS_OBSERVABLES_OBSERVABLE_H
#define PRICER_MODELS_OBSERVABLES_OBSERVABLE_H

#include "models/observables/observables.h"
#include "models/payoffs/payoff_definition.h"

enum { OBSERVABLE_SLOTS = 4 };

/* One observable of a group, laid out in time. */
struct observable {
    struct functional functional;
    int kind; /* enum observation_kind of most of its observations; slots are counted by it */
    int n_dates;
    double *dates; /* [n_dates] years, > 0, increasing; owned */
    int n_parts;   /* observations of a date: one, or as many as a basket has assets */
    /* log2 of the functional's levels; -HUGE_VAL and HUGE_VAL where there is none */
    double low, high;
    double initial[OBSERVABLE_SLOTS]; /* state before the first observation */
    /* Index, in the group's list, of the observable that it reads (READS_SOURCE:
     * functional.source); -1 */
    int source;
    int within; /* likewise, of the one behind whose memory it keeps its state; -1 */
    /* Floats of the group's table that are its own: the policy of an exercise; else 0 */
    int n_table;
    int slot, row; /* where the plan put it */
    /* While a draft is filled: the observable that heads its chain, of which that has the slots of
     * all; then, of one that looks when the path has ended, its chain's number */
    int chain, chain_slots;
    /* Of a fence that becomes a gate: the chains of the least and the greatest on its dates */
    int lowest, highest; /* -1: none */
    int price_row;       /* of a spot whose price a program reads: of that; else 0 */
    int table; /* where the plan put the first of the n_table; observation_make() counts from it */
};

/* Returns the number of slots of state of a kind of observation, what it reads (a sum of enum
 * reads), and whether it is drawn between dates from the bridge normals. */
int observation_slots(int kind);
int observation_reads(int kind);
bool observation_draws(int kind);

/* Fills the state that an observable has today. What is paid today is discounted as the market
 * says. */
void observable_begin(const struct market *market, struct observable *observable);

/* Lays out the observable that `functional` asks for. `max_step`: years between the dates on which
 * a barrier monitored continuously is looked at where the model's variance is not known beforehand.
 * STATUS_FAILED and `why` where it cannot be done for these numbers, STATUS_NO_MEMORY. `dates` is
 * to be freed by the caller. */
enum status observable_lay_out(const struct market *market, const struct functional *functional,
                               double max_step, struct observable *observable, struct message *why);

/* Fills the coefficients and the kind of a part of its i-th date (the observation's slot, source,
 * pair and underlying are the plan's work). STATUS_FAILED as above. */
enum status observation_make(const struct market *market, const struct observable *observable,
                             int i, int part, struct observation *observation, struct message *why);

/* Returns the index into the market of the asset that a part looks at. */
int observation_asset(const struct observable *observable, int part);

/* Tells whether two functionals are for the same observable (`source` and the trade itself aside:
 * what it reads is the same where all else is). */
bool functional_equal(const struct functional *a, const struct functional *b);

#endif
