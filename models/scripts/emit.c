/* From values to instructions: what nobody reads is left out, some pairs are fused, leaves
 * are loaded where they are read first, and registers are given. */
#include <math.h>

#include "models/scripts/compiler.h"

enum {
    NOT_PLACED = -1,
    /* A leaf is loaded again, rather than kept, where it is read this many instructions after it
     * was read last: registers are dear on a GPU. */
    LOADED_AGAIN = 32
};

/* ---- values */

/* Marks what outputs and the end need, counts how often each value is read, and finds jumps. A path
 * where exercise is worth about as much as going on gives up next to nothing: that is none. */
static void mark_live(struct compiler *compiler)
{
    struct node *nodes = compiler->values.nodes;
    for (int i = compiler->values.n - 1; i >= 0; i--) {
        struct node *node = &nodes[i];
        const struct operation_kind *kind = &operation_kinds[node->operation];
        const int operands[] = {node->a, node->b, node->c};
        node->place = NOT_PLACED;
        if (node->operation == OPERATION_OUTPUT || node->operation == OPERATION_END)
            node->known |= KNOWN_LIVE;
        if (!(node->known & KNOWN_LIVE)) continue;
        for (int k = 0; k < kind->operands; k++) {
            nodes[operands[k]].known |= KNOWN_LIVE;
            nodes[operands[k]].uses++;
        }
        if (kind->jumps && (node->known & KNOWN_VARIES) && !(node->known & KNOWN_DECIDES))
            compiler->program->jumps = true;
    }
}

/* Two operations that are done as one where nothing else reads the first: that is operand b of the
 * second, or either where that commutes. The operands of `fused` are those of the first, and the
 * other one of the second. */
static const struct fused_pair {
    enum operation second, first, fused;
    bool commutes;
} pairs[] = {{OPERATION_ADD, OPERATION_MULTIPLY, OPERATION_MULTIPLY_ADD, true},
             {OPERATION_MIN, OPERATION_MAX, OPERATION_MIN_MAX, false},
             {OPERATION_MAX, OPERATION_SUBTRACT, OPERATION_MAX_SUBTRACT, false},
             {OPERATION_OR, OPERATION_LESS_EQUAL, OPERATION_OR_LESS_EQUAL, true}};

/* Makes one operation of a pair; of two that could be the first the younger is taken. */
static void fuse_pair(struct node *nodes, struct node *node, const struct fused_pair *pair)
{
    const bool turned = pair->commutes && node->a > node->b;
    const int at[] = {turned ? node->a : node->b, turned ? node->b : node->a};
    for (int k = 0; k <= pair->commutes && node->operation == (int)pair->second; k++) {
        struct node *first = &nodes[at[k]];
        if (first->operation != (int)pair->first || first->uses != 1) continue;
        node->operation = (int)pair->fused;
        node->a = first->a;
        node->b = first->b;
        node->c = at[1 - k];
        first->known &= ~KNOWN_LIVE;
    }
}

static void fuse(struct values *values)
{
    for (int i = 0; i < values->n; i++)
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
            struct node *node = &values->nodes[i];
            if ((node->known & KNOWN_LIVE) && node->operation == (int)pairs[p].second)
                fuse_pair(values->nodes, node, &pairs[p]);
        }
}

/* ---- lines: instructions whose operands are lines, not registers yet; `spare` is the last line
 * that reads it */

static void add_line(struct compiler *compiler, int node, struct instruction line)
{
    struct program *program = compiler->program;
    if (program->n_instructions == PROGRAM_INSTRUCTIONS_MOST)
        compile_fail(compiler, 1, "the script needs more than %d instructions",
                     PROGRAM_INSTRUCTIONS_MOST);
    if (compiler->status != STATUS_OK) return;
    line.spare = (uint16_t)program->n_instructions;
    compiler->values.nodes[node].place = program->n_instructions;
    compile_append(compiler, &program->code, &program->n_instructions, &line);
}

