/* Principal components, exactly: the smaller of the D x D covariance and the N x N Gram matrix is
 * built from fixed pieces of rows and decomposed by LAPACK. The directions have unit length, and
 * their entry of largest magnitude is positive. */
#include "data/data.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/blas.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum {
    PIECE_VALUES = 1 << 22, /* doubles per piece of rows */
    MOST_ROWS = 4096,       /* rows per piece */
    BLOCK = 64,             /* rows or columns per piece of parallel work */
    LARGEST = 65536         /* the matrix to decompose has this many rows at most */
};

typedef struct pca {
    const scdc_data *data;
    size_t n, d, k;
    size_t side;                     /* min(N, D) */
    double *mean;                    /* [D] */
    double *matrix;                  /* [side][side], upper triangle (row-major) */
    double *value;                   /* [side] eigenvalues, the k largest, ascending */
    double *vector;                  /* [k][side] their eigenvectors */
    double *direction;               /* [k][D], largest eigenvalue first */
    double *rows, *other;            /* two pieces of centred rows */
    double *projected;               /* [piece][k] */
    size_t piece;                    /* rows per piece */
    size_t first, count;             /* rows in `rows` */
    size_t other_first, other_count; /* rows in `other` */
    arena memory;
} pca;

/* ---- rows ----------------------------------------------------------------------------------- */

struct loading {
    const pca *p;
    double *to;
    size_t first;
};

static void load_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const struct loading *l = context;
    data_rows_f64(l->to + begin * l->p->d, l->p->data, l->first + begin, end - begin, l->p->mean);
}

static size_t load(double *to, const pca *p, size_t first)
{
    size_t count = p->n - first < p->piece ? p->n - first : p->piece;
    struct loading l = {p, to, first};
    parallel_for(count, BLOCK, load_piece, &l);
    return count;
}

/* Calls body over `work` in blocks for each piece of rows in turn. */
static void for_each_piece(pca *p, size_t work, parallel_body body)
{
    for (p->first = 0; p->first < p->n; p->first += p->count) {
        p->count = load(p->rows, p, p->first);
        parallel_for(work, BLOCK, body, p);
    }
}

static void add_column_sums(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    pca *p = context;
    for (size_t r = 0; r < p->count; r++) {
        for (size_t c = begin; c < end; c++) p->direction[c] += p->rows[r * p->d + c];
    }
}

/* ---- the symmetric matrix ------------------------------------------------------------------- */

/* Rows [begin, end) of the covariance, from the diagonal on: += X^T X of this piece of rows. */
static void add_covariance(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const pca *p = context;
    int d = (int)p->d;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)(end - begin), d - (int)begin,
                (int)p->count, 1, p->rows + begin, d, p->rows + begin, d, 1,
                p->matrix + begin * p->d + begin, d);
}

/* Rows [first + begin, first + end) of the Gram matrix against the rows in `other`. */
static void set_gram(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const pca *p = context;
    int d = (int)p->d;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - begin), (int)p->other_count, d,
                1, p->rows + begin * p->d, d, p->other, d, 0,
                p->matrix + (p->first + begin) * p->n + p->other_first, (int)p->n);
}

static void build_matrix(pca *p)
{
    if (p->side == p->d) {
        for_each_piece(p, p->d, add_covariance);
        return;
    }
    for (p->first = 0; p->first < p->n; p->first += p->count) {
        p->count = load(p->rows, p, p->first);
        for (p->other_first = p->first; p->other_first < p->n; p->other_first += p->other_count) {
            p->other_count = load(p->other, p, p->other_first);
            parallel_for(p->count, BLOCK, set_gram, p);
        }
    }
}

static int decompose(pca *p)
{
    lapack_int side = (lapack_int)p->side, found = 0, *support;
    support = arena_new(&p->memory, 2 * p->side, sizeof *support, "PCA");
    SCDC_TRY(arena_status(&p->memory));
    /* The upper triangle by rows is the lower one by columns. */
    lapack_int info = LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', side, p->matrix, side, 0, 0,
                                     side - (lapack_int)p->k + 1, side, 0, &found, p->value,
                                     p->vector, side, support);
    if (info == 0 && (size_t)found == p->k) return SCDC_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR) return fail_memory(p->side * 32, "PCA");
    return fail_with(SCDC_ERR_NUMERIC, "PCA: the decomposition of a %zu x %zu matrix failed (%d)",
                     p->side, p->side, (int)info);
}

/* ---- directions and projection -------------------------------------------------------------- */

/* Eigenvector j (ascending) of the Gram matrix to a direction: += u_j^T X of this piece. */
static void add_directions(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const pca *p = context;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->k, (int)(end - begin),
                (int)p->count, 1, p->vector + p->first, (int)p->side, p->rows + begin, (int)p->d, 1,
                p->direction + begin, (int)p->d);
}

