/* Robust matrix completion by the inexact augmented Lagrangian method, without ever forming the
 * matrix: an iterate is low rank plus a sparse matrix on the known entries.
 *
 * Lin, Chen and Ma, "The augmented Lagrange multiplier method for exact recovery of corrupted
 * low-rank matrices", 2010, with errors at unknown entries free (Candes, Li, Ma and Wright, "Robust
 * principal component analysis?", 2011, section 1.6, which also gives lambda). Open choices: the
 * matrix is kept positive semidefinite, as a similarity is; singular values are shrunk in a
 * subspace that is carried from iteration to iteration and refined by POWER products each time; it
 * holds up to most_rank directions. */
#include "baselines/completion.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/watch.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { POWER = 2, SPARE = 8 };
static const double GROWTH = 1.2, START = 1.25;

typedef struct solver {
    const known_entry *known;
    size_t count, n;
    size_t block;    /* columns of the subspace */
    size_t rank;     /* of the current L = factor factor' */
    double *factor;  /* n x most_rank */
    double *basis;   /* n x block, orthonormal */
    double *product; /* n x block */
    double *small;   /* block x block */
    double *values;  /* block */
    double *tau;     /* block */
    double *sparse;  /* per entry: what is added to L there */
    double *low;     /* per entry: L */
    double *error;   /* per entry: E */
    double *dual;    /* per entry: Y */
    double penalty;  /* mu */
    double lambda;
    arena memory;
} solver;

/* product = (factor factor' + sparse) basis */
static void multiply(solver *s)
{
    size_t n = s->n, b = s->block;
    memset(s->product, 0, n * b * sizeof *s->product);
    if (s->rank) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)s->rank, (int)b, (int)n, 1,
                    s->factor, (int)s->rank, s->basis, (int)b, 0, s->small, (int)b);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)b, (int)s->rank, 1,
                    s->factor, (int)s->rank, s->small, (int)b, 0, s->product, (int)b);
    }
    for (size_t e = 0; e < s->count; e++) {
        size_t i = s->known[e].row, j = s->known[e].col;
        for (size_t c = 0; c < b; c++) s->product[i * b + c] += s->sparse[e] * s->basis[j * b + c];
        if (i == j) continue;
        for (size_t c = 0; c < b; c++) s->product[j * b + c] += s->sparse[e] * s->basis[i * b + c];
    }
}

/* basis = an orthonormal basis of product's columns */
static int orthonormalise(solver *s)
{
    memcpy(s->basis, s->product, s->n * s->block * sizeof *s->basis);
    int info =
        LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)s->n, (int)s->block, s->basis, (int)s->block, s->tau);
    if (info == 0) {
        info = LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)s->n, (int)s->block, (int)s->block, s->basis,
                              (int)s->block, s->tau);
    }
    return info == 0
               ? SCDC_OK
               : fail_with(SCDC_ERR_NUMERIC, "the completion's basis broke down (LAPACK %d)", info);
}

/* L := the eigenvalues of L + sparse above 1 / mu, lowered by it. */
static int shrink(solver *s)
{
    size_t n = s->n, b = s->block;
    for (int step = 0; step < POWER; step++) {
        multiply(s);
        SCDC_TRY(orthonormalise(s));
    }
    multiply(s);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)b, (int)b, (int)n, 1, s->basis,
                (int)b, s->product, (int)b, 0, s->small, (int)b);
    int info = LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)b, s->small, (int)b, s->values);
    if (info)
        return fail_with(SCDC_ERR_NUMERIC, "the completion has no eigenvalues (LAPACK %d)", info);
    /* basis := basis V, largest eigenvalue first, so that the next iteration starts from there */
    for (size_t r = 0; r < b; r++) {
        for (size_t c = 0; c < b / 2; c++) {
            double swap = s->small[r * b + c];
            s->small[r * b + c] = s->small[r * b + b - 1 - c];
            s->small[r * b + b - 1 - c] = swap;
        }
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)b, (int)b, 1, s->basis,
                (int)b, s->small, (int)b, 0, s->product, (int)b);
    memcpy(s->basis, s->product, n * b * sizeof *s->basis);
    s->rank = 0;
    while (s->rank < b && s->values[b - 1 - s->rank] > 1 / s->penalty) s->rank++;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < s->rank; c++) {
            double root = sqrt(s->values[b - 1 - c] - 1 / s->penalty);
            s->factor[i * s->rank + c] = root * s->basis[i * b + c];
        }
    }
    return SCDC_OK;
}

/* E and Y on the known entries; returns what L + E misses, squared (both triangles). */
static double update_errors(solver *s)
{
    double missed = 0;
    for (size_t e = 0; e < s->count; e++) {
        const double *a = s->factor + s->known[e].row * s->rank;
        const double *b = s->factor + s->known[e].col * s->rank;
        double low = 0;
        for (size_t c = 0; c < s->rank; c++) low += a[c] * b[c];
        double free_error = s->known[e].value - low + s->dual[e] / s->penalty;
        double size = fabs(free_error) - s->lambda / s->penalty;
        s->low[e] = low;
        s->error[e] = size > 0 ? copysign(size, free_error) : 0;
        double rest = s->known[e].value - low - s->error[e];
        s->dual[e] += s->penalty * rest;
        missed += (s->known[e].row == s->known[e].col ? 1 : 2) * rest * rest;
    }
    return missed;
}

