/* What the columns of an annotation table mean and what its label words say. Looks at single rows,
 * reads no files. */
#ifndef SCDC_CROWD_COLUMNS_H
#define SCDC_CROWD_COLUMNS_H

#include "io/csv.h"

typedef enum answer_form { FORM_PAIRS, FORM_GROUPINGS } answer_form;

/* The meanings a column can have. Pairs need worker, left, right and label; groupings need worker,
 * task, item and group; pairs may have a task, both what is known to be right. */
typedef enum column_role {
    ROLE_WORKER,
    ROLE_TASK,
    ROLE_LEFT,
    ROLE_RIGHT,
    ROLE_LABEL,
    ROLE_ITEM,
    ROLE_GROUP,
    ROLE_GOLD,
    N_ROLES
} column_role;
#define NO_COLUMN SIZE_MAX

typedef struct answer_columns {
    answer_form form;
    size_t n_fields;
    size_t of_role[N_ROLES]; /* NO_COLUMN when absent */
} answer_columns;

/* For messages about files that are neither. */
#define EXPECTED_HEADERS                                                                           \
    "expected a header line with the columns worker,left,right,label (pairs) or "                  \
    "worker,task,item,group (groupings)"

typedef enum header_verdict {
    HEADER_GOOD,
    HEADER_PARTIAL, /* names some columns, but lacks *missing */
    HEADER_DOUBLE,  /* names column *missing twice */
    HEADER_NONE     /* names nothing known: a row of values, or another kind of file */
} header_verdict;
/* Reads the current row as a header; *out holds what was found, its form only when good. */
header_verdict columns_of_header(answer_columns *out, const char **missing, const csv_reader *row);

/* Columns of a table without header: worker, left, right, label. */
answer_columns columns_without_header(void);

typedef enum label_word {
    LABEL_DIFFERENT = 0,
    LABEL_SAME = 1,
    LABEL_UNSURE,
    LABEL_UNKNOWN
} label_word;
label_word label_of(csv_field field);

#endif
