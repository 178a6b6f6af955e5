/* From values to instructions: what nobody reads is left out, products are fused with sums, leaves
 * are loaded where they are read first, and registers are given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/programs/policy.h"
#include "models/scripts/compiler.h"

enum {
    NOT_PLACED = -1,
    /* A leaf is loaded again, rather than kept, where it is read this many instructions after it
     * was read last: registers are dear on a GPU. */
    LOADED_AGAIN = 32
};

/* An instruction before it has registers: its operands are lines, too. */
struct emitted {
    int node, operands[3];
    int last; /* the last line that reads it */
    int at;
    uint16_t to;
};

struct emitter {
    struct compiler *compiler;
    struct values *values;
    struct program *program;
    struct emitted *lines;
    int n, room, room_inputs, room_coefficients;
    int n_registers;
};

/* Makes an input of each price, which every program of a group then shares. */
static void read_prices(struct values *values)
{
    for (int i = 0; i < values->n; i++) {
        struct node *node = &values->nodes[i];
        if (node->operation != OPERATION_EXP2) continue;
        const struct node spot = values->nodes[node->a];
        if (spot.operation != OPERATION_INPUT || spot.a != INPUT_SPOT) continue;
        node->operation = OPERATION_INPUT;
        node->a = INPUT_PRICE;
        node->at = spot.at;
        node->number = spot.number;
    }
}

/* Marks what the outputs and the total need, and counts how often each value is read. */
static void mark_live(struct values *values, int total)
{
    values->nodes[total].known |= KNOWN_LIVE;
    values->nodes[total].uses++;
    for (int i = values->n - 1; i >= 0; i--) {
        struct node *node = &values->nodes[i];
        node->place = NOT_PLACED;
        if (node->operation == OPERATION_OUTPUT) node->known |= KNOWN_LIVE;
        if (!(node->known & KNOWN_LIVE)) continue;
        int operands = operation_operands[node->operation], at[] = {node->a, node->b, node->c};
        for (int k = 0; k < operands; k++) {
            values->nodes[at[k]].known |= KNOWN_LIVE;
            values->nodes[at[k]].uses++;
        }
    }
}

/* Tells whether a value is a product that only one other value reads. */
static bool lone_product(const struct values *values, int node)
{
    return values->nodes[node].operation == OPERATION_MULTIPLY && values->nodes[node].uses == 1;
}

/* Makes one operation of a product and the sum that alone reads it; of two products the younger
 * is taken. */
static void fuse(struct values *values)
{
    for (int i = 0; i < values->n; i++) {
        struct node *node = &values->nodes[i];
        if (!(node->known & KNOWN_LIVE) || node->operation != OPERATION_ADD) continue;
        int product = lone_product(values, node->b)   ? node->b
                      : lone_product(values, node->a) ? node->a
                                                      : -1;
        if (product < 0) continue;
        struct node *factors = &values->nodes[product];
        node->c = product == node->b ? node->a : node->b;
        node->a = factors->a;
        node->b = factors->b;
        node->operation = OPERATION_MULTIPLY_ADD;
        factors->known &= (uint8_t)~KNOWN_LIVE;
    }
}

/* ---- leaves */

static int add_coefficient(struct emitter *emitter, const struct node *node)
{
    struct program *program = emitter->program;
    if (node->a == COEFFICIENT_POLICY)
        return program->decisions[node->c].first_coefficient + node->b;
    if (grow_array(&program->coefficients, &emitter->room_coefficients, program->n_coefficients + 1,
                   sizeof *program->coefficients) != STATUS_OK)
        return -1;
    program->coefficients[program->n_coefficients] = (struct program_coefficient){
        (enum coefficient_kind)node->a, node->b, node->c, node->number};
    return program->n_coefficients++;
}

