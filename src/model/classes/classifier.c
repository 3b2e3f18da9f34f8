/* Placing items by a kernel. */
#include "model/classes/classifier.h"
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/blas.h"
#include "kernels/gemm.h"
#include "kernels/softmax.h"
#include "nets/params.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* No number a classifier learned is near this; sums of products of smaller ones stay finite. */
#define MOST 1e100

int classifier_create(classifier *out, size_t items, size_t dims, size_t classes)
{
    classifier j = {.items = items, .dims = dims, .classes = classes};
    arena *m = &j.memory;
    int status;
    j.x = arena_new(m, items, dims * sizeof *j.x, "the classifier");
    j.alpha = arena_new(m, items, classes * sizeof *j.alpha, "the classifier");
    j.base = arena_new(m, classes, sizeof *j.base, "the classifier");
    j.scale = arena_new(m, CLASSIFIER_SCALES, sizeof *j.scale, "the classifier");
    j.square = arena_new(m, items, sizeof *j.square, "the classifier");
    j.item = arena_new(m, items, sizeof *j.item, "the classifier");
    j.others = arena_new(m, items, classes * sizeof *j.others, "the classifier");
    SCDC_TRY_OR(error, status, arena_status(m));
    j.product = arena_new(m, items, CLASSIFIER_ROWS * sizeof *j.product, "the classifier");
    SCDC_TRY_OR(error, status, arena_status(m));
    for (size_t i = 0; i < items; i++) j.item[i] = -1;
    *out = j;
    return SCDC_OK;
error:
    arena_free(m);
    return status;
}

void classifier_free(classifier *j)
{
    arena_free(&j->memory);
    *j = (classifier){0};
}

size_t classifier_tensors(tensor_ref out[CLASSIFIER_TENSORS], classifier *j)
{
    size_t n = j->items, C = j->classes;
    if (!n) return 0;
    out[0] = (tensor_ref){"judge.items", param_dtype, 2, {n, j->dims}, j->x};
    out[1] = (tensor_ref){"judge.alpha", SCDC_F64, 2, {n, C}, j->alpha};
    out[2] = (tensor_ref){"judge.base", SCDC_F64, 1, {C}, j->base};
    out[3] = (tensor_ref){"judge.scale", SCDC_F64, 1, {CLASSIFIER_SCALES}, j->scale};
    out[4] = (tensor_ref){"judge.item", SCDC_I64, 1, {n}, j->item};
    out[5] = (tensor_ref){"judge.others", SCDC_F64, 2, {n, C}, j->others};
    return CLASSIFIER_TENSORS;
}

static double square_of(const real *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * (double)x[i];
    return sum;
}

void classifier_restore(classifier *j)
{
    for (size_t i = 0; i < j->items; i++) j->square[i] = square_of(j->x + i * j->dims, j->dims);
}

/* Rows [n][C] to rows of `kept` classes. */
static void renumber_columns(double *rows, size_t n, size_t C, const uint32_t *number, size_t kept)
{
    double row[MOST_CLASSES];
    for (size_t i = 0; i < n; i++) {
        memset(row, 0, kept * sizeof *row);
        for (size_t c = 0; c < C; c++) {
            if (number[c] < kept) row[number[c]] += rows[i * C + c];
        }
        memcpy(rows + i * kept, row, kept * sizeof *row);
    }
}

/* All that it learned is linear in the classes: of two that become one it had learned the sum. */
void classifier_renumber(classifier *j, const uint32_t *number, size_t kept)
{
    if (!j->items) return;
    renumber_columns(j->alpha, j->items, j->classes, number, kept);
    renumber_columns(j->base, 1, j->classes, number, kept);
    renumber_columns(j->others, j->items, j->classes, number, kept);
    j->classes = kept;
}

