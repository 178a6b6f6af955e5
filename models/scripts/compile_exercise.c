/* Decisions: what they are fitted on, what going on is worth, who exercises. */
#include <math.h>
#include <stdlib.h>

#include "models/base/grow.h"
#include "models/programs/policy.h"
#include "models/scripts/compiler.h"

/* ---- what later blocks read */

/* Which states a block has given a value, and which it reads before. */
struct scan {
    const struct script *script;
    int depth;                         /* of `if`s */
    unsigned char *assigned, *awaited; /* [n_symbols] 1 + the depth, 0: not; 1: read */
};

static void scan_expression(const struct scan *scan, int expression)
{
    if (expression < 0) return;
    const struct script_expression *e = &scan->script->expressions[expression];
    bool names = e->kind == EXPRESSION_SYMBOL || e->kind == EXPRESSION_ELEMENT;
    if (names && !scan->assigned[e->symbol]) scan->awaited[e->symbol] = 1;
    const int children[] = {e->a, e->b, e->c, e->d};
    for (int k = 0; k < 4; k++) scan_expression(scan, children[k]);
}

/* Tells whether a statement gives all of a state its value: it has one, or is over the assets that
 * the loop around takes. */
static bool gives_all(const struct script *script, const struct script_statement *statement)
{
    if (statement->subscript < 0) return true;
    const struct script_expression *e = &script->expressions[statement->subscript];
    return e->type == VALUE_ASSET && e->kind == EXPRESSION_SYMBOL;
}

static void scan_block(struct scan *scan, int first)
{
    const struct script *script = scan->script;
    for (int i = first; i >= 0; i = script->statements[i].next) {
        const struct script_statement *statement = &script->statements[i];
        bool branches = statement->kind == STATEMENT_IF;
        if (statement->subscript >= 0) scan_expression(scan, statement->subscript);
        scan_expression(scan, statement->value);
        if (statement->kind == STATEMENT_ASSIGN && !scan->assigned[statement->symbol] &&
            gives_all(script, statement))
            scan->assigned[statement->symbol] = (unsigned char)(1 + scan->depth);
        const int blocks[] = {statement->body, statement->otherwise};
        for (int k = 0; k < 2; k++) {
            scan->depth += branches;
            scan_block(scan, blocks[k]);
            scan->depth -= branches;
            for (int s = 0; s < script->n_symbols && branches; s++)
                if (scan->assigned[s] > 1 + scan->depth) scan->assigned[s] = 0;
        }
    }
}

/* Finds the states that are read behind an exercise: in the rest of its block and in the blocks of
 * later dates. */
static enum status find_awaited(const struct compiler *compiler,
                                const struct script_statement *exercise, unsigned char *awaited)
{
    const struct script *script = compiler->script;
    size_t n = (size_t)script->n_symbols;
    for (int i = script->first; i >= -1; i = script->statements[i].next) {
        bool block = i >= 0 && script->statements[i].kind != STATEMENT_ASSIGN;
        if (i >= 0 && (!block || compiler->last_event[i] <= compiler->event)) continue;
        struct scan scan = {script, 0, calloc(n, 1), awaited};
        if (!scan.assigned) return STATUS_NO_MEMORY;
        scan_block(&scan, i >= 0 ? script->statements[i].body : exercise->next);
        free(scan.assigned);
        if (i < 0) break;
    }
    return STATUS_OK;
}

/* ---- features */

static void add_feature(const struct compiler *compiler, int node, int *features, int *n)
{
    if (*n == POLICY_FEATURES_MOST || !value_known(&compiler->values, node, KNOWN_VARIES)) return;
    for (int i = 0; i < *n; i++)
        if (features[i] == node) return;
    features[(*n)++] = node;
}

/* Fills in what a decision is fitted on: what exercise is worth, log2 of the spots of its date,
 * then the states that are read later, prices as logarithms. What is known today says nothing. */
static int find_features(struct compiler *compiler, const struct script_statement *exercise,
                         int worth, int *features)
{
    int n = 0;
    const struct script *script = compiler->script;
    unsigned char *awaited = calloc((size_t)script->n_symbols, 1);
    add_feature(compiler, worth, features, &n);
    if (!awaited || find_awaited(compiler, exercise, awaited) != STATUS_OK)
        compiler->status = STATUS_NO_MEMORY;
    for (int a = 0; a < compiler->binding->n_assets && compiler->now > 0.0; a++) {
        struct program_input spot = {INPUT_SPOT, a, compiler->now, 0.0, 0.0};
        add_feature(compiler, value_input(&compiler->values, &spot), features, &n);
    }
    for (int s = 0; s < script->n_symbols && compiler->status == STATUS_OK; s++) {
        int over = script->symbols[s].over, first = compiler->first_state[s];
        if (script->symbols[s].kind != SYMBOL_STATE || !awaited[s]) continue;
        for (int k = 0; k < (over >= 0 ? compiler->binding->bound[over].n : 1); k++) {
            struct value state = compiler->states[first + k];
            add_feature(compiler, state.log >= 0 ? state.log : state.node, features, &n);
        }
    }
    free(awaited);
    return n;
}

/* ---- decisions */

static int operate(struct compiler *compiler, enum operation operation, int a, int b)
{
    return value_of(&compiler->values, operation, a, b, 0);
}

