/* Decisions: what they are fitted on, what going on is worth, who exercises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/programs/policy.h"
#include "models/scripts/compiler.h"

/* ---- features */

/* Returns the number of the feature; -1 where it is none. */
static int add_feature(struct compiler *compiler, int node, int *features, int *n)
{
    if (!value_known(&compiler->values, node, KNOWN_VARIES)) return -1;
    for (int i = 0; i < *n; i++)
        if (features[i] == node) return i;
    if (*n == POLICY_FEATURES_MOST) compiler->crowded = true;
    if (*n == POLICY_FEATURES_MOST) return -1;
    features[*n] = node;
    return (*n)++;
}

/* Adds what paths show of each asset on the date of a decision. Numbers of features [asset], as far
 * as there is room for them. */
static void add_inputs(struct compiler *compiler, enum input_kind kind, uint64_t assets,
                       int *features, int *n, int8_t *numbers)
{
    for (int a = 0; a < compiler->binding->n_assets && compiler->now > 0.0; a++) {
        struct program_input input = {kind, a, .date = compiler->now};
        int number = -1;
        if (assets >> a & 1)
            number = add_feature(compiler, value_input(&compiler->values, &input), features, n);
        if (a < POLICY_FEATURES_MOST) numbers[a] = (int8_t)number;
    }
}

/* Adds what has been seen of what is watched from before on and read later, and spots of dates
 * before that are. */
static void add_watches(struct compiler *compiler, int *features, int *n)
{
    const struct awaited *awaited = compiler->awaited;
    for (int i = 0; i < awaited->n_watches && compiler->now > 0.0; i++) {
        struct program_input input = awaited->watches[i].input;
        bool old = input.kind == INPUT_SPOT;
        if (input.from >= compiler->now || input.date <= compiler->now) continue;
        input.date = old ? input.from : compiler->now;
        if (old) input.from = 0.0;
        add_feature(compiler,
                    old ? value_input(&compiler->values, &input) : compile_watch(compiler, &input),
                    features, n);
    }
}

/* Fills in what a decision is fitted on: what exercise is worth, log2 of the spots of its date,
 * then the states that are read later, before they are given a value, what is watched, and
 * where there is room left the variances that paths remember, which say less. What is known today
 * says nothing. */
static int find_features(struct compiler *compiler, int line, int exercise_value, int *features,
                         int8_t *spots)
{
    int n = 0;
    compiler->crowded = false;
    int8_t variances[POLICY_FEATURES_MOST];
    memset(spots, -1, POLICY_FEATURES_MOST);
    add_feature(compiler, exercise_value, features, &n);
    add_inputs(compiler, INPUT_SPOT, UINT64_MAX, features, &n, spots);
    for (int s = 0; s < compiler->n_states; s++)
        if (compiler->awaited->states[s] > compiler->work)
            add_feature(compiler, compiler->states[s], features, &n);
    add_watches(compiler, features, &n);
    add_inputs(compiler, INPUT_VARIANCE, compiler->binding->variances, features, &n, variances);
    if (compiler->crowded && !compiler->program->crowded) compiler->program->crowded = line;
    return n;
}

/* ---- decisions */

/* Number `index` of the decision that is being made. */
static int policy(struct compiler *compiler, int index)
{
    return value_coefficient(&compiler->values, COEFFICIENT_POLICY, index,
                             compiler->program->n_decisions, 0.0);
}

/* Returns a + b c, which becomes one operation. */
static int plus_product(struct compiler *compiler, int a, int b, int c)
{
    return compile_operation(compiler, OPERATION_ADD, a,
                             compile_operation(compiler, OPERATION_MULTIPLY, b, c));
}

/* Returns what going on is worth: the polynomial of policy.h, as the sum over i of z[i] times (its
 * own number, and those of z[j] beside it times z[j]). */
static int continuation(struct compiler *compiler, const int *features, int n)
{
    int z[POLICY_FEATURES_MOST], sum = policy(compiler, 2 * n);
    for (int i = 0; i < n; i++) {
        int difference =
            compile_operation(compiler, OPERATION_SUBTRACT, features[i], policy(compiler, 2 * i));
        z[i] = compile_operation(compiler, OPERATION_MULTIPLY, difference,
                                 policy(compiler, 2 * i + 1));
    }
    for (int i = 0; i < n; i++) {
        int slope = policy(compiler, 2 * n + 1 + i);
        for (int j = i; j < n; j++)
            slope =
                plus_product(compiler, slope, z[j], policy(compiler, 2 * n + policy_pair(n, i, j)));
        if (n < POLICY_CUBES_BELOW)
            slope = plus_product(compiler, slope,
                                 compile_operation(compiler, OPERATION_MULTIPLY, z[i], z[i]),
                                 policy(compiler, 2 * n + policy_cube(n, i)));
        sum = plus_product(compiler, sum, slope, z[i]);
    }
    return sum;
}

