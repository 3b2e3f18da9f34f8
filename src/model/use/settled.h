/* Labels of all items as the end of a fit or an update left them: whoever asks for them afterwards
 * need not wait for all items to be placed again. */
#ifndef SCDC_MODEL_SETTLED_H
#define SCDC_MODEL_SETTLED_H

#include "model/use/hood.h"

typedef struct settled {
    size_t n, clusters;
    uint32_t data, crowd;        /* checksums */
    int64_t *labels, *component; /* [n] clusters by position */
    float *proba;                /* [n][clusters] */
    arena memory;
} settled;

/* Labels from probabilities, where neighbours were heard, and their components. */
int settle_labels(hood *h, const scdc_model *model, const scdc_data *data);
/* Keeps them as model->settled. */
int settled_keep(scdc_model *model, const hood *h, const scdc_data *data, uint32_t crowd);
/* Labels of the items of a fit by the network that was taught, whose word on them is known, from
 * what is known of them beside it; kept. Nothing where classes learned from answers decide. */
int settle_by_network(scdc_model *model, const scdc_data *data);
/* Whether labels are found this way. */
bool network_settles(const scdc_model *model);
void settled_free(settled *s);
/* As scdc_predict_together. */
void settled_tell(int64_t *labels, double *probability, int64_t *component, float *proba,
                  const scdc_model *model);
/* Whether these are the labels of these items with these answers. */
bool settled_fits(const settled *s, const scdc_data *data, uint32_t crowd);

#endif
