/* Information-theoretic metric learning, then k-means in the learned metric.
 *
 * Davis, Kulis, Jain, Sra and Dhillon, "Information-theoretic metric learning", ICML 2007,
 * algorithm 1: cyclic Bregman projections of a LogDet-regularised Mahalanobis matrix A onto
 * d_A(i,j) <= u for pairs answered "same" and d_A(i,j) >= l for "different", with slack gamma.
 * The step is gamma / (gamma + 1) (1/p - 1/xi), which is what the projection on the constraint with
 * slack works out to; the paper prints it for gamma = 1, where both agree. Open choices: the prior
 * is the identity; u and l are the 5th and 95th percentile of squared
 * distances, as in the paper's experiments, over at most SAMPLE random pairs; the crowd speaks by
 * its majority per pair and undecided pairs are left out; passes end when the multipliers change by
 * less than `tolerance` in relative 1-norm. Clustering is k-means on x A^(1/2).
 *
 * Time O(passes * pairs * D^2) + D^3 + k-means; memory O(D^2 + pairs + n D). */
#include "baselines/itml.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/distance.h"
#include "baselines/kmeans.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 50000, PASSES = 1000 };
static const double TOLERANCE = 1e-3;

/* One projection: returns how much the multiplier moved. */
static double project(double *metric, double *bound, double *multiplier, double *av,
                      const double *v, int sign, double slack, size_t dims)
{
    int d = (int)dims;
    cblas_dsymv(CblasRowMajor, CblasUpper, d, 1, metric, d, v, 1, 0, av, 1);
    double p = cblas_ddot(d, v, 1, av, 1);
    if (!(p > 0)) return 0; /* the same place: no metric can tell the two apart */
    double alpha = sign * slack / (slack + 1) * (1 / p - 1 / *bound);
    if (*multiplier < alpha) alpha = *multiplier;
    double beta = sign * alpha / (1 - sign * alpha * p);
    *bound = slack * *bound / (slack + sign * alpha * *bound);
    *multiplier -= alpha;
    cblas_dsyr(CblasRowMajor, CblasUpper, d, beta, av, 1, metric, d);
    return fabs(alpha);
}

int itml_learn(double *metric, size_t *passes, int *converged, const float *x, size_t dims,
               const pairs *constraints, const itml_options *options)
{
    arena memory = {0};
    double *bound = NULL, *multiplier = NULL, *v = NULL, *av = NULL;
    int status;
    SCDC_TRY_OR(done, status,
                arena_zeroed(&bound, &memory, constraints->count, sizeof *bound, "bounds"));
    SCDC_TRY_OR(
        done, status,
        arena_zeroed(&multiplier, &memory, constraints->count, sizeof *multiplier, "multipliers"));
    SCDC_TRY_OR(done, status, arena_zeroed(&v, &memory, dims, sizeof *v, "difference"));
    SCDC_TRY_OR(done, status, arena_zeroed(&av, &memory, dims, sizeof *av, "product"));
    for (size_t c = 0; c < constraints->count; c++) {
        bound[c] = pair_majority(&constraints->list[c]) > 0 ? options->near : options->far;
    }
    *converged = 0;
    for (*passes = 0; *passes < options->max_passes && !*converged; ++*passes) {
        double moved = 0, size = 0;
        for (size_t c = 0; c < constraints->count; c++) {
            const pair *p = &constraints->list[c];
            int sign = pair_majority(p);
            if (sign == 0) continue;
            for (size_t d = 0; d < dims; d++) {
                v[d] = (double)x[p->left * dims + d] - x[p->right * dims + d];
            }
            moved += project(metric, &bound[c], &multiplier[c], av, v, sign, options->slack, dims);
            size += fabs(multiplier[c]);
        }
        *converged = moved <= options->tolerance * size || moved == 0;
    }
    for (size_t i = 0; i < dims; i++) {
        for (size_t j = 0; j < i; j++) metric[i * dims + j] = metric[j * dims + i];
    }
done:
    arena_free(&memory);
    return status;
}

static int by_value(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return p < q ? -1 : p > q;
}

