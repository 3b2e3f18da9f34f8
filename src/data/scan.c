/* One pass over all values: minimum, maximum, mean; and the search for values that are not finite.
 * Both cut the rows into fixed pieces, so that the result does not depend on the threads. */
#include "data/data.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "base/sized.h"
#include "base/status.h"
#include "io/byte_order.h"
#include "io/npy.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

enum { PIECE_VALUES = 1 << 18, LANES = 8 };

static size_t piece_rows(const scdc_data *data)
{
    return data->cols < PIECE_VALUES ? PIECE_VALUES / data->cols : 1;
}

typedef struct extent {
    double min, max, sum;
} extent;

/* Running sums in eight lanes: several times faster than one, and always in the same order. */
#define DEFINE_EXTENT(name, type)                                                                  \
    static void name(extent *e, const void *row, size_t cols)                                      \
    {                                                                                              \
        const type *x = row;                                                                       \
        type min = x[0], max = x[0];                                                               \
        double lane[LANES] = {0}, sum = 0;                                                         \
        size_t c = 0;                                                                              \
        for (; c + LANES <= cols; c += LANES) {                                                    \
            for (size_t j = 0; j < LANES; j++) lane[j] += (double)x[c + j];                        \
        }                                                                                          \
        for (; c < cols; c++) sum += (double)x[c];                                                 \
        for (size_t j = 0; j < LANES; j++) sum += lane[j];                                         \
        for (c = 0; c < cols; c++) {                                                               \
            min = x[c] < min ? x[c] : min;                                                         \
            max = x[c] > max ? x[c] : max;                                                         \
        }                                                                                          \
        if ((double)min < e->min) e->min = (double)min;                                            \
        if ((double)max > e->max) e->max = (double)max;                                            \
        e->sum += sum;                                                                             \
    }
DEFINE_EXTENT(extent_u8, uint8_t)
DEFINE_EXTENT(extent_i32, int32_t)
DEFINE_EXTENT(extent_i64, int64_t)
DEFINE_EXTENT(extent_f32, float)
DEFINE_EXTENT(extent_f64, double)

typedef struct scanning {
    const scdc_data *data;
    extent *pieces;
} scanning;

static extent extent_of(const scdc_data *data, size_t begin, size_t end)
{
    extent e = {.min = INFINITY, .max = -INFINITY};
    for (size_t r = begin; r < end; r++) {
        const void *row = data_row(data, r);
        switch (data->dtype) {
        case SCDC_U8: extent_u8(&e, row, data->cols); break;
        case SCDC_I32: extent_i32(&e, row, data->cols); break;
        case SCDC_I64: extent_i64(&e, row, data->cols); break;
        case SCDC_F32: extent_f32(&e, row, data->cols); break;
        case SCDC_F64: extent_f64(&e, row, data->cols); break;
        }
    }
    return e;
}

static void add_extent(extent *all, const extent *e)
{
    all->min = fmin(all->min, e->min);
    all->max = fmax(all->max, e->max);
    all->sum += e->sum;
}

static void scan_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const scanning *s = context;
    s->pieces[piece] = extent_of(s->data, begin, end);
}

static int scan_all(extent *all, const scdc_data *data)
{
    scanning s = {.data = data};
    size_t pieces = parallel_pieces(data->rows, piece_rows(data));
    SCDC_TRY(mem_zeroed(&s.pieces, pieces, sizeof *s.pieces, "a scan of the values"));
    parallel_for(data->rows, piece_rows(data), scan_piece, &s);
    *all = s.pieces[0];
    for (size_t i = 1; i < pieces; i++) add_extent(all, &s.pieces[i]);
    mem_free(s.pieces);
    return SCDC_OK;
}

static bool is_mapped(const scdc_data *data)
{
    return data->parts.count ? data->parts.part[0]->file.mapped : data->file.mapped;
}

int scdc_data_get_info_sized(scdc_data_info *out, size_t size, const scdc_data *data)
{
    if (!out || !data) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_data_get_info: %s is NULL", out ? "data" : "out");
    }
    const data_facts *known = &data->facts;
    extent all = {known->min, known->max, known->sum};
    if (!known->known) SCDC_TRY(scan_all(&all, data));
    scdc_data_info info = {
        .rows = data->rows,
        .cols = data->cols,
        .channels = data->channels,
        .height = data->height,
        .width = data->width,
        .dtype = data->dtype,
        .format = data->format,
        .mapped = is_mapped(data),
        .named = data->names.count > 0,
        .min = all.min,
        .max = all.max,
        .mean = all.sum / ((double)data->rows * (double)data->cols),
    };
    sized_fill(out, size, &info, sizeof info);
    return SCDC_OK;
}

/* True when every value is finite; without an early exit, so that it vectorises. */
static bool row_is_good_f32(const float *x, size_t cols)
{
    int bad = 0;
    for (size_t c = 0; c < cols; c++) bad |= !(fabsf(x[c]) <= FLT_MAX);
    return !bad;
}
static bool row_is_good_f64(const double *x, size_t cols)
{
    int bad = 0;
    for (size_t c = 0; c < cols; c++) bad |= !(fabs(x[c]) <= FLT_MAX);
    return !bad;
}

static bool can_be_bad(const scdc_data *data)
{
    return data->dtype == SCDC_F32 || data->dtype == SCDC_F64;
}

static bool row_is_good(const scdc_data *data, size_t row)
{
    const void *x = data_row(data, row);
    return data->dtype == SCDC_F32 ? row_is_good_f32(x, data->cols)
                                   : row_is_good_f64(x, data->cols);
}

/* A 1 for the pieces with a bad row. */
typedef struct search {
    const scdc_data *data;
    unsigned char *bad;
} search;

