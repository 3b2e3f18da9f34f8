/* Items placed at once: each hears its neighbours (hood.h). */
#include "base/parallel.h"
#include "base/status.h"
#include "kernels/blas.h"
#include "model/pupil/teach.h"
#include "model/use/place_answers.h"
#include "model/use/settled.h"
#include "model/use/workspace.h"

#include <string.h>

static int hear_neighbours(hood *h, const scdc_model *model, const scdc_data *data,
                           const known_items *known, const answer_list *answers)
{
    experts all = experts_mixture_only(0);
    SCDC_TRY(hood_find(h, model, data, known, answers));
    SCDC_TRY(hood_hear(h, model->weighed ? &model->experts : &all));
    return settle_labels(h, model, data);
}

/* By a network that was taught; it is asked about items of which it is not known what it says. */
static int hear_network(hood *h, const scdc_model *model, const scdc_data *data,
                        const known_items *known, const answer_list *answers)
{
    if (pupil_knows(model->pupil, data)) return hood_by_network(h, model, data, known, answers);
    pupil asked = *model->pupil;
    scdc_model with = *model;
    with.pupil = &asked;
    asked.memory = (arena){0};
    int status = pupil_make_room(&asked, data);
    if (status == SCDC_OK) status = pupil_tell(&with, data, 0);
    if (status == SCDC_OK) status = hood_by_network(h, &with, data, known, answers);
    arena_free(&asked.memory);
    return status;
}

/* What is known of the items of the fit is known; of others it is found out. */
static int look_around(hood *h, const scdc_model *model, const scdc_data *data,
                       const answer_list *answers)
{
    known_items *own = NULL;
    bool known = known_fits(model->known, model, data);
    if (!known) SCDC_TRY(known_make(&own, model, data));
    int status = (model->pupil ? hear_network : hear_neighbours)(
        h, model, data, known ? model->known : own, answers);
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
    bool together = hood_counts(model, data->rows);
    return (together ? place_at_once : scdc_predict)(labels, probability, component, proba, model,
                                                     data, crowd);
}

int place_at_once(int64_t *labels, double *probability, int64_t *component, float *proba,
                  const scdc_model *model, const scdc_data *data, const scdc_crowd *crowd)
{
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
