/* Keeping labels. */
#include "model/use/settled.h"
#include "base/numeric.h"
#include "base/status.h"
#include "data/data.h"
#include "model/use/place_answers.h"

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

int settle_labels(hood *h, const scdc_model *model, const scdc_data *data)
{
    size_t changed = relabel(h);
    return model_components_in(h->component, h->labels, h->label, changed, model, data);
}

int settled_keep(scdc_model *model, const hood *h, const scdc_data *data, uint32_t crowd)
{
    settled *s;
    settled_free(model->settled);
    model->settled = NULL;
    SCDC_TRY(mem_zeroed(&s, 1, sizeof *s, "labels"));
    s->n = h->n;
    s->clusters = h->clusters;
    s->data = scdc_data_checksum(data);
    s->crowd = crowd;
    s->labels = arena_new(&s->memory, s->n, sizeof *s->labels, "labels");
    s->component = arena_new(&s->memory, s->n, sizeof *s->component, "labels");
    s->proba = arena_new(&s->memory, s->n, s->clusters * sizeof *s->proba, "labels");
    int status = arena_status(&s->memory);
    if (status != SCDC_OK) {
        settled_free(s);
        return status;
    }
    memcpy(s->labels, h->labels, s->n * sizeof *s->labels);
    memcpy(s->component, h->component, s->n * sizeof *s->component);
    memcpy(s->proba, h->proba, s->n * s->clusters * sizeof *s->proba);
    model->settled = s;
    return SCDC_OK;
}

bool network_settles(const scdc_model *model)
{
    return model->pupil && !model_is_judged(model) && model->n_clusters <= MOST_CLASSES;
}

int settle_by_network(scdc_model *model, const scdc_data *data)
{
    const cluster_level *t = model->clusters;
    answer_list answers = {0};
    hood h;
    if (!network_settles(model) || data->rows < 2) return SCDC_OK;
    if (t->has_answers)
        answers = (answer_list){t->remembered.answers, t->remembered.n_answers, NULL};
    SCDC_TRY(known_prepare(model, data));
    SCDC_TRY(hood_create(&h, model, data->rows));
    int status = hood_by_network(&h, model, data, model->known, &answers);
    if (status == SCDC_OK) status = settled_keep(model, &h, data, answers_checksum(&answers));
    hood_free(&h);
    return status;
}

void settled_free(settled *s)
{
    if (!s) return;
    arena_free(&s->memory);
    mem_free(s);
}

void settled_tell(int64_t *labels, double *probability, int64_t *component, float *proba,
                  const scdc_model *model)
{
    const settled *s = model->settled;
    for (size_t i = 0; i < s->n; i++) {
        const float *p = s->proba + i * s->clusters;
        if (labels) labels[i] = model_number(model, s->labels[i]);
        if (component) component[i] = s->component[i];
        if (probability) probability[i] = (double)p[s->labels[i]];
        if (proba) memcpy(proba + i * s->clusters, p, s->clusters * sizeof *p);
    }
    model_doubt(probability, proba, s->n, model);
}

bool settled_fits(const settled *s, const scdc_data *data, uint32_t crowd)
{
    return s && s->n == data->rows && s->crowd == crowd && s->data == scdc_data_checksum(data);
}
