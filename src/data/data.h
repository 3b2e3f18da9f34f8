/* The item matrix: N rows of D values in their stored type. Rows lie one after another (each in
 * native byte order, row_stride values apart); what a file keeps otherwise (Fortran order, the
 * other byte order) is converted once by its reader, so that a row is always one run of memory.
 * Every value is finite and fits a float; there is at least one row and one column. */
#ifndef SCDC_DATA_DATA_H
#define SCDC_DATA_DATA_H

#include "base/names.h"
#include "base/real.h"
#include "io/file.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of several files as one matrix, and what they were opened as. */
typedef struct data_parts {
    size_t count;
    size_t *begin;    /* [count + 1] rows before each */
    scdc_data **part; /* [count] */
} data_parts;

/* What processes that work together found when they opened the items, each in its own rows: nobody
 * has to look through all of them again. */
typedef struct data_facts {
    bool known;
    double min, max, sum;
    uint32_t checksum;
} data_facts;

struct scdc_data {
    size_t rows, cols;              /* N, D; N fits 32 bits */
    size_t first;                   /* of a part of a stream: rows before it; else 0 */
    size_t channels, height, width; /* product D; D x 1 x 1 for plain vectors */
    scdc_dtype dtype;
    const void *values;
    size_t row_stride; /* in values, D or more */
    const char *format;
    names names;      /* one per row, or empty when items are only numbered */
    names columns;    /* csv: one per column, or empty when columns have no (different) names */
    file_bytes file;  /* what values point into (mapped or read), or empty */
    void *block;      /* ... or memory of their own, or NULL */
    data_parts parts; /* count 0: values are in one piece */
    data_facts facts;
    char class_column[48]; /* csv: a column of values that looks like class numbers; "" if none */
    _Atomic uint64_t checksum; /* once it was asked for, above a bit that says so; else 0 */
};

/* out[r][c] = value * scale + shift of row items[r]: the minibatch. Integers of 8 bits are computed
 * in real, everything else in double and then rounded, so that shifting a large mean away costs no
 * precision. items are below N. Allocates nothing. */
void data_gather(real *out, const scdc_data *data, const uint32_t *items, size_t n, double scale,
                 double shift);
/* out[r][c] = (value - centre[c]) / width[c], in double and then rounded. Allocates nothing. */
void data_gather_columns(real *out, const scdc_data *data, const uint32_t *items, size_t n,
                         const double *centre, const double *width);
/* data_gather, plainly: what the fast one is tested against. */
void data_gather_reference(real *out, const scdc_data *data, const uint32_t *items, size_t n,
                           double scale, double shift);
/* out[r][c] = value - mean[c] for rows [first, first + n) in double; mean may be NULL. */
void data_rows_f64(double *out, const scdc_data *data, size_t first, size_t n, const double *mean);

/* Principal directions [components][D] of unit length (0 where nothing varies), by falling variance
 * of the items along them, and the items' mean [D]. */
int data_principal(double *direction, double *mean, double *variance, const scdc_data *data,
                   size_t components);

/* One value as double: for passes that are made once. */
double data_value(const scdc_data *data, size_t row, size_t col);

/* Number of the item with this name. False when items have no names or none is called so. */
bool data_find(size_t *item, const scdc_data *data, const char *name, size_t length);

/* For readers: a zeroed matrix of this size without values. SCDC_ERR_INPUT naming `source` when
 * there are no rows or columns, or too many. */
int data_new(scdc_data **out, const char *source, const char *format, scdc_dtype dtype, size_t rows,
             size_t cols);
/* For readers: gives it values of its own, zeroed, [rows][cols]. */
int data_own_values(void *out /* address of a pointer */, scdc_data *data);
/* For readers: says where the first value is that is not finite (or too large for a float). */
int data_check_finite(const scdc_data *data, const char *source);

/* For readers, of processes that work together: the same, each in its own rows, and facts that are
 * found on the way. Called by all. */
int data_look_together(scdc_data *data, const char *source);

const void *data_row(const scdc_data *data, size_t row);
/* How many rows from this one on lie one after another. */
size_t data_run(const scdc_data *data, size_t row);

/* `rows` evenly spaced rows as items of their own, row i being number i * N / rows. Processes that
 * work together read some each; called by all. */
int data_sample(scdc_data **out, const scdc_data *data, size_t rows);

#endif
