/* Rows of items converted to the type of the computation: the minibatch and its plain twin. */
#include "data/data.h"

#include "base/parallel.h"
#include "base/status.h"
#include "io/npy.h"

#include <math.h>

/* Values per piece of work, about 50 microseconds: a minibatch of small images is one piece,
 * because waking threads would cost as much as it saves. More is cut into equal pieces. */
enum { PIECE_VALUES = 1 << 17 };

/* One row of each type. `wide` is the type of the arithmetic. */
#define DEFINE_ROW(name, type, wide)                                                               \
    static void name(real *restrict out, const void *row, size_t cols, double scale, double shift) \
    {                                                                                              \
        const type *restrict x = row;                                                              \
        const wide a = (wide)scale, b = (wide)shift;                                               \
        for (size_t c = 0; c < cols; c++) out[c] = (real)((wide)x[c] * a + b);                     \
    }
DEFINE_ROW(row_u8, uint8_t, real)
DEFINE_ROW(row_i32, int32_t, double)
DEFINE_ROW(row_i64, int64_t, double)
DEFINE_ROW(row_f32, float, double)
DEFINE_ROW(row_f64, double, double)

typedef void (*row_function)(real *restrict out, const void *row, size_t cols, double scale,
                             double shift);

static row_function row_of(scdc_dtype dtype)
{
    switch (dtype) {
    case SCDC_U8: return row_u8;
    case SCDC_I32: return row_i32;
    case SCDC_I64: return row_i64;
    case SCDC_F32: return row_f32;
    case SCDC_F64: break;
    }
    return row_f64;
}

/* Rows of a minibatch lie anywhere, and in a large file the processor waits for each of them unless
 * it is told some rows ahead (10 million items of 64 values: 615 ns a row, 385 with it); of long
 * rows it finds the rest by itself. */
enum { AHEAD = 8, CACHE_LINE = 64, FIRST_BYTES = 512 };

static void look_ahead(const scdc_data *data, const uint32_t *items, size_t r, size_t end)
{
    if (r + AHEAD >= end) return;
    const char *row = data_row(data, items[r + AHEAD]);
    size_t bytes = data->cols * dtype_size(data->dtype);
    for (size_t at = 0; at < bytes && at < FIRST_BYTES; at += CACHE_LINE)
        __builtin_prefetch(row + at);
}

typedef struct gathering {
    real *out;
    const scdc_data *data;
    const uint32_t *items;
    double scale, shift;
    row_function row;
} gathering;

static void gather_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const gathering *g = context;
    size_t cols = g->data->cols;
    for (size_t r = begin; r < end; r++) {
        look_ahead(g->data, g->items, r, end);
        g->row(g->out + r * cols, data_row(g->data, g->items[r]), cols, g->scale, g->shift);
    }
}

/* Each column its own centre and width. */
#define DEFINE_COLUMNS(name, type)                                                                 \
    static void name(real *restrict out, const void *row, size_t cols,                             \
                     const double *restrict centre, const double *restrict width)                  \
    {                                                                                              \
        const type *restrict x = row;                                                              \
        for (size_t c = 0; c < cols; c++) out[c] = (real)(((double)x[c] - centre[c]) / width[c]);  \
    }
DEFINE_COLUMNS(columns_u8, uint8_t)
DEFINE_COLUMNS(columns_i32, int32_t)
DEFINE_COLUMNS(columns_i64, int64_t)
DEFINE_COLUMNS(columns_f32, float)
DEFINE_COLUMNS(columns_f64, double)

typedef struct column_gathering {
    real *out;
    const scdc_data *data;
    const uint32_t *items;
    const double *centre, *width;
} column_gathering;

static void gather_columns_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const column_gathering *g = context;
    size_t cols = g->data->cols;
    for (size_t r = begin; r < end; r++) {
        real *out = g->out + r * cols;
        const void *row = data_row(g->data, g->items[r]);
        look_ahead(g->data, g->items, r, end);
        switch (g->data->dtype) {
        case SCDC_U8: columns_u8(out, row, cols, g->centre, g->width); break;
        case SCDC_I32: columns_i32(out, row, cols, g->centre, g->width); break;
        case SCDC_I64: columns_i64(out, row, cols, g->centre, g->width); break;
        case SCDC_F32: columns_f32(out, row, cols, g->centre, g->width); break;
        case SCDC_F64: columns_f64(out, row, cols, g->centre, g->width); break;
        }
    }
}

