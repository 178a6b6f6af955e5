#include "models/scripts/numbered_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/programs/operations.h"

enum { FIRST_SLOTS = 2048 };

const unsigned char operation_operands[N_OPERATIONS] = {
#define OPERATION(NAME, name, operands, ...) [OPERATION_##NAME] = operands,
#include "models/programs/operations.def"
#undef OPERATION
    [OPERATION_OUTPUT] = 1,
    [OPERATION_END] = 1,
};

enum bend { SMOOTH, KINKED, JUMPING };

const bool operation_jumps[N_OPERATIONS] = {
#define OPERATION(NAME, name, operands, bend, ...) [OPERATION_##NAME] = bend == JUMPING,
#include "models/programs/operations.def"
#undef OPERATION
};

enum status values_make(struct values *values)
{
    *values = (struct values){.n_slots = FIRST_SLOTS, .room = FIRST_SLOTS / 2};
    values->slots = malloc((size_t)values->n_slots * sizeof *values->slots);
    values->nodes = malloc((size_t)values->room * sizeof *values->nodes);
    if (!values->slots || !values->nodes) return STATUS_NO_MEMORY;
    memset(values->slots, -1, (size_t)values->n_slots * sizeof *values->slots);
    value_constant(values, 0.0);
    return values->status;
}

void values_free(struct values *values)
{
    free(values->nodes);
    free(values->slots);
}

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word ^ (word >> 32)) * 0x9e3779b97f4a7c15u; /* many numbers end in zeros */
    return hash ^ (hash >> 32);
}

static uint64_t hash_of(const struct node *node)
{
    uint64_t hash = mixed(node->operation, (uint32_t)node->a | (uint64_t)node->b << 32);
    hash = mixed(hash, (uint32_t)node->c | (uint64_t)node->at << 32);
    return mixed(hash, bits_of_double(node->number));
}

static bool same(const struct node *x, const struct node *y)
{
    return x->operation == y->operation && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->at == y->at && bits_of_double(x->number) == bits_of_double(y->number);
}

/* Doubles the hash table. */
static enum status more_slots(struct values *values)
{
    int n = 2 * values->n_slots;
    int *slots = malloc((size_t)n * sizeof *slots);
    if (!slots) return STATUS_NO_MEMORY;
    memset(slots, -1, (size_t)n * sizeof *slots);
    for (int i = 0; i < values->n; i++) {
        uint64_t at = hash_of(&values->nodes[i]) & (uint64_t)(n - 1);
        while (slots[at] >= 0) at = (at + 1) & (uint64_t)(n - 1);
        slots[at] = i;
    }
    free(values->slots);
    values->slots = slots;
    values->n_slots = n;
    return STATUS_OK;
}

/* Returns the node that is like this one, which is added where there is none. */
static int numbered(struct values *values, struct node node)
{
    if (values->status != STATUS_OK) return 0;
    uint64_t last = (uint64_t)values->n_slots - 1, at = hash_of(&node) & last;
    for (; values->slots[at] >= 0; at = (at + 1) & last)
        if (same(&values->nodes[values->slots[at]], &node)) return values->slots[at];
    if (values->n == VALUES_MOST) values->status = STATUS_FAILED;
    if (values->status == STATUS_OK)
        values->status =
            grow_array(&values->nodes, &values->room, values->n + 1, sizeof *values->nodes);
    if (values->status != STATUS_OK) return 0;
    values->nodes[values->n] = node;
    values->slots[at] = values->n++;
    if (2 * values->n > values->n_slots) values->status = more_slots(values);
    return values->n - 1;
}

int value_constant(struct values *values, double number)
{
    return value_coefficient(values, COEFFICIENT_NUMBER, 0, 0, number);
}

int value_coefficient(struct values *values, enum coefficient_kind kind, int index, int decision,
                      double number)
{
    int known = 0;
    switch (kind) {
    case COEFFICIENT_NUMBER:
        known = KNOWN_CONSTANT | (number >= 0.0 ? KNOWN_NOT_NEGATIVE : 0) |
                (number == 0.0 && signbit(number) ? 0 : KNOWN_PLUS);
        break;
    case COEFFICIENT_DISCOUNT:
    case COEFFICIENT_TODAY: known = KNOWN_NOT_NEGATIVE | KNOWN_PLUS; break;
    case COEFFICIENT_LOG_TODAY:
    case COEFFICIENT_POLICY: break;
    }
    return numbered(values, (struct node){.operation = OPERATION_COEFFICIENT,
                                          .known = (uint8_t)known,
                                          .a = (int)kind,
                                          .b = index,
                                          .c = decision,
                                          .number = number});
}