/* Number `index` of the decision that is being made. */
static int policy(struct compiler *compiler, int index)
{
    return value_coefficient(&compiler->values, COEFFICIENT_POLICY, index,
                             compiler->program->n_decisions, 0.0);
}

/* Returns a + b c, which becomes one operation. */
static int plus_product(struct compiler *compiler, int a, int b, int c)
{
    return operate(compiler, OPERATION_ADD, a, operate(compiler, OPERATION_MULTIPLY, b, c));
}

/* Returns what going on is worth: the polynomial of policy.h, as the sum over i of z[i] times (its
 * own number, and those of z[j] beside it times z[j]). */
static int continuation(struct compiler *compiler, const int *features, int n)
{
    int z[POLICY_FEATURES_MOST], sum = policy(compiler, 2 * n);
    for (int i = 0; i < n; i++) {
        int apart = operate(compiler, OPERATION_SUBTRACT, features[i], policy(compiler, 2 * i));
        z[i] = operate(compiler, OPERATION_MULTIPLY, apart, policy(compiler, 2 * i + 1));
    }
    for (int i = 0; i < n; i++) {
        int slope = policy(compiler, 2 * n + 1 + i);
        for (int j = i; j < n; j++)
            slope =
                plus_product(compiler, slope, z[j], policy(compiler, 2 * n + policy_pair(n, i, j)));
        if (n < POLICY_CUBES_BELOW)
            slope = plus_product(compiler, slope, operate(compiler, OPERATION_MULTIPLY, z[i], z[i]),
                                 policy(compiler, 2 * n + policy_cube(n, i)));
        sum = plus_product(compiler, sum, slope, z[i]);
    }
    return sum;
}

/* Compares for a decision; the value does not jump there (emit.c). */
static int better(struct compiler *compiler, int less, int more)
{
    int flag = operate(compiler, OPERATION_LESS, less, more);
    if (grow_array(&compiler->decides, &compiler->room_decides, compiler->n_decides + 1,
                   sizeof *compiler->decides) != STATUS_OK)
        compiler->status = STATUS_NO_MEMORY;
    else compiler->decides[compiler->n_decides++] = flag;
    return flag;
}

/* Writes the outputs of a decision. */
static void write_outputs(struct compiler *compiler, int alive, int worth, const int *features,
                          int n)
{
    int *next = &compiler->program->n_outputs;
    value_output(&compiler->values, alive, (*next)++);
    value_output(&compiler->values, worth, (*next)++);
    value_output(&compiler->values, compiler->total < 0 ? 0 : compiler->total, (*next)++);
    for (int i = 0; i < n; i++) value_output(&compiler->values, features[i], (*next)++);
}

/* A decision of a date that has passed was against it, or the trade would be over; on the last
 * date, behind which nothing follows, the better is taken. */
static void exercise_past(struct compiler *compiler, const struct script_statement *statement,
                          int amount)
{
    const struct node *node = &compiler->values.nodes[amount];
    double sign = statement->issuer ? -1.0 : 1.0;
    if (compiler->now < compiler->binding->bound[compiler->script->expiry].values[0]) return;
    if (!(node->known & KNOWN_CONSTANT)) compile_fail(compiler, statement->place.line, NEEDS_TODAY);
    else if (sign * node->number > 0.0) {
        compile_paid(compiler, compiler->now, node->number);
        compiler->left = true;
    }
}

void compile_exercise(struct compiler *compiler, const struct script_statement *statement)
{
    struct program *program = compiler->program;
    struct values *values = &compiler->values;
    int amount = compile_node(compiler, statement->value), features[POLICY_FEATURES_MOST];
    if (compiler->passed) {
        exercise_past(compiler, statement, amount);
        return;
    }
    int when = operate(compiler, OPERATION_AND, compiler->alive, compiler->under);
    if (value_is(values, when, 0.0)) return;
    int worth = compile_discounted(compiler, amount, compiler->now);
    int n = find_features(compiler, statement, worth, features);
    if (grow_array(&program->decisions, &compiler->room_decisions, program->n_decisions + 1,
                   sizeof *program->decisions) != STATUS_OK)
        compiler->status = STATUS_NO_MEMORY;
    if (compiler->status != STATUS_OK) return;
    int going_on = continuation(compiler, features, n);
    /* where an option pays nothing, a fit that is off by little must not give it up */
    bool only_gains =
        !statement->issuer && value_known(values, worth, KNOWN_NOT_NEGATIVE | KNOWN_VARIES);
    program->decisions[program->n_decisions++] =
        (struct program_decision){.years = compiler->now,
                                  .issuer = statement->issuer,
                                  .only_gains = only_gains,
                                  .n_features = n,
                                  .first_output = program->n_outputs,
                                  .n_terms = policy_terms(n),
                                  .place = statement->place};
    write_outputs(compiler, when, worth, features, n);
    int taken =
        statement->issuer ? better(compiler, worth, going_on) : better(compiler, going_on, worth);
    if (only_gains) taken = operate(compiler, OPERATION_AND, taken, better(compiler, 0, worth));
    int exercised = operate(compiler, OPERATION_AND, when, taken);
    compile_flow(compiler, compiler->now, statement->place, amount, false);
    compile_total(compiler, value_of(values, OPERATION_SELECT, exercised, worth, 0));
    exercised = operate(compiler, OPERATION_NOT, exercised, 0);
    compiler->alive = operate(compiler, OPERATION_AND, compiler->alive, exercised);
}
