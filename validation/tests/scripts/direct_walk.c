#include "validation/tests/scripts/direct_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/programs/policy.h"
#include "validation/tests/script_paths.h"

enum { NAMES = 512, STATES = 64 };

struct walk {
    struct direct *direct;
    const struct script *script;
    const struct bound *bound;
    int members[NAMES], lists[NAMES]; /* of loops: the member and its parameter */
    double states[NAMES][STATES];
    double now, total;
};

static double value(struct walk *walk, int expression);

static const struct script_expression *expression_of(const struct walk *walk, int expression)
{
    return &walk->script->expressions[expression];
}

/* Which date: its parameter and member. */
static double date(const struct walk *walk, int expression, int *list, int *member)
{
    const struct script_expression *e = expression_of(walk, expression);
    if (e->kind == EXPRESSION_PREVIOUS) {
        date(walk, e->a, list, member);
        if (*member == 0) return date(walk, e->b, list, member);
        --*member;
    } else if (walk->script->symbols[e->symbol].kind == SYMBOL_LOOP) {
        *list = walk->lists[e->symbol];
        *member = walk->members[e->symbol];
    } else {
        *list = e->symbol;
        *member = 0;
    }
    return walk->bound[*list].values[*member];
}

static double years(const struct walk *walk, int expression)
{
    int list, member;
    return date(walk, expression, &list, &member);
}

static int asset(const struct walk *walk, int expression)
{
    int symbol = expression_of(walk, expression)->symbol;
    return walk->script->symbols[symbol].kind == SYMBOL_LOOP ? walk->members[symbol] : 0;
}

static int member_of(const struct walk *walk, int over, int subscript)
{
    int list, member;
    if (subscript < 0 || over < 0) return 0;
    if (expression_of(walk, subscript)->type == VALUE_ASSET) return asset(walk, subscript);
    double when = date(walk, subscript, &list, &member);
    for (int i = 0; i < walk->bound[over].n; i++)
        if (walk->bound[over].values[i] == when) return i;
    abort();
}

static double named(const struct walk *walk, const struct script_expression *e)
{
    int subscript = e->kind == EXPRESSION_ELEMENT ? e->a : -1;
    const struct script_symbol *symbol = &walk->script->symbols[e->symbol];
    int member = member_of(walk, symbol->over, subscript);
    if (symbol->kind == SYMBOL_STATE) return walk->states[e->symbol][member];
    double x = walk->bound[e->symbol].values[member];
    return isnan(x) ? SCRIPT_TODAY : x;
}

static double spot(const struct walk *walk, const struct script_expression *e)
{
    int list, member, a = asset(walk, e->a), n = walk->direct->binding->n_assets;
    double when = date(walk, e->b, &list, &member);
    if (when > 0.0)
        return exp2(script_input(walk->direct->path,
                                 &(struct program_input){INPUT_SPOT, a, when, 0.0, 0.0}));
    double close = walk->bound[list].closes ? walk->bound[list].closes[member * n + a] : NAN;
    return isnan(close) ? SCRIPT_TODAY : close;
}

static double watched(struct walk *walk, const struct script_expression *e)
{
    bool survives = e->kind == EXPRESSION_SURVIVES;
    struct program_input input = {.kind = survives                        ? INPUT_SURVIVAL
                                          : e->kind == EXPRESSION_HIGHEST ? INPUT_HIGHEST
                                                                          : INPUT_LOWEST,
                                  .asset = asset(walk, e->a),
                                  .date = years(walk, survives ? e->d : e->b),
                                  .upper = HUGE_VAL};
    if (survives && e->b >= 0) input.lower = value(walk, e->b);
    if (survives && e->c >= 0) input.upper = value(walk, e->c);
    double x = script_input(walk->direct->path, &input);
    return survives ? x : exp2(x);
}

