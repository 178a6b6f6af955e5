/* What several programs of a group compute alike is computed once: one program makes such values
 * and writes each to a row of its own, and the others read that. So a hundred strikes on one
 * schedule take its average once. No bit changes: each value is still made by the same operations.
 *
 * Programs that make shared values read none, so that a GPU runs all of them at once: what two of
 * them have in common is made twice. Where programs are parts of each other the longest makes all
 * that it has. */
#include "app/pricing/plan/group_draft.h"

#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"
#include "models/scripts/numbered_values.h"

enum {
    WORK_SAVED_LEAST = 4, /* operations that a row must save all programs together */
    WORK_MOST = 1000      /* that is told from more */
};

/* A value of the group's programs, which are numbered as scripts are when they are compiled. */
struct shared_value {
    int programs, last; /* how many programs make it, the last of which is this one */
    int source;         /* the longest of them: it makes the row */
    int work;           /* operations that it takes */
    int row;            /* -1: none */
};

struct value_sharing {
    struct group *group;
    struct values values;
    int room;
    struct shared_value *shared_values; /* [value] */
    int **numbers;                      /* [program][instruction] the value that it makes */
    int n; /* programs that are numbered: all, unless they make more than VALUES_MOST values */
};

/* ---- which values are shared ----------------------------------------------------------------- */

/* Takes note that program p makes a value. */
static enum status count_value(struct value_sharing *sharing, int p, int value)
{
    const struct node *node = &sharing->values.nodes[value];
    MUST(grow_array(&sharing->shared_values, &sharing->room, sharing->values.n,
                    sizeof *sharing->shared_values));
    struct shared_value *shared_value = &sharing->shared_values[value];
    const struct group_program *programs = sharing->group->programs;
    if (node->uses == 0) { /* it is new */
        const int operands = operation_kinds[node->operation].operands,
                  at[] = {node->a, node->b, node->c};
        *shared_value =
            (struct shared_value){.last = -1, .source = p, .work = operands > 0, .row = -1};
        for (int k = 0; k < operands; k++) shared_value->work += sharing->shared_values[at[k]].work;
        if (shared_value->work > WORK_MOST) shared_value->work = WORK_MOST;
        sharing->values.nodes[value].uses = 1;
    }
    if (shared_value->last == p) return STATUS_OK;
    shared_value->last = p;
    shared_value->programs++;
    if (programs[p].program->n_instructions >
        programs[shared_value->source].program->n_instructions)
        shared_value->source = p;
    return STATUS_OK;
}

/* Numbers the values of program p. Numbers of the market, and of a policy, which is not known yet,
 * are its own. */
static enum status number_program(struct value_sharing *sharing, int p)
{
    const struct group_program *run = &sharing->group->programs[p];
    const struct program *program = run->program;
    int in[PROGRAM_REGISTERS_MOST],
        *numbers = calloc((size_t)program->n_instructions, sizeof *numbers);
    sharing->numbers[p] = numbers;
    if (!numbers) return STATUS_NO_MEMORY;
    for (int i = 0; i < program->n_instructions; i++) {
        const struct instruction *code = &program->code[i];
        struct node node = {.operation = code->operation};
        const int operands = operation_kinds[code->operation].operands;
        if (code->operation >= OPERATION_OUTPUT) continue;
        if (operands > 0) node.a = in[code->a];
        if (operands > 1) node.b = in[code->b];
        if (operands > 2) node.c = in[code->c];
        if (code->operation == OPERATION_DECIDE) node.at = code->at;
        if (code->operation == OPERATION_INPUT) node.at = (uint32_t)run->inputs[code->at];
        if (code->operation == OPERATION_COEFFICIENT) {
            const struct program_coefficient *coefficient = &program->coefficients[code->at];
            if (coefficient->kind == COEFFICIENT_NUMBER) node.number = coefficient->number;
            else node.a = p + 1, node.at = code->at;
        }
        numbers[i] = in[code->to] = value_numbered(&sharing->values, node);
        MUST(sharing->values.status);
        MUST(count_value(sharing, p, numbers[i]));
    }
    return STATUS_OK;
}

/* Gives a value a row where it is worth one and is read by what fewer programs make. */
static void give_row(struct value_sharing *sharing, int value, int programs_of_reader)
{
    struct shared_value *shared_value = &sharing->shared_values[value];
    if (shared_value->row < 0 && shared_value->programs > programs_of_reader &&
        (shared_value->programs - 1) * shared_value->work >= WORK_SAVED_LEAST &&
        sharing->group->n_rows < GROUP_ROWS)
        shared_value->row = sharing->group->n_rows++;
}