int itml_thresholds(double *near, double *far, const float *x, size_t n, size_t dims, uint64_t seed)
{
    float *distances = NULL;
    size_t count = 0;
    SCDC_TRY(mem_zeroed(&distances, SAMPLE, sizeof *distances, "distances"));
    if (n < 2 || n * (n - 1) / 2 <= SAMPLE) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < i; j++) {
                distances[count++] = squared_distance(x + i * dims, x + j * dims, dims);
            }
        }
    } else {
        rng r;
        rng_init(&r, seed, RNG_BASELINE, 2, 0);
        while (count < SAMPLE) {
            size_t i = rng_below(&r, n), j = rng_below(&r, n);
            if (i == j) continue;
            distances[count++] = squared_distance(x + i * dims, x + j * dims, dims);
        }
    }
    qsort(distances, count, sizeof *distances, by_value);
    *near = count ? distances[(count - 1) * 5 / 100] : 0;
    *far = count ? distances[(count - 1) * 95 / 100] : 0;
    mem_free(distances);
    if (!(*far > 0) || !isfinite(*far)) {
        return fail_with(SCDC_ERR_INPUT, "the items do not differ, or their distances overflow");
    }
    /* Many copies of one item: the tightest bound that still is one. */
    if (!(*near > 0)) *near = 1e-6 * *far;
    return SCDC_OK;
}

/* mapped = x V sqrt(S) for metric = V S V': Euclidean there is the metric here. */
static int map_items(float *mapped, double *metric, const float *x, size_t n, size_t dims)
{
    double *values = NULL;
    SCDC_TRY(mem_zeroed(&values, dims, sizeof *values, "eigenvalues"));
    int info = LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)dims, metric, (int)dims, values);
    for (size_t j = 0; j < dims; j++) {
        double root = values[j] > 0 ? sqrt(values[j]) : 0;
        for (size_t d = 0; d < dims; d++) metric[d * dims + j] *= root;
    }
    for (size_t i = 0; i < n && info == 0; i++) {
        for (size_t j = 0; j < dims; j++) {
            double sum = 0;
            for (size_t d = 0; d < dims; d++) sum += x[i * dims + d] * metric[d * dims + j];
            mapped[i * dims + j] = (float)sum;
        }
    }
    mem_free(values);
    return info == 0
               ? SCDC_OK
               : fail_with(SCDC_ERR_NUMERIC, "the metric has no eigenvalues (LAPACK %d)", info);
}

int baseline_itml(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    arena memory = {0};
    pairs constraints = {0};
    double *metric = NULL;
    float *mapped = NULL;
    size_t dims = in->dims, square, values, passes;
    int status, converged;
    itml_options learn = {.slack = o->slack,
                          .max_passes = chosen_count(o->max_iterations, PASSES),
                          .tolerance = chosen_tolerance(o->tolerance, TOLERANCE)};
    kmeans_options cluster = KMEANS_DEFAULTS;
    cluster.k = o->k;
    cluster.starts = chosen_count(o->starts, cluster.starts);
    cluster.seed = o->seed;
    if (!size_mul(&square, dims, dims) || !size_mul(&values, in->n, dims)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu values per item are too many", dims);
    }
    SCDC_TRY_OR(done, status, pairs_collect(&constraints, in->answers, in->n_answers, ALL_WORKERS));
    SCDC_TRY_OR(done, status,
                itml_thresholds(&learn.near, &learn.far, in->x, in->n, dims, o->seed));
    SCDC_TRY_OR(done, status, arena_zeroed(&metric, &memory, square, sizeof *metric, "metric"));
    SCDC_TRY_OR(done, status, arena_zeroed(&mapped, &memory, values, sizeof *mapped, "items"));
    for (size_t d = 0; d < dims; d++) metric[d * dims + d] = 1;
    SCDC_TRY_OR(done, status,
                itml_learn(metric, &passes, &converged, in->x, dims, &constraints, &learn));
    SCDC_TRY_OR(done, status, map_items(mapped, metric, in->x, in->n, dims));
    SCDC_TRY_OR(done, status, kmeans_result(out, mapped, in->n, dims, &cluster));
    out->iterations = passes;
    out->converged = converged;
done:
    pairs_free(&constraints);
    arena_free(&memory);
    return status;
}
