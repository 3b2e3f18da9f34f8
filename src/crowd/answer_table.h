/* The rows of one annotation table (csv): columns found by header, widths checked. Says nothing of
 * whether workers and items make sense. */
#ifndef SCDC_CROWD_ANSWER_TABLE_H
#define SCDC_CROWD_ANSWER_TABLE_H

#include "crowd/columns.h"

typedef struct answer_table {
    csv_reader reader;
    answer_columns columns;
} answer_table;

/* Finds the columns; the next row is then the first one of values. SCDC_ERR_INPUT saying what is
 * expected when the file is empty, has no known header and is not plainly worker, left, right,
 * label either. */
int answer_table_open(answer_table *out, const file_bytes *file);
/* Next row; SCDC_ERR_INPUT naming the line when it has more or fewer fields than the header. */
int answer_table_next(bool *more, answer_table *table);
void answer_table_close(answer_table *table);

/* Field of the current row; empty for a role without a column. */
csv_field answer_table_field(const answer_table *table, column_role role);

#endif
