/* Payoffs of rows of paths, and operations of programs, by their tables alone. */
#ifndef PRICER_VALIDATION_TESTS_FORMULAS_H
#define PRICER_VALIDATION_TESTS_FORMULAS_H

#include <math.h>

#include "models/payoffs/products.h"
#include "models/programs/operations.h"

/* Returns what a payoff pays on a path, of rows [row][path]. */
static inline double payoff_of_rows(const struct payoff *p, const double *rows, size_t paths,
                                    size_t path)
{
    double a = rows[(size_t)p->rows[0] * paths + path], b = rows[(size_t)p->rows[1] * paths + path],
           c = rows[(size_t)p->rows[2] * paths + path];
    switch (p->formula) {
#define PAYOFF(NAME, name, ...)                                                                    \
    case FORMULA_##NAME:                                                                           \
        return name##_value(p, a, b, c);
#include "models/payoffs/formulas.def"
#undef PAYOFF
    default: return NAN;
    }
}

static inline double operate(int operation, double a, double b, double c)
{
    switch (operation) {
#define OPERATION(NAME, name, operands, bends, text)                                               \
    case OPERATION_##NAME:                                                                         \
        return text;
#include "models/programs/operations.def"
#undef OPERATION
    default: return NAN;
    }
}

#endif
