/* Packed symmetric matrices: see smallmat.h. Rows of the packed lower triangle are contiguous, so
 * every inner loop is a dot product or a scaled addition of two short rows. */
#include "expfam/smallmat.h"

#include <float.h>
#include <math.h>
#include <string.h>

double small_dot(const double *x, const double *y, size_t n)
{
    /* Four sums, always in the same order: the additions of one sum would wait for each other. */
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) s0 += x[i] * y[i];
    return (s0 + s1) + (s2 + s3);
}

void packed_to_full(double *full, const double *packed, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) {
            full[i * d + j] = full[j * d + i] = packed[packed_index(i, j)];
        }
    }
}

void packed_from_full(double *packed, const double *full, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++) packed[packed_index(i, j)] = full[i * d + j];
    }
}

void packed_identity(double *packed, double scale, size_t d)
{
    memset(packed, 0, packed_size(d) * sizeof *packed);
    for (size_t i = 0; i < d; i++) packed[packed_index(i, i)] = scale;
}

void packed_add_outer(double *packed, double scale, const double *x, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        double *row = packed + packed_index(i, 0), factor = scale * x[i];
        for (size_t j = 0; j <= i; j++) row[j] += factor * x[j];
    }
}

void packed_times(double *y, const double *a, const double *x, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        const double *row = a + packed_index(i, 0);
        y[i] = small_dot(row, x, i + 1);
        for (size_t j = 0; j < i; j++) y[j] += row[j] * x[i];
    }
}

bool chol_factor(double *l, const double *a, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        const double *source = a + packed_index(i, 0);
        double *row = l + packed_index(i, 0), diagonal = source[i];
        for (size_t j = 0; j < i; j++) {
            const double *other = l + packed_index(j, 0);
            row[j] = (source[j] - small_dot(row, other, j)) / other[j];
        }
        double pivot = diagonal - small_dot(row, row, i);
        /* A pivot below the rounding error of its own subtraction says nothing about its sign. */
        if (!(pivot > (double)(i + 1) * DBL_EPSILON * diagonal) || !isfinite(pivot)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

void chol_solve_lower(double *x, const double *l, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        const double *row = l + packed_index(i, 0);
        x[i] = (x[i] - small_dot(row, x, i)) / row[i];
    }
}

void chol_solve_upper(double *x, const double *l, size_t d)
{
    for (size_t i = d; i-- > 0;) {
        const double *row = l + packed_index(i, 0);
        x[i] /= row[i];
        for (size_t j = 0; j < i; j++) x[j] -= row[j] * x[i];
    }
}

void chol_solve(double *x, const double *l, size_t d)
{
    chol_solve_lower(x, l, d);
    chol_solve_upper(x, l, d);
}

double chol_log_det(const double *l, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += log(l[packed_index(i, i)]);
    return 2 * sum;
}

/* m := L^-1 in place: row i of the inverse is -1/L_ii times the sum over j < i of L_ij and row j of
 * the inverse, so the part of row i before j already holds a partial sum when L_ij is read. */
static void invert_lower(double *m, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        double *row = m + packed_index(i, 0), scale = 1 / row[i];
        for (size_t j = 0; j < i; j++) {
            double factor = row[j];
            const double *above = m + packed_index(j, 0);
            row[j] = factor * above[j];
            for (size_t k = 0; k < j; k++) row[k] += factor * above[k];
        }
        for (size_t j = 0; j < i; j++) row[j] *= -scale;
        row[i] = scale;
    }
}

void chol_inverse(double *inverse, const double *l, size_t d)
{
    if (inverse != l) memcpy(inverse, l, packed_size(d) * sizeof *l);
    invert_lower(inverse, d);
    /* M'M in place for M = L^-1: the outer product of row i goes to row i itself and to the rows
     * above, which the rows below have no further need of. */
    for (size_t i = 0; i < d; i++) {
        double *row = inverse + packed_index(i, 0);
        for (size_t k = 0; k < i; k++) {
            double *above = inverse + packed_index(k, 0);
            for (size_t j = 0; j <= k; j++) above[j] += row[k] * row[j];
        }
        double diagonal = row[i];
        for (size_t j = 0; j <= i; j++) row[j] *= diagonal;
    }
}
