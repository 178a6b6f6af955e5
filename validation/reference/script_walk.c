#include "validation/reference/script_walk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>

#include "models/market/days.h"

static const double CHARGED = 1e6;     /* expressions and statements */
static const double ONE_MOMENT = 1e-9; /* years, within which two dates are one */

static double number_of(struct script_walk *walk, int index);
static void run_block(struct script_walk *walk, int first);

/* Notes the first thing that is wrong. */
__attribute__((format(printf, 3, 4))) static void
fail(struct script_walk *walk, struct script_place place, const char *format, ...)
{
    va_list values;
    if (walk->failed) return;
    walk->failed = true;
    struct message *why = &walk->effort->why;
    int used = snprintf(why->text, sizeof why->text, "line %d: ", place.line);
    va_start(values, format);
    vsnprintf(why->text + used, sizeof why->text - (size_t)used, format, values);
    va_end(values);
}

/* Spends what has been run before there are paths, which nobody else counts. */
static void charge(struct script_walk *walk, struct script_place place)
{
    if (walk->spots || walk->ran < CHARGED) return;
    if (effort_spend(walk->effort, SCRIPT_NODE_COST * walk->ran))
        fail(walk, place, "the script takes too long");
    walk->ran = 0.0;
}

static const struct script_expression *expression_at(const struct script_walk *walk, int index)
{
    return &walk->script->expressions[index];
}

static const struct script_symbol *symbol_at(const struct script_walk *walk, int index)
{
    return &walk->script->symbols[index];
}

/* ---- members of sets ------------------------------------------------------------------------- */

/* Returns how many members a parameter of assets or dates has. */
static int script_members(const struct script_walk *walk, int parameter)
{
    return walk->binding->bound[parameter].n;
}

/* Returns which member of its set an asset or a date is: that of a loop, or the only one. */
static int member_number(const struct script_walk *walk, int index)
{
    int symbol = expression_at(walk, index)->symbol;
    return symbol_at(walk, symbol)->kind == SYMBOL_LOOP ? walk->member[symbol] : 0;
}

static int set_of(const struct script_walk *walk, int index)
{
    int symbol = expression_at(walk, index)->symbol;
    return symbol_at(walk, symbol)->kind == SYMBOL_LOOP ? symbol_at(walk, symbol)->over : symbol;
}

/* Returns which member of a symbol's set a subscript names; of a date of the header, its place
 * among the dates of the set. */
static int subscript_of(struct script_walk *walk, int symbol, int index)
{
    int over = symbol_at(walk, symbol)->over, set = set_of(walk, index);
    if (set == over || symbol_at(walk, set)->kind != SYMBOL_DATE) return member_number(walk, index);
    const struct script_date *dates = &walk->dates[walk->first_date[over]];
    for (int i = 0; i < script_members(walk, over); i++)
        if (dates[i].rank == walk->dates[walk->first_date[set]].rank) return i;
    fail(walk, expression_at(walk, index)->place, "'%s' is none of '%s'",
         symbol_at(walk, set)->name, symbol_at(walk, over)->name);
    return 0;
}

/* Returns the index of a date among all. */
static int date_of(struct script_walk *walk, int index)
{
    const struct script_expression *e = expression_at(walk, index);
    if (e->kind == EXPRESSION_ELEMENT)
        return walk->first_date[e->symbol] + subscript_of(walk, e->symbol, e->a);
    if (e->kind != EXPRESSION_PREVIOUS)
        return walk->first_date[set_of(walk, index)] + member_number(walk, index);
    int member = member_number(walk, e->a);
    return member ? walk->first_date[set_of(walk, e->a)] + member - 1 : date_of(walk, e->b);
}

/* Returns the years between two dates as `years` counts them. */
static double years_of(struct script_walk *walk, const struct script_expression *e)
{
    enum day_count count = (enum day_count)e->number;
    double from = walk->dates[date_of(walk, e->a)].years,
           to = walk->dates[date_of(walk, e->b)].years;
    long today = walk->binding->day, first = today + lround(365.0 * from),
         last = today + lround(365.0 * to);
    if (count == ACT_365F) return to - from;
    return first < last ? day_count_years(count, first, last)
                        : -day_count_years(count, last, first);
}

/* ---- what the market shows ------------------------------------------------------------------- */

