/* Items placed at once: each hears its neighbours (hood.h). */
#include "base/numeric.h"
#include "base/status.h"
#include "model/use/hood.h"
#include "model/use/place_answers.h"
#include "model/use/workspace.h"

#include <string.h>

/* Labels from probabilities. The items whose label changed are listed in h->label. */
static size_t relabel(hood *h)
{
    size_t changed = 0;
    for (size_t i = 0; i < h->n; i++) {
        const float *p = h->proba + i * h->clusters;
        size_t best = argmax(p, h->clusters);
        if (!(p[best] > p[h->labels[i]])) continue;
        h->labels[i] = (int64_t)best;
        h->label[changed++] = (uint32_t)i;
    }
    return changed;
}

static int place_among_neighbours(hood *h, const scdc_model *model, const scdc_data *data,
                                  const scdc_crowd *crowd)
{
    answer_list answers;
    experts all = experts_mixture_only(0);
    SCDC_TRY(answers_of_crowd(&answers, model, crowd));
    int status = hood_find(h, model, data, &answers);
    answer_list_free(&answers);
    SCDC_TRY(status);
    SCDC_TRY(hood_hear(h, model->weighed ? &model->experts : &all));
    size_t changed = relabel(h);
    return model_components_in(h->component, h->labels, h->label, changed, model, data);
}

int scdc_predict_together(int64_t *labels, double *probability, int64_t *component, float *proba,
                          const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
    if (!model || !data) return fail_with(SCDC_ERR_ARGUMENT, "model and data must not be NULL");
    if (!hood_counts(model, data->rows)) {
        return scdc_predict(labels, probability, component, proba, model, data, crowd);
    }
    hood h;
    scdc_model *own;
    SCDC_TRY(hood_create(&h, model, data->rows));
    int status = workspace_take(&own, model);
    if (status == SCDC_OK) {
        status = place_among_neighbours(&h, own, data, crowd);
        workspace_give(own, model);
    }
    for (size_t i = 0; i < h.n && status == SCDC_OK; i++) {
        const float *p = h.proba + i * h.clusters;
        if (labels) labels[i] = model_number(model, h.labels[i]);
        if (component) component[i] = h.component[i];
        if (probability) probability[i] = (double)p[h.labels[i]];
        if (proba) memcpy(proba + i * h.clusters, p, h.clusters * sizeof *p);
    }
    hood_free(&h);
    return status;
}
