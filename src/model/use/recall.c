/* Items from memory. */
#include "model/use/recall.h"
#include "model/classes/alone.h"
#include "model/pupil/pupil.h"
#include "model/use/walk.h"

/* The classifier knows of the items it learned from what it would say without them. */
static bool all_were_taught(const classifier *by, const crowd_graph *g)
{
    for (size_t i = 0; i < g->nodes; i++) {
        if (classifier_find(by, g->item[i]) == SIZE_MAX) return false;
    }
    return true;
}

bool recall_possible(const scdc_model *model, const known_items *k, const crowd_graph *g)
{
    if (!k || !model->weighed || model->n_clusters > MOST_CLASSES) return false;
    if (model->pupil && !model->pupil->word) return false;
    return !model_asks_classifier(model) || all_were_taught(&model->classifier, g);
}

void recall_z(double *z, const scdc_model *model, const known_items *k, size_t item)
{
    const classifier *by = &model->classifier;
    size_t C = model->n_clusters;
    double mixing[MOST_CLASSES], p[MOST_CLASSES], kernel[MOST_CLASSES];
    known_z(z, k, item);
    model_clusters_of_row(mixing, z, model);
    if (model_heeds_experts(model)) {
        bool ask = model_asks_classifier(model);
        size_t at = ask ? classifier_find(by, item) : 0;
        if (ask) experts_defer(kernel, by->others + at * C, mixing, by->base, by->items, C);
        experts_say(p, &model->experts, mixing, ask ? kernel : NULL, C);
        set_clusters(z, p, model);
    }
    if (!model->pupil) return;
    const float *word = model->pupil->word + item * C;
    model_clusters_of_row(p, z, model);
    for (size_t c = 0; c < C; c++) mixing[c] = (double)word[c];
    alone_say(p, &model->experts.alone, p, mixing, C);
    set_clusters(z, p, model);
}
