/* Numbers in their order. */
#ifndef PRICER_MODELS_BASE_ORDER_H
#define PRICER_MODELS_BASE_ORDER_H

#include <stdlib.h>

/* Compares as qsort wants it: below 0, 0, or above. */
static inline int compare_doubles(double a, double b)
{
    return (a > b) - (a < b);
}

static inline int compare_doubles_at(const void *a, const void *b)
{
    return compare_doubles(*(const double *)a, *(const double *)b);
}

/* Sorts numbers, the least first. */
static inline void sort_doubles(size_t n, double *numbers)
{
    if (n) qsort(numbers, n, sizeof *numbers, compare_doubles_at);
}

#endif