/* Where the next shrinking starts: value - E + Y / mu on the known entries, L elsewhere. */
static void update_sparse(solver *s)
{
    for (size_t e = 0; e < s->count; e++) {
        s->sparse[e] = s->known[e].value - s->error[e] + s->dual[e] / s->penalty - s->low[e];
    }
}

static int start(solver *s, uint64_t seed, double *norm)
{
    rng r;
    rng_init(&r, seed, RNG_BASELINE, 6, 0);
    double squares = 0;
    for (size_t e = 0; e < s->count; e++) {
        double v = s->known[e].value;
        s->sparse[e] = v;
        squares += (s->known[e].row == s->known[e].col ? 1 : 2) * v * v;
    }
    *norm = sqrt(squares);
    for (size_t j = 0; j < s->n * s->block; j++) s->product[j] = rng_normal(&r);
    SCDC_TRY(orthonormalise(s));
    for (int step = 0; step < 4 * POWER; step++) {
        multiply(s);
        SCDC_TRY(orthonormalise(s));
    }
    /* the spectral norm of the known part sets the first penalty */
    multiply(s);
    double largest = 0;
    for (size_t c = 0; c < s->block; c++) {
        double column = 0;
        for (size_t i = 0; i < s->n; i++) {
            column += s->product[i * s->block + c] * s->product[i * s->block + c];
        }
        largest = column > largest ? column : largest;
    }
    s->penalty = START / (largest > 0 ? sqrt(largest) : 1);
    return SCDC_OK;
}

static int solver_allocate(solver *s)
{
    arena *a = &s->memory;
    size_t table;
    if (!size_mul(&table, s->n, s->block)) {
        return fail_with(SCDC_ERR_ARGUMENT, "a similarity of %zu items is too large", s->n);
    }
    s->factor = arena_new(a, table, sizeof *s->factor, "factor");
    s->basis = arena_new(a, table, sizeof *s->basis, "basis");
    s->product = arena_new(a, table, sizeof *s->product, "product");
    s->small = arena_new(a, s->block * s->block, sizeof *s->small, "small matrix");
    s->values = arena_new(a, s->block, sizeof *s->values, "eigenvalues");
    s->tau = arena_new(a, s->block, sizeof *s->tau, "reflectors");
    s->sparse = arena_new(a, s->count, sizeof *s->sparse, "entries");
    s->low = arena_new(a, s->count, sizeof *s->low, "entries");
    s->error = arena_new(a, s->count, sizeof *s->error, "errors");
    s->dual = arena_new(a, s->count, sizeof *s->dual, "multipliers");
    return arena_status(a);
}

/* The factor into memory of its own, and the objective. */
static int hand_over(completion *out, const solver *s)
{
    SCDC_TRY(
        mem_zeroed(&out->factor, s->n * (s->rank ? s->rank : 1), sizeof *out->factor, "factor"));
    memcpy(out->factor, s->factor, s->n * s->rank * sizeof *out->factor);
    out->n = s->n;
    out->rank = s->rank;
    out->objective = 0;
    for (size_t j = 0; j < s->n * s->rank; j++) out->objective += s->factor[j] * s->factor[j];
    for (size_t e = 0; e < s->count; e++) {
        double twice = s->known[e].row == s->known[e].col ? 1 : 2;
        out->objective += twice * s->lambda * fabs(s->error[e]);
    }
    return SCDC_OK;
}

int completion_fit(completion *out, const known_entry *known, size_t count, size_t n,
                   const completion_options *o)
{
    *out = (completion){0};
    solver s = {.known = known, .count = count, .n = n};
    s.block = o->most_rank + SPARE < n ? o->most_rank + SPARE : n;
    double per_row = 2 * (double)count / (double)n, norm;
    s.lambda = o->error_cost > 0 ? o->error_cost : 1 / sqrt(per_row > 1 ? per_row : 1);
    int status;
    SCDC_TRY_OR(done, status, solver_allocate(&s));
    SCDC_TRY_OR(done, status, start(&s, o->seed, &norm));
    while (out->iterations < o->max_iterations && !out->converged) {
        SCDC_TRY_OR(done, status,
                    watch_tick("completing similarities", out->iterations, o->max_iterations));
        SCDC_TRY_OR(done, status, shrink(&s));
        double missed = update_errors(&s);
        s.penalty *= GROWTH;
        update_sparse(&s);
        out->iterations++;
        out->converged = sqrt(missed) <= o->tolerance * norm;
    }
    SCDC_TRY_OR(done, status, hand_over(out, &s));
done:
    arena_free(&s.memory);
    return status;
}

void completion_free(completion *c)
{
    mem_free(c->factor);
    *c = (completion){0};
}
