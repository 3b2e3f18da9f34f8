/* Weighing mixture and classifier at the end of a fit. */
#include "base/status.h"
#include "model/classes/classes.h"
#include "model/train/finish.h"
#include "model/use/walk.h"
#include "model/use/weigh_alone.h"
#include "model/use/weigh_together.h"

#include <math.h>
#include <string.h>

typedef struct school {
    scdc_model *model;
    classes found;   /* the answers that count, their graph, the classifier */
    double *mixture; /* [nodes][C] */
    double *z;       /* [nodes][K] */
    double *r, *others;
    double *trial; /* [EXPERT_TRIALS][nodes][C] */
    arena memory;
} school;

static int note_mixture(void *context, const chunk *c)
{
    school *s = context;
    size_t K = s->model->core->spec.components, C = s->model->n_clusters;
    for (size_t row = 0; row < c->rows; row++) {
        model_clusters_of_row(s->mixture + (c->first + row) * C, c->z + row * K, s->model);
    }
    memcpy(s->z + c->first * K, c->z, c->rows * K * sizeof *s->z);
    return SCDC_OK;
}

static int school_create(school *s, const scdc_data *data)
{
    const core_spec *spec = &s->model->core->spec;
    const crowd_graph *g = &s->found.graph;
    size_t n = g->nodes, C = s->model->n_clusters;
    arena *m = &s->memory;
    s->mixture = arena_new(m, n, C * sizeof *s->mixture, "clusters of items");
    s->z = arena_new(m, n, spec->components * sizeof *s->z, "components of items");
    s->r = arena_new(m, n, C * sizeof *s->r, "clusters of items");
    s->others = arena_new(m, n, C * sizeof *s->others, "clusters of items");
    s->trial = arena_new(m, EXPERT_TRIALS * n, C * sizeof *s->trial, "clusters of items");
    SCDC_TRY(arena_status(m));
    return walk_items(&(walk){.model = s->model,
                              .data = data,
                              .count = n,
                              .items = g->item,
                              .take = note_mixture,
                              .context = s});
}

/* The classifier that was taught becomes the model's. */
static int keep_classifier(school *s)
{
    scdc_model *model = s->model;
    classifier *taught = &s->found.classifier;
    if (!experts_need_classifier(&model->experts)) return SCDC_OK;
    for (size_t i = 0; i < taught->items; i++) taught->item[i] = (int64_t)s->found.graph.item[i];
    memcpy(taught->others, s->others, taught->items * taught->classes * sizeof *taught->others);
    model->classifier = *taught;
    *taught = (classifier){0};
    return SCDC_OK;
}

/* Annotated items are remembered as everything together places them, and workers judged by it. */
static int remember_all(school *s)
{
    scdc_model *model = s->model;
    cluster_level *t = model->clusters;
    size_t K = model->core->spec.components, C = model->n_clusters;
    for (size_t i = 0; i < s->found.graph.nodes; i++) {
        uint32_t node;
        if (!crowd_graph_find(&node, &t->graph, s->found.graph.item[i])) continue;
        set_clusters(s->z + i * K, s->r + i * C, model);
        remembered_store(&t->remembered, node, s->z + i * K);
    }
    return cluster_level_judge_workers(t);
}

/* ---- neighbours ---- */

static void set_rows(float *rows, const double *r, const crowd_graph *g, size_t C)
{
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t c = 0; c < C; c++) rows[g->item[i] * C + c] = (float)r[i * C + c];
    }
}

static void get_rows(double *r, const float *rows, const crowd_graph *g, size_t C)
{
    for (size_t i = 0; i < g->nodes; i++) {
        for (size_t c = 0; c < C; c++) r[i * C + c] = (double)rows[g->item[i] * C + c];
    }
}

/* How far users should doubt what they get, after it was doubted already by `before`. */
static int doubt_all(school *s, const double *word, double before, const expert_case *given)
{
    scdc_model *model = s->model;
    double usual = fmax(0, 1 - (1 - model->doubt) / (1 - before));
    return experts_choose_doubt(&model->doubt, usual, s->trial, word, given);
}

/* said[share] [trials][nodes][C]: the annotated items as neighbours leave them in each trial. All
 * trials begin with what the items are without any answer: nothing of one is in another. */
static int hear_trials(double *const said[EXPERT_SHARES], school *s, hood *h, float *unheard)
{
    const crowd_graph *g = &s->found.graph;
    size_t C = s->model->n_clusters, values = g->nodes * C, all = h->n * C;
    set_rows(h->own, s->mixture, g, C);
    SCDC_TRY(hood_settle(h, expert_shares[0]));
    memcpy(unheard, h->proba, all * sizeof *unheard);
    for (size_t t = 0; t < EXPERT_TRIALS; t++) {
        memcpy(h->proba, unheard, all * sizeof *unheard);
        set_rows(h->own, s->trial + t * values, g, C);
        for (size_t i = 0; i < EXPERT_SHARES; i++) {
            SCDC_TRY(hood_settle_on(h, expert_shares[i]));
            get_rows(said[i] + t * values, h->proba, g, C);
        }
    }
    return SCDC_OK;
}

