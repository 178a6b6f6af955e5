#include "app/pricing/plan/group_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/time_grid.h"
#include "models/payoffs/product_numbers.h"

/* An observation on its way to its place: by its chain, where it is a look of one, and in order of
 * its step, within a step in the order of observables.def, so that what is read comes before its
 * reader, then of dates, which two of one step keep, and within a basket in the order of the
 * assets. */
struct placed_observation {
    int chain, step, date, part;
    struct observation observation;
};

/* ---- rows, slots, tables --------------------------------------------------------------------- */

/* Rows that payoffs read of an observable: its first slots. */
static int rows_of(int on)
{
    return on == OBSERVATION_EXERCISE_SLOPE_APART ? 2 : 1;
}

/* Rows for every observable, slots for all but the spots. What keeps its state within another has
 * no row of its own; the one that it leads to is that other's second. */
static enum status assign_slots(struct group_draft *draft, struct group *group)
{
    group->initial = calloc((size_t)draft->n_slots + 1, sizeof(double));
    group->results = calloc(2 * (size_t)draft->n_observables + 1, sizeof *group->results);
    bool padded = false;
    if (!group->initial || !group->results) return STATUS_NO_MEMORY;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        /* A reader loads two slots of what it reads, also where that has but one */
        padded |= o->source >= 0 && state_slots(draft->observables[o->source].kind) == 1;
        if (o->within >= 0) {
            o->slot = draft->observables[o->within].slot + 2;
            o->row = draft->observables[o->within].row + 1;
            continue;
        }
        o->row = group->n_rows;
        group->n_rows += rows_of(o->kind);
        if (observation_in_row(o->kind)) continue;
        o->slot = group->n_slots;
        for (int r = 0; r < rows_of(o->kind); r++)
            group->results[group->n_results++] = (struct result){o->slot + r, o->row + r};
        for (int s = 0; s < state_slots(o->kind); s++)
            group->initial[group->n_slots++] = o->initial[s];
    }
    group->n_slots += padded;
    return STATUS_OK;
}

/* Room in the group's table for what observables keep there, of four floats at least alignment;
 * policies of exercise begin as "nobody exercises before the last date". */
static enum status assign_tables(struct group_draft *draft, struct group *group)
{
    struct lookup *lookup = &group->lookup;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        if (!o->n_table) continue;
        int begin = (lookup->n + 3) / 4 * 4, end = begin + o->n_table;
        MUST(grow_array(&lookup->table, &lookup->room, end, sizeof *lookup->table));
        memset(lookup->table + lookup->n, 0, sizeof *lookup->table * (size_t)(end - lookup->n));
        for (int d = 0; d + 1 < o->n_dates; d++)
            lookup->table[begin + d * (o->n_table / o->n_dates)] = EXERCISE_NEVER;
        o->table = begin;
        lookup->n = end;
    }
    return STATUS_OK;
}

/* ---- what is looked at when a path has ended: gates ------------------------------------------ */

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

/* Numbers the slots of the observables within their chains and makes the chains, which have no
 * looks yet. */
static enum status make_chains(struct group_draft *draft, struct group *group)
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

/* Compares as qsort wants it. */
static int compare_placed_observations(const void *a, const void *b)
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

/* Makes the looks of all chains from the n observations in the order of observables; leaves in
 * `placed` and *n, in an array made anew, what the walk has to write into rows. */
static enum status make_looks(const struct group_draft *draft, struct group *group,
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
    TRY(make_survival_sets(group));
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

/* ---- observations ---------------------------------------------------------------------------- */

/* Makes a part of an observable's observation on a date; what it looks at is on the group's grid.
 */
static enum status make_observation(const struct group_draft *draft, const struct group *group,
                                    const struct observable *o, int date, int part,
                                    struct observation *made, struct message *why)
{
    *made = (struct observation){
        .slot = observation_in_row(o->kind) ? o->row : o->slot, .source = 0, .pair = -1};
    enum status status = observation_make(draft->aged, o, date, part, made, why);
    if (o->source >= 0) made->source = draft->observables[o->source].slot;
    int u = 0, asset = observation_asset(o, part);
    while (u + 1 < group->n_underlyings && group->underlyings[u].asset != asset) u++;
    made->underlying = (uint16_t)u;
    return status;
}

/* Makes all of them, in the order of observables. */
static enum status make_placed(const struct group_draft *draft, struct group *group,
                               struct placed_observation *placed, struct message *why)
{
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int date = 0, step = 0; date < o->n_dates; date++) {
            step = step_of(group, step, o->dates[date]);
            for (int part = 0; part < o->n_parts; part++, placed++) {
                *placed = (struct placed_observation){.step = step, .date = date, .part = part};
                MUST(make_observation(draft, group, o, date, part, &placed->observation, why));
            }
        }
    }
    return STATUS_OK;
}

/* An underlying draws one pair a step, whatever looks at it. */
static void number_pairs(struct group *group)
{
    for (int j = 0; j < group->n_steps; j++) {
        int pairs[UNDERLYINGS_MAX];
        for (int u = 0; u < group->n_underlyings; u++) pairs[u] = -1;
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            struct observation *t = &group->observations[i];
            if (!observation_draws(t->kind)) continue;
            if (pairs[t->underlying] < 0) pairs[t->underlying] = group->n_pairs++;
            t->pair = pairs[t->underlying];
        }
    }
}

