/* A group of trades while it is being filled, and what it becomes. Used by plan_build.c alone. */
#ifndef PRICER_APP_PRICING_PLAN_GROUP_DRAFT_H
#define PRICER_APP_PRICING_PLAN_GROUP_DRAFT_H

#include "app/pricing/plan/ageing.h"
#include "app/pricing/plan/plan_build.h"
#include "app/pricing/plan/observable_index.h"
#include "models/base/grow.h"
#include "models/dynamics/local_vol_table.h"
#include "models/observables/observable.h"

/* The group that a draft became, and where its observations went: what it has in common with those
 * of drafts that differ from it in numbers alone. */
struct group_layout {
    const struct group *group; /* NULL: none yet, or none that others can be like */
    int *positions;            /* [observation in the order of observables] in the group; owned */
};

/* What rows would be kept for where looks come when paths have ended: the different dates of a
 * draft, and what is read there. They stay counted where an observable is forgotten. */
struct look_dates {
    int n;
    double *dates; /* [n] increasing; owned */
    bool drawn, clocked;
};

/* A group of trades that is not full yet. */
struct group_draft {
    const struct plan_settings *settings;
    const struct market *market;
    /* The same, with as many dates of curves as the grid is to have */
    const struct market *stepped;
    /* The same, or as trades see it by their dates where time has passed */
    const struct market *aged;
    int n_assets;                /* 0: nothing yet */
    int assets[UNDERLYINGS_MAX]; /* indices into the market, increasing */
    int quanto;
    int n_observables, room_observables;
    struct observable *observables;
    struct observable_index index_of_observables; /* of the observables */
    int n_slots;
    int n_walked; /* observables that cannot look when the path has ended (group_looks.h) */
    struct look_dates look_dates;
    /* What walks that carry their observables would take: the dates and the slots of the last one,
     * the dates of those before; and that this is one of them */
    struct look_dates carried;
    int carried_slots, walked_before;
    bool walks;
    size_t n_dates, n_observations; /* of all observables */
    double last;                    /* years to the last of their dates */
    int n_payoffs, room_payoffs;
    struct payoff *payoffs; /* `seen` are indices of observables */
    int *trades;
    /* [payoff] the observables of the trade's functionals; NULL in a draft that is like another */
    int (*asked)[TRADE_FUNCTIONALS];
    int n_programs, room_programs;
    /* In the order of the payoffs; `inputs` are indices of observables; their rows are not known */
    struct group_program *programs;
    const struct group_draft *like; /* that differs from it in numbers alone; NULL: none */
    struct group_layout layout;     /* once it is laid out */
    struct tabled_steps
        tabled; /* of its group, once that is laid out: their tables are to be made */
};

/* An observation on its way to its place: in order of its step, within a step in the order of
 * observables.def, so that what is read comes before its reader, then of dates, which two of one
 * step keep, and within a basket in the order of the assets. */
struct placed_observation {
    int step, date;
    struct observation observation;
};

/* Puts a trade into the draft, which keeps everything it held if the trade does not fit. STATUS_OK
 * with *fits telling whether it went in (slots can be lacking, steps or memory); STATUS_FAILED and
 * `why`: the trade cannot be simulated. */
enum status group_draft_add(struct group_draft *draft, const struct trade *trade, int index,
                            bool *fits, struct message *why);

/* Fills an empty draft with the trades of another one, under its own market; *alike: whether it
 * differs in numbers alone, so that it is what group_draft_add() makes of these trades. Else it is
 * of no use. STATUS_NO_MEMORY. */
enum status group_draft_fill_like(const struct group_draft *like, const struct trade *trades,
                                  struct group_draft *draft, bool *alike);

/* The size of a draft, to which it can be cut back: what was put into it later is forgotten. */
struct group_draft_size {
    int n_observables, n_payoffs, n_programs;
    double last;
};
struct group_draft_size group_draft_size(const struct group_draft *draft);
void group_draft_cut(struct group_draft *draft, struct group_draft_size size);

/* Turns the draft, which gives up its payoffs, into a group: one grid of all its dates, slots, rows
 * and observations, but without the tables of local volatility (surface_tables.h). What the draft
 * is like has its group, and keeps it where it is. STATUS_FAILED and `why`: its assets cannot be
 * simulated over these dates, which goes for all its trades; STATUS_NO_MEMORY.
 * (group_layout.c) */
enum status group_draft_finish(struct group_draft *draft, struct group *group, struct message *why);

/* Releases what the draft holds; settings and markets stay. */
void group_draft_free(struct group_draft *draft);

#endif
