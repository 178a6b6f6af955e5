#include "app/plan/draft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/plan/ladders.h"

#define LN2 0.693147180559945309417

/* Dates closer than this, in years (30 milliseconds), are one date of the grid. */
#define SAME_DATE 1e-9

/* ---- filling ------------------------------------------------------------------------------------- */

static int find_observable(const struct draft *draft, const struct request *request)
{
    for (int i = 0; i < draft->n_observables; i++)
        if (request_equal(&draft->observables[i].request, request)) return i;
    return -1;
}

/* Spots live in their row, not in a slot. */
static int state_slots(int on)
{
    return on == TOUCH_SPOT ? 0 : touch_slots(on);
}

static enum status grow(void **array, int *room, int needed, size_t size)
{
    if (needed <= *room) return STATUS_OK;
    int more = *room ? 2 * *room : 16;
    void *larger = realloc(*array, (size_t)more * size);
    if (!larger) return STATUS_NO_MEMORY;
    *array = larger;
    *room = more;
    return STATUS_OK;
}

/* Whether the touches of an observable can be computed, before it is taken in. */
static enum status try_touches(const struct market *market, int asset, const struct observable *o,
                               struct message *why)
{
    struct touch touch;
    for (int i = 0; i < o->n_dates; i++) {
        enum status status = observable_touch(market, asset, o, i, &touch, why);
        if (status) return status;
    }
    return STATUS_OK;
}

/* Index of the observable that `request` asks for, laid out and added where the draft has none such yet. */
static enum status add_observable(struct draft *draft, const struct market *market,
                                  const struct request *request, int *index, struct message *why)
{
    enum status status = STATUS_OK;
    struct observable added = {0};
    *index = find_observable(draft, request);
    if (*index >= 0) return STATUS_OK;
    TRY(grow((void **)&draft->observables, &draft->room_observables, draft->n_observables + 1, sizeof added));
    TRY(observable_lay_out(market, draft->asset, request, &added, why));
    TRY(try_touches(market, draft->asset, &added, why));
    if (request->what == OBSERVE_PAYMENT_AT_HIT) { /* recipes ask for the survival it watches first */
        struct request survival = *request;
        survival.what = OBSERVE_SURVIVAL;
        added.of = find_observable(draft, &survival);
    }
    draft->n_slots += state_slots(added.on);
    *index = draft->n_observables;
    draft->observables[draft->n_observables++] = added;
    return STATUS_OK;
done:
    free(added.dates);
    return status;
}

static void forget_observables(struct draft *draft, int n)
{
    while (draft->n_observables > n) {
        struct observable *last = &draft->observables[--draft->n_observables];
        draft->n_slots -= state_slots(last->on);
        free(last->dates);
    }
}

/* log2 S must stay within what path_exp2 takes, twelve standard deviations included. */
static enum status check_range(const struct market *market, const struct trade *trade, struct message *why)
{
    const struct asset *a = &market->assets[trade->asset];
    double rate = term_accrued(&market->currencies[a->currency].rate, trade->expiry);
    double yield = term_accrued(&a->yield, trade->expiry),
           variance = term_accrued(&a->variance, trade->expiry);
    double furthest =
        fabs(exact_log2(a->spot)) + (fabs(rate) + fabs(yield) + 0.5 * variance + 12.0 * sqrt(variance)) / LN2;
    if (furthest < 900.0) return STATUS_OK;
    snprintf(why->text, sizeof why->text,
             "the spot may leave the range of a double by expiry (log2 up to %.0f)", furthest);
    return STATUS_FAILED;
}

enum status draft_add(struct draft *draft, const struct market *market, const struct trade *trade, int index,
                      bool *fits, struct message *why)
{
    enum status status = STATUS_OK;
    struct recipe recipe;
    int before = draft->n_observables, where[3] = {0}, room = draft->room_payoffs;
    TRY(check_range(market, trade, why));
    recipe_of(market, trade, &recipe);
    for (int i = 0; i < recipe.n_requests; i++)
        TRY(add_observable(draft, market, &recipe.request[i], &where[i], why));
    *fits = draft->n_slots <= GROUP_SLOTS;
    if (!*fits) goto done;
    TRY(grow((void **)&draft->trades, &room, draft->n_payoffs + 1, sizeof *draft->trades));
    TRY(grow((void **)&draft->payoffs, &draft->room_payoffs, draft->n_payoffs + 1, sizeof *draft->payoffs));
    for (int i = 0; i < 3; i++) recipe.payoff.seen[i] = where[recipe.payoff.seen[i]];
    draft->payoffs[draft->n_payoffs] = recipe.payoff;
    draft->trades[draft->n_payoffs++] = index;
    return STATUS_OK;
done:
    forget_observables(draft, before);
    return status;
}

/* ---- finishing ----------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The grid: every date of every observable, once. */
static enum status merge_dates(const struct draft *draft, struct group *group)
{
    size_t n = 0, kept = 0;
    for (int i = 0; i < draft->n_observables; i++) n += (size_t)draft->observables[i].n_dates;
    group->times = malloc(sizeof(double) * (n + 1));
    if (!group->times) return STATUS_NO_MEMORY;
    n = 0;
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int j = 0; j < o->n_dates; j++) group->times[n++] = o->dates[j];
    }
    qsort(group->times, n, sizeof(double), compare_times);
    for (size_t i = 0; i < n; i++)
        if (!kept || group->times[i] - group->times[kept - 1] > SAME_DATE)
            group->times[kept++] = group->times[i];
    group->n_steps = (int)kept;
    return STATUS_OK;
}

