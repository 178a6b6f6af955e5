/* Walks the statements of a script in the order of dates. */
#include "models/scripts/compile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/scripts/compiler.h"

void compile_fail(struct compiler *compiler, int line, const char *format, ...)
{
    va_list arguments;
    char *to = compiler->why->text;
    size_t room = sizeof compiler->why->text;
    if (compiler->status != STATUS_OK) return;
    compiler->status = STATUS_FAILED;
    int n = snprintf(to, room, "line %d: ", line);
    va_start(arguments, format);
    vsnprintf(to + n, room - (size_t)n, format, arguments);
    va_end(arguments);
}

bool compile_work(struct compiler *compiler, int line)
{
    if (compiler->status != STATUS_OK) return false;
    if (++compiler->work > COMPILE_WORK_MOST)
        compile_fail(compiler, line, "the script asks for more than %d steps", COMPILE_WORK_MOST);
    if (compiler->values.status == STATUS_NO_MEMORY) compiler->status = STATUS_NO_MEMORY;
    if (compiler->values.status == STATUS_FAILED)
        compile_fail(compiler, line, "the script has more than %d values", VALUES_MOST);
    return compiler->status == STATUS_OK;
}

static void set_status(struct compiler *compiler, enum status status)
{
    if (compiler->status == STATUS_OK) compiler->status = status;
}

static int operate(struct compiler *compiler, enum operation operation, int a, int b)
{
    return value_of(&compiler->values, operation, a, b, 0);
}

/* Tells whether a flag is set, and not, on every path. */
static bool always(const struct compiler *compiler, int flag)
{
    return value_is(&compiler->values, flag, 1.0);
}

static bool never(const struct compiler *compiler, int flag)
{
    return value_is(&compiler->values, flag, 0.0);
}

/* ---- payments */

int compile_discounted(struct compiler *compiler, int amount, double years)
{
    int factor = value_coefficient(&compiler->values, COEFFICIENT_DISCOUNT, 0, 0, years);
    return operate(compiler, OPERATION_MULTIPLY, amount, factor);
}

void compile_flow(struct compiler *compiler, double years, struct script_place place, int amount,
                  bool certain)
{
    struct program *program = compiler->program;
    const struct node *node = &compiler->values.nodes[amount];
    bool constant = node->known & KNOWN_CONSTANT;
    enum status status = grow_array(&program->flows, &compiler->room_flows, program->n_flows + 1,
                                    sizeof *program->flows);
    set_status(compiler, status);
    if (status != STATUS_OK) return;
    program->flows[program->n_flows++] = (struct program_flow){
        years, place, certain && constant, certain && constant ? node->number : 0.0};
}

void compile_paid(struct compiler *compiler, double years, double amount)
{
    struct script_past *past = compiler->past;
    enum status status = grow_array(&past->payments, &compiler->room_payments, past->n_payments + 1,
                                    sizeof *past->payments);
    set_status(compiler, status);
    if (status == STATUS_OK)
        past->payments[past->n_payments++] = (struct script_payment){years, amount};
}

/* Returns an amount of the size that the script pays: the largest of its parameters in money, or
 * else of its numbers. */
static double typical_amount(const struct binding *binding)
{
    double most[2] = {0.0, 0.0}; /* numbers, money */
    for (int i = 0; i < binding->script->n_parameters; i++) {
        const struct script_symbol *symbol = &binding->script->symbols[i];
        if (symbol->kind != SYMBOL_NUMBER) continue;
        for (int k = 0; k < binding->bound[i].n; k++) {
            double size = fabs(binding->bound[i].values[k]);
            if (size < HUGE_VAL) most[symbol->money] = fmax(most[symbol->money], size);
        }
    }
    return most[1] > 0.0 ? most[1] : most[0];
}

void compile_total(struct compiler *compiler, int amount)
{
    compiler->total =
        compiler->total < 0 ? amount : operate(compiler, OPERATION_ADD, compiler->total, amount);
}