bool classifier_valid(const classifier *j)
{
    bool valid = true;
    if (!j->items) return true;
    for (size_t s = 0; s < CLASSIFIER_SCALES; s++)
        valid = valid && j->scale[s] > 0 && j->scale[s] < MOST;
    for (size_t c = 0; c < j->classes; c++) valid = valid && fabs(j->base[c]) < MOST;
    for (size_t i = 0; i < j->items * j->classes; i++) {
        valid = valid && fabs(j->alpha[i]) < MOST && j->others[i] >= 0 && j->others[i] <= 1;
    }
    return valid;
}

size_t classifier_find(const classifier *j, size_t item)
{
    size_t low = 0, high = j->items;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->item[middle] < (int64_t)item) low = middle + 1;
        else high = middle;
    }
    return low < j->items && j->item[low] == (int64_t)item ? low : SIZE_MAX;
}

/* The share of the squares below which single precision leaves too little of a distance. */
#define CANCELLED 1e-3

double classifier_distance(const classifier *j, const real *a, const real *b, double squares,
                           double product)
{
    double distance = squares - 2 * product;
    if (distance > CANCELLED * squares) return distance;
    distance = 0;
    for (size_t d = 0; d < j->dims; d++) {
        double difference = (double)a[d] - (double)b[d];
        distance += difference * difference;
    }
    return distance;
}

/* Rows and items whose kernels are taken together, on the stack. */
enum { ROWS = 8, ITEMS = 128 };

struct placing {
    double *p;
    const classifier *classifier;
    const real *o;
};

/* From a row, whose square is `own`, to items [first, first + count). Few lose digits: those are
 * found again one by one, outside of the loop that becomes vector code. */
static void distances(double *out, const classifier *j, const real *o, double own,
                      const real *product, size_t first, size_t count)
{
    const double *square = j->square + first;
    int lost = 0;
    for (size_t i = 0; i < count; i++) {
        out[i] = own + square[i] - 2 * (double)product[i];
        lost |= !(out[i] > CANCELLED * (own + square[i]));
    }
    for (size_t i = 0; i < count && lost; i++) {
        out[i] = classifier_distance(j, o, j->x + (first + i) * j->dims, own + square[i],
                                     (double)product[i]);
    }
}

static void place_rows(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const struct placing *s = context;
    const classifier *j = s->classifier;
    size_t n = j->items, C = j->classes, rows = end - begin;
    double near[ROWS * ITEMS], own[ROWS];
    for (size_t r = 0; r < rows; r++) {
        own[r] = square_of(s->o + (begin + r) * j->dims, j->dims);
        memcpy(s->p + (begin + r) * C, j->base, C * sizeof *s->p);
    }
    for (size_t first = 0; first < n; first += ITEMS) {
        size_t count = n - first < ITEMS ? n - first : ITEMS;
        for (size_t r = 0; r < rows; r++) {
            distances(near + r * count, j, s->o + (begin + r) * j->dims, own[r],
                      j->product + (begin + r) * n + first, first, count);
        }
        decay_vector(near, near, j->scale[CLASSIFIER_WIDTH], rows * count);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)C, (int)count, 1,
                    near, (int)count, j->alpha + first * C, (int)C, 1, s->p + begin * C, (int)C);
    }
    for (size_t row = begin; row < end; row++) {
        double *p = s->p + row * C;
        for (size_t c = 0; c < C; c++) p[c] *= j->scale[CLASSIFIER_SHARPNESS];
        softmax(p, p, C);
    }
}

void classifier_place(double *p, const classifier *j, const real *o, size_t rows)
{
    for (size_t first = 0; first < rows; first += CLASSIFIER_ROWS) {
        size_t count = rows - first < CLASSIFIER_ROWS ? rows - first : CLASSIFIER_ROWS;
        struct placing s = {p + first * j->classes, j, o + first * j->dims};
        gemm(GEMM_NONE, GEMM_TRANSPOSED, count, j->items, j->dims, 1, s.o, j->x, 0, j->product);
        blas_serial_begin();
        parallel_for(count, ROWS, place_rows, &s);
        blas_serial_end();
    }
}
