/* Items and answers for whole fits: MNIST and its crowd from $SCDC_SHARED/data (or ../shared/data)
 * where they are, else made-up ones of the same shape. */
#ifndef SCDC_BENCH_ITEMS_H
#define SCDC_BENCH_ITEMS_H

#include <scdc/scdc.h>
#include <stdbool.h>

typedef struct bench_items {
    scdc_data *data;
    scdc_crowd *crowd;
    const char *origin; /* "mnist" or "made up" */
} bench_items;

/* At most `most` items; answers only about these. */
bench_items bench_items_open(size_t most);
void bench_items_free(bench_items *items);

/* Bytes 0 to 255: noisy copies of a few patterns. rows x cols, malloc'ed. */
uint8_t *bench_made_up(size_t rows, size_t cols);
/* `count` answers of `workers` workers about the first `annotated` such items, right 4 times of 5.
 */
scdc_crowd *bench_made_up_answers(size_t count, size_t annotated, size_t workers);

/* The epochs of a fit as its progress callback sees them: from the end of one to the end of the
 * next, so the first one does not count. */
typedef struct bench_watch {
    int threads;                          /* of the clock, as in bench_now */
    double ended, rows;                   /* of the epoch before */
    double seconds, rows_in_epoch, steps; /* of the fastest epoch */
} bench_watch;
int bench_watch_progress(const scdc_progress *p, void *watch);

#endif
