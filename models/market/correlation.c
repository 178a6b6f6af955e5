#include "models/market/correlation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double least_pivot = 1e-12;
static const double product_error = 2e-6; /* a pivot left out costs its square root, at most */

/* Returns the product of rows i and j of the factor, from column `first` to before column n. */
static double row_product(const double *row_i, const double *row_j, int first, int n)
{
    double sum = 0.0;
    for (int k = first; k < n; k++) sum += row_i[k] * row_j[k];
    return sum;
}

/* Finds the first column of row i, which the rows before it leave no room for. */
static enum status blame(int n, const double *wanted, const double *loadings, int i,
                         struct correlation_fault *fault)
{
    const double *row = loadings + (size_t)i * (size_t)n;
    double left = wanted[i];
    for (int j = 0; fault && j < i; j++) {
        const double *other = loadings + (size_t)j * (size_t)n;
        double middle = row_product(row, other, 0, j), room = other[j] * sqrt(fmax(left, 0.0));
        *fault = (struct correlation_fault){i, j, middle - room, middle + room};
        if (fabs(wanted[j] - middle) > room) break;
        left -= row[j] * row[j];
    }
    return STATUS_BAD_INPUT;
}

enum status correlation_loadings(int n, const double *correlation, double *loadings,
                                 struct correlation_fault *fault)
{
    size_t width = (size_t)n;
    memset(loadings, 0, width * width * sizeof *loadings);
    for (int i = 0; i < n; i++) {
        const double *wanted = correlation + (size_t)i * width;
        double *row = loadings + (size_t)i * width;
        int first = 0; /* column that is not zero; the factor's row begins there too */
        while (wanted[first] == 0.0 && first < i) first++;
        for (int j = first; j < i; j++) {
            const double *other = loadings + (size_t)j * width;
            double rest = wanted[j] - row_product(row, other, first, j);
            if (other[j] > 0.0) row[j] = rest / other[j];
            else if (fabs(rest) > product_error) return blame(n, wanted, loadings, i, fault);
        }
        double pivot = wanted[i] - row_product(row, row, first, i);
        if (pivot >= least_pivot) row[i] = sqrt(pivot);
        else if (!(pivot >= -product_error)) return blame(n, wanted, loadings, i, fault);
    }
    return STATUS_OK;
}

/* Turns rows and columns p and q so that the entry between them becomes zero. `a` is symmetric,
 * [n][n]. */
static void rotate(double *a, int n, int p, int q)
{
    size_t width = (size_t)n;
    double *row_p = a + (size_t)p * width, *row_q = a + (size_t)q * width, between = row_p[q];
    double half = (row_q[q] - row_p[p]) / (2.0 * between);
    double tangent = (half < 0.0 ? -1.0 : 1.0) / (fabs(half) + sqrt(1.0 + half * half));
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent), sine = tangent * cosine;
    row_p[p] -= tangent * between;
    row_q[q] += tangent * between;
    row_p[q] = row_q[p] = 0.0;
    for (int k = 0; k < n; k++) {
        if (k == p || k == q) continue;
        double at_p = row_p[k], at_q = row_q[k];
        row_p[k] = cosine * at_p - sine * at_q;
        row_q[k] = sine * at_p + cosine * at_q;
        a[(size_t)k * width + (size_t)p] = row_p[k];
        a[(size_t)k * width + (size_t)q] = row_q[k];
    }
}

/* Makes one rotation for each entry above the diagonal that is more than rounding, and returns how
 * many. */
static int sweep(double *a, int n)
{
    int rotations = 0;
    for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
            if (fabs(a[(size_t)p * (size_t)n + (size_t)q]) < 1e-17) continue;
            rotate(a, n, p, q);
            rotations++;
        }
    }
    return rotations;
}

enum status correlation_least_eigenvalue(int n, const double *correlation, double *least)
{
    enum { SWEEPS_MAX = 60 }; /* ten are enough for any matrix seen */
    size_t width = (size_t)n, bytes = width * width * sizeof(double);
    double *a = malloc(bytes);
    if (!a) return STATUS_NO_MEMORY;
    memcpy(a, correlation, bytes);
    for (int i = 0; i < SWEEPS_MAX && sweep(a, n) > 0; i++) continue;
    *least = a[0];
    for (size_t i = 1; i < width; i++)
        if (a[i * width + i] < *least) *least = a[i * width + i];
    free(a);
    return STATUS_OK;
}
