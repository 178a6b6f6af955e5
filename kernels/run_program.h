/* Runs a program on PATH_LANES paths, each instruction on all of them before the next one.
 * Functions of whoever includes it: the builds of kernels/cpu/simulate.c vectorise the loops over
 * lanes. */
#ifndef PRICER_KERNELS_RUN_PROGRAM_H
#define PRICER_KERNELS_RUN_PROGRAM_H

#include <string.h>

#include "kernels/plan.h"
#include "models/programs/operations.h"

/* All operands are loaded, whichever is taken: a loop with a load in a branch is no vector loop. */
#define OPERATION(NAME, name, operands, bends, text)                                               \
    static void operate_##name(const double *of_a, const double *of_b, const double *of_c,         \
                               double *to)                                                         \
    {                                                                                              \
        _Pragma("GCC ivdep") for (int l = 0; l < PATH_LANES; l++)                                  \
        {                                                                                          \
            const double a = of_a[l], b = of_b[l], c = of_c[l];                                    \
            (void)b, (void)c;                                                                      \
            to[l] = text;                                                                          \
        }                                                                                          \
    }
#include "models/programs/operations.def"
#undef OPERATION

/* Runs it on the rows [row][CHUNK_PATHS] that begin at `observed`, and writes its value to its own.
 * `registers` has room for [register][PATH_LANES]; outputs [output][PATH_LANES] may be NULL. */
static void run_program(const struct group_program *run, double *observed, double *registers,
                        double *outputs)
{
    const double *of[PROGRAM_REGISTERS_MOST]; /* where the lanes of each register are */
    const size_t bytes = sizeof(double) * PATH_LANES;
    for (int r = 0; r < run->program->n_registers; r++) of[r] = registers;
    for (const struct instruction *i = run->program->code;; i++) {
        const double *a = of[i->a], *b = of[i->b], *c = of[i->c];
        double *to = registers + (size_t)i->to * PATH_LANES;
        switch ((enum operation)i->operation) {
        case OPERATION_INPUT: /* is read where it is */
            of[i->to] = observed + (size_t)run->inputs[i->at] * CHUNK_PATHS;
            continue;
        case OPERATION_COEFFICIENT:
            for (int l = 0; l < PATH_LANES; l++) to[l] = run->coefficients[i->at];
            break;
#define OPERATION(NAME, name, ...)                                                                 \
    case OPERATION_##NAME:                                                                         \
        operate_##name(a, b, c, to);                                                               \
        break;
#include "models/programs/operations.def"
#undef OPERATION
        case OPERATION_OUTPUT:
            if (outputs) memcpy(outputs + (size_t)i->at * PATH_LANES, a, bytes);
            continue;
        case OPERATION_END: memcpy(observed + (size_t)run->row * CHUNK_PATHS, a, bytes); return;
        case N_OPERATIONS: return;
        }
        of[i->to] = to;
    }
}

#endif
