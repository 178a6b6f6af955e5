#include "app/plan/draft.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/plan/grid.h"
#include "app/plan/ladders.h"
#include "kernels/cpu/walk.h"

#define LN2 0.693147180559945309417

/* ---- filling ------------------------------------------------------------------------------------- */

/* What is but written down lives in its row, not in a slot. */
static int state_slots(int on)
{
    return touch_in_row(on) ? 0 : touch_slots(on);
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

/* Whether the touches of an observable can be computed, before it is taken in. */
static enum status try_touches(const struct draft *draft, const struct observable *o, struct message *why)
{
    struct touch touch;
    int asset;
    for (int i = 0; i < o->n_dates; i++)
        for (int part = 0; part < o->n_parts; part++) {
            enum status status = observable_touch(draft->seen, o, i, part, &touch, &asset, why);
            if (status) return status;
        }
    return STATUS_OK;
}

/* Index of the observable that `request` asks for, laid out and added where the draft has none such yet. */
static enum status add_observable(struct draft *draft, const struct request *request, const int *where,
                                  int *index, struct message *why)
{
    enum status status = STATUS_OK;
    struct observable added = {0};
    *index = requests_find(&draft->requests, draft->observables, request);
    if (*index >= 0) return STATUS_OK;
    TRY(grow((void **)&draft->observables, &draft->room_observables, draft->n_observables + 1, sizeof added));
    TRY(observable_lay_out(draft->laid, request, draft->settings->max_step, &added, why));
    TRY(try_touches(draft, &added, why));
    if (request->of >= 0) added.of = where[request->of];
    draft->observables[draft->n_observables] = added;
    TRY(requests_add(&draft->requests, draft->observables));
    draft->n_slots += state_slots(added.on);
    draft->n_dates += (size_t)added.n_dates;
    draft->n_touches += (size_t)added.n_dates * (size_t)added.n_parts;
    if (added.n_dates) draft->last = fmax(draft->last, added.dates[added.n_dates - 1]);
    *index = draft->n_observables++;
    return STATUS_OK;
done:
    free(added.dates);
    return status;
}

/* Goes back to the first n observables, whose last date is `last` years away. */
static void forget_observables(struct draft *draft, int n, double last)
{
    draft->last = last;
    while (draft->n_observables > n) {
        struct observable *gone = &draft->observables[--draft->n_observables];
        requests_forget_last(&draft->requests, draft->observables);
        draft->n_slots -= state_slots(gone->on);
        draft->n_dates -= (size_t)gone->n_dates;
        draft->n_touches -= (size_t)gone->n_dates * (size_t)gone->n_parts;
        free(gone->dates);
    }
}

/* ---- limits --------------------------------------------------------------------------------------- */

/* Touches by step, within a step in the order of observables.def, so that what is read comes before its
 * reader, then of dates, which two of one step keep, and within a basket in the order of the assets. */
struct placed {
    int step, date;
    struct touch touch;
};

enum { STEP_BYTES = 96 }; /* of a step beside its coefficients, tables and normals */

/* Bytes that a step takes, at most: where normals of Sobol points, or of several scenarios, are there at
 * once, a thread keeps those of WALK_LANES paths. */
static double step_bytes(const struct draft *draft)
{
    double bytes = STEP_BYTES;
    for (int u = 0; u < draft->n_assets; u++) {
        enum model model = draft->market->assets[draft->assets[u]].model;
        bytes += (double)(sizeof(double) * (size_t)model_coefficients(model) + model_step_bytes(model));
        if (draft->settings->points || draft->settings->path_by_path)
            bytes += (double)(sizeof(float) * WALK_LANES * (size_t)model_factors(model));
    }
    return bytes;
}

/* Refuses a draft whose group would be too large: by what its dates, cuts and tables come to at most, in
 * doubles, so that no count is cast to an integer before it is known to be small. */
static enum status check_size(const struct draft *draft, struct message *why)
{
    double longest, steps = (double)draft->n_dates + cuts_at_most(draft, &longest);
    double bytes = steps * step_bytes(draft) +
                   (double)draft->n_touches * (double)(sizeof(struct touch) + sizeof(struct placed));
    if (steps > GROUP_STEPS)
        snprintf(why->text, sizeof why->text, "its paths would have %.3g steps, and %d are the most%s", steps,
                 GROUP_STEPS, isfinite(longest) ? ": choose a longer max_step" : "");
    else if (bytes > GROUP_BYTES)
        snprintf(why->text, sizeof why->text,
                 "its paths of %.3g steps would take %.3g MB to lay out, and %.3g are the most%s", steps,
                 1e-6 * bytes, 1e-6 * GROUP_BYTES, isfinite(longest) ? ": choose a longer max_step" : "");
    else return STATUS_OK;
    return STATUS_FAILED;
}

/* Variance of ln S to expiry, generously. */
static double furthest_variance(const struct asset *a, double expiry)
{
    double variance = a->variance.n ? term_accrued(&a->variance, expiry) : 0.0;
    double greatest = 0.0, of_a_jump = a->jumps.mean * a->jumps.mean + a->jumps.stdev * a->jumps.stdev;
    for (int i = 0; i < a->surface.n_times * a->surface.n_strikes; i++)
        greatest = fmax(greatest, a->surface.vols[i]);
    variance += (greatest * greatest + fmax(a->heston.v0, a->heston.theta)) * expiry;
    return variance + a->jumps.intensity * expiry * of_a_jump;
}

/* log2 S must stay within what path_exp2 takes, twelve standard deviations included. */
static enum status check_range(const struct market *market, const struct trade *trade, struct message *why)
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

enum status draft_add(struct draft *draft, const struct trade *trade, int index, bool *fits,
                      struct message *why)
{
    enum status status = STATUS_OK;
    struct recipe recipe;
    double last = draft->last;
    int before = draft->n_observables, where[sizeof recipe.request / sizeof *recipe.request] = {0},
        room = draft->room_payoffs;
    TRY(check_range(draft->market, trade, why));
    recipe_of(draft->seen, trade, &recipe);
    for (int i = 0; i < recipe.n_requests; i++)
        TRY(add_observable(draft, &recipe.request[i], where, &where[i], why));
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
    TRY(grow((void **)&draft->payoffs, &draft->room_payoffs, draft->n_payoffs + 1, sizeof *draft->payoffs));
    for (int i = 0; i < 3; i++) recipe.payoff.seen[i] = where[recipe.payoff.seen[i]];
    draft->payoffs[draft->n_payoffs] = recipe.payoff;
    draft->trades[draft->n_payoffs++] = index;
    return STATUS_OK;
done:
    forget_observables(draft, before, last);
    return status;
}

struct draft_size draft_size(const struct draft *draft)
{
    return (struct draft_size){draft->n_observables, draft->n_payoffs, draft->last};
}

void draft_cut(struct draft *draft, struct draft_size size)
{
    forget_observables(draft, size.n_observables, size.last);
    draft->n_payoffs = size.n_payoffs;
}

/* ---- finishing ----------------------------------------------------------------------------------- */

/* Rows for every observable, slots for all but the spots. */
static enum status lay_slots(struct draft *draft, struct group *group)
{
    group->initial = calloc((size_t)draft->n_slots + 1, sizeof(double));
    group->results = calloc((size_t)draft->n_observables + 1, sizeof *group->results);
    if (!group->initial || !group->results) return STATUS_NO_MEMORY;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        o->row = group->n_rows++;
        if (touch_in_row(o->on)) continue;
        o->slot = group->n_slots;
        group->results[group->n_results++] = (struct result){o->slot, o->row};
        for (int s = 0; s < state_slots(o->on); s++) group->initial[group->n_slots++] = o->initial[s];
    }
    return STATUS_OK;
}

