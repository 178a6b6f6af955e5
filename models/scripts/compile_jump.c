/* By how much the value of a script jumps: the most that one comparison changes where it turns.
 * What it changes goes from value to value: a sum changes by no more than its summands together, a
 * minimum by no more than the one that changes more, what is selected by how far the two are apart.
 */
#include <math.h>
#include <stdlib.h>

#include "models/scripts/compiler.h"

/* Values times comparisons that are looked at; of a script that has more nothing is known. */
#define MOST_LOOKED_AT 4e6

/* How large a value is at most, and by how much it changes. */
struct turned {
    double size, by;
};

#define OF(name) (1u << OPERATION_##name)
static const unsigned sums = OF(ADD) | OF(SUBTRACT);
static const unsigned extremes = OF(MIN) | OF(MAX);
static const unsigned signs = OF(NEGATE) | OF(ABS);
static const unsigned flags =
    OF(LESS) | OF(LESS_EQUAL) | OF(EQUAL) | OF(AND) | OF(OR) | OF(NOT) | OF(DECIDE);
#undef OF

static bool is_of(const struct node *node, unsigned operations)
{
    return operations >> node->operation & 1;
}

/* Returns a product of which one factor is 0 wherever the other is not finite. */
static double times(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

/* Returns the size of a value; discount factors count as 1. */
static double size_of(const struct node *node, const struct turned *changes)
{
    if (node->known & KNOWN_CONSTANT) return fabs(node->number);
    if (is_of(node, flags)) return 1.0;
    if (node->operation == OPERATION_INPUT) return node->a == INPUT_SURVIVAL ? 1.0 : HUGE_VAL;
    if (node->operation == OPERATION_COEFFICIENT)
        return is_discount((enum coefficient_kind)node->a) ? 1.0 : HUGE_VAL;
    double a = changes[node->a].size, b = changes[node->b].size;
    if (is_of(node, sums)) return a + b;
    if (is_of(node, extremes)) return fmax(a, b);
    if (is_of(node, signs)) return a;
    if (node->operation == OPERATION_MULTIPLY) return times(a, b);
    return node->operation == OPERATION_SELECT ? fmax(b, changes[node->c].size) : HUGE_VAL;
}

/* Returns how far two values may be apart: where one is the other and something, that. */
static double bound_difference(const struct node *nodes, const struct turned *changes, int b, int c)
{
    const int values[] = {b, c};
    for (int k = 0; k < 2; k++) {
        const struct node *sum = &nodes[values[k]];
        if (is_of(sum, sums) && sum->a == values[!k]) return changes[sum->b].size;
        if (sum->operation == OPERATION_ADD && sum->b == values[!k]) return changes[sum->a].size;
    }
    const int both = nodes[b].known & nodes[c].known;
    if (both & KNOWN_CONSTANT) return fabs(nodes[b].number - nodes[c].number);
    if (both & KNOWN_NOT_NEGATIVE) return fmax(changes[b].size, changes[c].size);
    return changes[b].size + changes[c].size;
}

/* Returns by how much a value changes where its operands do. */
static double change_of(const struct node *nodes, const struct node *node,
                        const struct turned *changes)
{
    if (!operation_kinds[node->operation].operands) return 0.0;
    const struct turned a = changes[node->a], b = changes[node->b], c = changes[node->c];
    if (a.by + b.by + c.by == 0.0) return 0.0;
    if (is_of(node, flags)) return 1.0;
    if (is_of(node, sums)) return a.by + b.by;
    if (is_of(node, extremes)) return fmax(a.by, b.by);
    if (is_of(node, signs)) return a.by;
    if (node->operation == OPERATION_MULTIPLY) return times(a.by, b.size) + times(b.by, a.size);
    if (node->operation == OPERATION_DIVIDE && (nodes[node->b].known & KNOWN_CONSTANT))
        return a.by / b.size;
    if (node->operation != OPERATION_SELECT) return HUGE_VAL;
    double turned = a.by > 0.0 ? bound_difference(nodes, changes, node->b, node->c) : 0.0;
    return turned + fmax(b.by, c.by);
}

static bool is_comparison(const struct node *node)
{
    return (node->known & KNOWN_LIVE) && (node->known & KNOWN_VARIES) &&
           !(node->known & KNOWN_DECIDES) && operation_kinds[node->operation].jumps;
}

/* Tells whether two comparisons are of the same two values, and turn together. */
static bool turns_with(const struct node *node, const struct node *other)
{
    return is_comparison(node) && ((node->a == other->a && node->b == other->b) ||
                                   (node->a == other->b && node->b == other->a));
}

double compile_jump(struct compiler *compiler, int value)
{
    const struct node *nodes = compiler->values.nodes;
    int n = value + 1, comparisons = 0;
    double most = 0.0;
    struct turned *changes = calloc((size_t)compiler->values.n, sizeof *changes);
    for (int i = 0; i < n; i++) comparisons += is_comparison(&nodes[i]);
    if (!changes) compiler->status = STATUS_NO_MEMORY;
    if (!changes || (double)n * comparisons > MOST_LOOKED_AT) most = HUGE_VAL;
    for (int i = 0; i < n && most < HUGE_VAL; i++) changes[i].size = size_of(&nodes[i], changes);
    for (int at = 0; at < n && most < HUGE_VAL; at++) {
        if (!is_comparison(&nodes[at])) continue;
        for (int i = 0; i < n; i++)
            changes[i].by =
                turns_with(&nodes[i], &nodes[at]) ? 1.0 : change_of(nodes, &nodes[i], changes);
        most = fmax(most, changes[value].by);
    }
    free(changes);
    return most;
}