static void give_rows(struct value_sharing *sharing, int p)
{
    const struct program *program = sharing->group->programs[p].program;
    int in[PROGRAM_REGISTERS_MOST];
    for (int i = 0; i < program->n_instructions; i++) {
        const struct instruction *code = &program->code[i];
        const uint16_t operands[] = {code->a, code->b, code->c};
        bool writes = code->operation < OPERATION_OUTPUT;
        int value = sharing->numbers[p][i];
        for (int k = 0; k < operation_kinds[code->operation].operands; k++)
            give_row(sharing, in[operands[k]], writes ? sharing->shared_values[value].programs : 1);
        if (writes) in[code->to] = value;
    }
}

/* ---- parts of programs ----------------------------------------------------------------------- */

/* What becomes of an instruction. */
enum { KEPT = 1, ROOT = 2, UNREAD = 4, READ_LAST = 8 /* operand 0; << k operand k */ };

/* Marks what a part of program p takes: of one that makes shared values those that it is the source
 * of, else all but what is read from rows. Returns how many instructions that comes to; 0: no row
 * is written or read. */
static int mark_part(struct value_sharing *sharing, int p, bool shared, uint8_t *marks)
{
    const struct program *program = sharing->group->programs[p].program;
    bool live[PROGRAM_REGISTERS_MOST] = {false};
    bool cut = false;
    int n = 0;
    for (int i = program->n_instructions - 1; i >= 0; i--) {
        const struct instruction *code = &program->code[i];
        const uint16_t operands[] = {code->a, code->b, code->c};
        struct shared_value *shared_value = &sharing->shared_values[sharing->numbers[p][i]];
        bool writes = code->operation < OPERATION_OUTPUT, rowed = writes && shared_value->row >= 0,
             root = shared && rowed && shared_value->source == p && shared_value->last >= 0;
        bool kept = shared ? root || (writes && live[code->to]) : !writes || live[code->to];
        marks[i] = 0;
        if (!kept) continue;
        marks[i] = (uint8_t)(KEPT | (root ? ROOT : 0) | (writes && !live[code->to] ? UNREAD : 0));
        n += 1 + (root && n);
        cut |= root || (!shared && rowed);
        if (root) shared_value->last = -1; /* one that is made twice has one row */
        if (writes) live[code->to] = false;
        for (int k = 0; k < operation_kinds[code->operation].operands && (shared || !rowed); k++) {
            if (!live[operands[k]]) marks[i] |= (uint8_t)(READ_LAST << k);
            live[operands[k]] = true;
        }
    }
    return cut ? n + shared : 0;
}

struct part {
    struct program *program;
    struct group_program *run;
    uint16_t renamed[PROGRAM_REGISTERS_MOST], unused[PROGRAM_REGISTERS_MOST];
    int n_unused;
};

static void put_code(struct part *part, struct instruction code, int row)
{
    if (row >= 0) {
        code.at = (uint32_t)part->program->n_inputs;
        part->run->inputs[part->program->n_inputs++] = row;
    }
    part->program->code[part->program->n_instructions++] = code;
}

/* Writes the instructions that are marked, in as few registers as they need. */
static void write_part(const struct value_sharing *sharing, int p, bool shared,
                       const uint8_t *marks, struct part *part)
{
    const struct group_program *from = &sharing->group->programs[p];
    int n = from->program->n_instructions;
    while (shared && !(marks[n - 1] & ROOT)) n--;
    for (int i = 0; i < n; i++) {
        struct instruction code = from->program->code[i];
        if (!(marks[i] & KEPT)) continue;
        const int operands = operation_kinds[code.operation].operands;
        const bool writes = code.operation < OPERATION_OUTPUT;
        const int row = writes ? sharing->shared_values[sharing->numbers[p][i]].row : -1;
        uint16_t read[] = {code.a, code.b, code.c}, *to[] = {&code.a, &code.b, &code.c},
                 old = code.to;
        for (int k = 0; k < operands; k++) *to[k] = read[k] = part->renamed[read[k]];
        if (writes)
            code.to = part->renamed[old] = part->n_unused ? part->unused[--part->n_unused]
                                                          : (uint16_t)part->program->n_registers++;
        for (int k = 0; k < operands; k++)
            if (marks[i] & READ_LAST << k) part->unused[part->n_unused++] = read[k];
        if (!shared && row >= 0)
            put_code(part, (struct instruction){.operation = OPERATION_INPUT, .to = code.to}, row);
        else put_code(part, code, code.operation == OPERATION_INPUT ? from->inputs[code.at] : -1);
        if (!(marks[i] & ROOT)) continue;
        bool last = i == n - 1;
        part->run->row = row;
        put_code(
            part,
            (struct instruction){.operation = last ? OPERATION_END : OPERATION_KEEP, .a = code.to},
            last ? -1 : row);
        if (marks[i] & UNREAD) part->unused[part->n_unused++] = code.to;
    }
}