static void search_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const search *s = context;
    for (size_t r = begin; r < end && !s->bad[piece]; r++) s->bad[piece] = !row_is_good(s->data, r);
}

static int fail_at_row(const scdc_data *data, size_t row, const char *source)
{
    const void *x = data_row(data, row);
    for (size_t c = 0; c < data->cols; c++) {
        double value =
            data->dtype == SCDC_F32 ? (double)((const float *)x)[c] : ((const double *)x)[c];
        if (fabs(value) <= FLT_MAX) continue;
        return fail_with(SCDC_ERR_INPUT, "%s: row %zu, column %zu (counted from 0) is %g, %s",
                         source, data->first + row, c, value,
                         isfinite(value) ? "too large for a float: rescale the data"
                                         : "expected a finite number (leave out rows or columns "
                                           "with missing values, or fill them in)");
    }
    return fail_with(SCDC_ERR_INTERNAL, "%s: row %zu lost its bad value", source, row);
}

/* There is a bad row at this one or after it. */
static int fail_from(const scdc_data *data, size_t row, const char *source)
{
    while (row_is_good(data, row)) row++;
    return fail_at_row(data, row, source);
}

int data_check_finite(const scdc_data *data, const char *source)
{
    if (!can_be_bad(data)) return SCDC_OK;
    search s = {.data = data};
    size_t rows = piece_rows(data), pieces = parallel_pieces(data->rows, rows);
    SCDC_TRY(mem_zeroed(&s.bad, pieces, 1, "a scan of the values"));
    parallel_for(data->rows, rows, search_piece, &s);
    const unsigned char *first = memchr(s.bad, 1, pieces);
    int status = SCDC_OK;
    if (first) status = fail_from(data, (size_t)(first - s.bad) * rows, source);
    mem_free(s.bad);
    return status;
}

/* ---- several processes ---- */

/* What was seen in a piece. */
typedef struct seen {
    extent extent;
    uint32_t checksum;
    bool bad;
} seen;

typedef struct looking {
    const scdc_data *data;
    size_t first; /* row of the first piece */
    seen *pieces; /* from it on */
} looking;

static void look_piece(void *context, size_t begin, size_t end, size_t piece)
{
    const looking *l = context;
    seen *s = &l->pieces[piece];
    begin += l->first;
    end += l->first;
    for (size_t r = begin; r < end && can_be_bad(l->data) && !s->bad; r++)
        s->bad = !row_is_good(l->data, r);
    s->extent = extent_of(l->data, begin, end);
    for (size_t r = begin; r < end; r++)
        s->checksum = checksum_values(s->checksum, data_row(l->data, r), l->data->cols,
                                      dtype_size(l->data->dtype));
}

/* The first bad row is told by the process whose it is. */
static int fail_together(const scdc_data *data, const seen *pieces, size_t count, size_t begin,
                         size_t end, const char *source)
{
    size_t first = 0;
    while (first < count && !pieces[first].bad) first++;
    bool mine = first < count && first >= begin && first < end;
    return ranks_settle(mine ? fail_from(data, first * piece_rows(data), source) : SCDC_OK);
}

static void sum_up(data_facts *out, const seen *pieces, size_t count, const scdc_data *data)
{
    size_t row_bytes = data->cols * dtype_size(data->dtype), rows = piece_rows(data);
    extent all = pieces[0].extent;
    uLong crc = pieces[0].checksum;
    for (size_t i = 1; i < count; i++) {
        size_t left = data->rows - i * rows;
        add_extent(&all, &pieces[i].extent);
        crc = crc32_combine(crc, pieces[i].checksum,
                            (z_off_t)((left < rows ? left : rows) * row_bytes));
    }
    *out = (data_facts){true, all.min, all.max, all.sum, (uint32_t)crc};
}

int data_look_together(scdc_data *data, const char *source)
{
    size_t rows = piece_rows(data), count = parallel_pieces(data->rows, rows), begin, end;
    seen *pieces;
    char size[100];
    snprintf(size, sizeof size, "%zu of %zu values (%zu bytes each)", data->rows, data->cols,
             dtype_size(data->dtype));
    SCDC_TRY(scdc_ranks_same("items", size));
    SCDC_TRY(ranks_settle(mem_zeroed(&pieces, count, sizeof *pieces, "a scan of the values")));
    ranks_own(&begin, &end, count);
    looking l = {data, begin * rows, pieces + begin};
    size_t last = end * rows < data->rows ? end * rows : data->rows;
    if (begin < end) parallel_for(last - l.first, rows, look_piece, &l);
    int status = ranks_share(pieces, sizeof *pieces, count, 1);
    if (status == SCDC_OK) status = fail_together(data, pieces, count, begin, end, source);
    if (status == SCDC_OK) sum_up(&data->facts, pieces, count, data);
    mem_free(pieces);
    return status;
}

int data_sample(scdc_data **out, const scdc_data *data, size_t rows)
{
    size_t bytes = data->cols * dtype_size(data->dtype), begin, end;
    scdc_data *sample;
    char *values;
    SCDC_TRY(data_new(&sample, "a sample", data->format, data->dtype, rows, data->cols));
    sample->channels = data->channels;
    sample->height = data->height;
    sample->width = data->width;
    int status = data_own_values(&values, sample);
    if (status == SCDC_OK) {
        ranks_own(&begin, &end, rows);
        for (size_t i = begin; i < end; i++)
            memcpy(values + i * bytes, data_row(data, i * data->rows / rows), bytes);
        status = ranks_share(values, bytes, rows, 1);
    }
    if (status != SCDC_OK) scdc_data_free(sample);
    else *out = sample;
    return status;
}
