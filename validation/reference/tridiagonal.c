#include "validation/reference/tridiagonal.h"

#include <math.h>
#include <stdbool.h>

/* Where coefficients do not change from row to row the pivots soon come out the same too: those
 * rows need no division, which takes longer than all else. */
void tridiagonal_solve(struct tridiagonal rows, int n)
{
    double *x = rows.right, *pivot = rows.diagonal, last = 0.0, inverse = 0.0;
    double diagonal = NAN, product = NAN; /* of the row before */
    bool still = false;                   /* its pivot was that of the row before it */
    for (int i = 0; i < n; i++) {
        double with = i ? rows.below[i] * rows.above[i - 1] : 0.0, before = inverse;
        if (!still || rows.diagonal[i] != diagonal || with != product)
            inverse = 1.0 / (rows.diagonal[i] - with * before);
        still = inverse == before;
        diagonal = rows.diagonal[i];
        product = with;
        pivot[i] = inverse;
        x[i] = last = x[i] * inverse - (i ? rows.below[i] * inverse : 0.0) * last;
    }
    for (int i = n - 2; i >= 0; i--) x[i] = last = x[i] - rows.above[i] * pivot[i] * last;
}
