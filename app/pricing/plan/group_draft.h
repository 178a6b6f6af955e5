/* A group of trades while it is being filled, and what it becomes. Used by plan/ alone. */
#ifndef PRICER_APP_PRICING_PLAN_GROUP_DRAFT_H
#define PRICER_APP_PRICING_PLAN_GROUP_DRAFT_H

#include "app/pricing/plan/plan_build.h"
#include "models/base/grow.h"
#include "models/dynamics/local_vol_table.h"
#include "models/observables/observable.h"

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
    struct quanto quanto;
    int n_observables, room_observables;
    struct observable *observables;
    int n_slots;
    int n_walked; /* observables that cannot look when the path has ended */
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
    int n_programs, room_programs;
    /* In the order of the payoffs; `inputs` are indices of observables; their rows are not known */
    struct group_program *programs;
    /* Of its group, once that is laid out: their tables are to be made */
    struct tabled_steps tabled;
};

/* Puts a trade into the draft, which keeps everything it held if the trade does not fit. STATUS_OK
 * with *fits telling whether it went in (slots can be lacking, steps or memory); STATUS_FAILED and
 * `why`: the trade cannot be simulated. */
enum status group_draft_add(struct group_draft *draft, const struct trade *trade, int index,
                            bool *fits, struct message *why);

/* The size of a draft, to which it can be cut back: what was put into it later is forgotten. */
struct group_draft_size {
    int n_observables, n_payoffs, n_programs;
    double last;
};
struct group_draft_size group_draft_size(const struct group_draft *draft);
void group_draft_cut(struct group_draft *draft, struct group_draft_size size);

/* Returns the slots of a kind of observable; what is but written down lives in its row. */
int state_slots(int on);

/* Tells whether the paths of the draft are looked at when they have ended. */
bool draft_looks_back(const struct group_draft *draft);

/* Tells whether that pays: whether walks that carry what their trades remember would take twice as
 * many steps, or more. A step costs about as much as it saves to leave it in a row. */
bool looking_back_pays(const struct group_draft *draft);

/* Turns the draft, which gives up its payoffs, into a group: one grid of all its dates, slots, rows
 * and observations, but without the tables of local volatility (surface_tables.c). STATUS_FAILED
 * and `why`: its assets cannot be simulated over these dates, which goes for all its trades;
 * STATUS_NO_MEMORY. (group_layout.c) */
enum status group_draft_finish(struct group_draft *draft, struct group *group, struct message *why);

/* Returns an empty draft of the same settings and markets. */
struct group_draft group_draft_like(const struct group_draft *draft);

/* Releases what the draft holds; settings and markets stay. */
void group_draft_free(struct group_draft *draft);

/* Moves the european and digital payoffs of every row that has at least STRIP_PAYOFFS_MIN of them
 * behind the others and lays out their strike strips. */
enum status make_strike_strips(struct group *group);

/* Finds the survival sets of a group, whose looks are made. STATUS_NO_MEMORY. */
enum status make_survival_sets(struct group *group);

/* Puts programs that make shared values before those of the group, which are cut down to what they
 * have of their own. Depends on no market, so that groups under other markets stay alike.
 * STATUS_NO_MEMORY: the group can still be freed. (shared_values.c) */
enum status share_values(struct group *group);

/* ---- tables of local volatility (surface_tables.c) ------------------------------------------- */

/* A group whose steps are laid out. */
struct tabled_group {
    const struct market *market;
    struct group *group;
    struct tabled_steps steps; /* its own, in order */
    enum status status;        /* STATUS_FAILED: its assets cannot be simulated over these dates */
    double fails;              /* and the first of its dates that they cannot reach; 0: none */
    struct message why;
};

/* Makes the tables of n groups and the coefficients that refer to them, the same for any team and
 * engine of the settings; what cannot be made is said of its group.
 * STATUS_NO_MEMORY, STATUS_INTERRUPTED. */
enum status surface_tables_make(int n, struct tabled_group *const *groups,
                                const struct plan_settings *settings);

#endif
