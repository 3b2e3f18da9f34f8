/* What answers teach a pupil, without any label: with s = <q(c|i), q(c|j)> of two views,
 *
 *   ln p(same) = ln( alpha s + (1 - beta)(1 - s) ),   ln p(different) = ln( (1 - alpha) s + beta (1
 * - s) ),
 *
 * the likelihood of an answer when both clusters are summed out. Unlike the bound, which is linear
 * in s, it pulls from a network that knows nothing yet (Hsu et al. 2019). The coins are those of
 * the fit and stay. A grouping counts by its placements, as everywhere. */
#ifndef SCDC_MODEL_LESSON_ANSWERS_H
#define SCDC_MODEL_LESSON_ANSWERS_H

#include "base/memory.h"
#include "base/real.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of a minibatch, or items. */
typedef struct lesson_pair {
    uint32_t left, right;
    float if_same, if_different; /* P(the answer | of one cluster), P(... | of two) */
    float weight;
} lesson_pair;

/* Answers in units that stay together: a task, or pairs about a few items. */
typedef struct lesson_answers {
    lesson_pair *pair; /* of items, unit by unit */
    size_t *start;     /* [units + 1] */
    size_t pairs, units;
    size_t rows; /* items of all units */
    arena memory;
} lesson_answers;

/* sensitivity and specificity [workers] are the coins; answers about items that are kept out, and
 * those of workers who tell nothing, are left out. */
int lesson_answers_create(lesson_answers *out, const scdc_answer *answers, size_t count,
                          const bool *kept_out, const double (*coins)[2]);
void lesson_answers_free(lesson_answers *a);

/* A minibatch of them: as many whole units from *next on (order [units]) as have room, at least one
 * (of which only the pairs that have room). */
typedef struct answer_batch {
    uint32_t *item;    /* [rows] */
    lesson_pair *pair; /* of rows; as many as all units have together */
    size_t rows, pairs;
    uint32_t *row_of; /* [items] its row + 1; all 0 between batches */
} answer_batch;
void answer_batch_fill(answer_batch *b, size_t *next, const lesson_answers *a,
                       const uint32_t *order, size_t most_rows);

/* Log likelihood of pairs of rows with q [rows][C]; d_q (not q) becomes its gradient by the outputs
 * before the softmax, over `rows`. */
double answers_gradient(real *d_q, const real *q, const lesson_pair *pair, size_t pairs,
                        size_t rows, size_t C);

#endif
