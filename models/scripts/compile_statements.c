/* Walks the statements of a script in the order of dates. */
#include "models/scripts/compile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/base/order.h"
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

void compile_add(struct compiler *compiler, void *array, int *n, const void *item, size_t size)
{
    char *list;
    int room = *n ? 16 : 0; /* it was doubled when it was full */
    while (*n && room < *n) room *= 2;
    enum status status = grow_array(array, &room, *n + 1, size);
    if (compiler->status == STATUS_OK) compiler->status = status;
    if (status != STATUS_OK) return;
    memcpy(&list, array, sizeof list);
    memcpy(list + (size_t)(*n)++ * size, item, size);
}

/* ---- payments */

int compile_discounted(struct compiler *compiler, int amount, double years,
                       enum coefficient_kind kind)
{
    int factor = value_coefficient(&compiler->values, kind, 0, 0, years);
    return compile_operation(compiler, OPERATION_MULTIPLY, amount, factor);
}

void compile_payment(struct compiler *compiler, int when, int amount, double years,
                     struct script_place place)
{
    struct values *values = &compiler->values;
    struct program *program = compiler->program;
    const struct node *node = &values->nodes[amount];
    bool constant = node->known & KNOWN_CONSTANT, certain = constant && value_is(values, when, 1.0);
    struct program_flow flow = {years, place, certain, certain ? node->number : 0.0};
    compile_append(compiler, &program->flows, &program->n_flows, &flow);
    if (!value_known(values, amount, KNOWN_NOT_NEGATIVE)) compiler->owed = compiler->part;
    if (!value_is(values, when, 1.0))
        compiler->jump = fmax(compiler->jump, constant ? fabs(node->number) : compiler->typical);
    amount = value_of(values, OPERATION_SELECT, when, amount, 0);
    amount = compile_discounted(compiler, amount, years, COEFFICIENT_DISCOUNT);
    compiler->total = compiler->total < 0
                          ? amount
                          : compile_operation(compiler, OPERATION_ADD, compiler->total, amount);
}

void compile_pay(struct compiler *compiler, const struct script_statement *statement)
{
    struct script_past *past = compiler->past;
    int line = statement->place.line, amount = compile_value(compiler, statement->value);
    const struct node *node = &compiler->values.nodes[amount];
    bool constant = node->known & KNOWN_CONSTANT;
    struct script_member at = {.years = compiler->now};
    double number = node->number;
    if (statement->date >= 0) at = compile_place(compiler, statement->date);
    double years = at.years;
    if (years < compiler->now - COMPILE_SAME_DATE)
        compile_fail(compiler, line, "it pays at a date before the one it stands on: date %d of %s",
                     at.index + 1, compiler->script->symbols[at.parameter].name);
    if (constant && !(fabs(number) < HUGE_VAL))
        compile_fail(compiler, line, "the amount is no number");
    if (compiler->passed && !constant) compile_fail(compiler, line, NEEDS_TODAY);
    if (compiler->status != STATUS_OK || (constant && number == 0.0)) return;
    int when = compile_operation(compiler, OPERATION_AND, compiler->alive, compiler->under);
    if (compiler->passed && (years < 0.0 || compiler->over))
        compile_append(compiler, &past->payments, &past->n_payments,
                       &(struct script_payment){years, number});
    else if (!value_is(&compiler->values, when, 0.0))
        compile_payment(compiler, when, amount, years, statement->place);
}

/* ---- statements */

static void run_statements(struct compiler *compiler, int first);

void compile_stop(struct compiler *compiler, int flag)
{
    int goes_on = compile_operation(compiler, OPERATION_NOT, flag, 0);
    compiler->alive = compile_operation(compiler, OPERATION_AND, compiler->alive, goes_on);
}

static void assign(struct compiler *compiler, const struct script_statement *statement)
{
    int value = compile_value(compiler, statement->value);
    int state = compile_state(compiler, statement->symbol, statement->subscript);
    int over = compiler->script->symbols[statement->symbol].over;
    bool all = statement->subscript < 0 && over >= 0;
    for (int i = state; i < state + (all ? compile_members(compiler, over) : 1); i++) {
        compiler->states[i] = value;
        if (value_is(&compiler->values, compiler->under, 1.0))
            compiler->assigned[i] = compiler->part;
    }
}

/* Runs both branches, each on the states as they were, and selects between what they leave; what a
 * branch that stops has assigned is never read. */
