/* What is known before a question is chosen, at the level of blocks: small groups of items that are
 * alike. The posterior over clusterings is a set of sampled partitions of the blocks. */
#ifndef SCDC_ASKING_ASKING_H
#define SCDC_ASKING_ASKING_H

#include "base/memory.h"

#include <scdc/asking.h>
#include <stdint.h>

enum { SAMPLES = 64 /* partitions drawn; a bit of a 64-bit word each */ };

/* Items a question may be about: all of them, or a sample of many. */
typedef struct looked_at {
    size_t count, width;
    uint32_t *item;  /* [count] their numbers, increasing */
    float *x;        /* [count][width] latent means, or principal components */
    size_t clusters; /* of the model; 1 without */
    uint32_t *label; /* [count] the model's cluster; 0 without */
    float *proba;    /* [count][clusters] NULL without a model */
    arena memory;
} looked_at;

/* What a worker does with two items of one kind, and of two. */
typedef struct coins {
    double sensitivity, specificity;
} coins;

typedef struct blocks {
    size_t count;
    uint32_t *block_of; /* [items looked at] */
    double *mass;       /* [count] share of the items */
    float *cluster;     /* [count][clusters of the model] mean probabilities; zeros without */
    /* Members of block b are member[start[b] .. start[b + 1] - 1], the most typical first; indices
     * into looked_at. */
    uint32_t *start, *member;
    double *bond;     /* [count][count] which share of a block's kin another is, less chance */
    double strength;  /* log odds of "one kind" for a block that is all kin of another */
    double *evidence; /* [count][count] log likelihood ratio of the answers, both orders */
    arena memory;
} blocks;

/* Partitions of the blocks, drawn from their posterior. */
typedef struct partitions {
    size_t blocks;
    uint16_t *group; /* [SAMPLES][blocks], numbered from 0 without gaps */
    double *apart;   /* [SAMPLES][SAMPLES] share of the items that two of them place differently */
    arena memory;
} partitions;

/* Answers must be about these items. `crowd` may be NULL. */
int check_crowd(const scdc_data *data, const scdc_crowd *crowd);
/* `model` and `crowd` may be NULL. */
int look_at_items(looked_at *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd, uint64_t seed);
/* Where item number `item` is among those looked at; SIZE_MAX: not there. */
size_t looked_at_find(const looked_at *items, uint32_t item);

/* Coins of each worker of the crowd, by name, and of a typical one. */
int coins_of_crowd(coins *out, coins *typical, const scdc_model *model, const scdc_crowd *crowd);
/* Coins of the worker with this name; of a typical one for NULL or a name that is not known. */
int coins_of_worker(coins *out, const scdc_model *model, const char *name);
/* Coins of a worker nobody knows anything about. */
coins coins_of_stranger(void);

/* Blocks with bonds and no evidence yet. `answers`: how many there are, for the more answers the
 * finer the blocks can be told apart. */
int blocks_make(blocks *out, const looked_at *items, size_t answers, uint64_t seed);
/* Adds what the first `count` answers tell. */
int blocks_hear(blocks *b, const looked_at *items, const scdc_crowd *crowd, const coins *of_worker,
                size_t count);

/* A sorted set of n items is n placements, not n (n - 1) / 2 answers: how many answers each task
 * has (freed by the caller), and what one of them is worth. */
int answers_of_tasks(uint32_t **out, const scdc_answer *answers, size_t count);
double answer_worth(const scdc_answer *answer, const uint32_t *of_task);

/* Learns from the answers how much bonds mean (`strength`), before evidence is heard. */
int blocks_tune(blocks *b, const looked_at *items, const scdc_crowd *crowd, const coins *of_worker,
                uint64_t seed);

/* `round` makes further, independent draws. */
int partitions_draw(partitions *out, const blocks *b, uint64_t seed, uint32_t round);
/* Share of the items that two partitions of blocks place differently: 1 - the mean of how much of
 * each one's groups lies in a single group of the other. */
double partitions_apart(const uint16_t *left, const uint16_t *right, const double *mass,
                        size_t blocks, double *table);

static inline void looked_at_free(looked_at *l)
{
    arena_free(&l->memory);
}
static inline void blocks_free(blocks *b)
{
    arena_free(&b->memory);
}
static inline void partitions_free(partitions *p)
{
    arena_free(&p->memory);
}

#endif
