/* Normalised spectral clustering through the small side of a low-rank similarity. */
#include "baselines/spectral.h"

#include "base/memory.h"
#include "base/status.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Rows of y divided by the root of their degree. */
static int normalise_degrees(double *y, size_t n, size_t r)
{
    double *total = NULL, *degree = NULL, mean = 0;
    arena memory = {0};
    int status;
    total = arena_new(&memory, r, sizeof *total, "sums");
    degree = arena_new(&memory, n, sizeof *degree, "degrees");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    for (size_t j = 0; j < n * r; j++) total[j % r] += y[j];
    for (size_t i = 0; i < n; i++) {
        degree[i] = cblas_ddot((int)r, y + i * r, 1, total, 1);
        mean += fabs(degree[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double least = mean > 0 ? 1e-3 * mean : 1;
        double root = sqrt(degree[i] > least ? degree[i] : least);
        for (size_t c = 0; c < r; c++) y[i * r + c] /= root;
    }
done:
    arena_free(&memory);
    return status;
}

int spectral_cluster(baseline_result *out, double *y, size_t n, size_t r,
                     const kmeans_options *options)
{
    size_t used = options->k < r ? options->k : r;
    double *gram = NULL, *values = NULL;
    float *rows = NULL;
    arena memory = {0};
    int status;
    SCDC_TRY_OR(done, status, normalise_degrees(y, n, r));
    gram = arena_new(&memory, r * r, sizeof *gram, "gram matrix");
    values = arena_new(&memory, r, sizeof *values, "eigenvalues");
    rows = arena_new(&memory, n * used, sizeof *rows, "embedding");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)r, (int)n, 1, y, (int)r, 0, gram,
                (int)r);
    int info = LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)r, gram, (int)r, values);
    if (info) {
        status = fail_with(SCDC_ERR_NUMERIC, "the similarity has no eigenvalues (LAPACK %d)", info);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        double length = 0;
        for (size_t c = 0; c < used; c++) {
            size_t column = r - 1 - c; /* largest first */
            double value = values[column] > 0 ? 1 / sqrt(values[column]) : 0;
            double place = value * cblas_ddot((int)r, y + i * r, 1, gram + column, (int)r);
            rows[i * used + c] = (float)place;
            length += place * place;
        }
        float scale = length > 0 ? (float)(1 / sqrt(length)) : 0;
        for (size_t c = 0; c < used; c++) rows[i * used + c] *= scale;
    }
    status = kmeans_result(out, rows, n, used, options);
done:
    arena_free(&memory);
    return status;
}