/* Room in the group's table for what observables keep there, of four floats at least alignment; policies of
 * exercise begin as "nobody exercises before the last date". */
static enum status lay_tables(struct draft *draft, struct group *group)
{
    struct lookup *lookup = &group->lookup;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        if (!o->n_table) continue;
        int begin = (lookup->n + 3) / 4 * 4, end = begin + o->n_table;
        enum status status = grow((void **)&lookup->table, &lookup->room, end, sizeof *lookup->table);
        if (status) return status;
        memset(lookup->table + lookup->n, 0, sizeof *lookup->table * (size_t)(end - lookup->n));
        for (int t = begin; t + EXERCISE_TERMS < end; t += EXERCISE_TERMS) lookup->table[t] = EXERCISE_NEVER;
        o->table = begin;
        lookup->n = end;
    }
    return STATUS_OK;
}

/* A reader loads two slots of what it reads, also where that has but one. */
static void pad_slots(const struct draft *draft, struct group *group)
{
    bool lacking = false;
    for (int i = 0; i < draft->n_observables; i++) {
        int of = draft->observables[i].of;
        lacking |= of >= 0 && state_slots(draft->observables[of].on) == 1;
    }
    group->n_slots += lacking;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    if (p->step != q->step) return p->step - q->step;
    if (p->touch.on != q->touch.on) return p->touch.on - q->touch.on;
    if (p->touch.slot != q->touch.slot) return p->touch.slot - q->touch.slot;
    if (p->date != q->date) return p->date - q->date;
    return p->touch.underlying - q->touch.underlying;
}

