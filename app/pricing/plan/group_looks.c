#include "app/pricing/plan/group_looks.h"

#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/time_grid.h"

/* ---- drafts ---------------------------------------------------------------------------------- */

bool looks_back(const struct observable *o)
{
    return o->within < 0 && !(observation_reads(o->kind) &
                              (READS_TABLE | READS_LEADER | READS_VARIANCE | READS_CLOCK));
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
    int kept = 0, i = 0, j = 0;
    if (!merged) return STATUS_NO_MEMORY;
    while (i < all->n || j < o->n_dates) {
        bool other = i == all->n || (j < o->n_dates && o->dates[j] < all->dates[i]);
        double date = other ? o->dates[j++] : all->dates[i++];
        if (!kept || date > merged[kept - 1] + SAME_DATE) merged[kept++] = date;
    }
    free(all->dates);
    all->dates = merged;
    all->n = kept;
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
    if (merge_dates(o, &draft->carried)) return STATUS_NO_MEMORY;
    return merge_dates(o, &draft->look_dates);
}

double most_look_rows(const struct group_draft *draft)
{
    const struct look_dates *all = &draft->look_dates;
    double of_date = 1.0 + 2.0 * all->drawn;
    return draft->n_observables + of_date * (double)all->n * (double)draft->n_assets;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Numbers chains, and slots within each. An observable is in the chain of what it reads. */
static void number_slots(struct group_draft *draft, struct group *group)
{
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        if (observation_in_row(o->kind)) continue;
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

enum status make_chains(struct group_draft *draft, struct group *group)
{
    size_t n = (size_t)draft->n_observables + 1;
    group->chains = calloc(n, sizeof *group->chains);
    group->look_results = calloc(n, sizeof *group->look_results);
    group->look_initial = calloc(OBSERVABLE_SLOTS * n, sizeof *group->look_initial);
    if (!group->chains || !group->look_results || !group->look_initial) return STATUS_NO_MEMORY;
    number_slots(draft, group);
    place_chains(group);
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        o->row = group->n_rows++;
        if (observation_in_row(o->kind)) continue;
        struct chain *chain = &group->chains[o->chain];
        memcpy(group->look_initial + chain->first_slot + o->slot, o->initial,
               sizeof *o->initial * (size_t)state_slots(o->kind));
        group->look_results[chain->first_result + chain->n_results++] =
            (struct result){o->slot, o->row};
    }
    return STATUS_OK;
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* An observation on its way into its chain. */
struct placed_look {
    int chain;
    struct placed_observation placed;
};

static int compare_looks(const void *a, const void *b)
{
    const struct placed_look *p = a, *q = b;
    if (p->chain != q->chain) return p->chain - q->chain;
    if (p->placed.step != q->placed.step) return p->placed.step - q->placed.step;
    return compare_placed_observations(&p->placed, &q->placed);
}

/* The rows that a walk writes, and what writes them. */
struct look_rows {
    int n_underlyings;
    int *row; /* [step][underlying][which]; -1: none */
    int n, room;
    struct placed_observation *writes; /* [n] */
};

enum { LOOK_X, LOOK_DRAWN, LOOK_DRAWN_TOO, N_LOOK_ROWS };

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
                                     OBSERVATION_DRAWN_SECOND};
    int *row = row_at(rows, look, which);
    if (*row >= 0) return *row;
    struct placed_observation written = *look;
    written.observation = (struct observation){.kind = kinds[which],
                                               .underlying = look->observation.underlying,
                                               .slot = group->n_rows,
                                               .pair = -1};
    if (add_write(rows, &written)) return -1;
    return *row = group->n_rows++;
}

/* Makes the next look of a chain. */
static enum status make_look(const struct placed_look *from, struct look_rows *rows,
                             struct group *group)
{
    struct chain *chain = &group->chains[from->chain];
    struct look *look = &group->looks[group->n_looks];
    const int kind = from->placed.observation.kind;
    *look = (struct look){from->placed.observation, 0, {-1, -1}};
    if (!chain->n_looks++) chain->first_look = group->n_looks;
    group->n_looks++;
    look->x = row_of_look(rows, &from->placed, LOOK_X, group);
    bool there = look->x >= 0;
    for (int z = 0; z < 2 && observation_draws(kind); z++)
        there &= (look->drawn[z] = row_of_look(rows, &from->placed, LOOK_DRAWN + z, group)) >= 0;
    return there ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Parts the observations, which are in the order of observables: those that are written into rows
 * go to the walk, the others into chains. */
static enum status part_observations(const struct group_draft *draft,
                                     const struct placed_observation *placed,
                                     struct look_rows *rows, struct placed_look *looks,
                                     int *n_looks)
{
    enum status status = STATUS_OK;
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int k = 0; k < o->n_dates * o->n_parts; k++, placed++) {
            if (!observation_in_row(o->kind)) {
                looks[(*n_looks)++] = (struct placed_look){o->chain, *placed};
                continue;
            }
            *row_at(rows, placed, LOOK_X) = o->row;
            TRY(add_write(rows, placed));
        }
    }
done:
    return status;
}

enum status make_looks(const struct group_draft *draft, struct group *group,
                       struct placed_observation **placed, int *n)
{
    enum status status = STATUS_OK;
    size_t places = (size_t)group->n_steps * (size_t)group->n_underlyings;
    struct look_rows rows = {.n_underlyings = group->n_underlyings,
                             .row = malloc(sizeof(int) * (N_LOOK_ROWS * places + 1))};
    struct placed_look *looks = malloc(sizeof *looks * ((size_t)*n + 1));
    int n_looks = 0;
    group->looks = malloc(sizeof *group->looks * ((size_t)*n + 1));
    if (!rows.row || !looks || !group->looks) TRY(STATUS_NO_MEMORY);
    for (size_t i = 0; i < N_LOOK_ROWS * places; i++) rows.row[i] = -1;
    TRY(part_observations(draft, *placed, &rows, looks, &n_looks));
    qsort(looks, (size_t)n_looks, sizeof *looks, compare_looks);
    for (int i = 0; i < n_looks; i++) TRY(make_look(&looks[i], &rows, group));
    free(*placed);
    *placed = rows.writes;
    *n = rows.n;
    rows.writes = NULL;
done:
    free(rows.writes);
    free(rows.row);
    free(looks);
    return status;
}
