/* How well a partition of annotated items explains the answers, and joining parts of it by them.
 *
 * The evidence of a partition is the log marginal likelihood of all answers when every worker's two
 * coins are integrated out: no coin has to be known, and partitions of any origin can be compared.
 * An answer counts `worth`: answers of one task say less than as many single ones.
 *
 * An item may be a stray: in another part than its values say. All answers about it are misled
 * together then, and questions come back to doubtful items. Each item is placed by its values and
 * by its answers, given where values put the others; what moving it costs (the divergence from
 * where its values put it) is taken from the evidence. */
#ifndef SCDC_MODEL_PARTITION_H
#define SCDC_MODEL_PARTITION_H

#include "base/memory.h"
#include "crowd/two_coin.h"

#include <scdc/scdc.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct asked {
    uint32_t left, right; /* numbers of annotated items */
    uint32_t worker;
    uint32_t same;
    double worth;
} asked;

/* The components an item may be of: the first, or else the second. */
typedef struct whereabouts {
    uint32_t first, second;
    float share; /* the chance of the first */
} whereabouts;

/* The two likeliest parts of an item. */
typedef struct chances {
    uint32_t part[2];
    double share[2];
} chances;

typedef struct answer_set {
    const asked *answer;
    size_t count, workers, items;
    chances *at;     /* [items] where they are in the partition that was looked at last */
    uint32_t *start; /* [items + 1] where those about each begin in `about`; NULL: no item strays */
    uint32_t *about; /* [2 answers] numbers of answers */
    chances *moved;  /* [items] scratch */
    double *word;    /* [parts] scratch: nats for each part, and which of them were heard */
    uint32_t *heard;
    bool shared;                           /* all workers have the same two coins */
    double sensitivity[2], specificity[2]; /* Beta priors of the coins */
    const two_coin_counts *known;          /* [all workers] of answers elsewhere; NULL: nothing */
    size_t all_workers;
    double (*counts)[4]; /* [workers] scratch */
    double *weight;      /* [2][workers] scratch: nats of "different" and "same" */
    arena memory;
} answer_set;

/* Borrows the answers, about items below `items`. What is known of workers may be set afterwards.
 */
int answer_set_create(answer_set *out, const asked *answer, size_t count, size_t items,
                      size_t workers, const scdc_options *options);
/* Items may stray among at most so many parts. To be told again when the answers are others. */
int answer_set_let_stray(answer_set *s, size_t most_parts);
void answer_set_list(answer_set *s);
void answer_set_free(answer_set *s);

/* What each answer is worth [n_answers]: those of a grouping share (crowd/placements.h). */
int answers_worth(double *worth, const scdc_answer *answers, size_t n_answers);

/* part [K] of each component, item [items] where each annotated item lies. An answer about an item
 * between two parts counts for both, by their chances: questions are often about such items, and
 * taken for one or the other they would speak against any partition. */
double partition_evidence(answer_set *s, const whereabouts *item, const uint32_t *part);

/* Room for joins of at most `components` parts. */
typedef struct partition_work {
    double *nats;   /* [components][components] */
    uint32_t *part; /* [components] */
} partition_work;

/* Joins parts while the evidence rises by more than it costs to name the pair among all pairs of
 * parts and `further` nats, and two are left; with `wanted` down to exactly so many. part
 * [components] in 0 .. *parts - 1. Returns the nats spent. */
double partition_join(uint32_t *part, size_t *parts, answer_set *s, const whereabouts *item,
                      size_t components, size_t wanted, double further, partition_work *work);

/* Joins the parts of components that are of one `group` [components], those for which the answers
 * speak most first, unless the evidence falls by more than `least`: what was one before any answer
 * stays so until answers say something else. */
void partition_join_groups(uint32_t *part, size_t *parts, answer_set *s, const whereabouts *item,
                           size_t components, const uint32_t *group, double least,
                           partition_work *work);

#endif
