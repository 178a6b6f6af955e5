#include "app/pricing/plan/group_draft.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pricing/plan/time_grid.h"
#include "app/pricing/plan/strike_strips.h"
#include "models/math/constants.h"

/* ---- filling --------------------------------------------------------------------------------- */

/* What is but written down lives in its row, not in a slot. */
static int state_slots(int on)
{
    return observation_in_row(on) ? 0 : observation_slots(on);
}

static enum status grow(void **array, int *room, int needed, size_t size)
{
    if (needed <= *room) return STATUS_OK;
    int more = *room ? 2 * *room : 16;
    while (more < needed) more *= 2;
    void *larger = realloc(*array, (size_t)more * size);
    if (!larger) return STATUS_NO_MEMORY;
    *array = larger;
    *room = more;
    return STATUS_OK;
}

/* Whether the observations of an observable can be computed, before it is taken in. */
static enum status try_observations(const struct group_draft *draft, const struct observable *o,
                                    struct message *why)
{
    struct observation observation;
    int asset;
    for (int i = 0; i < o->n_dates; i++)
        for (int part = 0; part < o->n_parts; part++) {
            enum status status =
                observation_make(draft->aged, o, i, part, &observation, &asset, why);
            if (status) return status;
        }
    return STATUS_OK;
}

/* Index of the observable that `functional` asks for, laid out and added where the draft has none
 * such yet. */
static enum status add_observable(struct group_draft *draft, const struct functional *functional,
                                  const int *where, int *index, struct message *why)
{
    enum status status = STATUS_OK;
    struct observable added = {0};
    *index = observable_index_find(&draft->index_of_observables, draft->observables, functional);
    if (*index >= 0) return STATUS_OK;
    TRY(grow((void **)&draft->observables, &draft->room_observables, draft->n_observables + 1,
             sizeof added));
    TRY(observable_lay_out(draft->stepped, functional, draft->settings->max_step, &added, why));
    TRY(try_observations(draft, &added, why));
    if (functional->source >= 0) added.source = where[functional->source];
    draft->observables[draft->n_observables] = added;
    TRY(observable_index_add(&draft->index_of_observables, draft->observables));
    draft->n_slots += state_slots(added.kind);
    draft->n_dates += (size_t)added.n_dates;
    draft->n_observations += (size_t)added.n_dates * (size_t)added.n_parts;
    if (added.n_dates) draft->last = fmax(draft->last, added.dates[added.n_dates - 1]);
    *index = draft->n_observables++;
    return STATUS_OK;
done:
    free(added.dates);
    return status;
}