static int add_input(struct emitter *emitter, const struct node *node)
{
    struct program *program = emitter->program;
    const struct node *nodes = emitter->values->nodes;
    bool survival = node->a == INPUT_SURVIVAL;
    if (grow_array(&program->inputs, &emitter->room_inputs, program->n_inputs + 1,
                   sizeof *program->inputs) != STATUS_OK)
        return -1;
    program->inputs[program->n_inputs] = (struct program_input){
        (enum input_kind)node->a, (int)node->at, node->number,
        survival ? nodes[node->b].number : 0.0, survival ? nodes[node->c].number : 0.0};
    return program->n_inputs++;
}

/* The numbers of each decision stand together, before all others. */
static enum status add_policies(struct emitter *emitter)
{
    struct program *program = emitter->program;
    for (int d = 0; d < program->n_decisions; d++) {
        int n = policy_numbers(program->decisions[d].n_features);
        program->decisions[d].first_coefficient = program->n_coefficients;
        if (grow_array(&program->coefficients, &emitter->room_coefficients,
                       program->n_coefficients + n, sizeof *program->coefficients) != STATUS_OK)
            return STATUS_NO_MEMORY;
        for (int k = 0; k < n; k++)
            program->coefficients[program->n_coefficients++] =
                (struct program_coefficient){COEFFICIENT_POLICY, k, d, 0.0};
    }
    return STATUS_OK;
}

/* ---- lines */

static enum status add_line(struct emitter *emitter, struct emitted line)
{
    int first = emitter->compiler->script->symbols[emitter->compiler->script->expiry].place.line;
    if (emitter->n == PROGRAM_INSTRUCTIONS_MOST) {
        compile_fail(emitter->compiler, first, "the script needs more than %d instructions",
                     PROGRAM_INSTRUCTIONS_MOST);
        return STATUS_FAILED;
    }
    line.last = emitter->n;
    enum status status =
        grow_array(&emitter->lines, &emitter->room, emitter->n + 1, sizeof *emitter->lines);
    if (status == STATUS_OK) emitter->lines[emitter->n++] = line;
    return status;
}

/* Returns the line that holds a value, in *at; a leaf is loaded. Its inputs and coefficients are
 * numbered as they come. */
static enum status line_of(struct emitter *emitter, int operand, int *at)
{
    struct node *node = &emitter->values->nodes[operand];
    bool leaf = operation_operands[node->operation] == 0, placed = node->place != NOT_PLACED;
    *at = node->place;
    if (!leaf || (placed && emitter->n - emitter->lines[*at].last <= LOADED_AGAIN))
        return STATUS_OK;
    struct emitted line = {.node = operand, .at = placed ? emitter->lines[*at].at : 0};
    if (!placed)
        line.at = node->operation == OPERATION_INPUT ? add_input(emitter, node)
                                                     : add_coefficient(emitter, node);
    if (line.at < 0) return STATUS_NO_MEMORY;
    *at = node->place = emitter->n;
    return add_line(emitter, line);
}

static enum status write_line(struct emitter *emitter, int node)
{
    enum status status = STATUS_OK;
    struct node *of = &emitter->values->nodes[node];
    struct emitted line = {.node = node, .at = (int)of->at};
    int operands = operation_operands[of->operation], at[] = {of->a, of->b, of->c};
    for (int k = 0; k < operands; k++) {
        TRY(line_of(emitter, at[k], &line.operands[k]));
        /* it is read below: later operands of this line do not count as far away */
        emitter->lines[line.operands[k]].last = emitter->n;
    }
    of->place = emitter->n;
    TRY(add_line(emitter, line));
    for (int k = 0; k < operands; k++) emitter->lines[line.operands[k]].last = emitter->n - 1;
done:
    return status;
}

/* ---- registers */

