#include "models/programs/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/programs/policy.h"

static const struct {
    const char *name;
    int operands;
    bool writes, numbered; /* a register; `at` counts */
} operations[N_OPERATIONS] = {
    [OPERATION_INPUT] = {"input", 0, true, true},
    [OPERATION_COEFFICIENT] = {"coefficient", 0, true, true},
#define OPERATION(NAME, name, operands, ...) [OPERATION_##NAME] = {#name, operands, true, false},
#include "models/programs/operations.def"
#undef OPERATION
    [OPERATION_OUTPUT] = {"output", 1, false, true},
    [OPERATION_END] = {"end", 1, false, false},
};

__attribute__((format(printf, 2, 3))) static enum status refuse(struct message *why,
                                                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return STATUS_FAILED;
}

static enum status verify_sizes(const struct program *program, struct message *why)
{
    const struct {
        const char *what;
        int n, least, most;
    } sizes[] = {
        {"instructions", program->n_instructions, 1, PROGRAM_INSTRUCTIONS_MOST},
        {"registers", program->n_registers, 1, PROGRAM_REGISTERS_MOST},
        {"inputs", program->n_inputs, 0, PROGRAM_INPUTS_MOST},
        {"coefficients", program->n_coefficients, 0, PROGRAM_INSTRUCTIONS_MOST},
        {"outputs", program->n_outputs, 0, PROGRAM_INSTRUCTIONS_MOST},
        {"decisions", program->n_decisions, 0, PROGRAM_INSTRUCTIONS_MOST},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].n < sizes[i].least || sizes[i].n > sizes[i].most)
            return refuse(why, "a program with %d %s, not %d to %d", sizes[i].n, sizes[i].what,
                          sizes[i].least, sizes[i].most);
    return STATUS_OK;
}

/* Checks one instruction; `written` says which registers have a value. */
static enum status verify_instruction(const struct program *program, int i, bool *written,
                                      struct message *why)
{
    const struct instruction *code = &program->code[i];
    if (code->operation >= N_OPERATIONS)
        return refuse(why, "instruction %d: no operation %d", i, code->operation);
    const char *name = operations[code->operation].name;
    int operands = operations[code->operation].operands;
    uint16_t of[] = {code->a, code->b, code->c};
    for (int k = 0; k < 3; k++) {
        if (k >= operands ? of[k] != 0 : of[k] >= program->n_registers || !written[of[k]])
            return refuse(why, "instruction %d (%s): operand %d has not been written", i, name, k);
        if (k < operands && operations[code->operation].writes && of[k] == code->to)
            return refuse(why, "instruction %d (%s): operand %d is its result", i, name, k);
    }
    if (operations[code->operation].writes ? code->to >= program->n_registers : code->to != 0)
        return refuse(why, "instruction %d (%s): no register %d", i, name, code->to);
    int most = code->operation == OPERATION_INPUT         ? program->n_inputs
               : code->operation == OPERATION_COEFFICIENT ? program->n_coefficients
               : code->operation == OPERATION_OUTPUT      ? program->n_outputs
                                                          : 1;
    if (code->at >= (uint32_t)most || code->spare)
        return refuse(why, "instruction %d (%s): there is no number %u", i, name,
                      (unsigned)code->at);
    if ((code->operation == OPERATION_END) != (i == program->n_instructions - 1))
        return refuse(why, "instruction %d (%s): the last is end, and only that", i, name);
    if (operations[code->operation].writes) written[code->to] = true;
    return STATUS_OK;
}

static enum status verify_decisions(const struct program *program, struct message *why)
{
    for (int d = 0; d < program->n_decisions; d++) {
        const struct program_decision *decision = &program->decisions[d];
        int n = decision->n_features;
        bool fits = n >= 0 && n <= POLICY_FEATURES_MOST && decision->n_terms == policy_terms(n) &&
                    decision->first_output >= 0 &&
                    decision->first_output <= program->n_outputs - 3 - n &&
                    decision->first_coefficient >= 0 &&
                    decision->first_coefficient <= program->n_coefficients - policy_numbers(n);
        if (!fits) return refuse(why, "decision %d: its outputs or numbers are out of range", d);
    }
    return STATUS_OK;
}

static enum status verify_leaves(const struct program *program, struct message *why)
{
    for (int i = 0; i < program->n_inputs; i++) {
        const struct program_input *input = &program->inputs[i];
        if ((unsigned)input->kind > INPUT_SURVIVAL || input->asset < 0 || !(input->date > 0.0))
            return refuse(why, "input %d: it is of no asset or of no date to come", i);
    }
    for (int i = 0; i < program->n_coefficients; i++) {
        const struct program_coefficient *of = &program->coefficients[i];
        bool policy = of->kind == COEFFICIENT_POLICY;
        bool dated = of->kind != COEFFICIENT_DISCOUNT || of->number >= 0.0;
        if ((unsigned)of->kind > COEFFICIENT_POLICY || of->index < 0 || !dated ||
            (policy && (of->decision < 0 || of->decision >= program->n_decisions ||
                        of->index >= policy_numbers(program->decisions[of->decision].n_features))))
            return refuse(why, "coefficient %d: its kind, number or decision is out of range", i);
    }
    return STATUS_OK;
}

enum status program_verify(const struct program *program, struct message *why)
{
    enum status status;
    bool written[PROGRAM_REGISTERS_MOST] = {false};
    TRY(verify_sizes(program, why));
    TRY(verify_decisions(program, why));
    TRY(verify_leaves(program, why));
    for (int i = 0; i < program->n_instructions; i++)
        TRY(verify_instruction(program, i, written, why));
done:
    return status;
}

void program_free(struct program *program)
{
    free(program->code);
    free(program->inputs);
    free(program->coefficients);
    free(program->flows);
    free(program->decisions);
    *program = (struct program){0};
}
