/* Whether what a script watches between dates goes together with something else that is watched.
 * Bridges draw the farthest points of an asset to one side, all of them by one law, and of staying
 * within bounds they tell the probability: sums of these have the right mean, and so has any
 * function of farthest points to one side. What is made of two sides or assets, or of a probability
 * where the thing itself is meant, has it on paths that are looked at closely. Decisions alone may
 * compare a probability: there it is next to 0 or 1. */
#include <stdlib.h>

#include "models/scripts/compiler.h"

/* What a value is made of: a bit for each side of each asset, of which a trade has 32 at most, and
 * whether of a survival. */
struct watched {
    uint64_t sides;
    bool survives;
};

struct watched_values {
    const struct node *nodes;
    struct watched *seen;    /* [value] */
    bool together, compared; /* a survival with something */
    bool survives;           /* any */
};

#define OF(name) (1u << OPERATION_##name)
static const unsigned sums = OF(ADD) | OF(SUBTRACT) | OF(NEGATE);
static const unsigned comparisons = OF(LESS) | OF(LESS_EQUAL) | OF(EQUAL);
#undef OF

static bool sees(struct watched seen)
{
    return seen.sides || seen.survives;
}

static struct watched seen_by(struct watched_values *values, const struct node *node)
{
    const int of[] = {node->a, node->b, node->c};
    struct watched seen[3] = {{0}}, all = {0};
    for (int i = 0; i < operation_kinds[node->operation].operands; i++) {
        seen[i] = values->seen[of[i]];
        all.sides |= seen[i].sides;
        all.survives |= seen[i].survives;
    }
    bool scaled = (node->operation == OPERATION_MULTIPLY && (!sees(seen[0]) || !sees(seen[1]))) ||
                  (node->operation == OPERATION_DIVIDE && !sees(seen[1])) ||
                  (node->operation == OPERATION_SELECT && !sees(seen[0]));
    if (!sees(all) || scaled || sums >> node->operation & 1) return all;
    values->compared |=
        all.survives && comparisons >> node->operation & 1 && !(node->known & KNOWN_DECIDES);
    values->together |= all.survives || (all.sides & (all.sides - 1));
    return all;
}

static struct watched seen_input(struct watched_values *values, const struct node *node)
{
    bool high = node->a == INPUT_HIGHEST, extreme = high || node->a == INPUT_LOWEST;
    struct watched seen = {extreme ? UINT64_C(1) << (2 * (node->at % 32) + high) : 0,
                           node->a == INPUT_SURVIVAL};
    values->survives |= seen.survives;
    return seen;
}

/* Returns the first line that says survives(). */
static int line_of_survival(const struct script *script)
{
    for (int i = 0; i < script->n_expressions; i++)
        if (script->expressions[i].kind == EXPRESSION_SURVIVES)
            return script->expressions[i].place.line;
    return 1;
}

bool compile_watched(struct compiler *compiler)
{
    struct watched_values values = {
        .nodes = compiler->values.nodes,
        .seen = calloc((size_t)compiler->values.n + 1, sizeof *values.seen)};
    if (!values.seen) compiler->status = STATUS_NO_MEMORY;
    for (int i = 0; values.seen && i < compiler->values.n; i++) {
        const struct node *node = &values.nodes[i];
        if (!(node->known & KNOWN_LIVE) || !operation_kinds[node->operation].writes) continue;
        values.seen[i] =
            node->operation == OPERATION_INPUT ? seen_input(&values, node) : seen_by(&values, node);
    }
    free(values.seen);
    if (values.compared)
        compile_fail(compiler, line_of_survival(compiler->script),
                     "survives() gives the probability, between the dates of the script: what is "
                     "paid is multiplied with it, and it is compared with nothing");
    return values.together || (values.survives && compiler->program->n_decisions > 0);
}
