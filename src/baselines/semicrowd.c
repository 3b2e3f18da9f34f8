/* Semi-crowdsourced clustering: the crowd's similarity of some items is completed, explained by the
 * features, and so carried over to all items.
 *
 * Yi, Jin, Jain, Jain and Yang, "Semi-crowdsourced clustering: generalizing crowd labeling by
 * robust distance metric learning", NIPS 2012. Steps: mean answer per pair; pairs nearer to 1/2
 * than `certain` are dropped, the others become 0 or 1; completion as low rank plus sparse error;
 * the metric M by least squares of the completed similarity on x_i' M x_j; spectral clustering of
 * all items with x_i' M x_j. Open choices: an item's similarity with itself is known to be 1;
 * features are centred and get a constant column, since similarities are not centred; of the
 * annotated items' principal directions those with more than CUT of the largest eigenvalue are
 * used, and at most one per FEW annotated items (the paper truncates by hand); the completed matrix
 * keeps its k leading directions, the rank that k clusters have; spectral clustering is Ng, Jordan
 * and Weiss 2001.
 *
 * Time O(completion + N D^2 + n_l D^2), memory O(N (D + k) + pairs). */
#include "base/memory.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "baselines/completion.h"
#include "baselines/pairs.h"
#include "baselines/spectral.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 200, SPARE_RANK = 20, FEW = 4 };
static const double TOLERANCE = 1e-4, CUT = 1e-6;

typedef struct semicrowd {
    const baseline_input *in;
    size_t k;
    uint32_t *place;  /* n: number among annotated items + 1, 0 when not annotated */
    uint32_t *item;   /* annotated items */
    size_t annotated; /* n_l */
    size_t cols;      /* D + 1 */
    double *mean;     /* D */
    double *all;      /* n x cols: centred features and a one */
    double *some;     /* n_l x cols: rows of the annotated items */
    double *white;    /* cols x directions: maps features to the whitened annotated space */
    size_t directions;
    known_entry *known;
    size_t n_known;
    arena memory;
} semicrowd;

/* Certain pairs as entries of the annotated items' similarity, with ones on the diagonal. */
static int collect_similarity(semicrowd *s, double certain)
{
    pairs p = {0};
    int status;
    SCDC_TRY_OR(done, status, pairs_collect(&p, s->in->answers, s->in->n_answers, ALL_WORKERS));
    s->place = arena_new(&s->memory, s->in->n, sizeof *s->place, "places");
    s->item = arena_new(&s->memory, s->in->n, sizeof *s->item, "annotated items");
    SCDC_TRY_OR(done, status, arena_status(&s->memory));
    s->known = arena_new(&s->memory, p.count + s->in->n, sizeof *s->known, "similarities");
    SCDC_TRY_OR(done, status, arena_status(&s->memory));
    for (size_t t = 0; t < p.count; t++) {
        const pair *q = &p.list[t];
        double average = q->same / (double)(q->same + q->different);
        if (fabs(average - .5) < certain || average == .5) continue;
        uint32_t ends[2] = {q->left, q->right};
        for (size_t e = 0; e < 2; e++) {
            if (s->place[ends[e]]) continue;
            s->item[s->annotated] = ends[e];
            s->place[ends[e]] = (uint32_t)++s->annotated;
        }
        uint32_t a = s->place[q->left] - 1, b = s->place[q->right] - 1;
        s->known[s->n_known++] =
            (known_entry){.row = a < b ? a : b, .col = a < b ? b : a, .value = average > .5};
    }
    for (uint32_t a = 0; a < s->annotated; a++) {
        s->known[s->n_known++] = (known_entry){.row = a, .col = a, .value = 1};
    }
done:
    pairs_free(&p);
    return status;
}

static int prepare_features(semicrowd *s)
{
    size_t n = s->in->n, dims = s->in->dims, table;
    s->cols = dims + 1;
    if (!size_mul(&table, n, s->cols)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", n, dims);
    }
    s->mean = arena_new(&s->memory, dims, sizeof *s->mean, "means");
    s->all = arena_new(&s->memory, table, sizeof *s->all, "features");
    s->some = arena_new(&s->memory, s->annotated * s->cols, sizeof *s->some, "annotated features");
    SCDC_TRY(arena_status(&s->memory));
    double squares = 0;
    for (size_t j = 0; j < n * dims; j++) s->mean[j % dims] += s->in->x[j] / (double)n;
    for (size_t j = 0; j < n * dims; j++) {
        double v = s->in->x[j] - s->mean[j % dims];
        s->all[j / dims * s->cols + j % dims] = v;
        squares += v * v;
    }
    /* the constant is as large as the largest direction may be, so that CUT never drops it */
    double constant = squares > 0 ? sqrt(squares / (double)n) : 1;
    for (size_t i = 0; i < n; i++) s->all[i * s->cols + dims] = constant;
    for (size_t a = 0; a < s->annotated; a++) {
        memcpy(s->some + a * s->cols, s->all + s->item[a] * s->cols, s->cols * sizeof *s->some);
    }
    return SCDC_OK;
}

