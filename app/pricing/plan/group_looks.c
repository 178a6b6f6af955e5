#include "app/pricing/plan/group_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/time_grid.h"

/* ---- drafts ---------------------------------------------------------------------------------- */

int state_slots(int on)
{
    return observation_in_row(on) ? 0 : observation_slots(on);
}

bool looks_back(const struct observable *o)
{
    const int on_the_way = READS_TABLE | READS_LEADER | READS_VARIANCE;
    if (observation_in_row(o->kind)) return true; /* the walk writes it in any case */
    return o->within < 0 && !(observation_reads(o->kind) & on_the_way);
}

bool draft_looks_back(const struct group_draft *draft)
{
    return draft->n_slots > GROUP_SLOTS && !draft->n_walked && !draft->walks;
}

bool looking_back_pays(const struct group_draft *draft)
{
    return draft->walked_before + draft->carried.n >= 2 * draft->look_dates.n;
}

/* Merges the dates of an observable into a list. */
static enum status merge_dates(const struct observable *o, struct look_dates *all)
{
    size_t n = (size_t)all->n + (size_t)o->n_dates;
    double *merged = malloc(sizeof *merged * (n + 1));
    int n_merged = 0, i = 0, j = 0;
    if (!merged) return STATUS_NO_MEMORY;
    while (i < all->n || j < o->n_dates) {
        bool other = i == all->n || (j < o->n_dates && o->dates[j] < all->dates[i]);
        double date = other ? o->dates[j++] : all->dates[i++];
        if (!n_merged || date > merged[n_merged - 1] + SAME_DATE) merged[n_merged++] = date;
    }
    free(all->dates);
    all->dates = merged;
    all->n = n_merged;
    return STATUS_OK;
}

enum status count_look_dates(struct group_draft *draft, const struct observable *o)
{
    const int slots = state_slots(o->kind);
    if (draft->carried_slots + slots > GROUP_SLOTS) {
        draft->walked_before += draft->carried.n;
        draft->carried.n = draft->carried_slots = 0;
    }
    draft->carried_slots += slots;
    draft->look_dates.drawn |= observation_draws(o->kind);
    draft->look_dates.clocked |= (observation_reads(o->kind) & READS_CLOCK) != 0;
    if (merge_dates(o, &draft->carried)) return STATUS_NO_MEMORY;
    return merge_dates(o, &draft->look_dates);
}

double most_look_rows(const struct group_draft *draft)
{
    const struct look_dates *all = &draft->look_dates;
    double date_rows = 1.0 + 2.0 * all->drawn + all->clocked;
    return draft->n_observables + date_rows * (double)all->n * (double)draft->n_assets;
}

/* ---- gates ----------------------------------------------------------------------------------- */

/* Tells whether two observables look at one asset on the same dates. */
static bool same_dates(const struct observable *a, const struct observable *b)
{
    return observation_asset(a, 0) == observation_asset(b, 0) && a->n_dates == b->n_dates &&
           !memcmp(a->dates, b->dates, sizeof *a->dates * (size_t)a->n_dates);
}

static bool is_gate(const struct observable *o)
{
    return o->kind == OBSERVATION_FENCE && (o->lowest >= 0 || o->highest >= 0);
}

/* Begins the chain of an extreme, which is in the first of its slots. */
static int begin_extreme(struct group *group)
{
    group->chains[group->n_chains] = (struct chain){.n_slots = 1, .n_results = 1};
    return group->n_chains++;
}

/* Gives a fence the chains of its extremes: those of `first`, whose dates it shares and which is
 * given what it lacks. */
static void share_extremes(struct observable *first, struct observable *o, struct group *group)
{
    if (o->low > -HUGE_VAL && first->lowest < 0) first->lowest = begin_extreme(group);
    if (o->high < HUGE_VAL && first->highest < 0) first->highest = begin_extreme(group);
    o->lowest = o->low > -HUGE_VAL ? first->lowest : -1;
    o->highest = o->high < HUGE_VAL ? first->highest : -1;
}

/* Finds the fences that are gates: those that nothing reads, on dates that another one has. Lists
 * the first of each dates in `firsts` [observable]. */
static void find_gates(struct group_draft *draft, struct group *group, bool *read, int *firsts)
{
    struct observable *all = draft->observables;
    int n = 0;
    for (int i = 0; i < draft->n_observables; i++) {
        read[i] = false;
        if (all[i].source >= 0) read[all[i].source] = true;
    }
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &all[i];
        int k = 0;
        o->lowest = o->highest = -1;
        if (o->kind != OBSERVATION_FENCE || read[i]) continue;
        while (k < n && !same_dates(&all[firsts[k]], o)) k++;
        if (k == n) firsts[n++] = i;
        else {
            struct observable *first = &all[firsts[k]];
            if (!is_gate(first)) share_extremes(first, first, group);
            share_extremes(first, o, group);
        }
    }
}

