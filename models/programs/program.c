#include "models/programs/program.h"

#include <math.h>
#include <stdlib.h>

enum bend { SMOOTH, KINKED, JUMPING };

const struct operation_kind operation_kinds[N_OPERATIONS] = {
    [OPERATION_INPUT] = {"input", 0, true, false},
    [OPERATION_COEFFICIENT] = {"coefficient", 0, true, false},
#define OPERATION(NAME, name, operands, bend, ...)                                                 \
    [OPERATION_##NAME] = {#name, operands, true, bend == JUMPING},
#include "models/programs/operations.def"
#undef OPERATION
    [OPERATION_OUTPUT] = {"output", 1, false, false},
    [OPERATION_DECIDE] = {"decide", 1, true, false},
    [OPERATION_KEEP] = {"keep", 1, false, false},
    [OPERATION_END] = {"value", 1, false, false},
};

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
            return say_why(STATUS_FAILED, why, "a program with %d %s, not %d to %d", sizes[i].n,
                           sizes[i].what, sizes[i].least, sizes[i].most);
    return STATUS_OK;
}

/* Checks one instruction; `written` says which registers have a value. */
static enum status verify_instruction(const struct program *program, int i, bool *written,
                                      struct message *why)
{
    const struct instruction *code = &program->code[i];
    if (code->operation >= N_OPERATIONS)
        return say_why(STATUS_FAILED, why, "instruction %d: no operation %d", i, code->operation);
    const struct operation_kind *kind = &operation_kinds[code->operation];
    const char *name = kind->name;
    uint16_t operands[] = {code->a, code->b, code->c};
    for (int k = 0; k < 3; k++) {
        if (k >= kind->operands ? operands[k] != 0
                                : operands[k] >= program->n_registers || !written[operands[k]])
            return say_why(STATUS_FAILED, why,
                           "instruction %d (%s): operand %d has not been written", i, name, k);
        if (k < kind->operands && kind->writes && operands[k] == code->to)
            return say_why(STATUS_FAILED, why, "instruction %d (%s): operand %d is its result", i,
                           name, k);
    }
    if (kind->writes ? code->to >= program->n_registers : code->to != 0)
        return say_why(STATUS_FAILED, why, "instruction %d (%s): no register %d", i, name,
                       code->to);
    int most = code->operation == OPERATION_INPUT         ? program->n_inputs
               : code->operation == OPERATION_COEFFICIENT ? program->n_coefficients
               : code->operation == OPERATION_OUTPUT      ? program->n_outputs
               : code->operation == OPERATION_DECIDE      ? program->n_decisions
                                                          : 1;
    if (code->at >= (uint32_t)most || code->spare)
        return say_why(STATUS_FAILED, why, "instruction %d (%s): there is no number %u", i, name,
                       (unsigned)code->at);
    if ((code->operation == OPERATION_END) != (i == program->n_instructions - 1))
        return say_why(STATUS_FAILED, why,
                       "instruction %d (%s): the last gives the value, and only that", i, name);
    if (kind->writes) written[code->to] = true;
    return STATUS_OK;
}

static enum status verify_lists(const struct program *program, struct message *why)
{
    for (int d = 0; d < program->n_decisions; d++) {
        const struct program_decision *at = &program->decisions[d];
        int n = at->n_features;
        if (n < 0 || n > POLICY_FEATURES_MOST || at->n_terms != policy_terms(n) ||
            at->first_output < 0 || at->first_output > program->n_outputs - 3 - n ||
            at->first_coefficient < 0 ||
            at->first_coefficient > program->n_coefficients - policy_numbers(n))
            return say_why(STATUS_FAILED, why,
                           "decision %d: its outputs or numbers are out of range", d);
    }
    for (int i = 0; i < program->n_inputs; i++) {
        const struct program_input *at = &program->inputs[i];
        if ((unsigned)at->kind > INPUT_SURVIVAL || at->asset < 0 || !(at->date > 0.0) ||
            !(at->from >= 0.0 && at->from <= at->date))
            return say_why(STATUS_FAILED, why, "input %d: it is of no asset or of no date to come",
                           i);
    }
    for (int i = 0; i < program->n_coefficients; i++) {
        const struct program_coefficient *at = &program->coefficients[i];
        bool policy = at->kind == COEFFICIENT_POLICY;
        if ((unsigned)at->kind > COEFFICIENT_POLICY || at->index < 0 ||
            (is_discount(at->kind) && !(at->number >= 0.0)) ||
            (policy && (at->decision < 0 || at->decision >= program->n_decisions ||
                        at->index >= policy_numbers(program->decisions[at->decision].n_features))))
            return say_why(STATUS_FAILED, why,
                           "coefficient %d: its kind, number or decision is out of range", i);
    }
    return STATUS_OK;
}

enum status program_verify(const struct program *program, struct message *why)
{
    bool written[PROGRAM_REGISTERS_MOST] = {false};
    MUST(verify_sizes(program, why));
    MUST(verify_lists(program, why));
    for (int i = 0; i < program->n_instructions; i++)
        MUST(verify_instruction(program, i, written, why));
    return STATUS_OK;
}

double policy_of_nobody(const struct program *program,
                        const struct program_coefficient *coefficient)
{
    const struct program_decision *decision = &program->decisions[coefficient->decision];
    if (coefficient->index != 2 * decision->n_features) return 0.0;
    return decision->issuer ? -HUGE_VAL : HUGE_VAL;
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