static void branch(struct compiler *compiler, const struct script_statement *statement, int flag)
{
    const int blocks[] = {statement->body, statement->otherwise}, under = compiler->under;
    const int flags[] = {flag, compile_operation(compiler, OPERATION_NOT, flag, 0)};
    size_t n = (size_t)compiler->n_states, size = n * sizeof compiler->states[0];
    int *before = malloc(3 * size + 1), *after[] = {before + n, before + 2 * n};
    bool left[2];
    if (!before) {
        compiler->status = STATUS_NO_MEMORY;
        return;
    }
    compiler->work += compiler->n_states / 16;
    memcpy(before, compiler->states, size);
    for (int k = 0; k < 2; k++) {
        memcpy(compiler->states, before, size);
        compiler->under = compile_operation(compiler, OPERATION_AND, under, flags[k]);
        compiler->left = value_is(&compiler->values, compiler->under, 0.0);
        run_statements(compiler, blocks[k]);
        left[k] = compiler->left;
        memcpy(after[k], compiler->states, size);
    }
    compiler->under = under;
    compiler->left = left[0] && left[1];
    for (size_t i = 0; i < n; i++)
        compiler->states[i] = left[0]   ? after[1][i]
                              : left[1] ? after[0][i]
                                        : value_of(&compiler->values, OPERATION_SELECT, flag,
                                                   after[0][i], after[1][i]);
    free(before);
}

static void run_if(struct compiler *compiler, const struct script_statement *statement)
{
    int flag = compile_value(compiler, statement->value);
    bool set = value_is(&compiler->values, flag, 1.0);
    if (value_known(&compiler->values, flag, KNOWN_CONSTANT))
        run_statements(compiler, set ? statement->body : statement->otherwise);
    else if (compiler->passed) compile_fail(compiler, statement->place.line, NEEDS_TODAY);
    else branch(compiler, statement, flag);
}

static void run_for(struct compiler *compiler, const struct script_statement *statement)
{
    int n = compile_members(compiler, compiler->script->symbols[statement->symbol].over);
    for (int i = 0; i < n && !compiler->left && compile_work(compiler, statement->place.line);
         i++) {
        compile_set_loop(compiler, statement->symbol, i);
        run_statements(compiler, statement->body);
    }
}