/* Neighbours by how well items that hear them foretell the answers kept out. */
static int weigh_neighbours(school *s, hood *h, const expert_case *given)
{
    const crowd_graph *g = &s->found.graph;
    size_t C = s->model->n_clusters, values = g->nodes * C, trials = EXPERT_TRIALS * values;
    double *said[EXPERT_SHARES];
    arena memory = {0};
    double *kept = arena_new(&memory, values, sizeof *kept, "clusters of items");
    float *unheard = arena_new(&memory, h->n * C, sizeof *unheard, "clusters of items");
    for (size_t i = 0; i < EXPERT_SHARES; i++)
        said[i] = arena_new(&memory, trials, sizeof *said[i], "clusters of items");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        get_rows(kept, h->own, g, C);
        status = hear_trials(said, s, h, unheard);
        set_rows(h->own, kept, g, C);
    }
    experts *e = &s->model->experts;
    /* Networks learned from the answers; islands were found by neighbours. */
    bool first = h->apart || cluster_level_is_given_by(s->model->clusters, GIVEN_BY_NEIGHBOURS);
    if (status == SCDC_OK) status = experts_weigh_neighbours(e, s->trial, said, given, first);
    if (status == SCDC_OK && !h->apart) {
        double *word = said[0];
        for (size_t v = 0; v < trials; v++) {
            double sum = 0;
            for (size_t i = 0; i < EXPERT_SHARES; i++) sum += e->heard[i] * said[i][v];
            word[v] = sum;
        }
        status = doubt_all(s, word, 0, given);
    }
    arena_free(&memory);
    return status;
}

/* ---- all of it ---- */

static int weigh_all(school *s, hood *h, const scdc_data *data)
{
    scdc_model *model = s->model;
    const core_spec *spec = &model->core->spec;
    const remembered *all = &model->clusters->remembered;
    classes *found = &s->found;
    size_t C = model->n_clusters;
    bool kernel = data->cols <= CLASSES_MOST_DIMS &&
                  spec->options.clusters_from != SCDC_CLUSTERS_FROM_COMPONENTS;
    SCDC_TRY(classes_take_answers(found, all->answers, all->n_answers));
    if (found->graph.nodes < 2) return SCDC_OK;
    if (hood_counts(model, data->rows)) SCDC_TRY(known_prepare(model, data));
    SCDC_TRY(school_create(s, data));
    if (kernel) {
        SCDC_TRY(classifier_create(&found->classifier, found->graph.nodes, data->cols, C));
        input_gather(found->classifier.x, data, &model->input, found->graph.item,
                     found->graph.nodes);
    }
    expert_case given = {.answers = found->answers,
                         .graph = &found->graph,
                         .workers = spec->workers,
                         .clusters = C,
                         .mixture = s->mixture,
                         .options = &spec->options,
                         .known = spec->known};
    int status = experts_weigh(&model->experts, s->r, s->trial, s->others,
                               kernel ? &found->classifier : NULL, &given);
    if (status == SCDC_ERR_NUMERIC) { /* values that no kernel can be made of */
        status = experts_weigh(&model->experts, s->r, s->trial, s->others, NULL, &given);
    }
    SCDC_TRY(status);
    model->weighed = true;
    SCDC_TRY(keep_classifier(s));
    SCDC_TRY(remember_all(s));
    bool taught = spec->options.net != SCDC_NET_LINEAR;
    if (taught) SCDC_TRY(weigh_alone(model, data, found, false));
    if (!hood_counts(model, data->rows)) {
        return taught ? SCDC_OK : doubt_all(s, s->trial, model->experts.doubt, &given);
    }
    answer_list answers = {all->answers, all->n_answers, NULL};
    SCDC_TRY(hood_create(h, model, data->rows));
    SCDC_TRY(hood_find(h, model, data, model->known, &answers));
    SCDC_TRY(weigh_neighbours(s, h, &given));
    return taught ? weigh_together(model, h, data, found) : SCDC_OK;
}

int weigh_experts(scdc_model *model, hood *h, const scdc_data *data)
{
    school s = {.model = model};
    const cluster_level *t = model->clusters;
    size_t C = model->n_clusters;
    if (!t || !t->has_answers || model->classifier.items || C < 2 || C > MOST_CLASSES)
        return SCDC_OK;
    int status = weigh_all(&s, h, data);
    classes_free(&s.found);
    arena_free(&s.memory);
    return status;
}