int value_input(struct values *values, const struct program_input *input)
{
    int survival = input->kind == INPUT_SURVIVAL;
    return numbered(values, (struct node){.operation = OPERATION_INPUT,
                                          .known = KNOWN_VARIES |
                                                   (survival ? KNOWN_NOT_NEGATIVE | KNOWN_PLUS : 0),
                                          .a = (int)input->kind,
                                          .b = survival ? value_constant(values, input->lower) : 0,
                                          .c = survival ? value_constant(values, input->upper) : 0,
                                          .at = (uint32_t)input->asset,
                                          .number = input->date});
}

void value_output(struct values *values, int a, int at)
{
    numbered(values, (struct node){.operation = OPERATION_OUTPUT, .a = a, .at = (uint32_t)at});
}

/* Computes an operation of numbers, as the engines do. */
static double folded(enum operation operation, double a, double b, double c)
{
    switch (operation) {
#define OPERATION(NAME, name, operands, bend, ...)                                                 \
    case OPERATION_##NAME:                                                                         \
        return __VA_ARGS__;
#include "models/programs/operations.def"
#undef OPERATION
    case OPERATION_INPUT:
    case OPERATION_COEFFICIENT:
    case OPERATION_OUTPUT:
    case OPERATION_END:
    case N_OPERATIONS: break;
    }
    return 0.0;
}

/* Returns what is known of an operation's value, its operands a, b, c being known as they are. */
static int known_of(enum operation operation, int a, int b, int c)
{
    const int clear = KNOWN_NOT_NEGATIVE | KNOWN_PLUS, both = a & b;
    switch (operation) {
    case OPERATION_ADD: return (both & KNOWN_NOT_NEGATIVE) | ((a | b) & KNOWN_PLUS);
    case OPERATION_SUBTRACT: return a & KNOWN_PLUS;
    case OPERATION_MULTIPLY:
    case OPERATION_DIVIDE: return (both & clear) == clear ? clear : both & KNOWN_NOT_NEGATIVE;
    case OPERATION_MULTIPLY_ADD: return both & c & KNOWN_NOT_NEGATIVE;
    case OPERATION_ABS: return KNOWN_NOT_NEGATIVE | (a & KNOWN_PLUS);
    case OPERATION_MIN: return both & clear;
    case OPERATION_MAX: return (both & KNOWN_PLUS) | ((a | b) & KNOWN_NOT_NEGATIVE);
    case OPERATION_SQRT: return KNOWN_NOT_NEGATIVE | (a & KNOWN_PLUS);
    case OPERATION_SELECT: return b & c & clear;
    case OPERATION_EXP2:
    case OPERATION_NORMAL_CDF:
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL:
    case OPERATION_EQUAL:
    case OPERATION_AND:
    case OPERATION_OR:
    case OPERATION_NOT: return clear;
    case OPERATION_NEGATE:
    case OPERATION_LOG2:
    case OPERATION_INPUT:
    case OPERATION_COEFFICIENT:
    case OPERATION_OUTPUT:
    case OPERATION_END:
    case N_OPERATIONS: break;
    }
    return 0;
}

/* Tells whether a number has a reciprocal that is a double, so that dividing by it is multiplying.
 */
static bool power_of_two(double x)
{
    int power;
    return fabs(frexp(x, &power)) == 0.5 && power > -1000 && power < 1000;
}

/* A select that is one of simpler operands, a minimum or a maximum. -1: it is none. */
static int simpler_select(struct values *values, int a, int b, int c)
{
    const struct node *nodes = values->nodes, *if_ = &nodes[a];
    if (b == c) return b;
    if (value_known(values, a, KNOWN_CONSTANT)) return if_->number != 0.0 ? b : c;
    if (value_is(values, b, 1.0) && value_is(values, c, 0.0)) return a;
    if (value_is(values, b, 0.0) && value_is(values, c, 1.0))
        return value_of(values, OPERATION_NOT, a, 0, 0);
    if (if_->operation == OPERATION_NOT) return value_of(values, OPERATION_SELECT, if_->a, c, b);
    if (nodes[b].operation == OPERATION_SELECT && nodes[b].a == a)
        return value_of(values, OPERATION_SELECT, a, nodes[b].b, c);
    if (nodes[c].operation == OPERATION_SELECT && nodes[c].a == a)
        return value_of(values, OPERATION_SELECT, a, b, nodes[c].c);
    int x = if_->a, y = if_->b; /* x < y or x <= y */
    bool less = if_->operation == OPERATION_LESS;
    if (!less && if_->operation != OPERATION_LESS_EQUAL) return -1;
    if (b == x && c == y) return value_of(values, OPERATION_MIN, less ? x : y, less ? y : x, 0);
    if (b == y && c == x) return value_of(values, OPERATION_MAX, less ? y : x, less ? x : y, 0);
    return -1;
}