/* Goes back to the first n observables, whose last date is `last` years away. */
static void forget_observables(struct group_draft *draft, int n, double last)
{
    draft->last = last;
    while (draft->n_observables > n) {
        struct observable *gone = &draft->observables[--draft->n_observables];
        observable_index_forget_last(&draft->index_of_observables, draft->observables);
        draft->n_slots -= state_slots(gone->kind);
        draft->n_dates -= (size_t)gone->n_dates;
        draft->n_observations -= (size_t)gone->n_dates * (size_t)gone->n_parts;
        free(gone->dates);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Touches by step, within a step in the order of observables.def, so that what is read comes before
 * its reader, then of dates, which two of one step keep, and within a basket in the order of the
 * assets. */
struct placed_observation {
    int step, date;
    struct observation observation;
};

enum { STEP_BYTES = 96 }; /* of a step beside its coefficients, tables and normals */

/* Bytes that a step takes, at most: where normals of Sobol points, or of several scenarios, are
 * there at once, a thread keeps those of PATH_LANES paths. */
static double step_bytes(const struct group_draft *draft)
{
    double bytes = STEP_BYTES;
    for (int u = 0; u < draft->n_assets; u++) {
        enum model model = draft->market->assets[draft->assets[u]].model;
        bytes +=
            (double)(sizeof(double) * (size_t)model_coefficients(model) + model_step_bytes(model));
        if (draft->settings->points || draft->settings->path_by_path)
            bytes += (double)(sizeof(float) * PATH_LANES * (size_t)model_factors(model));
    }
    return bytes;
}

/* Refuses a draft whose group would be too large: by what its dates, cuts and tables come to at
 * most, in doubles, so that no count is cast to an integer before it is known to be small. */
static enum status check_size(const struct group_draft *draft, struct message *why)
{
    double longest, steps = (double)draft->n_dates + most_extra_steps(draft, &longest);
    double bytes = steps * step_bytes(draft) +
                   (double)draft->n_observations *
                       (double)(sizeof(struct observation) + sizeof(struct placed_observation));
    if (steps > GROUP_STEPS)
        snprintf(why->text, sizeof why->text,
                 "its paths would have %.3g steps, and %d are the most%s", steps, GROUP_STEPS,
                 isfinite(longest) ? ": choose a longer max_step" : "");
    else if (bytes > GROUP_BYTES)
        snprintf(why->text, sizeof why->text,
                 "its paths of %.3g steps would take %.3g MB to lay out, and %.3g are the most%s",
                 steps, 1e-6 * bytes, 1e-6 * GROUP_BYTES,
                 isfinite(longest) ? ": choose a longer max_step" : "");
    else return STATUS_OK;
    return STATUS_FAILED;
}

/* Variance of ln S to expiry, generously. */
static double furthest_variance(const struct asset *a, double expiry)
{
    struct variance_law law = variance_law(a);
    double variance = a->variance.n ? term_accrued(&a->variance, expiry) : 0.0;
    double greatest = 0.0,
           of_a_jump = a->jumps.mean * a->jumps.mean + a->jumps.stdev * a->jumps.stdev;
    for (int i = 0; i < a->surface.n_times * a->surface.n_strikes; i++)
        greatest = fmax(greatest, a->surface.vols[i]);
    variance += (greatest * greatest + fmax(law.today, law.usual)) * expiry;
    return variance + a->jumps.intensity * expiry * of_a_jump;
}

/* log2 S must stay within what path_exp2 takes, twelve standard deviations included. */
static enum status check_range(const struct market *market, const struct trade *trade,
                               struct message *why)
{
    for (int i = 0; i < trade->n_assets; i++) {
        const struct asset *a = &market->assets[trade->assets[i]];
        double rate = term_accrued(&market->currencies[a->currency].rate, trade->expiry);
        double yield = term_accrued(&a->yield, trade->expiry);
        double variance = furthest_variance(a, trade->expiry);
        double furthest = fabs(exact_log2(a->spot)) +
                          (fabs(rate) + fabs(yield) + 0.5 * variance + 12.0 * sqrt(variance)) / LN2;
        if (furthest < 900.0) continue;
        snprintf(why->text, sizeof why->text,
                 "the spot may leave the range of a double by expiry (log2 up to %.6g)",
                 fmin(furthest, DBL_MAX));
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

enum status group_draft_add(struct group_draft *draft, const struct trade *trade, int index,
                            bool *fits, struct message *why)
{
    enum status status = STATUS_OK;
    struct payoff_definition definition;
    double last = draft->last;
    int before = draft->n_observables,
        where[sizeof definition.functionals / sizeof *definition.functionals] = {0},
        room = draft->room_payoffs;
    TRY(check_range(draft->market, trade, why));
    payoff_define(draft->aged, trade, &definition);
    for (int i = 0; i < definition.n_functionals; i++)
        TRY(add_observable(draft, &definition.functionals[i], where, &where[i], why));
    *fits = draft->n_slots <= GROUP_SLOTS || !draft->n_payoffs;
    if (!*fits) goto done;
    status = check_size(draft, why);
    if (status && draft->n_payoffs) { /* alone it may do */
        why->text[0] = '\0';
        *fits = false;
        status = STATUS_OK;
        goto done;
    }
    TRY(status);
    TRY(grow((void **)&draft->trades, &room, draft->n_payoffs + 1, sizeof *draft->trades));
    TRY(grow((void **)&draft->payoffs, &draft->room_payoffs, draft->n_payoffs + 1,
             sizeof *draft->payoffs));
    for (int i = 0; i < 3; i++) definition.payoff.rows[i] = where[definition.payoff.rows[i]];
    draft->payoffs[draft->n_payoffs] = definition.payoff;
    draft->trades[draft->n_payoffs++] = index;
    return STATUS_OK;
done:
    forget_observables(draft, before, last);
    return status;
}

struct group_draft_size group_draft_size(const struct group_draft *draft)
{
    return (struct group_draft_size){draft->n_observables, draft->n_payoffs, draft->last};
}

void group_draft_cut(struct group_draft *draft, struct group_draft_size size)
{
    forget_observables(draft, size.n_observables, size.last);
    draft->n_payoffs = size.n_payoffs;
}

/* ---- finishing ------------------------------------------------------------------------------- */

/* Rows for every observable, slots for all but the spots. */
static enum status assign_slots(struct group_draft *draft, struct group *group)
{
    group->initial = calloc((size_t)draft->n_slots + 1, sizeof(double));
    group->results = calloc((size_t)draft->n_observables + 1, sizeof *group->results);
    if (!group->initial || !group->results) return STATUS_NO_MEMORY;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        o->row = group->n_rows++;
        if (observation_in_row(o->kind)) continue;
        o->slot = group->n_slots;
        group->results[group->n_results++] = (struct result){o->slot, o->row};
        for (int s = 0; s < state_slots(o->kind); s++)
            group->initial[group->n_slots++] = o->initial[s];
    }
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
        enum status status =
            grow((void **)&lookup->table, &lookup->room, end, sizeof *lookup->table);
        if (status) return status;
        memset(lookup->table + lookup->n, 0, sizeof *lookup->table * (size_t)(end - lookup->n));
        for (int t = begin; t + EXERCISE_TERMS < end; t += EXERCISE_TERMS)
            lookup->table[t] = EXERCISE_NEVER;
        o->table = begin;
        lookup->n = end;
    }
    return STATUS_OK;
}

/* A reader loads two slots of what it reads, also where that has but one. */
static void pad_slots(const struct group_draft *draft, struct group *group)
{
    bool lacking = false;
    for (int i = 0; i < draft->n_observables; i++) {
        int underlier = draft->observables[i].source;
        lacking |= underlier >= 0 && state_slots(draft->observables[underlier].kind) == 1;
    }
    group->n_slots += lacking;
}

static int compare_placed_observations(const void *a, const void *b)
{
    const struct placed_observation *p = a, *q = b;
    if (p->step != q->step) return p->step - q->step;
    if (p->observation.kind != q->observation.kind)
        return p->observation.kind - q->observation.kind;
    if (p->observation.slot != q->observation.slot)
        return p->observation.slot - q->observation.slot;
    if (p->date != q->date) return p->date - q->date;
    return p->observation.underlying - q->observation.underlying;
}

/* Position of an asset of the market among the group's. */
static uint16_t underlying_of(const struct group *group, int asset)
{
    int u = 0;
    while (u + 1 < group->n_underlyings && group->underlyings[u].asset != asset) u++;
    return (uint16_t)u;
}

static enum status place_observations(const struct group_draft *draft, struct group *group,
                                      struct placed_observation *placed, struct message *why)
{
    int n = 0, asset = 0;
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int k = 0, step = 0; k < o->n_dates * o->n_parts; k++) {
            struct observation observation = {
                .slot = observation_in_row(o->kind) ? o->row : o->slot, .source = 0, .pair = -1};
            enum status status = observation_make(draft->aged, o, k / o->n_parts, k % o->n_parts,
                                                  &observation, &asset, why);
            if (status) return status;
            if (o->source >= 0) observation.source = draft->observables[o->source].slot;
            observation.underlying = underlying_of(group, asset);
            int date = k / o->n_parts;
            step = step_of(group, step, o->dates[date]);
            placed[n++] = (struct placed_observation){step, date, observation};
        }
    }
    qsort(placed, (size_t)n, sizeof *placed, compare_placed_observations);
    group->n_observations = n;
    return STATUS_OK;
}

