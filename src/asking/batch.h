/* A batch of questions in the making. */
#ifndef SCDC_ASKING_BATCH_H
#define SCDC_ASKING_BATCH_H

#include "asking/asking.h"
#include "asking/pairset.h"
#include "base/rng.h"

struct scdc_suggestions {
    size_t count;
    scdc_question *questions;
    uint32_t *items; /* of all questions, one after another */
    char *worker;
    arena memory;
};

enum { CHECK_EVERY = 2 }; /* so many questions are followed by one at random */

typedef struct batch {
    const looked_at *items;
    const blocks *b;
    coins who; /* will answer */
    bool cold; /* nothing is known but the items */
    uint64_t seed;
    pairset asked;         /* before, or in this batch */
    pairset fresh;         /* in this batch */
    uint8_t *times;        /* [items] that each was asked about in this batch; of pairs */
    scdc_suggestions *out; /* filled up to `want` */
    size_t want, set_size;
    rng draw;
} batch;

/* Both fill out->questions in the order they are chosen. */
int batch_pairs(batch *m);
int batch_sets(batch *m);
/* Pairs that place items into the kinds of a model that learned them from answers; and whether it
 * is one. */
int batch_items(batch *m, const scdc_crowd *crowd);
bool batch_places_items(const batch *m, const scdc_model *model, const scdc_crowd *crowd);

/* Asks about two items (indices into looked_at) that nobody was asked about; false: somebody was.
 */
bool batch_ask_pair(batch *m, uint32_t left, uint32_t right, double gain, const char *reason);
/* Notes a question about items (indices into looked_at) that lie at out->items' end. */
void batch_note(batch *m, size_t count, double gain, const char *reason);

#endif
