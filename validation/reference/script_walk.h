/* A script as it stands, run on one path at a time: every statement in the order of its date, every
 * expression as it is written. No program is made of it.
 *
 * What a path must show is asked for beforehand: spots on the dates after today, and what the
 * bridges of an asset say from today, or a later date, on. Dates before today read the closes of
 * the binding, today's date today's spots. */
#ifndef PRICER_VALIDATION_REFERENCE_SCRIPT_WALK_H
#define PRICER_VALIDATION_REFERENCE_SCRIPT_WALK_H

#include "models/scripts/script.h"
#include "validation/reference/methods.h"
#include "validation/reference/watch.h"

/* A date of the binding. */
struct script_date {
    double years;    /* from the day that is today for the binding */
    double discount; /* of what is fixed there; 0 for a date before today */
    int parameter, member;
    int rank;   /* among all dates, from 0; dates of one moment have the same */
    int column; /* of a path's spots; -1: not after today */
};

/* A block that runs on a date. */
struct script_event {
    int statement, date, member, rank;
    int first_decision; /* of its exercises */
};

#define SCRIPT_NODE_COST 2.0 /* of an expression or a statement, in operations (effort.h) */

enum { SCRIPT_WATCHES_MOST = 64, SCRIPT_KNOWN_MOST = 8 };

struct old_spot {
    int column, asset;
};

/* An exercise that a path has come to. Money is discounted to today. */
struct script_decision {
    int number; /* among those of all dates, in their order */
    bool issuer;
    double paid; /* before */
    /* What exercise pays, then features: spots of the date, what the script remembers, variances */
    double known[SCRIPT_KNOWN_MOST];
};

/* Tells whether to exercise. */
typedef bool script_decide(void *decider, const struct script_decision *decision);

struct script_walk {
    const struct script *script;
    const struct binding *binding;
    const double *today; /* [asset] */
    struct effort *effort;
    int n_assets, n_dates, n_columns;
    int *first_date;           /* [parameter] of dates */
    struct script_date *dates; /* [n_dates] of one parameter one after the other */
    double *times;             /* [n_columns] years from the day of pricing, > 0, increasing */
    int n_events, n_past, n_decisions;
    struct script_event *events; /* [n_events] in order; the first n_past are before today */
    int *ordinal;                /* [statement] of exercises within their event, from 1 */
    int loops;                   /* of assets, within which the path is */
    struct watch watches[SCRIPT_WATCHES_MOST];
    int n_watches;
    struct old_spot old[SCRIPT_KNOWN_MOST]; /* spots that are read after their dates */
    int n_old;
    script_decide *decide; /* NULL: nobody exercises; the caller sets it */
    void *decider;
    /* ---- of the path that runs */
    const double *spots;   /* [column][asset] */
    const double *watched; /* [watch][column] extremes, probabilities */
    int n_state, *place;   /* [symbol] of a state's first value */
    double *state, *begun; /* [n_state] now; after all that lies before today */
    int *member;           /* [symbol] of a loop */
    int date;              /* of the event that runs; -1: none does */
    struct script_event *event;
    double paid, begun_paid;
    bool stopped, begun_stopped;
    bool listing; /* all that can be watched, by both ways of every condition */
    double ran;   /* expressions and statements */
    bool failed;  /* the effort has why */
};

/* Prepares a script that is priced in the problem's market, `aged` years after the binding's today
 * (which dates after today all lie beyond), and runs what lies before today. today[] are the spots
 * of the binding's today. STATUS_FAILED: a close that is not known, a date that comes
 * before what it reads, what effort.h returns. All that is pointed to
 * must live as long. */
enum status script_walk_make(const struct multi_asset *assets, const struct binding *binding,
                             const double *today, double aged, struct script_walk *walk);

/* Returns how many features a decision looks at: all for which there is room. */
int script_features(const struct script_walk *walk);

/* Finds the value today of all that a path pays from today on. STATUS_FAILED. */
enum status script_walk_run(struct script_walk *walk, const double *spots, const double *watched,
                            double *value);

/* ---- the price ------------------------------------------------------------------------------- */

method reference_script_walk; /* by simulation */

#endif
