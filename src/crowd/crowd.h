/* The answers of the crowd in memory. Readers append to it, everything else only reads.
 *
 * Workers are numbered 0 .. workers.count-1 and tasks 0 .. tasks-1 without gaps; there is at least
 * one answer and no answer compares an item with itself. */
#ifndef SCDC_CROWD_CROWD_H
#define SCDC_CROWD_CROWD_H

#include "base/names.h"
#include "crowd/two_coin.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 5 GB of answers: more than any crowd gives, and a bound on what a small file of groupings can
 * grow into. Also keeps both ends of all answers countable in 32 bits. */
#define CROWD_MOST_ANSWERS ((size_t)1 << 28)
/* Item numbers are below this, so that a count of items fits 32 bits. */
#define CROWD_MOST_ITEMS ((size_t)UINT32_MAX)

struct scdc_crowd {
    scdc_answer *answers;
    size_t count, capacity;
    names workers;
    names items; /* names of item numbers, when files gave names and no item matrix knew them */
    bool named_items; /* files gave items by name */
    size_t tasks;
    size_t unsure;          /* rows without an answer, dropped */
    two_coin_counts *known; /* [known_count] counts of answers seen elsewhere; NULL: of nobody */
    size_t known_count;     /* all workers, but while answers are appended */
};

int crowd_new(scdc_crowd **out);
/* Room for so many more answers. SCDC_ERR_INPUT when that is more than CROWD_MOST_ANSWERS. */
int crowd_reserve(scdc_crowd *crowd, size_t more);
/* Room for what is known of workers, when all of them are there: zeros, but for who tells known
 * pairs (gold.h). */
int crowd_know(scdc_crowd *crowd);
int crowd_append(scdc_crowd *crowd, scdc_answer answer);

#endif