static void pay(struct compiler *compiler, const struct script_statement *statement)
{
    struct values *values = &compiler->values;
    int line = statement->place.line, amount = compile_node(compiler, statement->value);
    const struct node *node = &values->nodes[amount];
    bool constant = node->known & KNOWN_CONSTANT;
    double years = compiler->now, number = node->number;
    if (statement->date >= 0) years = compile_date(compiler, statement->date).years;
    if (years < compiler->now - COMPILE_SAME_DATE)
        compile_fail(compiler, line, "it pays at a date that has passed");
    if (constant && !(fabs(number) < HUGE_VAL))
        compile_fail(compiler, line, "the amount is no number");
    if (compiler->passed && !constant) compile_fail(compiler, line, NEEDS_TODAY);
    if (compiler->status != STATUS_OK || (constant && number == 0.0)) return;
    if (compiler->passed && (years < 0.0 || compiler->over)) {
        compile_paid(compiler, years, number);
        return;
    }
    int when = operate(compiler, OPERATION_AND, compiler->alive, compiler->under);
    if (never(compiler, when)) return;
    bool certain = always(compiler, when);
    compile_flow(compiler, years, statement->place, amount, certain);
    if (!certain)
        compiler->jump = fmax(compiler->jump, constant ? fabs(number) : compiler->typical);
    amount = value_of(values, OPERATION_SELECT, when, amount, 0);
    compile_total(compiler, compile_discounted(compiler, amount, years));
}

/* ---- statements */

static void run(struct compiler *compiler, int first);

static void stop(struct compiler *compiler)
{
    int goes_on = operate(compiler, OPERATION_NOT, compiler->under, 0);
    compiler->alive = operate(compiler, OPERATION_AND, compiler->alive, goes_on);
    compiler->left = true;
}

static void assign(struct compiler *compiler, const struct script_statement *statement)
{
    struct value value = compile_value(compiler, statement->value);
    int state = compile_state(compiler, statement->symbol, statement->subscript);
    int over = compiler->script->symbols[statement->symbol].over;
    bool all = statement->subscript < 0 && over >= 0;
    for (int i = 0; i < (all ? compiler->binding->bound[over].n : 1); i++)
        compiler->states[state + i] = value;
}

/* Runs a block where `flag` is set; what it assigns stays in compiler->states. True: it never goes
 * on behind the block. */
static bool run_under(struct compiler *compiler, int first, int flag)
{
    int under = compiler->under;
    bool left = compiler->left;
    compiler->under = operate(compiler, OPERATION_AND, under, flag);
    compiler->left = never(compiler, compiler->under);
    run(compiler, first);
    bool leaves = compiler->left;
    compiler->under = under;
    compiler->left = left;
    return leaves;
}

/* Runs both branches, each on the states as they were, and selects between what they leave. */
static void branch(struct compiler *compiler, const struct script_statement *statement, int flag)
{
    size_t size = (size_t)compiler->n_states * sizeof *compiler->states;
    struct value *before = malloc(2 * size + 1), *then = before + compiler->n_states;
    if (!before) {
        set_status(compiler, STATUS_NO_MEMORY);
        return;
    }
    compiler->work += compiler->n_states / 16;
    memcpy(before, compiler->states, size);
    bool left = run_under(compiler, statement->body, flag);
    memcpy(then, compiler->states, size);
    memcpy(compiler->states, before, size);
    bool left_otherwise =
        run_under(compiler, statement->otherwise, operate(compiler, OPERATION_NOT, flag, 0));
    if (left && left_otherwise) compiler->left = true;
    /* what a branch that stops has assigned is never read */
    if (left_otherwise) memcpy(compiler->states, then, size);
    for (int i = 0; i < compiler->n_states && !left && !left_otherwise; i++)
        compiler->states[i] = compile_select(compiler, flag, then[i], compiler->states[i]);
    free(before);
}

