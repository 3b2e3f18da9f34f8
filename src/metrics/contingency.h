/* Two partitions of the same items as a sparse table of counts. Memory grows with the items, never
 * with clusters x classes. Knows nothing of scores. */
#ifndef SCDC_METRICS_CONTINGENCY_H
#define SCDC_METRICS_CONTINGENCY_H

#include <stddef.h>
#include <stdint.h>

/* Label values as codes 0 .. count-1 in order of first appearance. */
typedef struct label_codes {
    uint32_t *code; /* one per item */
    int64_t *value; /* label value of each code */
    size_t count;
} label_codes;
/* At most UINT32_MAX - 1 items; any values. */
int label_codes_build(label_codes *out, const int64_t *labels, size_t n);
void label_codes_free(label_codes *codes);

/* Cells with at least one item, by rows: cell c of row r, row_start[r] <= c < row_start[r + 1],
 * says that count[c] items have the row's label in the first partition and column col[c]'s in the
 * second. Columns of a row are in order of appearance. */
typedef struct contingency {
    size_t items, rows, cols, cells;
    size_t *row_start;              /* rows + 1 */
    uint32_t *col, *count;          /* cells */
    uint32_t *row_sum, *col_sum;    /* items per row, per column */
    int64_t *row_value, *col_value; /* label values, to map a matching back */
} contingency;
/* n from 1 to UINT32_MAX - 1. On failure *out is empty. */
int contingency_build(contingency *out, const int64_t *a, const int64_t *b, size_t n);
void contingency_free(contingency *table);

#endif