/* Tells whether what a date shows may be read where the script is. */
static bool may_read(struct script_walk *walk, const struct script_expression *e, int date)
{
    if (walk->listing) return false;
    if (walk->date >= 0 && walk->dates[date].rank <= walk->dates[walk->date].rank) return true;
    fail(walk, e->place, "the spot of a later date is read than that of the block");
    return false;
}

/* Lists a spot that is read after its date. */
static void list_old(struct script_walk *walk, const struct script_date *date, int asset)
{
    const int column = date->column;
    bool later = walk->date >= 0 && walk->dates[walk->date].column > column;
    if (!walk->listing || column < 0 || !later || walk->n_old == SCRIPT_KNOWN_MOST) return;
    for (int i = 0; i < walk->n_old; i++)
        if (walk->old[i].column == column && walk->old[i].asset == asset) return;
    walk->old[walk->n_old++] = (struct old_spot){column, asset};
}

static double spot_of(struct script_walk *walk, const struct script_expression *e)
{
    int asset = member_number(walk, e->a), index = date_of(walk, e->b);
    const struct script_date *date = &walk->dates[index];
    list_old(walk, date, asset);
    if (!may_read(walk, e, index)) return walk->today[asset];
    if (date->column >= 0) return walk->spots[date->column * walk->n_assets + asset];
    const double *closes = walk->binding->bound[date->parameter].closes;
    double close = closes ? closes[date->member * walk->binding->n_assets + asset] : NAN;
    if (isnan(close) && date->years >= 0.0) close = walk->today[asset];
    if (isnan(close))
        fail(walk, e->place, "the close of asset %d on date %d of '%s' is not known", asset + 1,
             date->member + 1, symbol_at(walk, date->parameter)->name);
    return close;
}

static struct watch watch_of(struct script_walk *walk, const struct script_expression *e)
{
    bool survives = e->kind == EXPRESSION_SURVIVES;
    int column = e->from >= 0 ? walk->dates[date_of(walk, e->from)].column : -1;
    double begin = column >= 0 ? walk->times[column] : 0.0;
    return (struct watch){survives                        ? WATCH_SURVIVES
                          : e->kind == EXPRESSION_HIGHEST ? WATCH_HIGHEST
                                                          : WATCH_LOWEST,
                          member_number(walk, e->a),
                          survives && e->b >= 0 ? log(fmax(number_of(walk, e->b), 0.0)) : -INFINITY,
                          survives && e->c >= 0 ? log(fmax(number_of(walk, e->c), 0.0)) : INFINITY,
                          begin};
}

/* Returns the number of a watch among those that paths have; -1: none. */
static int find_watch(const struct script_walk *walk, const struct watch *watch)
{
    for (int i = 0; i < walk->n_watches; i++) {
        const struct watch *other = &walk->watches[i];
        if (other->kind == watch->kind && other->asset == watch->asset &&
            other->low == watch->low && other->high == watch->high && other->begin == watch->begin)
            return i;
    }
    return -1;
}