static int step_of(const struct group *group, double date)
{
    int low = 0, high = group->n_steps - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (group->times[middle] < date - SAME_DATE) low = middle + 1;
        else high = middle;
    }
    return low;
}

static enum status lay_steps(const struct market *market, struct group *group)
{
    const struct asset *a = &market->assets[group->asset];
    const struct term_structure *rate = &market->currencies[a->currency].rate;
    double r0 = 0.0, q0 = 0.0, v0 = 0.0;
    group->steps = calloc((size_t)group->n_steps + 1, sizeof *group->steps);
    if (!group->steps) return STATUS_NO_MEMORY;
    for (int j = 0; j < group->n_steps; j++) {
        double t = group->times[j];
        double r = term_accrued(rate, t), q = term_accrued(&a->yield, t), v = term_accrued(&a->variance, t);
        double variance = v - v0 > 0.0 ? v - v0 : 0.0;
        group->steps[j].drift = ((r - r0) - (q - q0) - 0.5 * variance) / LN2;
        group->steps[j].volatility = sqrt(variance) / LN2;
        r0 = r, q0 = q, v0 = v;
    }
    return STATUS_OK;
}

/* Rows for every observable, slots for all but the spots. */
static enum status lay_slots(struct draft *draft, struct group *group)
{
    group->initial = calloc((size_t)draft->n_slots + 1, sizeof(double));
    group->results = calloc((size_t)draft->n_observables + 1, sizeof *group->results);
    if (!group->initial || !group->results) return STATUS_NO_MEMORY;
    for (int i = 0; i < draft->n_observables; i++) {
        struct observable *o = &draft->observables[i];
        o->row = group->n_rows++;
        if (o->on == TOUCH_SPOT) continue;
        o->slot = group->n_slots;
        group->results[group->n_results++] = (struct result){o->slot, o->row};
        for (int s = 0; s < state_slots(o->on); s++) group->initial[group->n_slots++] = o->initial[s];
    }
    return STATUS_OK;
}

/* Touches by step, and within a step in the order of observables.def, so that a survival comes before its
 * payment. */
struct placed {
    int step;
    struct touch touch;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;
    if (p->step != q->step) return p->step - q->step;
    if (p->touch.on != q->touch.on) return p->touch.on - q->touch.on;
    return p->touch.slot - q->touch.slot;
}

static enum status place_touches(const struct draft *draft, const struct market *market, struct group *group,
                                 struct placed *placed)
{
    struct message why;
    int n = 0;
    for (int i = 0; i < draft->n_observables; i++) {
        const struct observable *o = &draft->observables[i];
        for (int j = 0; j < o->n_dates; j++) {
            struct touch touch = {.slot = o->on == TOUCH_SPOT ? o->row : o->slot, .of = 0, .pair = -1};
            enum status status = observable_touch(market, group->asset, o, j, &touch, &why);
            if (status) return status;
            if (o->of >= 0) touch.of = draft->observables[o->of].slot;
            placed[n++] = (struct placed){step_of(group, o->dates[j]), touch};
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

static enum status lay_touches(const struct draft *draft, const struct market *market, struct group *group)
{
    enum status status = STATUS_OK;
    size_t n = 1;
    for (int i = 0; i < draft->n_observables; i++) n += (size_t)draft->observables[i].n_dates;
    struct placed *placed = calloc(n, sizeof *placed);
    group->touches = calloc(n, sizeof *group->touches);
    group->first_touch = calloc((size_t)group->n_steps + 1, sizeof(int));
    if (!placed || !group->touches || !group->first_touch) status = STATUS_NO_MEMORY;
    if (!status) status = place_touches(draft, market, group, placed);
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

enum status draft_finish(struct draft *draft, const struct market *market, struct group *group)
{
    enum status status = STATUS_OK;
    *group = (struct group){.asset = draft->asset, .start = exact_log2(market->assets[draft->asset].spot)};
    TRY(merge_dates(draft, group));
    TRY(lay_steps(market, group));
    TRY(lay_slots(draft, group));
    TRY(lay_touches(draft, market, group));
    for (int i = 0; i < draft->n_payoffs; i++)
        for (int s = 0; s < 3; s++)
            draft->payoffs[i].seen[s] = draft->observables[draft->payoffs[i].seen[s]].row;
    group->n_payoffs = draft->n_payoffs;
    group->payoffs = draft->payoffs;
    group->trades = draft->trades;
    draft->payoffs = NULL;
    draft->trades = NULL;
    TRY(lay_ladders(group));
done:
    draft_free(draft);
    return status;
}

void draft_free(struct draft *draft)
{
    forget_observables(draft, 0);
    free(draft->observables);
    free(draft->payoffs);
    free(draft->trades);
    *draft = (struct draft){.asset = -1};
}