/* Gives each line a register that no value still to be read is in, never that of an operand. */
static enum status give_registers(struct emitter *emitter)
{
    int n_free = 0;
    uint16_t free_ones[PROGRAM_REGISTERS_MOST];
    for (int i = 0; i < emitter->n; i++) {
        struct emitted *line = &emitter->lines[i];
        enum operation operation = emitter->values->nodes[line->node].operation;
        if (operation != OPERATION_OUTPUT) {
            if (!n_free && emitter->n_registers == PROGRAM_REGISTERS_MOST) {
                const struct script *script = emitter->compiler->script;
                compile_fail(emitter->compiler, script->symbols[script->expiry].place.line,
                             "the script keeps more than %d numbers at a time",
                             PROGRAM_REGISTERS_MOST);
                return STATUS_FAILED;
            }
            line->to = n_free ? free_ones[--n_free] : (uint16_t)emitter->n_registers++;
        }
        for (int k = 0; k < operation_operands[operation]; k++) {
            struct emitted *operand = &emitter->lines[line->operands[k]];
            if (operand->last != i) continue;
            operand->last = -1; /* once, where an operand is read twice */
            free_ones[n_free++] = operand->to;
        }
    }
    return STATUS_OK;
}

static enum status write_code(struct emitter *emitter, int total)
{
    struct program *program = emitter->program;
    program->n_instructions = emitter->n + 1;
    program->code = calloc((size_t)program->n_instructions, sizeof *program->code);
    if (!program->code) return STATUS_NO_MEMORY;
    for (int i = 0; i < emitter->n; i++) {
        const struct emitted *line = &emitter->lines[i];
        struct instruction *to = &program->code[i];
        uint16_t *operands[] = {&to->a, &to->b, &to->c};
        to->operation = emitter->values->nodes[line->node].operation;
        to->to = line->to;
        for (int k = 0; k < operation_operands[to->operation]; k++)
            *operands[k] = emitter->lines[line->operands[k]].to;
        bool placed = to->operation == OPERATION_INPUT || to->operation == OPERATION_COEFFICIENT ||
                      to->operation == OPERATION_OUTPUT;
        if (placed) to->at = (uint32_t)line->at;
    }
    program->code[emitter->n] =
        (struct instruction){.operation = OPERATION_END, .a = emitter->lines[total].to};
    program->n_registers = emitter->n_registers;
    return STATUS_OK;
}

/* ---- what the program is */

/* Tells whether a comparison is one of exercise with what going on is worth: a path where that is
 * close gives up next to nothing. */
static bool decides(const struct compiler *compiler, int node)
{
    for (int i = 0; i < compiler->n_decides; i++)
        if (compiler->decides[i] == node) return true;
    return false;
}

static void describe(struct compiler *compiler, int total)
{
    const struct values *values = &compiler->values;
    struct program *program = compiler->program;
    program->one_way = value_known(values, total, KNOWN_NOT_NEGATIVE);
    for (int i = 0; i < values->n && !program->jumps; i++) {
        const struct node *node = &values->nodes[i];
        program->jumps = operation_jumps[node->operation] && (node->known & KNOWN_LIVE) &&
                         (node->known & KNOWN_VARIES) && !decides(compiler, i);
    }
    if (program->jumps) program->jump = compiler->jump > 0.0 ? compiler->jump : compiler->typical;
}

enum status emit_program(struct compiler *compiler)
{
    enum status status = STATUS_OK;
    struct values *values = &compiler->values;
    struct emitter emitter = {.compiler = compiler, .values = values, .program = compiler->program};
    int total = compiler->total < 0 ? 0 : compiler->total, end;
    read_prices(values);
    mark_live(values, total);
    describe(compiler, total);
    fuse(values);
    TRY(add_policies(&emitter));
    for (int i = 0; i < values->n; i++) {
        const struct node *node = &values->nodes[i];
        if ((node->known & KNOWN_LIVE) && operation_operands[node->operation])
            TRY(write_line(&emitter, i));
    }
    TRY(line_of(&emitter, total, &end));
    TRY(give_registers(&emitter));
    if (compiler->program->n_inputs > PROGRAM_INPUTS_MOST) {
        compile_fail(compiler, 1, "the script looks at %d prices, more than %d",
                     compiler->program->n_inputs, PROGRAM_INPUTS_MOST);
        TRY(compiler->status);
    }
    TRY(write_code(&emitter, end));
done:
    free(emitter.lines);
    return status;
}
