/* The inside of a fit: what the loop over epochs (loop.c) and the steps of the recipes
 * (recipe_steps.c) know of it. */
#ifndef SCDC_MODEL_TRAIN_LOOP_H
#define SCDC_MODEL_TRAIN_LOOP_H

#include "base/watch.h"
#include "model/model.h"
#include "model/train/batcher.h"
#include "model/train/shards.h"

typedef struct fit fit;
typedef int (*fit_step)(bound_terms *terms, fit *f, minibatch *b, const step_rates *rates);

/* What a recipe does around the core's steps, chosen once (steps_of).
 */
typedef struct recipe_steps {
    batch_plan (*plan)(const scdc_options *o);
    int (*prepare)(fit *f, const batcher_spec *batches);        /* before the first epoch */
    fit_step step;                                              /* a minibatch */
    int (*end_epoch)(fit *f);                                   /* after its minibatches */
    void (*sum_up)(bound_terms *t, scdc_epoch *record, fit *f); /* what they do not tell */
    int (*compare)(scdc_epoch *record, fit *f);                 /* with the epoch before */
} recipe_steps;

struct fit {
    scdc_model *model;
    const scdc_data *data;
    batcher batches; /* of the stage at hand */
    const char *stage;
    const recipe_steps *recipe;
    fit_step step;
    size_t stage_epochs; /* in all */
    double *z;           /* [max_rows][K] q(z) of a minibatch */
    shard_work shards;   /* where minibatches have several */
    scdc_progress_fn progress;
    void *user;
    size_t restart, restarts;
    watcher outside; /* who watches the thread's calls; heard when there is no progress function */
    double begun, epoch_begun;
    size_t items_done; /* rows since the fit began, for the rate shown to people */
    /* The state at the start of the current epoch. */
    unsigned char *good;
    size_t good_bytes;
    bound_terms good_sums;
    size_t good_batch;
    int tries;
};

/* What a recipe does, by its flags. */
const recipe_steps *steps_of(const scdc_options *o);

/* Room for a copy of the state; copying it there, or back. */
int snapshot_create(fit *f);
int snapshot_copy(fit *f, bool save);

/* One epoch of the stage at hand, from where the model stands in it; and its sums back to 0. */
int run_epoch(fit *f, uint32_t epoch);
void end_epoch(scdc_model *model);
/* The epochs of the fit itself, with their records. */
int run_epochs(fit *f);

/* Tells how far a stage without epochs is; a scdc_watch_fn whose user is a fit. */
int tell_work(const scdc_work *work, void *user);
/* Tells whoever watches the thread's calls from outside. */
int tell_outside(const fit *f, const char *what, size_t done, size_t total);

#endif