/* Adds an input or a coefficient to the program's. Returns its number. */
static int add_leaf(struct compiler *compiler, const struct node *node)
{
    struct program *program = compiler->program;
    const struct node *nodes = compiler->values.nodes;
    if (node->operation == OPERATION_INPUT) {
        struct program_input input = {(enum input_kind)node->a,
                                      node->at,
                                      node->number,
                                      nodes[node->from].number,
                                      nodes[node->b].number,
                                      nodes[node->c].number};
        if (program->n_inputs == PROGRAM_INPUTS_MOST)
            compile_fail(compiler, 1, "the script looks at more than %d prices",
                         PROGRAM_INPUTS_MOST);
        compile_append(compiler, &program->inputs, &program->n_inputs, &input);
        return program->n_inputs - 1;
    }
    if (node->a == COEFFICIENT_POLICY)
        return program->decisions[node->c].first_coefficient + node->b;
    struct program_coefficient coefficient = {(enum coefficient_kind)node->a, node->b, node->c,
                                              node->number};
    compile_append(compiler, &program->coefficients, &program->n_coefficients, &coefficient);
    return program->n_coefficients - 1;
}

/* Returns the line that holds a value; a leaf is loaded. */
static int line_of(struct compiler *compiler, int operand)
{
    const struct program *program = compiler->program;
    const struct node *node = &compiler->values.nodes[operand];
    bool leaf = operation_kinds[node->operation].operands == 0, placed = node->place != NOT_PLACED;
    if (leaf && !placed) {
        uint32_t at = (uint32_t)add_leaf(compiler, node);
        add_line(compiler, operand,
                 (struct instruction){.operation = (uint16_t)node->operation, .at = at});
    } else if (leaf && program->n_instructions - program->code[node->place].spare > LOADED_AGAIN)
        add_line(compiler, operand, program->code[node->place]);
    return compiler->status == STATUS_OK ? node->place : 0;
}

static void write_line(struct compiler *compiler, int i)
{
    const struct node *node = &compiler->values.nodes[i];
    struct program *program = compiler->program;
    struct instruction line = {.operation = (uint16_t)node->operation, .at = (uint32_t)node->at};
    const int from[] = {node->a, node->b, node->c};
    uint16_t *const to[] = {&line.a, &line.b, &line.c};
    int operands = operation_kinds[node->operation].operands;
    for (int k = 0; k < operands; k++) *to[k] = (uint16_t)line_of(compiler, from[k]);
    if (compiler->status != STATUS_OK) return;
    for (int k = 0; k < operands; k++)
        program->code[*to[k]].spare = (uint16_t)program->n_instructions;
    add_line(compiler, i, line);
}

/* Gives each line a register that no value still to be read is in, never that of an operand. */
static void give_registers(struct compiler *compiler)
{
    struct program *program = compiler->program;
    int n_free = 0;
    uint16_t free_ones[PROGRAM_REGISTERS_MOST];
    for (int i = 0; i < program->n_instructions && compiler->status == STATUS_OK; i++) {
        struct instruction *line = &program->code[i];
        const struct operation_kind *kind = &operation_kinds[line->operation];
        uint16_t *const operands[] = {&line->a, &line->b, &line->c};
        if (!kind->writes) line->spare = 0;
        else if (n_free) line->to = free_ones[--n_free];
        else if (program->n_registers < PROGRAM_REGISTERS_MOST)
            line->to = (uint16_t)program->n_registers++;
        else
            compile_fail(compiler, 1, "the script keeps more than %d numbers at a time",
                         PROGRAM_REGISTERS_MOST);
        for (int k = 0; k < kind->operands; k++) {
            struct instruction *operand = &program->code[*operands[k]];
            *operands[k] = operand->to;
            if (operand->spare != i) continue;
            operand->spare = 0; /* free once, where an operand is read twice */
            free_ones[n_free++] = operand->to;
        }
    }
}

void emit_program(struct compiler *compiler)
{
    struct values *values = &compiler->values;
    struct program *program = compiler->program;
    int total = compiler->total < 0 ? 0 : compiler->total;
    value_result(values, OPERATION_END, total, 0);
    if (!compile_work(compiler, 1)) return;
    mark_live(compiler);
    program->one_way = value_known(values, total, KNOWN_NOT_NEGATIVE);
    program->closely = compile_watched(compiler);
    if (program->jumps) {
        double known = compile_jump(compiler, total);
        program->jump = known < HUGE_VAL       ? known
                        : compiler->jump > 0.0 ? compiler->jump
                                               : compiler->typical;
    }
    fuse(values);
    for (int i = 0; i < values->n && compiler->status == STATUS_OK; i++)
        if (value_known(values, i, KNOWN_LIVE) &&
            operation_kinds[values->nodes[i].operation].operands)
            write_line(compiler, i);
    give_registers(compiler);
}
