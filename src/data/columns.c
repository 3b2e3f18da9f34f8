/* Columns of a table: where their values lie, and which of them want a look. Judged by at most
 * SAMPLE rows, evenly spaced. */
#include "data/data.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 8192, BLOCK = 4, MOST_CODES = 12, ROWS_PER_CODE = 5 };
#define CLIPPED 0.02 /* share of the values at either end that does not make a column wider */
#define FAR 10       /* widths from the centre */

typedef struct look {
    const scdc_data *data;
    scdc_data *sample;
    char *out;
    size_t size;   /* of the caller's struct */
    size_t rows;   /* of the sample */
    double *value; /* [slots][rows] */
} look;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void moments(double *mean, double *deviation, const double *v, size_t n, double low,
                    double high)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += fmin(fmax(v[i], low), high);
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = fmin(fmax(v[i], low), high) - *mean;
        squares += x * x;
    }
    *deviation = sqrt(squares / (double)n);
}

/* Whether the value at an end is repeated and further from all others than they are from each
 * other: what people write for "unknown" (-999). v ascends; the upper end is looked at upside down.
 */
static double from_end(const double *v, size_t n, bool upper, size_t i)
{
    return upper ? -v[n - 1 - i] : v[i];
}

static bool end_is_apart(const double *v, size_t n, bool upper)
{
    double end = from_end(v, n, upper, 0), last = from_end(v, n, upper, n - 1);
    size_t repeated = 1;
    while (repeated < n && from_end(v, n, upper, repeated) == end) repeated++;
    if (repeated < 2 || repeated + ROWS_PER_CODE > n) return false;
    double next = from_end(v, n, upper, repeated);
    double middle = from_end(v, n, upper, (repeated + n) / 2);
    /* The others vary: they are not the second of two codes. */
    return next - end > last - next && next < middle && middle < last;
}

static scdc_column_kind kind_of(const scdc_column *c, const double *v, size_t n)
{
    double reach = fmax(c->max - c->centre, c->centre - c->min);
    if (c->max == c->min) return SCDC_COLUMN_CONSTANT;
    if (end_is_apart(v, n, false) || end_is_apart(v, n, true)) return SCDC_COLUMN_SET_APART;
    if (reach > FAR * c->width) return SCDC_COLUMN_HEAVY_TAILED;
    bool codes = c->whole && c->different > 2 && c->different <= MOST_CODES;
    return codes && c->different * ROWS_PER_CODE <= n ? SCDC_COLUMN_CODES : SCDC_COLUMN_PLAIN;
}

/* One value in the sample, but perhaps not in all rows. */
static void widen(scdc_column *c, const scdc_data *data, size_t column)
{
    double squares = 0;
    for (size_t r = 0; r < data->rows; r++) {
        double x = data_value(data, r, column);
        c->min = fmin(c->min, x);
        c->max = fmax(c->max, x);
        squares += (x - c->centre) * (x - c->centre);
    }
    c->width = sqrt(squares / (double)data->rows);
}

static scdc_column describe(const scdc_data *data, const scdc_data *sample, size_t column,
                            double *v, size_t n)
{
    scdc_column c = {.different = 1, .whole = 1};
    double mean, all;
    for (size_t i = 0; i < n; i++) v[i] = data_value(sample, i, column);
    qsort(v, n, sizeof *v, ascending);
    for (size_t i = 0; i < n; i++) {
        c.different += i > 0 && v[i] != v[i - 1];
        if (v[i] != floor(v[i])) c.whole = 0;
    }
    size_t cut = (size_t)(CLIPPED * (double)(n - 1));
    c.min = v[0];
    c.max = v[n - 1];
    moments(&c.centre, &c.width, v, n, v[cut], v[n - 1 - cut]);
    moments(&mean, &all, v, n, v[0], v[n - 1]);
    if (c.max == c.min) {
        c.centre = c.min; /* not a rounding error away from it */
        c.width = 0;
        if (n < data->rows) widen(&c, data, column);
    } else if (v[cut] == v[n - 1 - cut]) {
        c.width = all; /* nearly all rows hold one value: the others tell what is far */
    }
    c.kind = kind_of(&c, v, n);
    return c;
}

static void describe_block(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const look *l = context;
    double *v = l->value + parallel_slot() * l->rows;
    for (size_t column = begin; column < end; column++) {
        scdc_column c = describe(l->data, l->sample, column, v, l->rows);
        sized_fill(l->out + column * l->size, l->size, &c, sizeof c);
    }
}

int scdc_data_columns_sized(scdc_column *out, size_t size, size_t room, const scdc_data *data)
{
    if (!out || !data) return fail_with(SCDC_ERR_ARGUMENT, "out and data must not be NULL");
    SCDC_TRY(sized_room(room, data->cols, "columns"));
    look l = {.data = data, .out = (char *)out, .size = size};
    l.rows = data->rows < SAMPLE ? data->rows : SAMPLE;
    SCDC_TRY(data_sample(&l.sample, data, l.rows));
    int status = mem_zeroed(&l.value, parallel_slots() * l.rows, sizeof *l.value, "a column");
    if (status == SCDC_OK) parallel_for(data->cols, BLOCK, describe_block, &l);
    mem_free(l.value);
    scdc_data_free(l.sample);
    return status;
}

const char *scdc_data_column_name(const scdc_data *data, size_t column)
{
    return data ? names_at(&data->columns, column) : NULL;
}
