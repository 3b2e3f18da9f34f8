/* A training step over the shards of a minibatch: each is measured alone, and their sums are added
 * up in the order of a fixed tree (base/tree_sum.h), so that any number of processes gives the same
 * bytes. */
#ifndef SCDC_MODEL_TRAIN_SHARDS_H
#define SCDC_MODEL_TRAIN_SHARDS_H

#include "base/tree_sum.h"
#include "model/model.h"
#include "model/train/batcher.h"

typedef struct shard_work {
    tree_sum sum;
    double *doubles; /* a summand: terms of the bound, then the core's sums */
    double *z;       /* [annotated_batch][K] q(z) of a minibatch's annotated rows */
    uint32_t *item;  /* [annotated_batch] */
    size_t *bytes;   /* [processes] */
    arena memory;
} shard_work;

/* What is to be done with a shard. */
typedef struct shard_step {
    const batcher *batches;
    core *core;
    bool warm;               /* a step of the warm-up */
    cluster_level *clusters; /* whose messages the rows hear; NULL: none */
    double *z;               /* [max_rows][K] */
} shard_step;

int shard_work_create(shard_work *out, const core_spec *spec, core *c);
void shard_work_free(shard_work *w);

/* Both halves of a step with minibatch b. */
int shards_step(bound_terms *terms, shard_work *w, const shard_step *s, const minibatch *b,
                const step_rates *rates);

#endif