/* Makes the observations and puts them in order. */
static enum status make_observations(const struct group_draft *draft, struct group *group,
                                     struct message *why)
{
    enum status status = STATUS_OK;
    int n = (int)draft->n_observations;
    struct placed_observation *placed = malloc(sizeof *placed * ((size_t)n + 1));
    group->first_observation = calloc((size_t)group->n_steps + 1, sizeof(int));
    if (!placed || !group->first_observation) TRY(STATUS_NO_MEMORY);
    TRY(make_placed(draft, group, placed, why));
    if (group->n_chains) TRY(make_looks(draft, group, &placed, &n));
    group->observations = calloc((size_t)n + 1, sizeof *group->observations);
    if (!group->observations) TRY(STATUS_NO_MEMORY);
    qsort(placed, (size_t)n, sizeof *placed, compare_placed_observations);
    group->n_observations = n;
    for (int i = 0; i < n; i++) {
        group->observations[i] = placed[i].observation;
        group->first_observation[placed[i].step + 1]++;
    }
    for (int j = 0; j < group->n_steps; j++)
        group->first_observation[j + 1] += group->first_observation[j];
    number_pairs(group);
done:
    free(placed);
    return status;
}

/* ---- the group ------------------------------------------------------------------------------- */

/* Returns the row of prices of a spot, which is made when it is first asked for. */
static int price_row_of(struct observable *spot, struct group *group)
{
    if (!spot->price_row) {
        spot->price_row = group->n_rows++;
        group->prices[group->n_prices++] = (struct price_row){spot->row, spot->price_row};
    }
    return spot->price_row;
}

/* Gives programs the first rows, for their values and decisions. */
static void assign_program_rows(struct group_draft *draft, struct group *group)
{
    for (int p = 0; p < draft->n_programs; p++) {
        struct group_program *program = &draft->programs[p];
        program->row = group->n_rows++;
        program->decided = group->n_rows;
        group->n_rows += program->program->n_decisions;
    }
    group->n_payoff_rows = group->n_rows;
}

/* Gives programs the rows of what they read. STATUS_NO_MEMORY. */
static enum status take_programs(struct group_draft *draft, struct group *group)
{
    group->prices = malloc(sizeof *group->prices * ((size_t)draft->n_observables + 1));
    if (!group->prices) return STATUS_NO_MEMORY;
    group->n_programs = draft->n_programs;
    group->programs = draft->programs;
    for (int p = 0; p < group->n_programs; p++) {
        struct group_program *program = &group->programs[p];
        for (int i = 0; i < program->program->n_inputs; i++) {
            struct observable *seen = &draft->observables[program->inputs[i]];
            bool price = program->program->inputs[i].kind == INPUT_PRICE;
            program->inputs[i] = price ? price_row_of(seen, group) : seen->row;
        }
    }
    draft->n_programs = 0;
    draft->programs = NULL;
    return share_values(group);
}

/* Everything but the strike strips, with the draft's market seen by the dates that it has. */
static enum status make_rows(struct group_draft *draft, struct group *group, struct message *why)
{
    MUST(make_grid_dates(draft, group));
    MUST(make_grid_steps(draft, group, why));
    assign_program_rows(draft, group);
    MUST(draft_looks_back(draft) ? make_chains(draft, group) : assign_slots(draft, group));
    MUST(assign_tables(draft, group));
    MUST(make_observations(draft, group, why));
    MUST(take_programs(draft, group));
    for (int i = 0, program = group->n_shared; i < draft->n_payoffs; i++) {
        struct payoff *payoff = &draft->payoffs[i];
        int program_row = payoff->formula == FORMULA_SCRIPT ? group->programs[program++].row : -1;
        for (int s = 0; s < 3; s++) {
            payoff->rows[s] =
                program_row >= 0 ? program_row : draft->observables[payoff->rows[s]].row;
            if (payoff->rows[s] >= group->n_payoff_rows) group->n_payoff_rows = payoff->rows[s] + 1;
        }
    }
    group->n_payoffs = draft->n_payoffs;
    group->payoffs = draft->payoffs;
    group->trades = draft->trades;
    draft->payoffs = NULL;
    draft->trades = NULL;
    return STATUS_OK;
}

/* The draft's market as time passes for its own dates. */
static enum status age_for_dates(const struct group_draft *draft, struct market *aged)
{
    const struct market *market = draft->market;
    const struct ageing ageing = group_ageing(draft, draft->settings->time_passed);
    bool *wanted = calloc((size_t)market->n_assets + 1, sizeof *wanted);
    if (!wanted) return STATUS_NO_MEMORY;
    for (int u = 0; u < draft->n_assets; u++) wanted[draft->assets[u]] = true;
    for (int i = 0; i < draft->quanto.n; i++) wanted[draft->quanto.fx[i]] = true;
    enum status status = age_market(&ageing, market, wanted, aged);
    for (int i = 0; !status && i < market->n_currencies; i++)
        aged->currencies[i].before = &market->currencies[i].rate,
        aged->currencies[i].passed = draft->settings->time_passed;
    free(wanted);
    return status;
}

enum status group_draft_finish(struct group_draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    const struct market *seen = draft->aged;
    struct market aged = {0};
    *group = (struct group){.n_markets = 1, .follows = -1};
    if (draft->settings->time_passed != 0.0) {
        TRY(age_for_dates(draft, &aged));
        draft->aged = &aged;
    }
    TRY(make_rows(draft, group, why));
    if (draft->settings->path_by_path || draft->settings->antithetic)
        group->n_single = group->n_payoffs;
    else TRY(make_strike_strips(group));
done:
    draft->aged = seen;
    aged_market_free(&aged);
    return status;
}