/* Makes a part of program p; *made is left alone where there is nothing to make. */
static enum status make_part(struct value_sharing *sharing, int p, bool shared,
                             struct group_program *made)
{
    enum status status = STATUS_OK;
    const struct group_program *from = &sharing->group->programs[p];
    const struct program *program = from->program;
    uint8_t *marks = malloc((size_t)program->n_instructions);
    if (!marks) return STATUS_NO_MEMORY;
    size_t n = (size_t)mark_part(sharing, p, shared, marks);
    if (!n) goto done;
    struct part part = {.program = calloc(1, sizeof *part.program), .run = made};
    if (!part.program) TRY(STATUS_NO_MEMORY);
    *part.program = *program;
    part.program->inputs = NULL;
    part.program->code = calloc(n, sizeof *program->code);
    part.program->n_instructions = part.program->n_inputs = part.program->n_registers = 0;
    if (shared) part.program->n_outputs = part.program->n_decisions = 0;
    *made = (struct group_program){
        .program = part.program,
        .part = part.program,
        .inputs = malloc(n * sizeof *made->inputs),
        .coefficients = malloc(((size_t)program->n_coefficients + 1) * sizeof(double)),
        .row = from->row,
        .decided = from->decided};
    if (!part.program->code || !made->inputs || !made->coefficients) TRY(STATUS_NO_MEMORY);
    memcpy(made->coefficients, from->coefficients,
           sizeof(double) * (size_t)program->n_coefficients);
    write_part(sharing, p, shared, marks, &part);
done:
    free(marks);
    return status;
}

/* ---- the group ------------------------------------------------------------------------------- */

/* Puts what is made of the programs in their place. */
static enum status make_parts(struct value_sharing *sharing)
{
    enum status status = STATUS_OK;
    struct group *group = sharing->group;
    const size_t n = (size_t)group->n_programs;
    struct group_program *all = calloc(2 * n, sizeof *all), cut = {0};
    int n_shared = 0;
    if (!all) return STATUS_NO_MEMORY;
    for (int p = 0; p < sharing->n; p++) {
        TRY(make_part(sharing, p, true, &all[n_shared]));
        n_shared += all[n_shared].program != NULL;
    }
    for (int p = 0; p < sharing->n; p++, cut = (struct group_program){0}) {
        TRY(make_part(sharing, p, false, &cut));
        if (!cut.program) continue;
        group_programs_free(1, &group->programs[p]);
        group->programs[p] = cut;
    }
    memcpy(all + n_shared, group->programs, sizeof *all * n);
    free(group->programs);
    group->programs = all;
    group->n_shared = n_shared;
    group->n_programs += n_shared;
    return STATUS_OK;
done:
    group_programs_free(1, &cut);
    group_programs_free((int)n, all);
    free(all);
    return status;
}

enum status share_values(struct group *group)
{
    enum status status = STATUS_OK;
    const size_t n = (size_t)group->n_programs;
    struct value_sharing sharing = {.group = group,
                                    .numbers = calloc(n + 1, sizeof *sharing.numbers)};
    value_constant(&sharing.values, 0.0);
    TRY(sharing.values.status);
    if (!sharing.numbers) TRY(STATUS_NO_MEMORY);
    for (int p = 0; p < group->n_programs; p++, sharing.n++) {
        if (sharing.values.n + group->programs[p].program->n_instructions > VALUES_MOST) break;
        TRY(number_program(&sharing, p));
    }
    for (int p = 0; p < sharing.n; p++) give_rows(&sharing, p);
    if (n) TRY(make_parts(&sharing));
done:
    for (size_t p = 0; sharing.numbers && p < n; p++) free(sharing.numbers[p]);
    free(sharing.numbers);
    free(sharing.shared_values);
    free(sharing.values.nodes);
    free(sharing.values.newest);
    return status;
}
