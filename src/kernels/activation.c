/* Row-wise maps of layers and their gradients. */
#include "kernels/activation.h"
#include "kernels/loop.h"
#include "kernels/vmath.h"

enum { COLUMN_BLOCK = 64, ROW_BLOCK = 64 };

typedef struct matrix_job {
    real *y, *sums;
    const real *x, *bias;
    size_t rows, cols;
    bool add, relu;
} matrix_job;

static void bias_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const matrix_job *j = context;
    (void)piece;
    size_t cols = j->cols;
    for (size_t r = begin; r < end; r++) {
        real *y = j->y + r * cols;
        if (j->relu) {
            for (size_t c = 0; c < cols; c++) {
                real v = y[c] + j->bias[c];
                y[c] = v < 0 ? 0 : v; /* NaN stays NaN, so that the bound shows it */
            }
        } else {
            for (size_t c = 0; c < cols; c++) y[c] += j->bias[c];
        }
    }
}

void bias_add(real *y, const real *bias, size_t rows, size_t cols)
{
    matrix_job j = {.y = y, .bias = bias, .cols = cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), bias_piece, &j);
}

void bias_relu(real *y, const real *bias, size_t rows, size_t cols)
{
    matrix_job j = {.y = y, .bias = bias, .cols = cols, .relu = true};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), bias_piece, &j);
}

/* A block of rows is summed before it joins the total, so that the rounding error grows with the
 * number of blocks and not of rows. */
static void add_rows(real *restrict sum, const real *restrict x, size_t stride, size_t rows,
                     size_t width)
{
    real block[COLUMN_BLOCK] = {0};
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < width; c++) block[c] += x[r * stride + c];
    }
    for (size_t c = 0; c < width; c++) sum[c] += block[c];
}

static void mask_rows(real *restrict d, const real *restrict y, size_t stride, size_t rows,
                      size_t width)
{
    for (size_t r = 0; r < rows; r++) {
        real *dr = d + r * stride;
        const real *yr = y + r * stride;
        for (size_t c = 0; c < width; c++) dr[c] = yr[c] == 0 ? 0 : dr[c];
    }
}

static void columns_block(const matrix_job *j, size_t begin, size_t width)
{
    for (size_t c = begin; c < begin + width && !j->add; c++) j->sums[c] = 0;
    for (size_t first = 0; first < j->rows; first += ROW_BLOCK) {
        size_t count = j->rows - first < ROW_BLOCK ? j->rows - first : ROW_BLOCK;
        size_t at = first * j->cols + begin;
        if (j->relu) mask_rows(j->y + at, j->x + at, j->cols, count, width);
        add_rows(j->sums + begin, (j->relu ? j->y : j->x) + at, j->cols, count, width);
    }
}

/* A piece is a few blocks of columns over all rows: no partial sums to store. */
static void columns_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (size_t c = begin; c < end; c += COLUMN_BLOCK) {
        columns_block(context, c, end - c < COLUMN_BLOCK ? end - c : COLUMN_BLOCK);
    }
}

void column_sums(real *out, bool add, const real *x, size_t rows, size_t cols)
{
    matrix_job j = {.sums = out, .x = x, .rows = rows, .cols = cols, .add = add};
    kernel_for(cols, columns_per_piece(rows, COLUMN_BLOCK), columns_piece, &j);
}

void relu_backward(real *d, real *d_bias, bool add, const real *y, size_t rows, size_t cols)
{
    matrix_job j = {
        .y = d, .sums = d_bias, .x = y, .rows = rows, .cols = cols, .add = add, .relu = true};
    kernel_for(cols, columns_per_piece(rows, COLUMN_BLOCK), columns_piece, &j);
}

static void softplus_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const matrix_job *j = context;
    (void)piece;
    real *out = j->y;
    const real *in = j->x;
    for (size_t i = begin; i < end; i++) out[i] = vm_softplus(in[i]);
}

void softplus_values(real *out, const real *in, size_t n)
{
    matrix_job j = {.y = out, .x = in};
    kernel_for(n, PIECE_VALUES, softplus_piece, &j);
}

/* The largest value of a row, 0 when it is not finite. */
static real row_top(const real *x, size_t n)
{
    real top = -INFINITY;
    for (size_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
    return top > -INFINITY && top < INFINITY ? top : 0;
}

typedef enum row_map { ROW_SOFTMAX, ROW_LOG_SOFTMAX, ROW_LOG_SUM_EXP } row_map;
typedef struct row_job {
    row_map map;
    real *out;
    const real *x;
    size_t cols;
} row_job;

static void row_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const row_job *j = context;
    (void)piece;
    for (size_t r = begin; r < end; r++) {
        const real *x = j->x + r * j->cols;
        real *out = j->out + r * j->cols;
        real top = row_top(x, j->cols), sum = 0;
        for (size_t c = 0; c < j->cols; c++) sum += vm_exp(x[c] - top);
        if (j->map == ROW_LOG_SUM_EXP) {
            j->out[r] = top + real_log(sum);
        } else if (j->map == ROW_LOG_SOFTMAX) {
            real log_sum = real_log(sum);
            for (size_t c = 0; c < j->cols; c++) out[c] = (x[c] - top) - log_sum;
        } else {
            for (size_t c = 0; c < j->cols; c++) out[c] = vm_exp(x[c] - top) / sum;
        }
    }
}

void softmax_rows(real *p, const real *x, size_t rows, size_t cols)
{
    row_job j = {ROW_SOFTMAX, p, x, cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), row_piece, &j);
}

void log_softmax_rows(real *out, const real *x, size_t rows, size_t cols)
{
    row_job j = {ROW_LOG_SOFTMAX, out, x, cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), row_piece, &j);
}

void log_sum_exp_rows(real *out, const real *x, size_t rows, size_t cols)
{
    row_job j = {ROW_LOG_SUM_EXP, out, x, cols};
    kernel_for(rows, rows_per_piece(cols, PIECE_VALUES), row_piece, &j);
}