/* white: eigenvectors of some' some over the roots of their eigenvalues, so that some * white has
 * orthonormal columns. */
static int find_directions(semicrowd *s)
{
    size_t cols = s->cols;
    double *moments = NULL, *values = NULL;
    moments = arena_new(&s->memory, cols * cols, sizeof *moments, "moments");
    values = arena_new(&s->memory, cols, sizeof *values, "eigenvalues");
    SCDC_TRY(arena_status(&s->memory));
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)cols, (int)s->annotated, 1, s->some,
                (int)cols, 0, moments, (int)cols);
    int info = LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'U', (int)cols, moments, (int)cols, values);
    if (info) return fail_with(SCDC_ERR_NUMERIC, "features have no directions (LAPACK %d)", info);
    size_t most = s->annotated / FEW > s->k ? s->annotated / FEW : s->k;
    while (s->directions < cols && s->directions < most &&
           values[cols - 1 - s->directions] > CUT * values[cols - 1]) {
        s->directions++;
    }
    s->white = arena_new(&s->memory, cols * s->directions, sizeof *s->white, "metric");
    SCDC_TRY(arena_status(&s->memory));
    for (size_t c = 0; c < s->directions; c++) {
        size_t column = cols - 1 - c;
        for (size_t d = 0; d < cols; d++) {
            s->white[d * s->directions + c] = moments[d * cols + column] / sqrt(values[column]);
        }
    }
    return SCDC_OK;
}

/* With P = some * white orthonormal and the completed similarity F F', least squares gives
 * M = white (P'F)(P'F)' white'. So the similarity of all items is Y Y', Y = all * white * P'F. */
static int embed_all(double **out, semicrowd *s, const completion *c)
{
    size_t n = s->in->n, w = s->directions, r = c->rank;
    double *p = NULL, *map = NULL, *full = NULL;
    p = arena_new(&s->memory, s->annotated * w, sizeof *p, "whitened items");
    map = arena_new(&s->memory, w * r, sizeof *map, "map");
    full = arena_new(&s->memory, s->cols * r, sizeof *full, "map of features");
    *out = arena_new(&s->memory, n * r, sizeof **out, "embedding");
    SCDC_TRY(arena_status(&s->memory));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->annotated, (int)w, (int)s->cols,
                1, s->some, (int)s->cols, s->white, (int)w, 0, p, (int)w);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)w, (int)r, (int)s->annotated, 1, p,
                (int)w, c->factor, (int)r, 0, map, (int)r);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->cols, (int)r, (int)w, 1,
                s->white, (int)w, map, (int)r, 0, full, (int)r);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)r, (int)s->cols, 1, s->all,
                (int)s->cols, full, (int)r, 0, *out, (int)r);
    return SCDC_OK;
}

/* The k leading columns of the factor only: they are ordered by eigenvalue. */
static void keep_leading(completion *c, size_t k)
{
    if (c->rank <= k) return;
    for (size_t i = 0; i < c->n; i++) {
        memmove(c->factor + i * k, c->factor + i * c->rank, k * sizeof *c->factor);
    }
    c->rank = k;
}

int baseline_semicrowd(baseline_result *out, const baseline_input *in,
                       const scdc_baseline_options *o)
{
    semicrowd s = {.in = in, .k = o->k};
    completion c = {0};
    completion_options complete = {.max_iterations = chosen_count(o->max_iterations, ITERATIONS),
                                   .tolerance = chosen_tolerance(o->tolerance, TOLERANCE),
                                   .most_rank = o->k + SPARE_RANK,
                                   .seed = o->seed};
    kmeans_options cluster = kmeans_last_step(o);
    double *embedding;
    int status;
    SCDC_TRY_OR(done, status, collect_similarity(&s, o->certain));
    if (s.annotated < 2) {
        status = fail_with(SCDC_ERR_INPUT,
                           "no pair has answers as certain as asked (certain = %g); lower it",
                           o->certain);
        goto done;
    }
    SCDC_TRY_OR(done, status, prepare_features(&s));
    SCDC_TRY_OR(done, status, find_directions(&s));
    SCDC_TRY_OR(done, status, completion_fit(&c, s.known, s.n_known, s.annotated, &complete));
    if (c.rank == 0) {
        status =
            fail_with(SCDC_ERR_INPUT, "the answers do not add up to any similarity: too few of "
                                      "them, or none says same");
        goto done;
    }
    keep_leading(&c, o->k);
    SCDC_TRY_OR(done, status, embed_all(&embedding, &s, &c));
    SCDC_TRY_OR(done, status, spectral_cluster(out, embedding, in->n, c.rank, &cluster));
    out->iterations = c.iterations;
    out->converged = c.converged;
    out->objective = c.objective;
done:
    completion_free(&c);
    arena_free(&s.memory);
    return status;
}
