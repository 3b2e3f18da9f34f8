/* Readers of annotation files: each appends the answers of one file to a crowd. */
#ifndef SCDC_CROWD_READ_H
#define SCDC_CROWD_READ_H

#include "crowd/answer_table.h"
#include "crowd/crowd.h"
#include "crowd/gold.h"
#include "crowd/resolve.h"
#include "io/file.h"

typedef struct crowd_reader {
    scdc_crowd *crowd;
    resolver items;
    names tasks;    /* of the file at hand: "worker number" + a separator + "task" */
    names groups;   /* of the file at hand */
    size_t before;  /* tasks of earlier files */
    gold_list gold; /* known pairs of all files */
    char *key;      /* scratch for the names of tasks */
    size_t key_capacity;
} crowd_reader;

/* A grouping of more items than anyone sorts in one sitting: k items are k (k - 1) / 2 answers, so
 * a few kilobytes of text must not ask for gigabytes. */
enum { TASK_MOST_ITEMS = 2000 };

int crowd_read_pairs(crowd_reader *r, answer_table *table);
int crowd_read_groupings(crowd_reader *r, answer_table *table);
int crowd_read_npy(crowd_reader *r, const file_bytes *file);

/* The worker of the current row, added when new. */
int crowd_read_worker(uint32_t *worker, crowd_reader *r, const answer_table *table);
/* The task (worker, text) of this file; SCDC_NO_TASK for an empty text. */
int crowd_read_task(uint32_t *task, crowd_reader *r, uint32_t worker, csv_field text);

/* What scdc_crowd_open does once the files are open. */
int crowd_from_files(scdc_crowd **out, const file_bytes *files, size_t n_files,
                     const scdc_data *items);

#endif