static void run_if(struct compiler *compiler, const struct script_statement *statement)
{
    int flag = compile_node(compiler, statement->value);
    if (always(compiler, flag) || never(compiler, flag)) {
        run(compiler, never(compiler, flag) ? statement->otherwise : statement->body);
        return;
    }
    if (compiler->passed) compile_fail(compiler, statement->place.line, NEEDS_TODAY);
    branch(compiler, statement, flag);
}

static void run_for(struct compiler *compiler, const struct script_statement *statement)
{
    const struct script_symbol *symbols = compiler->script->symbols;
    int n = compiler->binding->bound[symbols[statement->symbol].over].n;
    for (int i = 0; i < n && !compiler->left && compile_work(compiler, statement->place.line);
         i++) {
        compile_set_loop(compiler, statement->symbol, i);
        run(compiler, statement->body);
    }
}

/* Runs the statements of a block, until one stops whatever the path does. */
static void run(struct compiler *compiler, int first)
{
    const struct script_statement *statement;
    for (int i = first; i >= 0 && !compiler->left && !compiler->ended; i = statement->next) {
        statement = &compiler->script->statements[i];
        if (!compile_work(compiler, statement->place.line)) return;
        switch (statement->kind) {
        case STATEMENT_ASSIGN: assign(compiler, statement); break;
        case STATEMENT_FOR: run_for(compiler, statement); break;
        case STATEMENT_IF: run_if(compiler, statement); break;
        case STATEMENT_PAY: pay(compiler, statement); break;
        case STATEMENT_STOP: stop(compiler); break;
        case STATEMENT_EXERCISE: compile_exercise(compiler, statement); break;
        case STATEMENT_EACH: /* run by date */
        case STATEMENT_AT: break;
        }
    }
}

/* ---- dates */

/* One run of a block. */
struct event {
    double years;
    int order, statement, member;
};

static int by_date(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->years != y->years ? (x->years < y->years ? -1 : 1)
                                : (x->order > y->order) - (x->order < y->order);
}

/* Begins the states, and lists the blocks by date. */
static enum status list_events(struct compiler *compiler, struct event **events, int *n)
{
    const struct script *script = compiler->script;
    int room = 0;
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        const struct script_statement *statement = &script->statements[i];
        const struct bound *bound = compiler->binding->bound;
        bool each = statement->kind == STATEMENT_EACH;
        int over = each ? script->symbols[statement->symbol].over : -1;
        if (statement->kind == STATEMENT_ASSIGN) {
            assign(compiler, statement);
            continue;
        }
        for (int k = 0; k < (each ? bound[over].n : 1); k++) {
            enum status status = grow_array(events, &room, *n + 1, sizeof **events);
            if (status != STATUS_OK) return status;
            double years =
                each ? bound[over].values[k] : compile_date(compiler, statement->date).years;
            (*events)[*n] = (struct event){years, *n, i, k};
            (*n)++;
        }
    }
    if (*n) qsort(*events, (size_t)*n, sizeof **events, by_date);
    for (int i = 1; i < *n; i++)
        if ((*events)[i].years - (*events)[i - 1].years <= COMPILE_SAME_DATE)
            (*events)[i].years = (*events)[i - 1].years;
    if (*n) qsort(*events, (size_t)*n, sizeof **events, by_date);
    for (int i = 0; i < *n; i++) compiler->last_event[(*events)[i].statement] = i;
    return STATUS_OK;
}

