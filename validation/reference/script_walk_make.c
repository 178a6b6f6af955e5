/* What a script needs before its first path: its dates in their order, its events in theirs, and
 * places for what it remembers. */
#include "validation/reference/script_walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_sort_double.h>

static const double ONE_MOMENT = 1e-9; /* years, within which two dates are one */

static bool is_date(enum symbol_kind kind)
{
    return kind == SYMBOL_DATE || kind == SYMBOL_DATES;
}

/* ---- dates ----------------------------------------------------------------------------------- */

static enum status list_dates(struct script_walk *walk)
{
    int n_parameters = walk->script->n_parameters;
    enum status status = STATUS_OK;
    for (int p = 0; p < n_parameters; p++)
        if (is_date(walk->script->symbols[p].kind)) walk->n_dates += script_members(walk, p);
    TRY(effort_array(walk->effort, (size_t)n_parameters + 1, sizeof *walk->first_date,
                     &walk->first_date));
    TRY(effort_array(walk->effort, (size_t)walk->n_dates, sizeof *walk->dates, &walk->dates));
    for (int p = 0, n = 0; p < n_parameters; p++) {
        walk->first_date[p] = n;
        for (int i = 0; is_date(walk->script->symbols[p].kind) && i < script_members(walk, p); i++)
            walk->dates[n++] = (struct script_date){
                .years = walk->binding->bound[p].values[i], .parameter = p, .member = i};
    }
done:
    return status;
}

/* Puts the dates into their order, and gives those after today their columns: `aged` years later
 * they lie so much nearer. */
static enum status order_dates(struct script_walk *walk, const struct multi_asset *assets,
                               double aged)
{
    size_t n = (size_t)walk->n_dates, *order = NULL;
    enum status status = STATUS_OK;
    double *years = NULL, before = -INFINITY;
    TRY(effort_array(walk->effort, n, sizeof *order, &order));
    TRY(effort_array(walk->effort, n, sizeof *years, &years));
    TRY(effort_array(walk->effort, n, sizeof *walk->times, &walk->times));
    for (size_t i = 0; i < n; i++) years[i] = walk->dates[i].years;
    gsl_sort_index(order, years, 1, n);
    for (int i = 0, rank = -1; i < walk->n_dates; i++) {
        struct script_date *date = &walk->dates[order[i]];
        bool later = date->years > 0.0, new = date->years - before > ONE_MOMENT;
        double time = later ? date->years - aged : 0.0;
        if (new) before = date->years, rank++;
        if (new &&later) walk->times[walk->n_columns++] = time;
        date->rank = rank;
        date->column = later ? walk->n_columns - 1 : -1;
        date->discount = date->years >= 0.0 ? multi_asset_discount(assets, time) : 0.0;
    }
done:
    effort_free(order);
    effort_free(years);
    return status;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Numbers the exercises of a block and those within. `loop`: it is run for one asset after
 * another. */
static enum status number_exercises(struct script_walk *walk, int first, bool loop, int *n)
{
    enum status status = STATUS_OK;
    for (int i = first; i >= 0; i = walk->script->statements[i].next) {
        const struct script_statement *s = &walk->script->statements[i];
        if (s->kind == STATEMENT_EXERCISE && loop) {
            snprintf(walk->why->text, sizeof walk->why->text,
                     "line %d: no reference for an exercise of one asset after another",
                     s->place.line);
            TRY(STATUS_FAILED);
        }
        if (s->kind == STATEMENT_EXERCISE) walk->ordinal[i] = (*n)++;
        if (s->kind != STATEMENT_FOR && s->kind != STATEMENT_IF) continue;
        TRY(number_exercises(walk, s->body, loop || s->kind == STATEMENT_FOR, n));
        if (s->kind == STATEMENT_IF) TRY(number_exercises(walk, s->otherwise, loop, n));
    }
done:
    return status;
}

/* The order of events: by date, and on one date that of the text. */
struct event_order {
    int rank, order, n_exercises;
    struct script_event event;
};

static int earlier(const void *a, const void *b)
{
    const struct event_order *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->order - y->order;
}

/* Returns the first date of a block, and how many it has. */
static int dates_of(const struct script_walk *walk, const struct script_statement *s, int *n)
{
    *n = 0;
    if (s->kind != STATEMENT_EACH && s->kind != STATEMENT_AT) return 0;
    int set = s->kind == STATEMENT_EACH ? walk->script->symbols[s->symbol].over
                                        : walk->script->expressions[s->date].symbol;
    *n = script_members(walk, set);
    return walk->first_date[set];
}

static enum status order_events(struct script_walk *walk)
{
    const struct script *script = walk->script;
    struct event_order *all = NULL;
    enum status status = STATUS_OK;
    int most = 0, n;
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        dates_of(walk, &script->statements[i], &n);
        most += n;
    }
    TRY(effort_array(walk->effort, (size_t)most, sizeof *all, &all));
    TRY(effort_array(walk->effort, (size_t)most, sizeof *walk->events, &walk->events));
    TRY(effort_array(walk->effort, (size_t)script->n_statements, sizeof *walk->ordinal,
                     &walk->ordinal));
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        int first = dates_of(walk, &script->statements[i], &n), exercises = 0;
        if (n) TRY(number_exercises(walk, script->statements[i].body, false, &exercises));
        for (int m = 0; m < n; m++, walk->n_events++)
            all[walk->n_events] = (struct event_order){
                walk->dates[first + m].rank, walk->n_events, exercises, {i, first + m, m, 0}};
    }
    qsort(all, (size_t)most, sizeof *all, earlier);
    for (int i = 0; i < most; i++) {
        walk->events[i] = all[i].event;
        walk->events[i].first_decision = walk->n_decisions;
        if (walk->dates[all[i].event.date].years < 0.0) walk->n_past++;
        else walk->n_decisions += all[i].n_exercises;
    }
