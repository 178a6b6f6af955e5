#include "kernels/cuda/host/program_code.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/base/grow.h"

/* ---- structures ------------------------------------------------------------------------------ */

/* A structure begins with its program, as what is looked for does. */
static int compare_structures(const void *a, const void *b)
{
    const struct program *program_a = *(const struct program *const *)a,
                         *program_b = *(const struct program *const *)b;
    if (program_a->n_instructions != program_b->n_instructions)
        return program_a->n_instructions < program_b->n_instructions ? -1 : 1;
    return memcmp(program_a->code, program_b->code,
                  sizeof *program_a->code * (size_t)program_a->n_instructions);
}

struct program_structure *structure_find(struct program_structures *structures,
                                         const struct program *program)
{
    struct program_structure *added,
        **found = tfind(&program, &structures->tree, compare_structures);
    if (found) return *found;
    if (!(added = calloc(1, sizeof *added))) return NULL;
    added->program = program;
    added->number = structures->n;
    if (grow_array(&structures->list, &structures->room, structures->n + 1,
                   sizeof *structures->list) ||
        !tsearch(added, &structures->tree, compare_structures)) {
        free(added);
        return NULL;
    }
    return structures->list[structures->n++] = added;
}

void structures_free(struct program_structures *structures)
{
    for (int i = 0; i < structures->n; i++) {
        tdelete(structures->list[i], &structures->tree, compare_structures);
        free(structures->list[i]);
    }
    free(structures->list);
}

/* ---- for the interpreter --------------------------------------------------------------------- */

void write_interpreted(const struct program *program, struct instruction *to)
{
    uint16_t names[PROGRAM_REGISTERS_MOST] = {0}; /* of what each register has */
    for (int i = 0; i < program->n_instructions; i++) {
        struct instruction code = program->code[i];
        const int operands = operation_kinds[code.operation].operands;
        const bool input = code.operation == OPERATION_INPUT, fits = code.at < OPERAND_INPUT;
        if (fits && (input || code.operation == OPERATION_COEFFICIENT)) {
            names[code.to] = (uint16_t)((input ? OPERAND_INPUT : OPERAND_COEFFICIENT) | code.at);
            continue;
        }
        if (code.operation == OPERATION_OUTPUT) continue; /* nobody asks a device for outputs */
        if (operands > 0) code.a = names[code.a];
        if (operands > 1) code.b = names[code.b];
        if (operands > 2) code.c = names[code.c];
        if (operation_kinds[code.operation].writes) names[code.to] = code.to;
        *to++ = code;
    }
    *to = (struct instruction){0};
}

/* ---- source ---------------------------------------------------------------------------------- */

bool program_compiles(const struct program *program)
{
    return program->n_instructions <= PROGRAM_COMPILED_MOST;
}

static void write_instruction(FILE *to, const struct instruction *code)
{
    const struct operation_kind *kind = &operation_kinds[code->operation];
    const unsigned at = (unsigned)code->at;
    fputs("        ", to);
    if (kind->writes) fprintf(to, "r%d = ", code->to);
    switch ((enum operation)code->operation) {
    case OPERATION_INPUT:
    case OPERATION_COEFFICIENT: fprintf(to, "on.%s(%u);\n", kind->name, at); break;
    case OPERATION_DECIDE: fprintf(to, "on.decide(%u, r%d);\n", at, code->a); break;
    case OPERATION_KEEP: fprintf(to, "on.keep(%u, r%d);\n", at, code->a); break;
    case OPERATION_OUTPUT: fputs("\n", to); break; /* nobody asks a device for outputs */
    case OPERATION_END: fprintf(to, "return r%d;\n", code->a); break;
#define OPERATION(NAME, ...) case OPERATION_##NAME:
#include "models/programs/operations.def"
#undef OPERATION
        fprintf(to, "operate_%s(r%d, r%d, r%d);\n", kind->name, code->a,
                kind->operands > 1 ? code->b : code->a, kind->operands > 2 ? code->c : code->a);
        break;
    case N_OPERATIONS: break;
    }
}

char *program_source(const struct program *program)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    fputs("#include \"kernels/cuda/device/program_code.cuh\"\nstruct code {\n"
          "    static __device__ __forceinline__ double value(const struct program_path &on)\n"
          "    {\n        double r0",
          to);
    for (int r = 1; r < program->n_registers; r++) fprintf(to, ", r%d", r);
    fputs(";\n", to);
    for (int i = 0; i < program->n_instructions; i++) write_instruction(to, &program->code[i]);
    fputs("    }\n};\nextern \"C\" __global__ void __launch_bounds__(PROGRAM_BLOCK)\n"
          "    WALK(const struct program_launch launch)\n{\n    run_alike<code>(launch);\n}\n",
          to);
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}
