/* Words of annotated items alone, and what is known of them without the answers kept back. */
#include "model/use/weigh_alone.h"
#include "base/status.h"
#include "model/classes/alone.h"
#include "model/use/recall.h"
#include "model/use/walk.h"

#include <string.h>

typedef struct words {
    const scdc_model *model;
    double *word; /* [nodes][C] */
} words;

static int note_words(void *context, const chunk *c)
{
    words *w = context;
    size_t K = w->model->core->spec.components, C = w->model->n_clusters;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(w->word + (c->first + row) * C, c->z + row * K, w->model);
    }
    return SCDC_OK;
}

/* A classifier that was taught an item would only repeat what it was taught. */
static void tell_by_others(double *word, const scdc_model *model, const crowd_graph *g)
{
    const classifier *by = &model->classifier;
    for (size_t i = 0; i < g->nodes; i++) {
        size_t at = classifier_find(by, g->item[i]);
        if (at == SIZE_MAX) continue;
        memcpy(word + i * by->classes, by->others + at * by->classes, by->classes * sizeof *word);
    }
}

static int recall_words(double *word, const scdc_model *model, const known_items *known,
                        const crowd_graph *g)
{
    double *z;
    SCDC_TRY(mem_zeroed(&z, model->core->spec.components, sizeof *z, "components of items"));
    for (size_t i = 0; i < g->nodes; i++) {
        recall_z(z, model, known, g->item[i]);
        model_clusters_of_row(word + i * model->n_clusters, z, model);
    }
    mem_free(z);
    return SCDC_OK;
}

int words_alone(double *word, const scdc_model *model, const scdc_data *data, const crowd_graph *g,
                bool network)
{
    const known_items *known = known_fits(model->known, model, data) ? model->known : NULL;
    scdc_model as = *model;
    words w = {&as, word};
    as.experts.alone = (alone_word){.experts = !network, .network = network};
    if (!network) as.pupil = NULL;
    if (recall_possible(&as, known, g)) return recall_words(word, &as, known, g);
    SCDC_TRY(walk_items(&(walk){.model = &as,
                                .data = data,
                                .count = g->nodes,
                                .items = g->item,
                                .own = true,
                                .take = note_words,
                                .context = &w}));
    if (!network && model_is_judged(model)) tell_by_others(word, model, g);
    return SCDC_OK;
}

bool list_unheard(bool *unheard, const cluster_level *t, const crowd_graph *g)
{
    uint32_t node;
    if (!t->unheard) return false;
    for (size_t i = 0; i < g->nodes; i++) {
        unheard[i] = crowd_graph_find(&node, &t->graph, g->item[i]) && t->unheard[node];
    }
    return true;
}

int weigh_alone(scdc_model *model, const scdc_data *data, const classes *found, bool network_leads)
{
    const core_spec *spec = &model->core->spec;
    const crowd_graph *g = &found->graph;
    size_t n = g->nodes, row = model->n_clusters * sizeof(double);
    bool kept_back;
    arena memory = {0};
    int status;
    double *by_experts = arena_new(&memory, n, row, "clusters of items");
    double *by_network = arena_new(&memory, n, row, "clusters of items");
    bool *unheard = arena_new(&memory, n, sizeof *unheard, "annotated items");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, words_alone(by_experts, model, data, g, false));
    if (model->pupil) SCDC_TRY_OR(done, status, words_alone(by_network, model, data, g, true));
    kept_back = list_unheard(unheard, model->clusters, g);
    expert_case given = {.answers = found->answers,
                         .graph = g,
                         .workers = spec->workers,
                         .clusters = model->n_clusters,
                         .mixture = model_is_led(model) ? by_network : by_experts,
                         .options = &spec->options,
                         .known = spec->known};
    status = alone_weigh(&model->experts.alone,
                         &(alone_case){.given = &given,
                                       .by_network = model->pupil ? by_network : NULL,
                                       .network_leads = network_leads,
                                       .unheard = kept_back ? unheard : NULL});
done:
    arena_free(&memory);
    return status;
}
