#include "models/scripts/numbered_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/programs/operations.h"

enum { KEY = offsetof(struct node, uses), SIGNS = KNOWN_NOT_NEGATIVE | KNOWN_PRICE };

static uint64_t hash_of(const struct node *node)
{
    uint64_t words[KEY / sizeof(uint64_t)], hash = 0;
    memcpy(words, node, KEY);
    for (size_t i = 0; i < KEY / sizeof *words; i++) {
        /* many numbers end in zeros */
        hash = (hash ^ words[i] ^ (words[i] >> 32)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Makes room for four times as many hashes, a power of two. */
static void more_hashes(struct values *values)
{
    int n = values->n_hashes ? 4 * values->n_hashes : 512;
    int *newest = realloc(values->newest, (size_t)n * sizeof *newest);
    if (!newest) {
        values->status = STATUS_NO_MEMORY;
        return;
    }
    memset(newest, -1, (size_t)n * sizeof *newest);
    values->newest = newest;
    values->n_hashes = n;
    for (int i = 0; i < values->n; i++) {
        int *at = &newest[hash_of(&values->nodes[i]) & (uint64_t)(n - 1)];
        values->nodes[i].next = *at;
        *at = i;
    }
}

int value_numbered(struct values *values, struct node node)
{
    if (values->status == STATUS_OK && values->n >= values->n_hashes) more_hashes(values);
    if (values->status != STATUS_OK) return 0;
    int *newest = &values->newest[hash_of(&node) & (uint64_t)(values->n_hashes - 1)];
    for (int i = *newest; i >= 0; i = values->nodes[i].next)
        if (!memcmp(&values->nodes[i], &node, KEY)) return i;
    values->status = values->n == VALUES_MOST ? STATUS_FAILED
                                              : grow_array(&values->nodes, &values->room,
                                                           values->n + 1, sizeof *values->nodes);
    if (values->status != STATUS_OK) return 0;
    node.next = *newest;
    values->nodes[values->n] = node;
    return *newest = values->n++;
}

int value_constant(struct values *values, double number)
{
    return value_coefficient(values, COEFFICIENT_NUMBER, 0, 0, number);
}

int value_coefficient(struct values *values, enum coefficient_kind kind, int index, int decision,
                      double number)
{
    bool fixed = kind == COEFFICIENT_NUMBER;
    bool price = is_discount(kind) || kind == COEFFICIENT_TODAY;
    double size = price ? 1.0 : fixed ? number : -1.0;
    int sign = size > 0.0 && size < HUGE_VAL ? SIGNS : size >= 0.0 ? KNOWN_NOT_NEGATIVE : 0;
    int known = sign | (fixed ? KNOWN_CONSTANT : 0);
    return value_numbered(values, (struct node){.number = number,
                                                .operation = OPERATION_COEFFICIENT,
                                                .a = (int)kind,
                                                .b = index,
                                                .c = decision,
                                                .known = known});
}

int value_input(struct values *values, const struct program_input *input)
{
    int sign = input->kind == INPUT_PRICE                                       ? SIGNS
               : input->kind == INPUT_SURVIVAL || input->kind == INPUT_VARIANCE ? KNOWN_NOT_NEGATIVE
                                                                                : 0;
    return value_numbered(values, (struct node){.number = input->date,
                                                .at = input->asset,
                                                .from = value_constant(values, input->from),
                                                .operation = OPERATION_INPUT,
                                                .a = (int)input->kind,
                                                .b = value_constant(values, input->lower),
                                                .c = value_constant(values, input->upper),
                                                .known = KNOWN_VARIES | sign});
}

int value_result(struct values *values, enum operation operation, int a, int at)
{
    bool decides = operation == OPERATION_DECIDE;
    int known = decides ? values->nodes[a].known & (KNOWN_VARIES | KNOWN_NOT_NEGATIVE) : 0;
    return value_numbered(
        values, (struct node){.at = at, .operation = (int)operation, .a = a, .known = known});
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
    case OPERATION_DECIDE:
    case OPERATION_OUTPUT:
    case OPERATION_KEEP:
    case OPERATION_END:
    case N_OPERATIONS: break;
    }
    return 0.0;
}

double value_today(const struct values *values, int at, const double *today, int *work)
{
    enum { MOST_WORK = 1000 };
    const struct node *node = &values->nodes[at];
    int operands = operation_kinds[node->operation].operands;
    double x[3] = {0.0};
    const int of[] = {node->a, node->b, node->c};
    if (node->known & KNOWN_CONSTANT) return node->number;
    if (node->operation == OPERATION_COEFFICIENT)
        return today && node->a == COEFFICIENT_TODAY ? today[node->b] : NAN;
    if ((node->known & KNOWN_VARIES) || !operands || ++*work > MOST_WORK) return NAN;
    for (int i = 0; i < operands; i++) x[i] = value_today(values, of[i], today, work);
    for (int i = 0; i < operands; i++)
        if (isnan(x[i])) return NAN;
    return folded((enum operation)node->operation, x[0], x[1], x[2]);
}

/* Operations whose value has the sign that all its operands have, and those that never are
 * negative. */
#define OF(name) (1u << OPERATION_##name)
static const unsigned keep_signs =
    OF(ADD) | OF(MULTIPLY) | OF(DIVIDE) | OF(ABS) | OF(MIN) | OF(MAX) | OF(SQRT) | OF(SELECT);
static const unsigned never_negative = OF(ABS) | OF(SQRT) | OF(EXP2) | OF(NORMAL_CDF) | OF(LESS) |
                                       OF(LESS_EQUAL) | OF(EQUAL) | OF(AND) | OF(OR) | OF(NOT);
static const unsigned flags = OF(LESS) | OF(LESS_EQUAL) | OF(EQUAL) | OF(AND) | OF(OR) | OF(NOT);
#undef OF

/* Tells whether a < b on every path: one is a price, the other a number that none is, as a barrier
 * that is not there. */
static bool surely_less(const struct values *values, int a, int b)
{
    const struct node *x = &values->nodes[a], *y = &values->nodes[b];
    return ((x->known & KNOWN_CONSTANT) && x->number <= 0.0 && (y->known & KNOWN_PRICE)) ||
           ((x->known & KNOWN_PRICE) && value_is(values, b, HUGE_VAL));
}

/* A select that is none, or a minimum or a maximum, which do not jump. -1: it is one. */
static int simpler_select(struct values *values, int a, int b, int c)
{
    const struct node *flag = &values->nodes[a];
    bool less = flag->operation == OPERATION_LESS; /* x < y, else x <= y */
    int x = less ? flag->a : flag->b, y = less ? flag->b : flag->a;
    if (b == c) return b;
    if (flag->known & KNOWN_CONSTANT) return flag->number != 0.0 ? b : c;
    if (value_is(values, b, 1.0) && value_is(values, c, 0.0)) return a;
    if (value_is(values, b, 1.0) && flags >> values->nodes[c].operation & 1)
        return value_of(values, OPERATION_OR, a, c, 0);
    if (flag->operation == OPERATION_NOT) return value_of(values, OPERATION_SELECT, flag->a, c, b);
    if (!less && flag->operation != OPERATION_LESS_EQUAL) return -1;
    if (b == flag->a && c == flag->b) return value_of(values, OPERATION_MIN, x, y, 0);
    if (b == flag->b && c == flag->a) return value_of(values, OPERATION_MAX, y, x, 0);
    return -1;
}

/* An operation that is none: what it is instead. -1: it is one. */
static int simpler(struct values *values, enum operation operation, int a, int b, int c)
{
    bool least = operation == OPERATION_MIN, most = operation == OPERATION_MAX;
    bool both = operation == OPERATION_AND;
    bool less = operation == OPERATION_LESS || operation == OPERATION_LESS_EQUAL;
    if (operation == OPERATION_SELECT) return simpler_select(values, a, b, c);
    if (both && value_is(values, a, 1.0)) return b;
    if (both && value_is(values, b, 1.0)) return a;
    if (both && (value_is(values, a, 0.0) || value_is(values, b, 0.0))) return 0;
    if (!least && !most && !less && operation != OPERATION_EQUAL) return -1;
    bool first = surely_less(values, a, b), second = surely_less(values, b, a);
    if (!first && !second) return -1;
    if (least || most) return first == least ? a : b;
    return value_constant(values, less && first);
}

int value_of(struct values *values, enum operation operation, int a, int b, int c)
{
    int all = ~0, any = 0;
    if (values->status != STATUS_OK) return 0;
    /* a constant goes first, so that the extreme of what is no number is none */
    bool turns = (operation == OPERATION_MIN || operation == OPERATION_MAX) &&
                 value_known(values, b, KNOWN_CONSTANT);
    const int operands[] = {turns ? b : a, turns ? a : b, c};
    for (int i = 0; i < operation_kinds[operation].operands; i++) {
        int known = values->nodes[operands[i]].known;
        if (operation == OPERATION_SELECT && i == 0) known |= SIGNS;
        all &= known;
        any |= known;
    }
    if (all & KNOWN_CONSTANT) {
        const struct node *nodes = values->nodes;
        return value_constant(values, folded(operation, nodes[operands[0]].number,
                                             nodes[operands[1]].number, nodes[operands[2]].number));
    }
    int instead = simpler(values, operation, operands[0], operands[1], operands[2]);
    if (instead >= 0) return instead;
    int sign = keep_signs >> operation & 1 ? all & SIGNS : 0;
    if (never_negative >> operation & 1) sign |= KNOWN_NOT_NEGATIVE;
    if (operation == OPERATION_MAX) sign |= any & KNOWN_NOT_NEGATIVE;
    /* a path's extreme is a price */
    if (operation == OPERATION_EXP2 && values->nodes[a].operation == OPERATION_INPUT) sign = SIGNS;
    int known = sign | (any & KNOWN_VARIES);
    return value_numbered(values, (struct node){.operation = (int)operation,
                                                .a = operands[0],
                                                .b = operands[1],
                                                .c = operands[2],
                                                .known = known});
}

/* Returns log2 of a value, -1 where that needs a logarithm. It looks `depth` operations deep. */
static int known_log2(struct values *values, int x, int depth)
{
    const struct node node = values->nodes[x];
    bool product = node.operation == OPERATION_MULTIPLY, price = node.known & KNOWN_PRICE;
    if (node.operation == OPERATION_EXP2) return node.a;
    if (node.operation == OPERATION_INPUT && node.a == INPUT_PRICE)
        return value_input(values,
                           &(struct program_input){INPUT_SPOT, node.at, .date = node.number});
    if (node.operation == OPERATION_COEFFICIENT && node.a == COEFFICIENT_TODAY)
        return value_coefficient(values, COEFFICIENT_LOG_TODAY, node.b, 0, 0.0);
    if (price && (node.known & KNOWN_CONSTANT))
        return value_constant(values, exact_log2(node.number));
    if (!depth || !price || (!product && node.operation != OPERATION_DIVIDE)) return -1;
    int a = known_log2(values, node.a, depth - 1), b = known_log2(values, node.b, depth - 1);
    if (a < 0 || b < 0) return -1;
    return value_of(values, product ? OPERATION_ADD : OPERATION_SUBTRACT, a, b, 0);
}

int value_log2(struct values *values, int x)
{
    int known = known_log2(values, x, 3);
    return known >= 0 ? known : value_of(values, OPERATION_LOG2, x, 0, 0);
}
