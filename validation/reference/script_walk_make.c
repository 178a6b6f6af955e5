/* What a script needs before its first path: its dates in their order, its events in theirs, and
 * places for what it remembers. */
#include "validation/reference/script_walk.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort_double.h>

static const double ONE_MOMENT = 1e-9; /* years, within which two dates are one */

static bool is_date(enum symbol_kind kind)
{
    return kind == SYMBOL_DATE || kind == SYMBOL_DATES;
}

static enum status list_dates(struct script_walk *walk)
{
    int n_parameters = walk->script->n_parameters;
    for (int p = 0; p < n_parameters; p++)
        if (is_date(walk->script->symbols[p].kind)) walk->n_dates += script_members(walk, p);
    MUST(effort_array(walk->effort, n_parameters + 1, &walk->first_date));
    MUST(effort_array(walk->effort, walk->n_dates, &walk->dates));
    for (int p = 0, n = 0; p < n_parameters; p++) {
        walk->first_date[p] = n;
        for (int i = 0; is_date(walk->script->symbols[p].kind) && i < script_members(walk, p); i++)
            walk->dates[n++] = (struct script_date){
                .years = walk->binding->bound[p].values[i], .parameter = p, .member = i};
    }
    return STATUS_OK;
}

/* Puts the dates into their order, and gives those after today their columns: `aged` years later
 * they lie so much nearer. */
static enum status order_dates(struct script_walk *walk, const struct multi_asset *assets,
                               double aged)
{
    size_t n = (size_t)walk->n_dates, *order = NULL;
    double *years = NULL, before = -INFINITY;
    MUST(effort_array(walk->effort, n, &order));
    MUST(effort_array(walk->effort, n, &years));
    MUST(effort_array(walk->effort, n, &walk->times));
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
        date->discount = date->years >= 0.0 ? asset_discount(assets, time) : 0.0;
    }
    return STATUS_OK;
}

/* By date, and on one date in the order of the text. */
static int earlier(const void *a, const void *b)
{
    const struct script_event *x = a, *y = b;
    if (x->rank != y->rank) return x->rank - y->rank;
    return x->statement != y->statement ? x->statement - y->statement : x->member - y->member;
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
    int most = 0, n;
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        dates_of(walk, &script->statements[i], &n);
        most += n;
    }
    MUST(effort_array(walk->effort, most, &walk->events));
    MUST(effort_array(walk->effort, script->n_statements, &walk->ordinal));
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        int first = dates_of(walk, &script->statements[i], &n);
        for (int m = 0; m < n; m++)
            walk->events[walk->n_events++] =
                (struct script_event){i, first + m, m, walk->dates[first + m].rank, 0};
    }
    qsort(walk->events, (size_t)most, sizeof *walk->events, earlier);
    for (int i = 0; i < most; i++) walk->n_past += walk->dates[walk->events[i].date].years < 0.0;
    return STATUS_OK;
}

static enum status place_states(struct script_walk *walk)
{
    size_t n = (size_t)walk->script->n_symbols;
    MUST(effort_array(walk->effort, n, &walk->place));
    MUST(effort_array(walk->effort, n, &walk->member));
    for (size_t i = 0; i < n; i++) {
        const struct script_symbol *symbol = &walk->script->symbols[i];
        walk->place[i] = walk->n_state;
        if (symbol->kind == SYMBOL_STATE)
            walk->n_state += symbol->over < 0 ? 1 : script_members(walk, symbol->over);
    }
    MUST(effort_array(walk->effort, walk->n_state, &walk->state));
    return effort_array(walk->effort, walk->n_state, &walk->begun);
}

enum status script_walk_make(const struct multi_asset *assets, const struct binding *binding,
                             const double *today, double aged, struct script_walk *walk)
{
    *walk = (struct script_walk){.script = binding->script,
                                 .binding = binding,
                                 .today = today,
                                 .effort = assets->effort,
                                 .n_assets = assets->n};
    MUST(list_dates(walk));
    MUST(order_dates(walk, assets, aged));
    MUST(order_events(walk));
    MUST(place_states(walk));
    return script_walk_begin(walk);
}
