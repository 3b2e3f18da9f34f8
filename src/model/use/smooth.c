/* Items placed at once: each hears its neighbours (hood.h). */
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/blas.h"
#include "model/use/place_answers.h"
#include "model/use/settled.h"
#include "model/use/workspace.h"

#include <string.h>

/* What is known of the items of the fit is known; of others it is found out. */
static int look_around(hood *h, const scdc_model *model, const scdc_data *data,
                       const answer_list *answers)
{
    known_items *own = NULL;
    bool known = known_fits(model->known, model, data);
    experts all = experts_mixture_only(0);
    if (!known) SCDC_TRY(known_make(&own, model, data));
    int status = hood_find(h, model, data, known ? model->known : own, answers);
    if (status == SCDC_OK) status = hood_hear(h, model->weighed ? &model->experts : &all);
    if (status == SCDC_OK) status = settle_labels(h, model, data);
    known_free(own);
    return status;
}

static int place_among_neighbours(hood *h, const scdc_model *model, const scdc_data *data,
                                  const scdc_crowd *crowd)
{
    answer_list answers;
    SCDC_TRY(model_check_width(model, data));
    SCDC_TRY(model_check_values(model, data));
    parallel_set_threads(model->core->spec.options.threads);
    SCDC_TRY(blas_reserve());
    SCDC_TRY(answers_of_crowd(&answers, model, crowd));
    int status = look_around(h, model, data, &answers);
    answer_list_free(&answers);
    return status;
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
    if (status == SCDC_OK) model_doubt(probability, proba, h.n, model);
    hood_free(&h);
    return status;
}