done:
    effort_free(all);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum status place_states(struct script_walk *walk)
{
    size_t n = (size_t)walk->script->n_symbols;
    enum status status = STATUS_OK;
    TRY(effort_array(walk->effort, n, sizeof *walk->place, &walk->place));
    TRY(effort_array(walk->effort, n, sizeof *walk->member, &walk->member));
    for (size_t i = 0; i < n; i++) {
        const struct script_symbol *symbol = &walk->script->symbols[i];
        walk->place[i] = walk->n_state;
        if (symbol->kind == SYMBOL_STATE)
            walk->n_state += symbol->over < 0 ? 1 : script_members(walk, symbol->over);
    }
    TRY(effort_array(walk->effort, (size_t)walk->n_state, sizeof *walk->state, &walk->state));
    TRY(effort_array(walk->effort, (size_t)walk->n_state, sizeof *walk->begun, &walk->begun));
done:
    return status;
}

enum status script_walk_make(const struct multi_asset *assets, const struct binding *binding,
                             const double *today, double aged, struct script_walk *walk,
                             struct message *why)
{
    enum status status = STATUS_OK;
    *walk = (struct script_walk){.script = binding->script,
                                 .binding = binding,
                                 .today = today,
                                 .effort = assets->effort,
                                 .n_assets = assets->n,
                                 .why = why};
    TRY(list_dates(walk));
    TRY(order_dates(walk, assets, aged));
    TRY(order_events(walk));
    TRY(place_states(walk));
    TRY(script_walk_begin(walk));
done:
    return status;
}

void script_walk_free(struct script_walk *walk)
{
    effort_free(walk->first_date);
    effort_free(walk->dates);
    effort_free(walk->times);
    effort_free(walk->events);
    effort_free(walk->ordinal);
    effort_free(walk->place);
    effort_free(walk->state);
    effort_free(walk->begun);
    effort_free(walk->member);
}