static void run_events(struct compiler *compiler, const struct event *events, int n)
{
    const struct script *script = compiler->script;
    compiler->over = compiler->binding->bound[script->expiry].values[0] <= 0.0;
    for (int i = 0; i < n && !compiler->ended; i++) {
        const struct script_statement *statement = &script->statements[events[i].statement];
        if (!compile_work(compiler, statement->place.line)) return;
        compiler->event = i;
        compiler->now = events[i].years;
        compiler->passed = compiler->now < 0.0 || (compiler->over && compiler->now <= 0.0);
        compiler->left = false;
        if (statement->kind == STATEMENT_EACH)
            compile_set_loop(compiler, statement->symbol, events[i].member);
        run(compiler, statement->body);
        compiler->ended = compiler->left;
        if (!compiler->ended || !compiler->passed) continue;
        compiler->past->stopped = true;
        compiler->past->stopped_at = compiler->now;
    }
}

static int flow_order(const void *a, const void *b)
{
    const struct program_flow *x = a, *y = b;
    if (x->years != y->years) return x->years < y->years ? -1 : 1;
    return x->place.line != y->place.line
               ? (x->place.line < y->place.line ? -1 : 1)
               : (x->place.column > y->place.column) - (x->place.column < y->place.column);
}

/* Gives each name its place; states that are given no value before they are read on a path are 0.
 */
static enum status make_names(struct compiler *compiler)
{
    const struct script *script = compiler->script;
    size_t n = (size_t)script->n_symbols;
    compiler->dates = calloc(n, sizeof *compiler->dates);
    compiler->members = calloc(n, sizeof *compiler->members);
    compiler->first_state = calloc(n, sizeof *compiler->first_state);
    compiler->last_event = calloc((size_t)script->n_statements + 1, sizeof *compiler->last_event);
    if (!compiler->dates || !compiler->members || !compiler->first_state || !compiler->last_event)
        return STATUS_NO_MEMORY;
    for (int i = 0; i < script->n_symbols; i++) {
        const struct script_symbol *symbol = &script->symbols[i];
        if (symbol->kind != SYMBOL_STATE) continue;
        compiler->first_state[i] = compiler->n_states;
        compiler->n_states += symbol->over >= 0 ? compiler->binding->bound[symbol->over].n : 1;
        if (compiler->n_states > COMPILE_STATES_MOST) {
            compile_fail(compiler, symbol->place.line, "the script keeps more than %d numbers",
                         COMPILE_STATES_MOST);
            return compiler->status;
        }
    }
    compiler->states = calloc((size_t)compiler->n_states + 1, sizeof *compiler->states);
    if (!compiler->states) return STATUS_NO_MEMORY;
    for (int i = 0; i < compiler->n_states; i++) compiler->states[i] = (struct value){0, -1};
    return STATUS_OK;
}

enum status script_compile(const struct binding *binding, struct program *program,
                           struct script_past *past, struct message *why)
{
    enum status status = STATUS_OK;
    struct event *events = NULL;
    int n_events = 0;
    struct compiler compiler = {.binding = binding,
                                .script = binding->script,
                                .program = program,
                                .past = past,
                                .why = why,
                                .typical = typical_amount(binding),
                                .now = -HUGE_VAL,
                                .total = -1};
    *program = (struct program){0};
    *past = (struct script_past){.missing_parameter = -1, .missing_date = -1, .missing_asset = -1};
    TRY(values_make(&compiler.values));
    compiler.alive = compiler.under = value_constant(&compiler.values, 1.0);
    TRY(make_names(&compiler));
    TRY(list_events(&compiler, &events, &n_events));
    run_events(&compiler, events, n_events);
    compile_work(&compiler, binding->script->symbols[binding->script->expiry].place.line);
    TRY(compiler.status);
    if (program->n_flows)
        qsort(program->flows, (size_t)program->n_flows, sizeof *program->flows, flow_order);
    program->ended = compiler.ended && compiler.total < 0;
    TRY(emit_program(&compiler));

done:
    free(events);
    free(compiler.dates);
    free(compiler.members);
    free(compiler.first_state);
    free(compiler.last_event);
    free(compiler.states);
    free(compiler.decides);
    values_free(&compiler.values);
    return status;
}

void script_past_free(struct script_past *past)
{
    free(past->payments);
    *past = (struct script_past){0};
}
