/* Items among their neighbours: placed at once, each of which also hears its nearest ones.
 *
 * The mixture sees an item alone, and its posterior is far too sure of itself; neighbours in latent
 * space are of one cluster more often than it is right. Links to neighbours act as one more worker
 * (neighbours.h), whose coins are those of the first placement. What answers said about an item is
 * never forgotten for its neighbours' sake: they only add to it. */
#ifndef SCDC_MODEL_HOOD_H
#define SCDC_MODEL_HOOD_H

#include "model/use/known.h"
#include "model/use/predict.h"

typedef struct hood {
    size_t n, k, clusters;
    const uint32_t *near; /* [n][k] of the known items */
    uint32_t *label;      /* [n] as 32 bits, for cells and links; scratch */
    bool *annotated;      /* [n] */
    bool apart;           /* shares of the neighbours' weight are for annotated items alone */
    float *own;           /* [n][clusters] by model and answers alone */
    float *proba;         /* [n][clusters] */
    double weight;        /* nats of one link */
    uint32_t *hearers;    /* who has an item among its neighbours, item after item */
    size_t *hearers_of;   /* [n + 1] where those of each begin */
    uint8_t *due;         /* [n] the round in which an item is asked next; scratch */
    float *heard;         /* [clusters] scratch */
    int64_t *labels, *component;  /* [n] of `own` */
    double *links, *share, *same; /* between clusters */
    arena memory;
} hood;

int hood_create(hood *out, const scdc_model *model, size_t n);
void hood_free(hood *h);
/* Places all items by themselves and their answers, among the neighbours that are known. */
int hood_find(hood *h, const scdc_model *model, const scdc_data *data, const known_items *known,
              const answer_list *answers);
/* Of hood_find: near [n][k] (borrowed) and who hears whom. */
void hood_among(hood *h, const uint32_t *near);
/* Of hood_find: own, labels and component of all items. */
int hood_place(hood *h, const scdc_model *model, const scdc_data *data, const known_items *known,
               const answer_list *answers);
/* own and proba by the network that was taught, and by answers. */
int hood_by_network(hood *h, const scdc_model *model, const scdc_data *data,
                    const known_items *known, const answer_list *answers);
/* proba from own: neighbours are heard with this share of their weight. */
int hood_settle(hood *h, double share);
/* The same after another share, or other words on annotated items: from where all are by now. Only
 * news spread, so that it takes as long as much changes. */
int hood_settle_on(hood *h, double share);
/* proba from own: by all shares, as they were weighed. */
int hood_hear(hood *h, const experts *e);

/* Whether neighbours are heard where items are placed by this model. */
bool hood_counts(const scdc_model *model, size_t items);

#endif
