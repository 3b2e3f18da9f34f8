/* Whether a pupil places items better than the model does without it: by answers about annotated
 * items that it was not taught. */
#ifndef SCDC_MODEL_JUDGE_H
#define SCDC_MODEL_JUDGE_H

#include "crowd/graph.h"
#include "model/model.h"

typedef struct kept_answers {
    scdc_answer *answer; /* those about items that are kept out */
    double *worth;
    size_t count;
    crowd_graph graph; /* of these answers */
    bool *kept_out;    /* [nodes of the graph] */
    double *known;     /* [nodes][C] clusters by everything, for the items that are not kept out */
    double *p;         /* [nodes][C] scratch */
    two_coin *coins;
    arena memory;
} kept_answers;

/* Chooses a fifth of the annotated items, PUPIL_KEPT_OUT at most: kept_out [N]. `label` and
 * `probability` [N]: clusters by everything. out->count 0: there is nothing to judge by. */
int kept_answers_create(kept_answers *out, bool *kept_out, const scdc_model *model,
                        const int64_t *label, const double *probability);
void kept_answers_free(kept_answers *k);

/* Log likelihood of the answers when the items kept out are placed by the model as it is now,
 * without hearing any answer, and doubted as much as explains the answers best. */
int kept_answers_fit(double *out, kept_answers *k, const scdc_model *model, const scdc_data *data);

#endif
