/* Tridiagonal systems of implicit steps. */
#ifndef PRICER_VALIDATION_REFERENCE_TRIDIAGONAL_H
#define PRICER_VALIDATION_REFERENCE_TRIDIAGONAL_H

/* Rows: below[i] x[i-1] + diagonal[i] x[i] + above[i] x[i+1] = right[i]. Each array holds n
 * numbers; below[0] and above[n-1] are not read. */
struct tridiagonal {
    double *below, *diagonal, *above, *right;
};

/* Solves n rows without exchanging any (Thomas), which dominance of the diagonal allows. The answer
 * stands in `right`, the reciprocals of the pivots in `diagonal`. */
void tridiagonal_solve(struct tridiagonal rows, int n);

#endif