/* An operation that is none: what it is instead. -1: it is one. */
static int simpler(struct values *values, enum operation operation, int a, int b, int c)
{
    const struct node *nodes = values->nodes;
    switch (operation) {
    case OPERATION_ADD: /* a is the older one; a constant may be either */
        if (value_is(values, b, 0.0) &&
            (value_known(values, a, KNOWN_PLUS) || !value_known(values, b, KNOWN_PLUS)))
            return a;
        if (value_is(values, a, 0.0) &&
            (value_known(values, b, KNOWN_PLUS) || !value_known(values, a, KNOWN_PLUS)))
            return b;
        return -1;
    case OPERATION_SUBTRACT:
        return value_is(values, b, 0.0) && value_known(values, b, KNOWN_PLUS) ? a : -1;
    case OPERATION_MULTIPLY:
        if (value_is(values, a, 1.0)) return b;
        return value_is(values, b, 1.0) ? a : -1;
    case OPERATION_DIVIDE:
        if (!value_known(values, b, KNOWN_CONSTANT) || !power_of_two(nodes[b].number)) return -1;
        return value_of(values, OPERATION_MULTIPLY, a,
                        value_constant(values, 1.0 / nodes[b].number), 0);
    case OPERATION_NEGATE:
    case OPERATION_NOT: return nodes[a].operation == operation ? nodes[a].a : -1;
    case OPERATION_MIN:
    case OPERATION_MAX: return a == b ? a : -1;
    case OPERATION_AND:
        if (a == b || value_is(values, a, 0.0) || value_is(values, b, 1.0)) return a;
        if (value_is(values, a, 1.0) || value_is(values, b, 0.0)) return b;
        if (nodes[a].operation == OPERATION_AND && (nodes[a].a == b || nodes[a].b == b)) return a;
        if (nodes[b].operation == OPERATION_AND && (nodes[b].a == a || nodes[b].b == a)) return b;
        if (nodes[a].operation == OPERATION_NOT && nodes[a].a == b) return 0;
        if (nodes[b].operation == OPERATION_NOT && nodes[b].a == a) return 0;
        return -1;
    case OPERATION_OR:
        if (a == b || value_is(values, a, 1.0) || value_is(values, b, 0.0)) return a;
        return value_is(values, a, 0.0) || value_is(values, b, 1.0) ? b : -1;
    case OPERATION_SELECT: return simpler_select(values, a, b, c);
    case OPERATION_MULTIPLY_ADD:
    case OPERATION_ABS:
    case OPERATION_SQRT:
    case OPERATION_EXP2:
    case OPERATION_LOG2:
    case OPERATION_NORMAL_CDF:
    case OPERATION_LESS:
    case OPERATION_LESS_EQUAL:
    case OPERATION_EQUAL:
    case OPERATION_INPUT:
    case OPERATION_COEFFICIENT:
    case OPERATION_OUTPUT:
    case OPERATION_END:
    case N_OPERATIONS: break;
    }
    return -1;
}

int value_of(struct values *values, enum operation operation, int a, int b, int c)
{
    int operands = operation_operands[operation], all = ~0, any = 0, at[] = {a, b, c};
    if (values->status != STATUS_OK) return 0;
    bool turns = operation == OPERATION_ADD || operation == OPERATION_MULTIPLY ||
                 operation == OPERATION_AND || operation == OPERATION_OR ||
                 operation == OPERATION_EQUAL;
    if (turns && a > b) a = at[1], b = at[0]; /* in one order, so that equal sums are one */
    for (int i = 0; i < operands; i++) {
        all &= values->nodes[at[i]].known;
        any |= values->nodes[at[i]].known;
    }
    if (all & KNOWN_CONSTANT) {
        const struct node *nodes = values->nodes;
        return value_constant(values,
                              folded(operation, nodes[a].number, nodes[b].number, nodes[c].number));
    }
    int instead = simpler(values, operation, a, b, c);
    if (instead >= 0) return instead;
    const struct node *nodes = values->nodes;
    int known = known_of(operation, nodes[a].known, nodes[b].known, nodes[c].known);
    known &= KNOWN_NOT_NEGATIVE | KNOWN_PLUS;
    return numbered(values, (struct node){.operation = (uint8_t)operation,
                                          .known = (uint8_t)(known | (any & KNOWN_VARIES)),
                                          .a = a,
                                          .b = b,
                                          .c = c});
}