/* Compares for a decision, where the value does not jump. */
static int better(struct compiler *compiler, int less, int more)
{
    int flag = compile_operation(compiler, OPERATION_LESS, less, more);
    compiler->values.nodes[flag].known |= KNOWN_DECIDES;
    return flag;
}

/* A decision of a date that has passed was against it, or the trade would be over; one of the last
 * date waits until what follows is known. */
static void exercise_past(struct compiler *compiler, const struct script_statement *statement,
                          int amount)
{
    const struct node *node = &compiler->values.nodes[amount];
    if (compiler->now < compiler->binding->bound[compiler->script->expiry].values[0]) return;
    if (!(node->known & KNOWN_CONSTANT)) compile_fail(compiler, statement->place.line, NEEDS_TODAY);
    else if (!(fabs(node->number) < HUGE_VAL))
        compile_fail(compiler, statement->place.line, "the amount is no number");
    const struct last_decision decision = {compiler->past->n_payments, compiler->now, node->number,
                                           statement->issuer};
    compile_append(compiler, &compiler->last, &compiler->n_last, &decision);
}

void compile_last_decisions(struct compiler *compiler)
{
    struct script_past *past = compiler->past;
    while (compiler->n_last) {
        const struct last_decision *decision = &compiler->last[--compiler->n_last];
        double going_on = 0.0, amount = decision->amount;
        for (int i = decision->n_payments; i < past->n_payments; i++)
            going_on += past->payments[i].amount;
        if (decision->issuer ? amount >= going_on : amount <= going_on) continue;
        past->n_payments = decision->n_payments;
        compile_append(compiler, &past->payments, &past->n_payments,
                       &(struct script_payment){decision->years, amount});
    }
    free(compiler->last);
}

void compile_exercise(struct compiler *compiler, const struct script_statement *statement)
{
    struct program *program = compiler->program;
    struct values *values = &compiler->values;
    int amount = compile_value(compiler, statement->value), features[POLICY_FEATURES_MOST];
    if (compiler->passed) {
        exercise_past(compiler, statement, amount);
        return;
    }
    int when = compile_operation(compiler, OPERATION_AND, compiler->alive, compiler->under);
    if (value_is(values, when, 0.0)) return;
    compiler->part++;
    int exercise_value = compile_discounted(compiler, amount, compiler->now, COEFFICIENT_DISCOUNT);
    struct program_decision decision = {.years = compiler->now};
    int n =
        find_features(compiler, statement->place.line, exercise_value, features, decision.spots);
    decision.n_features = n, decision.first_output = program->n_outputs;
    const int outputs[] = {when, exercise_value, compiler->total < 0 ? 0 : compiler->total};
    for (int i = 0; i < 3 + n; i++)
        value_result(values, OPERATION_OUTPUT, i < 3 ? outputs[i] : features[i - 3],
                     program->n_outputs++);
    /* The policy of another market stays where it is among spots, whatever rates are here. */
    int level = compile_discounted(compiler, amount, compiler->now, COEFFICIENT_POLICY_DISCOUNT);
    if (n && features[0] == exercise_value) features[0] = level;
    int going_on = continuation(compiler, features, n);
    /* where an option pays nothing, a fit that is off by little must not give it up, unless there
     * may be something to pay for what is left of it */
    bool only_gains = !statement->issuer && compiler->awaited->owed < compiler->part &&
                      value_known(values, exercise_value, KNOWN_NOT_NEGATIVE | KNOWN_VARIES);
    decision.issuer = statement->issuer, decision.place = statement->place;
    decision.only_gains = only_gains;
    decision.n_terms = policy_terms(n), decision.first_coefficient = program->n_coefficients;
    for (int k = 0; k < policy_numbers(n); k++)
        compile_append(
            compiler, &program->coefficients, &program->n_coefficients,
            &(struct program_coefficient){COEFFICIENT_POLICY, k, program->n_decisions, 0.0});
    compile_append(compiler, &program->decisions, &program->n_decisions, &decision);
    int taken = better(compiler, statement->issuer ? level : going_on,
                       statement->issuer ? going_on : level);
    if (only_gains)
        taken = compile_operation(compiler, OPERATION_AND, taken, better(compiler, 0, level));
    taken = value_result(values, OPERATION_DECIDE, taken, program->n_decisions - 1);
    int exercised = compile_operation(compiler, OPERATION_AND, when, taken);
    compile_payment(compiler, exercised, amount, compiler->now, statement->place);
    compile_stop(compiler, exercised);
}