/* Returns the row of the extreme of a chain, which begins as `initial`; -1 of none. */
static int row_of_extreme(struct group *group, int c, double initial)
{
    if (c < 0) return -1;
    struct chain *chain = &group->chains[c];
    struct result *result = &group->look_results[chain->first_result];
    if (!chain->n_results++) *result = (struct result){0, group->n_rows++};
    chain->n_results = 1;
    group->look_initial[chain->first_slot] = initial;
    return result->row;
}

/* Makes the gates, whose observables have their rows, and the rows of their extremes. */
static void make_gates(const struct group_draft *draft, struct group *group)
{
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        if (!is_gate(o)) continue;
        struct gate *gate = &group->gates[group->n_gates++];
        *gate =
            (struct gate){.low = o->low, .high = o->high, .alive = o->initial[0], .row = o->row};
        gate->lowest = row_of_extreme(group, o->lowest, HUGE_VAL);
        gate->highest = row_of_extreme(group, o->highest, -HUGE_VAL);
    }
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Numbers chains, and slots within each. An observable is in the chain of what it reads. */
static void number_slots(struct group_draft *draft, struct group *group)
{
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        if (observation_in_row(o->kind) || is_gate(o)) continue;
        o->chain = o->source < 0 ? group->n_chains++ : draft->observables[o->source].chain;
        struct chain *chain = &group->chains[o->chain];
        o->slot = chain->n_slots;
        chain->n_slots += state_slots(o->kind);
        chain->n_results++;
    }
}

/* Gives every chain its part of the slots and of the results. A reader loads two slots of what it
 * reads, which may have one. */
static void place_chains(struct group *group)
{
    int slots = 0, results = 0;
    for (int c = 0; c < group->n_chains; c++) {
        struct chain *chain = &group->chains[c];
        chain->n_slots += chain->n_results > 1;
        chain->first_slot = slots;
        chain->first_result = results;
        slots += chain->n_slots;
        results += chain->n_results;
        chain->n_results = 0;
        if (chain->n_slots > group->chain_slots) group->chain_slots = chain->n_slots;
    }
}

/* Gives every observable its row, and those of chains what begins and ends there. */
static void make_results(struct group_draft *draft, struct group *group)
{
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        o->row = group->n_rows++;
        if (observation_in_row(o->kind) || is_gate(o)) continue;
        struct chain *chain = &group->chains[o->chain];
        memcpy(group->look_initial + chain->first_slot + o->slot, o->initial,
               sizeof *o->initial * (size_t)state_slots(o->kind));
        group->look_results[chain->first_result + chain->n_results++] =
            (struct result){o->slot, o->row};
    }
}

enum status make_chains(struct group_draft *draft, struct group *group)
{
    enum status status = STATUS_OK;
    size_t n = (size_t)draft->n_observables + 1;
    bool *read = malloc(n * sizeof *read);
    int *firsts = malloc(n * sizeof *firsts);
    group->chains = calloc(2 * n, sizeof *group->chains);
    group->look_results = calloc(2 * n, sizeof *group->look_results);
    group->look_initial = calloc(OBSERVABLE_SLOTS * n, sizeof *group->look_initial);
    group->gates = malloc(n * sizeof *group->gates);
    if (!read || !firsts || !group->chains || !group->look_results || !group->look_initial ||
        !group->gates)
        TRY(STATUS_NO_MEMORY);
    find_gates(draft, group, read, firsts);
    number_slots(draft, group);
    place_chains(group);
    make_results(draft, group);
    make_gates(draft, group);
done:
    free(read);
    free(firsts);
    return status;
}