static double watched_of(struct script_walk *walk, const struct script_expression *e)
{
    struct watch watch = watch_of(walk, e);
    int index = date_of(walk, e->kind == EXPRESSION_SURVIVES ? e->d : e->b),
        found = find_watch(walk, &watch), column = walk->dates[index].column;
    double spot = walk->today[watch.asset];
    bool new = walk->listing &&column >= 0 && found < 0;
    if (new && walk->n_watches == SCRIPT_WATCHES_MOST)
        fail(walk, e->place, "the reference watches no more than %d levels", SCRIPT_WATCHES_MOST);
    else if (new) walk->watches[walk->n_watches++] = watch;
    if (!may_read(walk, e, index)) return spot;
    if (column >= 0 && found >= 0) return walk->watched[found * walk->n_columns + column];
    if (column >= 0) fail(walk, e->place, "the bounds are not known before the paths are");
    if (walk->dates[index].years < 0.0 && walk->dates[walk->date].years < 0.0)
        fail(walk, e->place, "what an asset did up to a date before today is not known");
    if (walk->dates[index].years < 0.0)
        return watch.kind == WATCH_SURVIVES ? 1.0 : exp(watch_none(&watch));
    if (watch.kind != WATCH_SURVIVES) return spot;
    return watch_bridge(&watch, log(spot), log(spot), 0.0, 1.0, NULL);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static double state_element(const struct script_walk *walk, int symbol, int member)
{
    if (symbol_at(walk, symbol)->kind == SYMBOL_STATE)
        return walk->state[walk->place[symbol] + member];
    const struct bound *bound = &walk->binding->bound[symbol];
    double value = bound->values[bound->n > 1 ? member : 0];
    return isnan(value) ? walk->today[member] : value;
}

static double fold_of(struct script_walk *walk, const struct script_expression *e)
{
    double sum = 0.0, product = 1.0, least = INFINITY, most = -INFINITY;
    int n = script_members(walk, symbol_at(walk, e->symbol)->over), taken = 0;
    for (int i = 0; i < n && !walk->failed; i++) {
        charge(walk, e->place);
        walk->member[e->symbol] = i;
        if (e->b >= 0 && number_of(walk, e->b) == 0.0 && !walk->listing) continue;
        double value = e->a >= 0 ? number_of(walk, e->a) : 1.0;
        taken++;
        sum += value;
        product *= value;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (e->kind == EXPRESSION_SUM) return sum;
    if (e->kind == EXPRESSION_PRODUCT) return product;
    if (e->kind == EXPRESSION_FOLD_MIN) return least;
    if (e->kind == EXPRESSION_FOLD_MAX) return most;
    if (e->kind == EXPRESSION_MEAN) return taken ? sum / taken : 0.0;
    if (e->kind == EXPRESSION_COUNT) return taken;
    return e->kind == EXPRESSION_ANY ? sum > 0.0 : product != 0.0;
}

/* Returns a number that is compared: of a date its years, in which those of one moment are equal.
 */
static double compared(struct script_walk *walk, int index)
{
    if (expression_at(walk, index)->type != VALUE_DATE) return number_of(walk, index);
    return walk->dates[date_of(walk, index)].rank;
}

/* Returns a flag of two, the second of which is not looked at where the first decides. */
static double both_of(struct script_walk *walk, const struct script_expression *e)
{
    bool or = e->kind == EXPRESSION_OR, first = number_of(walk, e->a) != 0.0;
    if (first == or &&!walk->listing) return first;
    bool second = number_of(walk, e->b) != 0.0;
    return or ? first || second : first && second;
}

static double choice_of(struct script_walk *walk, const struct script_expression *e)
{
    bool first = number_of(walk, e->a) != 0.0;
    if (walk->listing) number_of(walk, first ? e->c : e->b);
    return number_of(walk, first ? e->b : e->c);
}

static double number_of(struct script_walk *walk, int index)
{
    const struct script_expression *e = expression_at(walk, index);
    walk->ran++;
    switch (e->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_FLAG: return e->number;
    case EXPRESSION_SYMBOL: return state_element(walk, e->symbol, 0);
    case EXPRESSION_ELEMENT:
        return state_element(walk, e->symbol, subscript_of(walk, e->symbol, e->a));
    case EXPRESSION_SPOT: return spot_of(walk, e);
    case EXPRESSION_TODAY: return walk->today[member_number(walk, e->a)];
    case EXPRESSION_NEGATE: return -number_of(walk, e->a);
    case EXPRESSION_ABS: return fabs(number_of(walk, e->a));
    case EXPRESSION_EXP: return exp(number_of(walk, e->a));
    case EXPRESSION_LOG: return log(number_of(walk, e->a));
    case EXPRESSION_SQRT: return sqrt(number_of(walk, e->a));
    case EXPRESSION_NORMAL_CDF: return normal_cdf(number_of(walk, e->a));
    case EXPRESSION_ADD: return number_of(walk, e->a) + number_of(walk, e->b);
    case EXPRESSION_SUBTRACT: return number_of(walk, e->a) - number_of(walk, e->b);
    case EXPRESSION_MULTIPLY: return number_of(walk, e->a) * number_of(walk, e->b);
    case EXPRESSION_DIVIDE: return number_of(walk, e->a) / number_of(walk, e->b);
    case EXPRESSION_POWER: return pow(number_of(walk, e->a), number_of(walk, e->b));
    case EXPRESSION_MIN: return fmin(number_of(walk, e->a), number_of(walk, e->b));
    case EXPRESSION_MAX: return fmax(number_of(walk, e->a), number_of(walk, e->b));
    case EXPRESSION_LESS: return compared(walk, e->a) < compared(walk, e->b);
    case EXPRESSION_LESS_EQUAL: return compared(walk, e->a) <= compared(walk, e->b);
    case EXPRESSION_GREATER: return compared(walk, e->a) > compared(walk, e->b);
    case EXPRESSION_GREATER_EQUAL: return compared(walk, e->a) >= compared(walk, e->b);
    case EXPRESSION_EQUAL: return compared(walk, e->a) == compared(walk, e->b);
    case EXPRESSION_NOT_EQUAL: return compared(walk, e->a) != compared(walk, e->b);
    case EXPRESSION_NOT: return number_of(walk, e->a) == 0.0;
    case EXPRESSION_AND:
    case EXPRESSION_OR: return both_of(walk, e);
    case EXPRESSION_IF: return choice_of(walk, e);
    case EXPRESSION_SUM:
    case EXPRESSION_PRODUCT:
    case EXPRESSION_FOLD_MIN:
    case EXPRESSION_FOLD_MAX:
    case EXPRESSION_MEAN:
    case EXPRESSION_COUNT:
    case EXPRESSION_ANY:
    case EXPRESSION_ALL: return fold_of(walk, e);
    case EXPRESSION_SIZE: return script_members(walk, e->symbol);
    case EXPRESSION_YEARS: return years_of(walk, e);
    case EXPRESSION_INDEX: return member_number(walk, e->a) + 1.0;
    case EXPRESSION_FIRST: return member_number(walk, e->a) == 0;
    case EXPRESSION_LAST:
        return member_number(walk, e->a) == script_members(walk, set_of(walk, e->a)) - 1;
    case EXPRESSION_PREVIOUS: return NAN; /* a date, which is never asked for as a number */
    case EXPRESSION_HIGHEST:
    case EXPRESSION_LOWEST:
    case EXPRESSION_SURVIVES: return watched_of(walk, e);
    }
    return NAN;
}

/* ---- statements ------------------------------------------------------------------------------ */

static void assign(struct script_walk *walk, const struct script_statement *s)
{
    int member = s->subscript >= 0 ? subscript_of(walk, s->symbol, s->subscript) : 0;
    double value = number_of(walk, s->value);
    if (s->subscript >= 0 || symbol_at(walk, s->symbol)->over < 0) {
        walk->state[walk->place[s->symbol] + member] = value;
        return;
    }
    for (int i = 0; i < script_members(walk, symbol_at(walk, s->symbol)->over); i++)
        walk->state[walk->place[s->symbol] + i] = value;
}

static void pay(struct script_walk *walk, const struct script_statement *s)
{
    int date = s->date >= 0 ? date_of(walk, s->date) : walk->date;
    double value = number_of(walk, s->value);
    /* A listing also runs branches that no path takes */
    if (!walk->listing && walk->dates[date].rank < walk->dates[walk->date].rank)
        fail(walk, s->place, "the payment's date is before the block's");
    if (walk->dates[date].years >= 0.0) walk->paid += walk->dates[date].discount * value;
}

int script_features(const struct script_walk *walk)
{
    int n = walk->n_assets + walk->n_state + walk->n_watches + walk->n_old;
    for (int i = 0; i < walk->n_assets; i++) n += binding_has_variance(walk->binding, i);
    return n < SCRIPT_KNOWN_MOST ? n : SCRIPT_KNOWN_MOST - 1;
}

/* Fills in what the policy of an exercise looks at behind its gain. */
static void add_features(const struct script_walk *walk, double *known)
{
    int n = 1, column = walk->dates[walk->date].column;
    for (int i = 0; i < walk->n_assets && n < SCRIPT_KNOWN_MOST; i++)
        known[n++] = column >= 0 ? walk->spots[column * walk->n_assets + i] : walk->today[i];
    for (int i = 0; i < walk->n_state && n < SCRIPT_KNOWN_MOST; i++) known[n++] = walk->state[i];
    for (int w = 0; w < walk->n_watches && n < SCRIPT_KNOWN_MOST; w++) {
        bool begun = column >= 0 && walk->watches[w].begin < walk->times[column];
        known[n++] = begun ? walk->watched[w * walk->n_columns + column] : 0.0;
    }
    for (int i = 0; i < walk->n_old && n < SCRIPT_KNOWN_MOST; i++) {
        const struct old_spot *old = &walk->old[i];
        bool seen = old->column < column;
        known[n++] = seen ? walk->spots[old->column * walk->n_assets + old->asset] : 0.0;
    }
    const double *variances = walk->watched + walk->n_watches * walk->n_columns;
    for (int i = 0; i < walk->n_assets && n < SCRIPT_KNOWN_MOST; i++)
        if (binding_has_variance(walk->binding, i))
            known[n++] = column >= 0 ? variances[column * walk->n_assets + i] : 0.0;
}

static void run_exercise(struct script_walk *walk, const struct script_statement *s)
{
    const struct script_date *date = &walk->dates[walk->date];
    int *ordinal = &walk->ordinal[s - walk->script->statements];
    struct script_decision decision = {walk->event->first_decision + *ordinal - 1,
                                       s->issuer,
                                       walk->paid,
                                       {date->discount * number_of(walk, s->value)}};
    if (walk->loops)
        fail(walk, s->place, "no reference for an exercise of one asset after another");
    if (date->years < 0.0) return; /* it was not, for the trade lives */
    if (walk->listing) {
        walk->n_decisions++;
        if (!*ordinal) *ordinal = walk->n_decisions - walk->event->first_decision;
        return;
    }
    add_features(walk, decision.known);
    if (!walk->decide || !walk->decide(walk->decider, &decision)) return;
    walk->paid += decision.known[0];
    walk->stopped = true;
}

static void run_statement(struct script_walk *walk, const struct script_statement *s)
{
    bool holds;
    walk->ran++;
    switch (s->kind) {
    case STATEMENT_ASSIGN: assign(walk, s); break;
    case STATEMENT_FOR:
        walk->loops++;
        for (int i = 0; i < script_members(walk, symbol_at(walk, s->symbol)->over); i++) {
            walk->member[s->symbol] = i;
            run_block(walk, s->body);
        }
        walk->loops--;
        break;
    case STATEMENT_IF:
        holds = number_of(walk, s->value) != 0.0;
        if (walk->listing) run_block(walk, holds ? s->otherwise : s->body);
        run_block(walk, holds ? s->body : s->otherwise);
        break;
    case STATEMENT_PAY: pay(walk, s); break;
    case STATEMENT_STOP: walk->stopped = !walk->listing; break;
    case STATEMENT_EXERCISE: run_exercise(walk, s); break;
    case STATEMENT_EACH: /* events, which run by themselves */
    case STATEMENT_AT: break;
    }
}

static void run_block(struct script_walk *walk, int first)
{
    for (int i = first; i >= 0 && !walk->stopped && !walk->failed;
         i = walk->script->statements[i].next)
        run_statement(walk, &walk->script->statements[i]);
}

static void run_events(struct script_walk *walk, int from, int to)
{
    for (int i = from; i < to && !walk->stopped && !walk->failed; i++) {
        struct script_event *event = walk->event = &walk->events[i];
        const struct script_statement *s = &walk->script->statements[event->statement];
        charge(walk, s->place);
        walk->date = event->date;
        if (walk->listing) event->first_decision = walk->n_decisions;
        if (s->kind == STATEMENT_EACH) walk->member[s->symbol] = event->member;
        run_block(walk, s->body);
    }
    walk->date = -1;
}

enum status script_walk_run(struct script_walk *walk, const double *spots, const double *watched,
                            double *value)
{
    walk->spots = spots;
    walk->watched = watched;
    walk->paid = walk->begun_paid;
    walk->stopped = walk->begun_stopped;
    memcpy(walk->state, walk->begun, sizeof(double) * (size_t)walk->n_state);
    run_events(walk, walk->n_past, walk->n_events);
    *value = walk->paid;
    if (!walk->failed && !isfinite(walk->paid))
        fail(walk, (struct script_place){1, 1}, "a path pays what is no number");
    return walk->failed ? STATUS_FAILED : STATUS_OK;
}

/* ---- before the first path ------------------------------------------------------------------- */

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
        date->discount = later               ? asset_discount(assets, time)
                         : date->years < 0.0 ? 0.0
                                             : asset_discount_today(assets);
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

/* Runs the beginnings of states, and the first events. */
static void run_first(struct script_walk *walk, int events)
{
    walk->date = -1;
    walk->paid = 0.0;
    walk->stopped = false;
    run_block(walk, walk->script->first);
    run_events(walk, 0, events);
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
    /* Lists what is watched and decided, then runs what lies before today */
    walk->listing = true;
    run_first(walk, walk->n_events);
    walk->listing = false;
    for (int i = 0; i < walk->n_state; i++) walk->state[i] = 0.0; /* what no branch assigns */
    if (!walk->failed) run_first(walk, walk->n_past);
    memcpy(walk->begun, walk->state, sizeof(double) * (size_t)walk->n_state);
    walk->begun_paid = walk->paid;
    walk->begun_stopped = walk->stopped;
    return walk->failed ? STATUS_FAILED : STATUS_OK;
}