static double fold(struct walk *walk, const struct script_expression *e)
{
    int over = walk->script->symbols[e->symbol].over, members = 0;
    double sum = 0.0, product = 1.0, least = HUGE_VAL, most = -HUGE_VAL;
    walk->lists[e->symbol] = over;
    for (int i = 0; i < walk->bound[over].n; i++) {
        walk->members[e->symbol] = i;
        if (e->b >= 0 && value(walk, e->b) == 0.0) continue;
        double x = e->a >= 0 ? value(walk, e->a) : 1.0;
        sum += x;
        product *= x;
        least = fmin(least, x);
        most = fmax(most, x);
        members++;
    }
    switch ((int)e->kind) {
    case EXPRESSION_SUM: return sum;
    case EXPRESSION_PRODUCT: return product;
    case EXPRESSION_FOLD_MIN: return least;
    case EXPRESSION_FOLD_MAX: return most;
    case EXPRESSION_MEAN: return members ? sum / members : 0.0;
    case EXPRESSION_ANY: return members && most > 0.0;
    case EXPRESSION_ALL: return !members || least > 0.0;
    default: return members;
    }
}

static double compared(struct walk *walk, const struct script_expression *e)
{
    bool dates = expression_of(walk, e->a)->type == VALUE_DATE;
    double a = dates ? years(walk, e->a) : value(walk, e->a);
    double b = dates ? years(walk, e->b) : value(walk, e->b);
    double gap = fabs(a - b);
    /* whole numbers are exact on both sides */
    if (!dates && gap > 0.0 && gap <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12 * walk->direct->most &&
        (a != floor(a) || b != floor(b) || walk->direct->most > 1e9))
        walk->direct->close = true;
    switch ((int)e->kind) {
    case EXPRESSION_LESS: return a < b;
    case EXPRESSION_LESS_EQUAL: return a <= b;
    case EXPRESSION_GREATER: return a > b;
    case EXPRESSION_GREATER_EQUAL: return a >= b;
    case EXPRESSION_EQUAL: return a == b;
    default: return a != b;
    }
}

static double loop_number(const struct walk *walk, const struct script_expression *e)
{
    int symbol = expression_of(walk, e->a)->symbol, i = walk->members[symbol];
    if (e->kind == EXPRESSION_INDEX) return i + 1;
    return e->kind == EXPRESSION_FIRST ? i == 0 : i == walk->bound[walk->lists[symbol]].n - 1;
}

static double computed(struct walk *walk, const struct script_expression *e)
{
    switch (e->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_FLAG: return e->number;
    case EXPRESSION_SYMBOL:
    case EXPRESSION_ELEMENT: return named(walk, e);
    case EXPRESSION_SPOT: return spot(walk, e);
    case EXPRESSION_TODAY: return SCRIPT_TODAY;
    case EXPRESSION_NEGATE: return -value(walk, e->a);
    case EXPRESSION_ABS: return fabs(value(walk, e->a));
    case EXPRESSION_EXP: return exp(value(walk, e->a));
    case EXPRESSION_LOG: return log(value(walk, e->a));
    case EXPRESSION_SQRT: return sqrt(value(walk, e->a));
    case EXPRESSION_NORMAL_CDF: return 0.5 * erfc(-value(walk, e->a) * sqrt(0.5));
    case EXPRESSION_ADD: return value(walk, e->a) + value(walk, e->b);
    case EXPRESSION_SUBTRACT: return value(walk, e->a) - value(walk, e->b);
    case EXPRESSION_MULTIPLY: return value(walk, e->a) * value(walk, e->b);
    case EXPRESSION_DIVIDE: return value(walk, e->a) / value(walk, e->b);
    case EXPRESSION_POWER: return pow(value(walk, e->a), value(walk, e->b));
    case EXPRESSION_MIN: return fmin(value(walk, e->a), value(walk, e->b));
    case EXPRESSION_MAX: return fmax(value(walk, e->a), value(walk, e->b));
    case EXPRESSION_LESS:
    case EXPRESSION_LESS_EQUAL:
    case EXPRESSION_GREATER:
    case EXPRESSION_GREATER_EQUAL:
    case EXPRESSION_EQUAL:
    case EXPRESSION_NOT_EQUAL: return compared(walk, e);
    case EXPRESSION_NOT: return value(walk, e->a) == 0.0;
    case EXPRESSION_AND: return value(walk, e->a) != 0.0 && value(walk, e->b) != 0.0;
    case EXPRESSION_OR: return value(walk, e->a) != 0.0 || value(walk, e->b) != 0.0;
    case EXPRESSION_IF: return value(walk, e->a) != 0.0 ? value(walk, e->b) : value(walk, e->c);
    case EXPRESSION_SUM:
    case EXPRESSION_PRODUCT:
    case EXPRESSION_FOLD_MIN:
    case EXPRESSION_FOLD_MAX:
    case EXPRESSION_MEAN:
    case EXPRESSION_COUNT:
    case EXPRESSION_ANY:
    case EXPRESSION_ALL: return fold(walk, e);
    case EXPRESSION_SIZE: return walk->bound[e->symbol].n;
    case EXPRESSION_YEARS: return years(walk, e->b) - years(walk, e->a);
    case EXPRESSION_INDEX:
    case EXPRESSION_FIRST:
    case EXPRESSION_LAST: return loop_number(walk, e);
    case EXPRESSION_HIGHEST:
    case EXPRESSION_LOWEST:
    case EXPRESSION_SURVIVES: return watched(walk, e);
    case EXPRESSION_PREVIOUS: break;
    }
    abort();
}