static void swap_rows(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

/* Unit length, or zero when nothing varies along it; the largest entry positive. */
static void normalise(double *v, size_t d, bool varies)
{
    size_t largest = 0;
    double length = cblas_dnrm2((int)d, v, 1);
    for (size_t c = 1; c < d; c++) {
        if (fabs(v[c]) > fabs(v[largest])) largest = c;
    }
    double factor = varies && length > 0 ? (v[largest] < 0 ? -1 : 1) / length : 0;
    for (size_t c = 0; c < d; c++) v[c] = factor == 0 ? 0 : v[c] * factor;
}

static void build_directions(pca *p)
{
    memset(p->direction, 0, p->k * p->d * sizeof *p->direction);
    if (p->side == p->d) {
        memcpy(p->direction, p->vector, p->k * p->d * sizeof *p->direction);
    } else {
        for_each_piece(p, p->d, add_directions);
    }
    double largest = p->value[p->k - 1];
    double noise = largest * DBL_EPSILON * (double)(p->n > p->d ? p->n : p->d);
    for (size_t j = 0; j < p->k; j++) {
        normalise(p->direction + j * p->d, p->d, largest > 0 && p->value[j] > noise);
    }
    for (size_t j = 0; j < p->k / 2; j++) {
        swap_rows(p->direction + j * p->d, p->direction + (p->k - 1 - j) * p->d, p->d);
    }
}

struct projection {
    pca *p;
    float *out;
};

static void project_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const struct projection *j = context;
    const pca *p = j->p;
    double *to = p->projected + begin * p->k;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)(end - begin), (int)p->k, (int)p->d,
                1, p->rows + begin * p->d, (int)p->d, p->direction, (int)p->d, 0, to, (int)p->k);
    float *out = j->out + (p->first + begin) * p->k;
    for (size_t i = 0; i < (end - begin) * p->k; i++) out[i] = (float)to[i];
}

static void project(float *out, pca *p)
{
    struct projection j = {p, out};
    for (p->first = 0; p->first < p->n; p->first += p->count) {
        p->count = load(p->rows, p, p->first);
        parallel_for(p->count, BLOCK, project_rows, &j);
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int allocate(pca *p)
{
    size_t values;
    arena *a = &p->memory;
    p->piece = PIECE_VALUES / p->d;
    if (p->piece > MOST_ROWS) p->piece = MOST_ROWS;
    if (p->piece > p->n) p->piece = p->n;
    if (p->piece == 0) p->piece = 1;
    if (!size_mul(&values, p->side, p->side)) return fail_memory(SIZE_MAX, "PCA");
    p->matrix = arena_new(a, values, sizeof(double), "the matrix of PCA");
    p->value = arena_new(a, p->side, sizeof(double), "PCA");
    p->vector = arena_new(a, p->k * p->side, sizeof(double), "PCA");
    p->direction = arena_new(a, p->k * p->d, sizeof(double), "PCA");
    p->rows = arena_new(a, p->piece * p->d, sizeof(double), "PCA");
    SCDC_TRY(arena_status(a));
    if (p->side != p->d) {
        p->other = arena_new(a, p->piece * p->d, sizeof(double), "PCA");
        SCDC_TRY(arena_status(a));
    }
    p->projected = arena_new(a, p->piece * p->k, sizeof(double), "PCA");
    return arena_status(a);
}

/* The directions, by falling variance. */
static int find_directions(pca *p)
{
    double *mean;
    SCDC_TRY(allocate(p));
    mean = arena_new(&p->memory, p->d, sizeof *mean, "PCA");
    SCDC_TRY(arena_status(&p->memory));
    for_each_piece(p, p->d, add_column_sums); /* into the first direction */
    for (size_t c = 0; c < p->d; c++) mean[c] = p->direction[c] / (double)p->n;
    p->mean = mean; /* from here on rows are centred */
    build_matrix(p);
    SCDC_TRY(decompose(p));
    build_directions(p);
    return SCDC_OK;
}

static int check_size(const scdc_data *data, size_t components)
{
    size_t side = data->rows < data->cols ? data->rows : data->cols;
    if (components == 0 || components > side) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "PCA of %zu items of %zu values has 1 to %zu "
                         "components, not %zu",
                         data->rows, data->cols, side, components);
    }
    if (side > LARGEST || data->cols > INT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "PCA of %zu items of %zu values is too large: at most "
                         "%d items or values",
                         data->rows, data->cols, LARGEST);
    }
    return SCDC_OK;
}

static pca pca_of(const scdc_data *data, size_t components)
{
    size_t side = data->rows < data->cols ? data->rows : data->cols;
    return (pca){.data = data, .n = data->rows, .d = data->cols, .k = components, .side = side};
}

int data_principal(double *direction, double *mean, double *variance, const scdc_data *data,
                   size_t components)
{
    SCDC_TRY(check_size(data, components));
    pca p = pca_of(data, components);
    blas_serial_begin();
    int status = find_directions(&p);
    blas_serial_end();
    if (status == SCDC_OK) {
        memcpy(direction, p.direction, p.k * p.d * sizeof *direction);
        memcpy(mean, p.mean, p.d * sizeof *mean);
        for (size_t j = 0; j < p.k; j++) variance[j] = p.value[p.k - 1 - j] / (double)p.n;
    }
    arena_free(&p.memory);
    return status;
}

int scdc_data_pca(scdc_data **out, const scdc_data *data, size_t components)
{
    if (!out || !data) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_pca: %s is NULL", out ? "data" : "out");
    }
    SCDC_TRY(check_size(data, components));
    pca p = pca_of(data, components);
    scdc_data *result;
    float *values;
    SCDC_TRY(blas_reserve());
    SCDC_TRY(data_new(&result, "memory", "memory", SCDC_F32, p.n, p.k));
    int status = data_own_values(&values, result);
    if (status == SCDC_OK) {
        blas_serial_begin();
        status = find_directions(&p);
        if (status == SCDC_OK) project(values, &p);
        blas_serial_end();
    }
    arena_free(&p.memory);
    if (status != SCDC_OK) {
        scdc_data_free(result);
        return status;
    }
    *out = result;
    return SCDC_OK;
}
