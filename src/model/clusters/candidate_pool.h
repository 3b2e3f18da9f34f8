/* What the files of candidates share: items and answers that are looked at, mixtures fitted to them
 * (candidate_pool.c), candidates in their order (propose.c), contenders (candidates.c). */
#ifndef SCDC_MODEL_CANDIDATE_POOL_H
#define SCDC_MODEL_CANDIDATE_POOL_H

#include "model/clusters/candidates.h"
#include "model/clusters/linked.h"
#include "model/clusters/partition.h"

/* Partitions of which the one is taken that agrees best with all of them. */
enum { CONTENDERS = 60 };
/* Numbers of components that are tried, and one more that is asked for. */
enum { N_SIZES = 18, MOST_MIXTURES = MIXTURE_FAMILIES * (N_SIZES + 1) };
extern const size_t mixture_sizes[N_SIZES];
/* Of each mixture: as it is, and joined; of the best of each family also found again or not; by
 * links. */
enum { MOST_IN_ORDER = 2 * MOST_MIXTURES + 2 * MIXTURE_FAMILIES + LINKED_MOST };

/* By what one mixture is better than another: the information criterion (it is for many items, and
 * dares few components where they are few), or how likely items are that were kept from it (which
 * takes more where tails are heavy or kinds of other shapes). Neither is right everywhere: both put
 * the candidates in an order. */
typedef enum criterion { BY_INFORMATION, BY_ITEMS_KEPT, CRITERIA } criterion;
enum { MOST_CANDIDATES = CRITERIA * MOST_IN_ORDER };

typedef struct fitted {
    mixture mixture;
    double score[CRITERIA]; /* nats */
    bool halved;            /* halves of the items were asked about it: */
    double plain, joined;   /* what they show again (again.h) */
} fitted;

/* How far a candidate is to be believed before any answer was heard; first come first, and among
 * its like the better mixture. */
typedef enum standing {
    ARE_CLUSTERS, /* halves of the items show the same components */
    ARE_BRICKS,   /* nearly so; or the same parts; or clear islands; or sizes agree */
    ARE_FINER,    /* groups by links, twice as many as the best mixture has components */
    WERE_SOUGHT,  /* neither */
    NOT_SOUGHT
} standing;

typedef struct candidate {
    size_t mixture; /* of all */
    uint32_t *part; /* [components] */
    size_t parts;
    standing standing;
    bool islands;
    bool refused;  /* by whoever took it */
    bool shown;    /* halves of the items show the same components, or they are clear islands */
    double score;  /* of its mixture, by the criterion of its order */
    double prior;  /* nats, of its places in both orders */
    size_t number; /* of proposal */
} candidate;

/* A partition that may be taken. */
typedef struct contender {
    size_t mixture, parts;
    uint32_t *part;         /* [most] */
    const candidate *of;    /* as it is, unless joined */
    double score, evidence; /* nats; of answers alone */
    double spent;           /* nats for joins */
    bool joined;
} contender;

typedef struct candidate_pool {
    const scdc_options *options;
    const float *items;                   /* [n][d] all, borrowed */
    size_t n, d, fit, links, asked_items; /* items: [0, links) sampled, then the annotated ones */
    size_t n_answers;                     /* chosen */
    float *x;                             /* [links + asked_items][d] */
    float *x_fit;                         /* [fit][d] */
    size_t most;                          /* components */
    linked_items neighbours;
    asked *answer;  /* [n_answers] */
    size_t *number; /* [n_answers] of each among all answers */
    asked *heard;   /* those that are not left out */
    answer_set answers;
    whereabouts *asked_about[MOST_MIXTURES]; /* [asked_items], numbered as in answers; or NULL */
    mixture_options how;
    double *share;          /* [fit][most] */
    uint32_t *component;    /* [links + asked_items] of the mixture at hand */
    uint32_t *part;         /* [most] */
    uint32_t *own, *joined; /* [fit] components and parts */
    size_t *held;           /* [most] items of each part */
    partition_work work;
    linked linked[LINKED_MOST];
    size_t linked_mixture[LINKED_MOST], n_linked;
    fitted all[MOST_MIXTURES];
    size_t n_mixtures;
    double best_kept;      /* greatest likelihood of items kept out so far */
    candidate *candidates; /* [MOST_CANDIDATES], those in the order by information first */
    size_t n_candidates;
    criterion by;                           /* at hand */
    size_t order_from;                      /* first candidate in its order */
    uint32_t *fit_component[MOST_MIXTURES]; /* [fit] of the items mixtures are fitted to; or NULL */
    contender *contenders;                  /* [CONTENDERS] the likeliest */
    size_t n_contenders, best;              /* of them */
    double likely, agreed;                  /* all of them; the best with all of them */
    const candidate *unasked;               /* the choice of the items alone; or NULL */
    uint32_t *label;                        /* [CONTENDERS][fit] */
    arena memory;
} candidate_pool;

/* Takes items and answers, and fits all mixtures; p is released by candidate_pool_empty() in any
 * case. */
int candidate_pool_fill(candidate_pool *p, const scdc_answer *answers, size_t n_answers,
                        size_t workers);
void candidate_pool_empty(candidate_pool *p);

/* All candidates, those first that the items themselves speak for. */
int candidates_order(candidate_pool *p);

#endif