/* Runs the statements of a block, until one stops whatever the path does. */
static void run_statements(struct compiler *compiler, int first)
{
    const struct script_statement *statement;
    for (int i = first; i >= 0 && !compiler->left && !compiler->ended; i = statement->next) {
        statement = &compiler->script->statements[i];
        if (!compile_work(compiler, statement->place.line)) return;
        switch (statement->kind) {
        case STATEMENT_ASSIGN: assign(compiler, statement); break;
        case STATEMENT_FOR: run_for(compiler, statement); break;
        case STATEMENT_IF: run_if(compiler, statement); break;
        case STATEMENT_PAY: compile_pay(compiler, statement); break;
        case STATEMENT_STOP:
            compile_stop(compiler, compiler->under);
            compiler->left = true;
            break;
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
    return x->years != y->years ? compare_doubles(x->years, y->years) : x->order - y->order;
}

/* Begins the states, and lists the blocks by date. */
static void list_events(struct compiler *compiler, struct event **events, int *n)
{
    const struct script *script = compiler->script;
    for (int i = script->first; i >= 0; i = script->statements[i].next) {
        const struct script_statement *statement = &script->statements[i];
        bool each = statement->kind == STATEMENT_EACH;
        int over = each ? script->symbols[statement->symbol].over : -1;
        if (statement->kind == STATEMENT_ASSIGN) {
            assign(compiler, statement);
            continue;
        }
        for (int k = 0; k < compile_members(compiler, over); k++) {
            double years = each ? compiler->binding->bound[over].values[k]
                                : compile_place(compiler, statement->date).years;
            compile_append(compiler, events, n, &(struct event){years, *n, i, k});
        }
    }
    for (int again = 0; again < 2 && *n; again++) {
        qsort(*events, (size_t)*n, sizeof **events, by_date);
        for (int i = 1; i < *n; i++)
            if ((*events)[i].years - (*events)[i - 1].years <= COMPILE_SAME_DATE)
                (*events)[i].years = (*events)[i - 1].years;
    }
}

static void run_events(struct compiler *compiler)
{
    const struct script *script = compiler->script;
    struct event *events = NULL;
    int n = 0;
    list_events(compiler, &events, &n);
    compiler->over = compiler->binding->bound[script->expiry].values[0] <= 0.0;
    for (int i = 0; i < n && !compiler->ended && compile_work(compiler, 1); i++) {
        const struct script_statement *statement = &script->statements[events[i].statement];
        compiler->part++;
        compiler->now = events[i].years;
        compiler->passed = compiler->now < 0.0 || (compiler->over && compiler->now <= 0.0);
        compiler->left = false;
        if (statement->kind == STATEMENT_EACH)
            compile_set_loop(compiler, statement->symbol, events[i].member);
        run_statements(compiler, statement->body);
        compiler->ended = compiler->left;
        if (!compiler->ended || !compiler->passed) continue;
        compiler->past->stopped = true;
        compiler->past->stopped_at = compiler->now;
    }
    compile_last_decisions(compiler);
    free(events);
}

static int flow_order(const void *a, const void *b)
{
    const struct program_flow *x = a, *y = b;
    int by = compare_doubles(x->years, y->years);
    if (!by) by = x->place.line - y->place.line;
    return by ? by : x->place.column - y->place.column;
}

/* Gives each name its place; states that are given no value before they are read on a path are 0,
 * the first of all values. */
static void make_names(struct compiler *compiler)
{
    const struct script *script = compiler->script;
    compiler->places = calloc((size_t)script->n_symbols, sizeof *compiler->places);
    if (!compiler->places) compiler->status = STATUS_NO_MEMORY;
    for (int i = 0; i < script->n_symbols && compiler->status == STATUS_OK; i++) {
        const struct script_symbol *symbol = &script->symbols[i];
        bool date = symbol->kind == SYMBOL_DATE, state = symbol->kind == SYMBOL_STATE;
        compiler->places[i] =
            (struct script_member){date ? compiler->binding->bound[i].values[0] : 0.0,
                                   date ? i : -1, state ? compiler->n_states : 0};
        if (!state) continue;
        compiler->n_states += compile_members(compiler, symbol->over);
        if (compiler->n_states > COMPILE_STATES_MOST)
            compile_fail(compiler, symbol->place.line, "the script keeps more than %d numbers",
                         COMPILE_STATES_MOST);
    }
}

/* Compiles; `awaited` has what is known of it, from a run before, and takes what this one finds. */
static enum status compile(const struct binding *binding, struct awaited *awaited,
                           struct program *program, struct script_past *past, struct message *why)
{
    double money = binding_largest(binding, true);
    struct compiler compiler = {.binding = binding,
                                .script = binding->script,
                                .program = program,
                                .past = past,
                                .why = why,
                                .awaited = awaited,
                                .part = 1,
                                .typical = money > 0.0 ? money : binding_largest(binding, false),
                                .now = -HUGE_VAL,
                                .total = -1};
    *program = (struct program){0};
    *past = (struct script_past){.missing_parameter = -1, .missing_date = -1, .missing_asset = -1};
    value_constant(&compiler.values, 0.0);
    compiler.alive = compiler.under = value_constant(&compiler.values, 1.0);
    make_names(&compiler);
    if (compile_work(&compiler, 1)) run_events(&compiler);
    if (program->n_flows)
        qsort(program->flows, (size_t)program->n_flows, sizeof *program->flows, flow_order);
    program->ended = compiler.ended && compiler.total < 0;
    emit_program(&compiler);
    free(compiler.places);
    free(awaited->watches);
    awaited->n_watches = compiler.n_watches, awaited->watches = compiler.watches;
    awaited->owed = compiler.owed;
    free(compiler.values.nodes);
    free(compiler.values.newest);
    return compiler.status;
}

enum status script_compile(const struct binding *binding, struct program *program,
                           struct script_past *past, struct message *why)
{
    struct awaited awaited = {.n_watches = 0};
    enum status status = compile(binding, &awaited, program, past, why);
    if (status == STATUS_OK && program->n_decisions) {
        /* now it is known what decisions must know */
        program_free(program);
        script_past_free(past);
        status = compile(binding, &awaited, program, past, why);
    }
    free(awaited.watches);
    return status;
}

void script_past_free(struct script_past *past)
{
    free(past->payments);
    *past = (struct script_past){0};
}
