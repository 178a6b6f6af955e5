/* Runs a program on PATH_LANES paths, each instruction on all of them before the next one.
 * Functions of whoever includes it: the builds of kernels/cpu/simulate.c vectorise the loops over
 * lanes. */
#ifndef PRICER_KERNELS_RUN_PROGRAM_H
#define PRICER_KERNELS_RUN_PROGRAM_H

#include <limits.h>

#include "kernels/plan.h"
#include "models/programs/operations.h"

/* Where an operand is, and which bits of a lane's number count: none of a coefficient's. */
struct operand {
    const double *lanes;
    unsigned mask;
};

/* All operands are loaded, whichever is taken: a loop with a load in a branch is no vector loop. */
#define OPERATION(NAME, name, operands, bends, text)                                               \
    static void operate_##name(struct operand operand_a, struct operand operand_b,                 \
                               struct operand operand_c, double *to)                               \
    {                                                                                              \
        for (unsigned few = 0; few < PATH_LANES; few += FEW_LANES) {                               \
            const double *as = operand_a.lanes + (few & operand_a.mask);                           \
            const double *bs = operand_b.lanes + (few & operand_b.mask);                           \
            const double *cs = operand_c.lanes + (few & operand_c.mask);                           \
            _Pragma("GCC ivdep") for (int l = 0; l < FEW_LANES; l++)                               \
            {                                                                                      \
                const double a = as[l], b = bs[l], c = cs[l];                                      \
                (void)b, (void)c;                                                                  \
                to[few + (unsigned)l] = text;                                                      \
            }                                                                                      \
        }                                                                                          \
    }
#include "models/programs/operations.def"
#undef OPERATION

static void copy_lanes(struct operand operand, double *to)
{
    for (unsigned few = 0; few < PATH_LANES; few += FEW_LANES)
        for (unsigned l = 0; l < FEW_LANES; l++)
            to[few + l] = operand.lanes[(few & operand.mask) + l];
}

/* Runs it on the rows [row][CHUNK_PATHS] that begin at `observed`, and writes its value to `value`,
 * its decisions to their rows; `followed` are the rows of the group whose decisions it takes, NULL:
 * it makes its own. `registers` has room for [register][PATH_LANES]; outputs
 * [output][PATH_LANES] may be NULL. */
static void run_program(const struct group_program *run, double *observed, const double *followed,
                        double *registers, double *value, double *outputs)
{
    struct operand operands[PROGRAM_REGISTERS_MOST]; /* where each register is */
    for (int r = 0; r < run->program->n_registers; r++)
        operands[r] = (struct operand){registers, 0};
    for (const struct instruction *i = run->program->code;; i++) {
        const struct operand a = operands[i->a], b = operands[i->b], c = operands[i->c];
        const bool last =
            i->operation < OPERATION_OUTPUT && i[1].operation == OPERATION_END && i[1].a == i->to;
        double *to = last ? value : registers + (size_t)i->to * PATH_LANES;
        switch ((enum operation)i->operation) {
        case OPERATION_INPUT: /* is read where it is */
            operands[i->to] =
                (struct operand){observed + (size_t)run->inputs[i->at] * CHUNK_PATHS, UINT_MAX};
            continue;
        case OPERATION_COEFFICIENT:
            for (int l = 0; l < FEW_LANES; l++) to[l] = run->coefficients[i->at];
            operands[i->to] = (struct operand){to, 0};
            continue;
#define OPERATION(NAME, name, ...)                                                                 \
    case OPERATION_##NAME:                                                                         \
        operate_##name(a, b, c, to);                                                               \
        break;
#include "models/programs/operations.def"
#undef OPERATION
        case OPERATION_OUTPUT:
            if (outputs) copy_lanes(a, outputs + (size_t)i->at * PATH_LANES);
            continue;
        case OPERATION_DECIDE: {
            const size_t row = ((size_t)run->decided + i->at) * CHUNK_PATHS;
            if (!followed) copy_lanes(a, observed + row);
            operands[i->to] = (struct operand){(followed ? followed : observed) + row, UINT_MAX};
            continue;
        }
        case OPERATION_KEEP:
            copy_lanes(a, observed + (size_t)run->inputs[i->at] * CHUNK_PATHS);
            continue;
        case OPERATION_END:
            if (a.lanes != value || !a.mask) copy_lanes(a, value);
            return;
        case N_OPERATIONS: return;
        }
        operands[i->to] = (struct operand){to, UINT_MAX};
    }
}

#endif