static double value(struct walk *walk, int expression)
{
    double x = computed(walk, expression_of(walk, expression));
    if (fabs(x) < HUGE_VAL) walk->direct->most = fmax(walk->direct->most, fabs(x));
    return x;
}

/* ---- statements */

static void pay(struct walk *walk, double amount, double when)
{
    bool over = walk->bound[walk->script->expiry].values[0] <= 0.0;
    if (walk->now < 0.0 || over)
        if (when < 0.0 || over) {
            walk->direct->paid += amount;
            return;
        }
    walk->direct->value += amount * script_discount(when);
}

static void note(struct walk *walk, double put_out, double here)
{
    double wrong = fabs(put_out - here) / fmax(walk->direct->most, 1.0);
    walk->direct->wrong = fmax(walk->direct->wrong, wrong);
}

static void exercise(struct walk *walk, const struct script_statement *statement)
{
    struct direct *direct = walk->direct;
    const struct program *program = direct->program;
    double worth = value(walk, statement->value), sign = statement->issuer ? -1.0 : 1.0;
    double z[POLICY_FEATURES_MOST], terms[POLICY_TERMS_MOST], going_on = 0.0;
    bool over = walk->bound[walk->script->expiry].values[0] <= 0.0;
    if (walk->now < 0.0 || over) {
        if (!over || walk->now < walk->bound[walk->script->expiry].values[0]) return;
        if (sign * worth > 0.0) pay(walk, worth, walk->now), direct->stopped = true;
        return;
    }
    const struct program_decision *d = program->decisions;
    while (d->years != walk->now || d->place.line != statement->place.line ||
           d->place.column != statement->place.column)
        if (++d == program->decisions + program->n_decisions) abort();
    const struct program_coefficient *numbers = &program->coefficients[d->first_coefficient];
    const double *outputs = &direct->outputs[d->first_output];
    int n = d->n_features;
    for (int i = 0; i < n; i++)
        z[i] = (outputs[3 + i] - script_coefficient(direct->seed, &numbers[2 * i])) *
               script_coefficient(direct->seed, &numbers[2 * i + 1]);
    policy_fill_terms(n, z, terms);
    for (int i = 0; i < d->n_terms; i++)
        going_on += terms[i] * script_coefficient(direct->seed, &numbers[2 * n + i]);
    double discounted = worth * script_discount(walk->now);
    note(walk, outputs[0], 1.0);
    note(walk, outputs[1], discounted);
    note(walk, outputs[2], direct->value);
    if (fabs(discounted - going_on) < 1e-9 * (1.0 + fabs(going_on))) direct->close = true;
    /* where it pays nothing it is not exercised, unless it never pays anything else: that is told
     * by compile_test.c */
    if (worth == 0.0 && expression_of(walk, statement->value)->kind != EXPRESSION_NUMBER)
        direct->close = true;
    if (sign * (discounted - going_on) > 0.0) pay(walk, worth, walk->now), direct->stopped = true;
}

