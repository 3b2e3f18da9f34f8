/* Labels: one integer per item. Text labels are codes 0, 1, ... in the sorted order of the texts,
 * so that the codes do not depend on the order of the rows. */
#ifndef SCDC_DATA_LABELS_H
#define SCDC_DATA_LABELS_H

#include "base/names.h"
#include "io/file.h"

#include <scdc/scdc.h>

struct scdc_labels {
    size_t count;
    int64_t *values; /* [count] */
    names texts;     /* text of each code; empty when the labels were numbers */
    names items;     /* the id of each row, when the file named items and nothing resolved it */
    char guess[48];  /* the column that was taken although another might be meant; "" if none */
};

/* What a csv calls the column that holds labels, the surest name first. */
#define LABEL_COLUMN_NAMES "cluster", "label", "true_cluster", "class", "truth"

/* Zeroed values; count at least 1. */
int labels_new(scdc_labels **out, size_t count);
/* The readers. `items` may be NULL. */
int labels_read(scdc_labels **out, const file_bytes *file, const char *column,
                const scdc_data *items);
int labels_read_csv(scdc_labels **out, const file_bytes *file, const char *column,
                    const scdc_data *items);

#endif