int compare_placed_observations(const void *a, const void *b)
{
    const struct placed_observation *p = a, *q = b;
    const struct observation *one = &p->observation, *other = &q->observation;
    const int differ[] = {p->chain - q->chain,     p->step - q->step,
                          one->kind - other->kind, one->slot - other->slot,
                          p->date - q->date,       one->underlying - other->underlying,
                          p->part - q->part};
    for (size_t i = 0; i < sizeof differ / sizeof *differ; i++)
        if (differ[i]) return differ[i];
    return 0;
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* Looks on their way into their chains. */
struct look_list {
    int n;
    struct placed_observation *looks;
    bool *begun; /* [chain] whether an extreme has its looks */
};

/* The rows that a walk writes, and what writes them. */
struct look_rows {
    int n_underlyings;
    int *row; /* [step][underlying][which]; -1: none */
    int n, room;
    struct placed_observation *writes; /* [n] */
};

enum { LOOK_X, LOOK_DRAWN, LOOK_DRAWN_TOO, LOOK_CLOCK, N_LOOK_ROWS };

static int *row_at(const struct look_rows *rows, const struct placed_observation *placed, int which)
{
    int place = placed->step * rows->n_underlyings + placed->observation.underlying;
    return &rows->row[place * N_LOOK_ROWS + which];
}

/* Takes an observation that is written into a row into the walk. */
static enum status add_write(struct look_rows *rows, const struct placed_observation *placed)
{
    if (grow_array(&rows->writes, &rows->room, rows->n + 1, sizeof *rows->writes))
        return STATUS_NO_MEMORY;
    rows->writes[rows->n++] = *placed;
    return STATUS_OK;
}

/* Returns the row of what a look reads; the walk is to write it when it is first asked for. -1
 * without memory. */
static int row_of_look(struct look_rows *rows, const struct placed_observation *look, int which,
                       struct group *group)
{
    static const uint16_t kinds[] = {OBSERVATION_SPOT, OBSERVATION_DRAWN_FIRST,
                                     OBSERVATION_DRAWN_SECOND, OBSERVATION_CLOCK};
    int *row = row_at(rows, look, which);
    if (*row >= 0) return *row;
    struct placed_observation written = *look;
    written.chain = 0;
    written.observation = (struct observation){.kind = kinds[which],
                                               .underlying = look->observation.underlying,
                                               .slot = group->n_rows,
                                               .pair = -1};
    if (add_write(rows, &written)) return -1;
    return *row = group->n_rows++;
}

static enum status make_look(const struct placed_observation *from, struct look_rows *rows,
                             struct group *group)
{
    struct chain *chain = &group->chains[from->chain];
    struct look *look = &group->looks[group->n_looks];
    const int kind = from->observation.kind;
    *look = (struct look){from->observation, 0, {-1, -1}, -1};
    if (!chain->n_looks++) chain->first_look = group->n_looks;
    group->n_looks++;
    look->x = row_of_look(rows, from, LOOK_X, group);
    bool there = look->x >= 0;
    for (int z = 0; z < 2 && observation_draws(kind); z++)
        there &= (look->drawn[z] = row_of_look(rows, from, LOOK_DRAWN + z, group)) >= 0;
    if (observation_reads(kind) & READS_CLOCK)
        there &= (look->clock = row_of_look(rows, from, LOOK_CLOCK, group)) >= 0;
    return there ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Takes looks for an extreme on the dates of a gate, if it is the first of those that share it. */
static void take_extreme(const struct observable *o, int chain, uint16_t kind,
                         const struct placed_observation *placed, struct look_list *looks)
{
    if (chain < 0 || looks->begun[chain]) return;
    looks->begun[chain] = true;
    for (int d = 0; d < o->n_dates; d++) {
        struct placed_observation *look = &looks->looks[looks->n++];
        *look = placed[d];
        look->chain = chain;
        look->observation.kind = kind;
        look->observation.slot = 0;
    }
}

/* Parts the observations, which are in the order of observables: those that are written into rows
 * go to the walk, the others into chains. */
static enum status part_observations(const struct group_draft *draft,
                                     const struct placed_observation *placed,
                                     struct look_rows *rows, struct look_list *looks)
{
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        if (is_gate(o)) {
            take_extreme(o, o->lowest, OBSERVATION_LOW, placed, looks);
            take_extreme(o, o->highest, OBSERVATION_HIGH, placed, looks);
            placed += o->n_dates;
            continue;
        }
        for (int k = 0; k < o->n_dates * o->n_parts; k++, placed++) {
            if (!observation_in_row(o->kind)) {
                looks->looks[looks->n] = *placed;
                looks->looks[looks->n++].chain = o->chain;
                continue;
            }
            if (o->kind == OBSERVATION_SPOT) *row_at(rows, placed, LOOK_X) = o->row;
            MUST(add_write(rows, placed));
        }
    }
    return STATUS_OK;
}

enum status make_looks(const struct group_draft *draft, struct group *group,
                       struct placed_observation **placed, int *n)
{
    enum status status = STATUS_OK;
    size_t places = (size_t)group->n_steps * (size_t)group->n_underlyings;
    struct look_rows rows = {.n_underlyings = group->n_underlyings,
                             .row = malloc(sizeof(int) * (N_LOOK_ROWS * places + 1))};
    const size_t most = 2 * (size_t)*n + 1; /* a gate may have two for each of its dates */
    struct look_list looks = {.looks = malloc(sizeof *looks.looks * most),
                              .begun = calloc((size_t)group->n_chains, sizeof *looks.begun)};
    group->looks = malloc(sizeof *group->looks * most);
    group->n_result_rows = group->n_rows;
    if (!rows.row || !looks.looks || !looks.begun || !group->looks) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < N_LOOK_ROWS * places; i++) rows.row[i] = -1;
    TRY(part_observations(draft, *placed, &rows, &looks));
    qsort(looks.looks, (size_t)looks.n, sizeof *looks.looks, compare_placed_observations);
    for (int i = 0; i < looks.n; i++) TRY(make_look(&looks.looks[i], &rows, group));
    free(*placed);
    *placed = rows.writes;
    *n = rows.n;
    rows.writes = NULL;
done:
    free(rows.writes);
    free(rows.row);
    free(looks.looks);
    free(looks.begun);
    return status;
}