/* Position of an asset of the market among the group's. */
static uint16_t underlying_of(const struct group *group, int asset)
{
    int u = 0;
    while (u + 1 < group->n_underlyings && group->underlyings[u].asset != asset) u++;
    return (uint16_t)u;
}

static enum status place_touches(const struct draft *draft, struct group *group, struct placed *placed,
                                 struct message *why)
{
    int n = 0, asset = 0;
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int k = 0; k < o->n_dates * o->n_parts; k++) {
            struct touch touch = {.slot = touch_in_row(o->on) ? o->row : o->slot, .of = 0, .pair = -1};
            enum status status =
                observable_touch(draft->seen, o, k / o->n_parts, k % o->n_parts, &touch, &asset, why);
            if (status) return status;
            if (o->of >= 0) touch.of = draft->observables[o->of].slot;
            touch.underlying = underlying_of(group, asset);
            int date = k / o->n_parts;
            placed[n++] = (struct placed){step_of(group, o->dates[date]), date, touch};
        }
    }
    qsort(placed, (size_t)n, sizeof *placed, compare_placed);
    group->n_touches = n;
    return STATUS_OK;
}

static void number_pairs(struct group *group)
{
    for (int j = 0; j < group->n_steps; j++) {
        bool drawn = false;
        for (int i = group->first_touch[j]; i < group->first_touch[j + 1]; i++) {
            if (!touch_draws(group->touches[i].on)) continue;
            group->touches[i].pair = group->n_pairs;
            drawn = true;
        }
        if (drawn) group->n_pairs++;
    }
}

static enum status lay_touches(const struct draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    size_t n = 1;
    for (int i = 0; i < draft->n_observables; i++)
        n += (size_t)draft->observables[i].n_dates * (size_t)draft->observables[i].n_parts;
    struct placed *placed = calloc(n, sizeof *placed);
    group->touches = calloc(n, sizeof *group->touches);
    group->first_touch = calloc((size_t)group->n_steps + 1, sizeof(int));
    if (!placed || !group->touches || !group->first_touch) status = STATUS_NO_MEMORY;
    if (!status) status = place_touches(draft, group, placed, why);
    if (!status) {
        for (int i = 0; i < group->n_touches; i++) {
            group->touches[i] = placed[i].touch;
            group->first_touch[placed[i].step + 1]++;
        }
        for (int j = 0; j < group->n_steps; j++) group->first_touch[j + 1] += group->first_touch[j];
        number_pairs(group);
    }
    free(placed);
    return status;
}

/* Everything but the ladders, with the draft's market seen by the dates that it has. */
static enum status lay_out(struct draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    TRY(lay_dates(draft, group));
    TRY(lay_steps(draft, group, why));
    TRY(lay_slots(draft, group));
    TRY(lay_tables(draft, group));
    pad_slots(draft, group);
    TRY(lay_touches(draft, group, why));
    for (int i = 0; i < draft->n_payoffs; i++)
        for (int s = 0; s < 3; s++)
            draft->payoffs[i].seen[s] = draft->observables[draft->payoffs[i].seen[s]].row;
    group->n_payoffs = draft->n_payoffs;
    group->payoffs = draft->payoffs;
    group->trades = draft->trades;
    draft->payoffs = NULL;
    draft->trades = NULL;
done:
    return status;
}

enum status draft_finish(struct draft *draft, struct group *group, struct message *why)
{
    enum status status = STATUS_OK;
    const struct market *seen = draft->seen;
    struct market passed = {0};
    *group = (struct group){.alike = 1};
    if (draft->settings->time_passed != 0.0) {
        struct passing passing = passing_of(draft, draft->settings->time_passed);
        TRY(passing_market(&passing, draft->market, &passed));
        draft->seen = &passed;
    }
    TRY(lay_out(draft, group, why));
    if (draft->settings->path_by_path || draft->settings->antithetic) group->n_single = group->n_payoffs;
    else TRY(lay_ladders(group));
done:
    draft->seen = seen;
    passing_free(&passed);
    if (status != STATUS_FAILED) draft_free(draft); /* the trades of a failed one are still to be told */
    return status;
}

void draft_free(struct draft *draft)
{
    forget_observables(draft, 0, 0.0);
    requests_free(&draft->requests);
    free(draft->observables);
    free(draft->payoffs);
    free(draft->trades);
    *draft = (struct draft){
        .settings = draft->settings, .market = draft->market, .laid = draft->laid, .seen = draft->seen};
}