static void run(struct walk *walk, int first)
{
    const struct script_statement *s;
    for (int i = first; i >= 0 && !walk->direct->stopped; i = s->next) {
        s = &walk->script->statements[i];
        int over = s->symbol >= 0 ? walk->script->symbols[s->symbol].over : -1;
        if (s->kind == STATEMENT_ASSIGN) {
            double x = value(walk, s->value);
            int at = member_of(walk, over, s->subscript), all = over >= 0 && s->subscript < 0;
            for (int k = 0; k < (all ? walk->bound[over].n : 1); k++)
                walk->states[s->symbol][at + k] = x;
        } else if (s->kind == STATEMENT_FOR) {
            walk->lists[s->symbol] = over;
            for (int k = 0; k < walk->bound[over].n && !walk->direct->stopped; k++) {
                walk->members[s->symbol] = k;
                run(walk, s->body);
            }
        } else if (s->kind == STATEMENT_IF) {
            run(walk, value(walk, s->value) != 0.0 ? s->body : s->otherwise);
        } else if (s->kind == STATEMENT_PAY) {
            double amount = value(walk, s->value);
            pay(walk, amount, s->date >= 0 ? years(walk, s->date) : walk->now);
        } else if (s->kind == STATEMENT_STOP) {
            walk->direct->stopped = true;
        } else if (s->kind == STATEMENT_EXERCISE) {
            exercise(walk, s);
        }
    }
}

/* Finds the next block: the first in the text of the earliest date after (`when`, order). */
static bool next_block(const struct walk *walk, double *when, int *order, int *statement,
                       int *member)
{
    double best = HUGE_VAL;
    int at = 0, best_order = 0;
    for (int i = walk->script->first; i >= 0; i = walk->script->statements[i].next) {
        const struct script_statement *s = &walk->script->statements[i];
        bool each = s->kind == STATEMENT_EACH;
        if (!each && s->kind != STATEMENT_AT) continue;
        const struct bound *dates = each ? &walk->bound[walk->script->symbols[s->symbol].over] : 0;
        for (int k = 0; k < (each ? dates->n : 1); k++, at++) {
            double t = each ? dates->values[k] : years(walk, s->date);
            if (t < *when || (t == *when && at <= *order) || t >= best) continue;
            best = t;
            best_order = at;
            *statement = i;
            *member = k;
        }
    }
    *when = best;
    *order = best_order;
    return best < HUGE_VAL;
}

void direct_walk(struct direct *direct)
{
    struct walk walk = {.direct = direct,
                        .script = direct->binding->script,
                        .bound = direct->binding->bound,
                        .now = -HUGE_VAL};
    double when = -HUGE_VAL;
    int order = -1, statement = 0, member = 0;
    direct->value = direct->paid = direct->most = direct->wrong = 0.0;
    direct->close = direct->stopped = false;
    for (int i = walk.script->first; i >= 0; i = walk.script->statements[i].next)
        if (walk.script->statements[i].kind == STATEMENT_ASSIGN) {
            const struct script_statement *s = &walk.script->statements[i];
            double x = value(&walk, s->value);
            for (int k = 0; k < STATES; k++) walk.states[s->symbol][k] = x;
        }
    while (!direct->stopped && next_block(&walk, &when, &order, &statement, &member)) {
        const struct script_statement *s = &walk.script->statements[statement];
        walk.now = when;
        if (s->kind == STATEMENT_EACH) {
            walk.members[s->symbol] = member;
            walk.lists[s->symbol] = walk.script->symbols[s->symbol].over;
        }
        run(&walk, s->body);
    }
}
