#include "validation/tests/script_paths.h"

#include <math.h>
#include <stdlib.h>

#include "models/programs/operations.h"

double script_chance(uint64_t path, uint64_t what, double when)
{
    uint64_t x = path * 0x9e3779b97f4a7c15u ^ (what + 1) * 0xbf58476d1ce4e5b9u;
    x ^= bits_of_double(when) * 0x94d049bb133111ebu;
    for (int i = 0; i < 3; i++) x = (x ^ (x >> 31)) * 0xd6e8feb86659fd93u;
    return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

double script_input(uint64_t path, const struct program_input *input)
{
    enum input_kind kind = input->kind == INPUT_PRICE ? INPUT_SPOT : input->kind;
    double u = script_chance(path, (uint64_t)(8 * input->asset + (int)kind), input->date);
    double today = log2(SCRIPT_TODAY);
    switch (input->kind) {
    case INPUT_SPOT: return today + 0.8 * (u - 0.5);
    case INPUT_PRICE: return program_exp2(today + 0.8 * (u - 0.5));
    case INPUT_VARIANCE: return 0.1 * u;
    case INPUT_HIGHEST: return today + 0.6 * u;
    case INPUT_LOWEST: return today - 0.6 * u;
    case INPUT_SURVIVAL: return u * fmin(input->upper - input->lower, 100.0) / 100.0;
    }
    return 0.0;
}

double script_discount(double years)
{
    return exp(-0.03 * years);
}

double script_coefficient(uint64_t seed, const struct program_coefficient *coefficient)
{
    switch (coefficient->kind) {
    case COEFFICIENT_NUMBER: return coefficient->number;
    case COEFFICIENT_DISCOUNT:
    case COEFFICIENT_POLICY_DISCOUNT: return script_discount(coefficient->number);
    case COEFFICIENT_TODAY: return SCRIPT_TODAY;
    case COEFFICIENT_LOG_TODAY: return log2(SCRIPT_TODAY);
    case COEFFICIENT_POLICY:
        return script_chance(seed, (uint64_t)coefficient->index, coefficient->decision) - 0.4;
    }
    return 0.0;
}

double script_run_on(const struct program *program, const double *inputs,
                     const double *coefficients, double *outputs)
{
    double at[PROGRAM_REGISTERS_MOST];
    for (const struct instruction *code = program->code;; code++) {
        const double a = at[code->a], b = at[code->b], c = at[code->c];
        switch ((enum operation)code->operation) {
        case OPERATION_INPUT: at[code->to] = inputs[code->at]; break;
        case OPERATION_COEFFICIENT: at[code->to] = coefficients[code->at]; break;
#define OPERATION(NAME, name, operands, bend, ...)                                                 \
    case OPERATION_##NAME:                                                                         \
        at[code->to] = __VA_ARGS__;                                                                \
        break;
#include "models/programs/operations.def"
#undef OPERATION
        case OPERATION_OUTPUT: outputs[code->at] = a; break;
        case OPERATION_DECIDE: at[code->to] = a; break;
        case OPERATION_KEEP: break; /* only a plan makes these */
        case OPERATION_END: return a;
        case N_OPERATIONS: break;
        }
    }
}

double script_run(const struct program *program, uint64_t seed, uint64_t path, double *outputs)
{
    double *inputs = malloc(sizeof *inputs * (size_t)(program->n_inputs + 1)),
           *coefficients = malloc(sizeof *coefficients * (size_t)(program->n_coefficients + 1));
    for (int i = 0; i < program->n_inputs; i++) inputs[i] = script_input(path, &program->inputs[i]);
    for (int i = 0; i < program->n_coefficients; i++)
        coefficients[i] = script_coefficient(seed, &program->coefficients[i]);
    double value = script_run_on(program, inputs, coefficients, outputs);
    free(inputs);
    free(coefficients);
    return value;
}
