/* Minibatches of an epoch: which items, which answers, with which weights, and their inputs.
 *
 * Every draw is named by (seed, epoch), so an epoch can be entered at any minibatch, which is what
 * a resumed run does. An epoch's minibatches partition the items and the answers, and each weight
 * is the number of parts: the mean over an epoch's minibatches of any weighted sum is the sum over
 * all items and answers.
 *
 * A minibatch can be drawn in shards, each from its own stretch of the items: stretch s of S is
 * items [N s / S, N (s + 1) / S). Processes that share a fit have some shards each and look at no
 * other items (but annotated ones, which are dealt out evenly). Which shards there are, and what is
 * in them, does not depend on the processes. */
#ifndef SCDC_MODEL_BATCHER_H
#define SCDC_MODEL_BATCHER_H

#include "base/memory.h"
#include "data/data.h"
#include "model/core.h"
#include "model/train/input.h"

#include <stdbool.h>

typedef enum batch_plan {
    /* The amortised model: items from all items; the items of the answers only lend their q(z). */
    PLAN_ITEMS,
    /* The paper's Algorithm 1: items from the unannotated ones; the items touched by the drawn
     * answers form the relational part. An annotated item of degree g is weighted by
     * (N_a / S) * (drawn answers that touch it) / g, whose mean over the draw is 1. */
    PLAN_RELATIONAL,
    /* The published code: items from all items are one half of the objective, the items touched by
     * the drawn answers the other, each the mean over its rows. Annotated items count for more
     * than their number, and answers for half of what they are. */
    PLAN_HALVES,
    /* Remembered messages: items from the unannotated ones, and a slice of the annotated ones,
     * which come round as often as their share of the rows says. No answers are drawn: the caller
     * adds the messages of all of an item's answers as a field. */
    PLAN_REMEMBERED
} batch_plan;

typedef struct batcher_spec {
    const scdc_data *data;
    const scdc_answer *answers;
    size_t n_answers;
    batch_plan plan;
    size_t batch, answers_batch; /* answers_batch 0: in proportion */
    size_t annotated_batch;      /* PLAN_REMEMBERED: annotated items in a minibatch */
    double annotated_weight;     /* ... and what their weights are multiplied by */
    input_scale input;
    uint64_t seed;
    size_t shards; /* 0: one; several without drawn answers alone */
} batcher_spec;

typedef struct batcher {
    batcher_spec spec;
    size_t steps;    /* minibatches in an epoch */
    size_t max_rows; /* of any shard of a minibatch */
    size_t max_answers;
    /* own */
    arena memory;
    size_t begin, end;          /* this process's shards */
    size_t *in_shard;           /* [shards + 1] items of the item stream before each shard */
    uint32_t *pool, *order;     /* own items of the item stream, and this epoch's order of them */
    uint32_t *touched, *degree; /* [n_touched] items with answers, increasing, and how many */
    size_t n_touched;
    uint32_t *annotated_order; /* PLAN_REMEMBERED: all of them; else n_annotated is 0 */
    size_t n_annotated;
    uint32_t *answer_order;
    uint32_t *row_of; /* [N] row + 1 of an item in the relational part being built, else 0 */
    uint32_t *item;
    double *weight;
    real *o;
    bool bytes; /* stored as bytes 0..255 */
    batch_answer *answer;
    size_t *first_row, *first_annotated; /* [shards + 1] rows before an own shard, its annotated */
    uint32_t epoch;
    size_t position; /* next minibatch */
} batcher;

/* The first item of a shard's stretch. */
size_t shard_stretch(size_t items, size_t shards, size_t shard);

int batcher_create(batcher *out, const batcher_spec *spec);
void batcher_free(batcher *b);
/* Starts `epoch` (0-based) at minibatch `position`. */
void batcher_enter(batcher *b, uint32_t epoch, size_t position);
/* Fills `out` and returns true; false after the epoch's last minibatch. With shards `out` has the
 * sizes of the whole minibatch, but the rows of no shard: */
bool batcher_next(minibatch *out, batcher *b);
/* Own shard `shard` of minibatch `whole`. */
minibatch batcher_shard(const batcher *b, const minibatch *whole, size_t shard);
/* Its annotated rows are so many, from this one on of those of the whole minibatch, whose items are
 * `item` [annotated_batch]. */
size_t batcher_annotated(size_t *first, const batcher *b, size_t shard);
void batcher_annotated_items(uint32_t *item, const batcher *b);
/* The first shard of the minibatch drawn last that has rows. */
size_t batcher_first_shard(const batcher *b);

#endif