/* Rows per piece of work, for n rows. */
static size_t piece_rows(const scdc_data *data, size_t n)
{
    size_t most = PIECE_VALUES / data->cols, pieces = parallel_pieces(n, most ? most : 1);
    return parallel_pieces(n, pieces);
}

void data_gather_columns(real *out, const scdc_data *data, const uint32_t *items, size_t n,
                         const double *centre, const double *width)
{
    if (!n) return;
    column_gathering g = {out, data, items, centre, width};
    parallel_for(n, piece_rows(data, n), gather_columns_piece, &g);
}

void data_gather(real *out, const scdc_data *data, const uint32_t *items, size_t n, double scale,
                 double shift)
{
    if (!n) return;
    gathering g = {out, data, items, scale, shift, row_of(data->dtype)};
    parallel_for(n, piece_rows(data, n), gather_piece, &g);
}

void data_gather_reference(real *out, const scdc_data *data, const uint32_t *items, size_t n,
                           double scale, double shift)
{
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < data->cols; c++) {
            double value = data_value(data, items[r], c);
            out[r * data->cols + c] = data->dtype == SCDC_U8
                                          ? (real)value * (real)scale + (real)shift
                                          : (real)(value * scale + shift);
        }
    }
}

/* Values as they are, to float and to double. */
#define DEFINE_COPY(name, to, type)                                                                \
    static void name(to *restrict out, const void *row, size_t cols)                               \
    {                                                                                              \
        const type *restrict x = row;                                                              \
        for (size_t c = 0; c < cols; c++) out[c] = (to)x[c];                                       \
    }
DEFINE_COPY(f64_u8, double, uint8_t)
DEFINE_COPY(f64_i32, double, int32_t)
DEFINE_COPY(f64_i64, double, int64_t)
DEFINE_COPY(f64_f32, double, float)
DEFINE_COPY(f64_f64, double, double)
DEFINE_COPY(f32_u8, float, uint8_t)
DEFINE_COPY(f32_i32, float, int32_t)
DEFINE_COPY(f32_i64, float, int64_t)
DEFINE_COPY(f32_f32, float, float)
DEFINE_COPY(f32_f64, float, double)

void data_rows_f64(double *out, const scdc_data *data, size_t first, size_t n, const double *mean)
{
    size_t cols = data->cols;
    for (size_t r = 0; r < n; r++, out += cols) {
        const void *row = data_row(data, first + r);
        switch (data->dtype) {
        case SCDC_U8: f64_u8(out, row, cols); break;
        case SCDC_I32: f64_i32(out, row, cols); break;
        case SCDC_I64: f64_i64(out, row, cols); break;
        case SCDC_F32: f64_f32(out, row, cols); break;
        case SCDC_F64: f64_f64(out, row, cols); break;
        }
        for (size_t c = 0; mean && c < cols; c++) out[c] -= mean[c];
    }
}

typedef struct copying {
    float *out;
    const scdc_data *data;
    size_t first;
} copying;

static void copy_piece(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const copying *job = context;
    size_t cols = job->data->cols;
    float *out = job->out + begin * cols;
    for (size_t r = begin; r < end; r++, out += cols) {
        const void *row = data_row(job->data, job->first + r);
        switch (job->data->dtype) {
        case SCDC_U8: f32_u8(out, row, cols); break;
        case SCDC_I32: f32_i32(out, row, cols); break;
        case SCDC_I64: f32_i64(out, row, cols); break;
        case SCDC_F32: f32_f32(out, row, cols); break;
        case SCDC_F64: f32_f64(out, row, cols); break;
        }
    }
}

int scdc_data_rows(float *out, const scdc_data *data, size_t first, size_t count)
{
    if (!data || (!out && count)) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_rows: %s is NULL", data ? "out" : "data");
    }
    if (first > data->rows || count > data->rows - first) {
        return fail_with(SCDC_ERR_ARGUMENT, "rows %zu to %zu are asked for, but there are %zu",
                         first, first + count, data->rows);
    }
    copying job = {out, data, first};
    size_t rows = PIECE_VALUES / data->cols;
    parallel_for(count, rows ? rows : 1, copy_piece, &job);
    return SCDC_OK;
}

double data_value(const scdc_data *data, size_t row, size_t col)
{
    const void *values = data_row(data, row);
    switch (data->dtype) {
    case SCDC_U8: return ((const uint8_t *)values)[col];
    case SCDC_I32: return ((const int32_t *)values)[col];
    case SCDC_I64: return (double)((const int64_t *)values)[col];
    case SCDC_F32: return (double)((const float *)values)[col];
    case SCDC_F64: return ((const double *)values)[col];
    }
    return 0;
}
