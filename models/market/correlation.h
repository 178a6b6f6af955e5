/* Correlation matrices: [n][n], row by row, symmetric with a unit diagonal. */
#ifndef PRICER_MODELS_MARKET_CORRELATION_H
#define PRICER_MODELS_MARKET_CORRELATION_H

#include "models/base/status.h"

/* A correlation, of row i with column j < i, that those of the rows before i leave no room for: it
 * must be from `low` to `high`. */
struct correlation_fault {
    int i, j;
    double low, high;
};

/* Makes the lower-triangular factor [n][n], row by row, zeros above the diagonal: loadings times
 * its transpose is the correlation, so row i says how much of each of n independent normals makes
 * normal i (Cholesky; Golub and Van Loan, Matrix Computations, 4.2). A matrix that is only
 * semi-definite is taken too: a pivot below 1e-12 leaves a zero column. + - * / and sqrt in one
 * fixed order, so the bits are the same everywhere. STATUS_BAD_INPUT where the product misses the
 * correlation by more than 2e-6: it is not semi-definite, and
 * `fault`, which may be NULL, says why. */
enum status correlation_loadings(int n, const double *correlation, double *loadings,
                                 struct correlation_fault *fault);

/* Finds the least eigenvalue, to about n times 1e-16, by cyclic Jacobi rotations (Golub and Van
 * Loan, 8.5). The time grows as n^3: a second or two at 256. STATUS_NO_MEMORY. */
enum status correlation_least_eigenvalue(int n, const double *correlation, double *least);

#endif
