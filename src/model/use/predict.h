/* Placing items by a model: what the public predictions are made of. */
#ifndef SCDC_MODEL_PREDICT_H
#define SCDC_MODEL_PREDICT_H

#include "model/model.h"
#include "model/use/walk.h"

/* Where results go; any may be NULL. As in scdc_predict and scdc_embed. */
typedef struct placed {
    int64_t *labels, *component;
    double *probability;
    float *proba, *latent;
    /* Probabilities are the last word on items without answers; else experts' words, for more to be
     * heard. */
    bool alone;
    /* By which of several processes. Items hear answers where they are kept for good. */
    walk_keeper kept_by;
} placed;

/* Answers whose workers have the model's numbers. */
typedef struct answer_list {
    const scdc_answer *answer;
    size_t count;
    void *memory; /* owned, or NULL */
} answer_list;

/* answers: NULL or none: by the items alone. */
int model_place(const placed *out, const scdc_model *model, const scdc_data *data,
                const answer_list *answers);

/* Items [begin, end) whose results this process has in the end. */
void kept_items(size_t *begin, size_t *end, const placed *out, const scdc_model *model,
                size_t items);

/* The same in a workspace of its own, with labels as users see them. */
int place_by_view(const placed *out, const scdc_model *model, const scdc_data *data,
                  const scdc_crowd *crowd);

/* As scdc_predict_together, where neighbours are heard or network_settles(): all items at once, by
 * what is known of them. */
int place_at_once(int64_t *labels, double *probability, int64_t *component, float *proba,
                  const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd);

/* Labels as users see them, in place of clusters 0, 1, 2, ... */
void model_number_labels(int64_t *labels, size_t count, const scdc_model *model);

/* Of probabilities [rows] and proba [rows][C], as users get them, so much to all clusters alike as
 * the model is doubted. */
void model_doubt(double *probability, float *proba, size_t rows, const scdc_model *model);

/* The most likely component of a cluster, by q(z). */
size_t component_in(const double *z, size_t cluster, const scdc_model *model);
/* The most likely component inside its given cluster for some of the items. */
int model_components_in(int64_t *component, const int64_t *labels, const uint32_t *items,
                        size_t count, const scdc_model *model, const scdc_data *data);

#endif