static void number_pairs(struct group *group)
{
    for (int j = 0; j < group->n_steps; j++) {
        bool drawn = false;
        for (int i = group->first_observation[j]; i < group->first_observation[j + 1]; i++) {
            if (!observation_draws(group->observations[i].kind)) continue;
            group->observations[i].pair = group->n_pairs;
            drawn = true;
        }
        if (drawn) group->n_pairs++;
    }
}

static enum status make_observations(const struct group_draft *draft, struct group *group,
                                     struct message *why)
{
    enum status status = STATUS_OK;
    size_t n = 1;
    for (int i = 0; i < draft->n_observables; i++)
        n += (size_t)draft->observables[i].n_dates * (size_t)draft->observables[i].n_parts;
    struct placed_observation *placed = calloc(n, sizeof *placed);
    group->observations = calloc(n, sizeof *group->observations);
    group->first_observation = calloc((size_t)group->n_steps + 1, sizeof(int));
    if (!placed || !group->observations || !group->first_observation) status = STATUS_NO_MEMORY;
    if (!status) status = place_observations(draft, group, placed, why);
    if (!status) {
        for (int i = 0; i < group->n_observations; i++) {
            group->observations[i] = placed[i].observation;
            group->first_observation[placed[i].step + 1]++;
        }
        for (int j = 0; j < group->n_steps; j++)
            group->first_observation[j + 1] += group->first_observation[j];
        number_pairs(group);
    }
    free(placed);
    return status;
}

/* Everything but the strike strips, with the draft's market seen by the dates that it has. */
static enum status make_rows(struct group_draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(make_grid_dates(draft, group));
    TRY(make_grid_steps(draft, group, why));
    TRY(assign_slots(draft, group));
    TRY(assign_tables(draft, group));
    pad_slots(draft, group);
    TRY(make_observations(draft, group, why));
    for (int i = 0; i < draft->n_payoffs; i++)
        for (int s = 0; s < 3; s++)
            draft->payoffs[i].rows[s] = draft->observables[draft->payoffs[i].rows[s]].row;
    group->n_payoffs = draft->n_payoffs;
    group->payoffs = draft->payoffs;
    group->trades = draft->trades;
    draft->payoffs = NULL;
    draft->trades = NULL;
done:
    return status;
}

enum status group_draft_finish(struct group_draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    const struct market *seen = draft->aged;
    struct market aged = {0};
    *group = (struct group){.n_alike = 1};
    if (draft->settings->time_passed != 0.0) {
        struct ageing ageing = group_ageing(draft, draft->settings->time_passed);
        TRY(age_market(&ageing, draft->market, &aged));
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

void group_draft_free(struct group_draft *draft)
{
    forget_observables(draft, 0, 0.0);
    observable_index_free(&draft->index_of_observables);
    free(draft->observables);
    free(draft->payoffs);
    free(draft->trades);
    free(draft->tabled.steps);
    *draft = (struct group_draft){.settings = draft->settings,
                                  .market = draft->market,
                                  .stepped = draft->stepped,
                                  .aged = draft->aged};
}
