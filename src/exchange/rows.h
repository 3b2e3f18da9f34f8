/* The answers an importer found, and the file they become. Knows nothing of tools. */
#ifndef SCDC_EXCHANGE_ROWS_H
#define SCDC_EXCHANGE_ROWS_H

#include "base/names.h"

#include <scdc/exchange.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_TEXT UINT32_MAX

typedef enum row_form { ROWS_UNDECIDED, ROWS_PAIRS, ROWS_GROUPINGS } row_form;

/* Numbers of texts. Pairs: left and right; groupings: left is the item, right its group. */
typedef struct row {
    uint32_t worker, task, left, right;
    uint32_t time, seconds, gold;
    uint8_t answer; /* of a pair: an answer_word; of a grouping: ANSWER_UNSURE when it has none */
} row;

typedef struct rows {
    row_form form;
    bool classes; /* groups are classes that mean the same in all tasks of a worker */
    names texts;
    row *list;
    size_t count, capacity;
} rows;

/* The number of a text; NO_TEXT for NULL and "". */
int rows_text(uint32_t *out, rows *r, const char *text);
int rows_add(rows *r, row added);
void rows_free(rows *r);

/* Writes them and counts what was written. task_items: most items of a grouping made of classes. */
int rows_write(scdc_import_info *info, const rows *r, const char *path, size_t task_items);

#endif
