/* The other start: where the answers are about kinds that k-means on latent means does not show,
 * clusters are classes of annotated items (classes.h), a classifier places all items into them, and
 * each class gets components of its own. */
#include "model/train/start.h"
#include "base/numeric.h"
#include "base/ranks.h"
#include "base/status.h"
#include "kmeans/kmeans.h"
#include "model/classes/classes.h"
#include "model/classes/contest.h"
#include "model/train/batcher.h"
#include "model/tuning.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

/* The cluster of each node, wrong with probability `doubt`. */
static void doubt_clusters(double *p, const uint32_t *cluster, size_t nodes, size_t C, double doubt)
{
    for (size_t n = 0; n < nodes; n++) {
        for (size_t c = 0; c < C; c++) p[n * C + c] = doubt / (double)C;
        p[n * C + cluster[n]] += 1 - doubt;
    }
}

/* Log likelihood of answers about nodes of a graph. */
typedef struct fits {
    double components; /* by the clusters of the components as they are */
    double habit;      /* by how often each worker says "same" */
    double best;       /* when it is known of every pair whether it is of one cluster */
} fits;

/* Clusters [nodes] of the graph's nodes by their remembered components. */
static void clusters_of_nodes(uint32_t *cluster, scdc_model *model, const crowd_graph *graph)
{
    cluster_level *t = model->clusters;
    double *z = model->proportions;
    for (size_t n = 0; n < graph->nodes; n++) {
        uint32_t node;
        if (!crowd_graph_find(&node, &t->graph, graph->item[n])) continue;
        remembered_read(z, &t->remembered, node);
        size_t best = argmax(z, t->core->spec.components);
        if (t->groups.cluster[best] >= 0) cluster[n] = (uint32_t)t->groups.cluster[best];
    }
}

static double fit_of_knowledge(const scdc_answer *answers, const double *weight, size_t count,
                               const two_coin *workers)
{
    double sum = 0;
    for (size_t a = 0; a < count; a++) {
        const two_coin *w = &workers[answers[a].worker];
        double same = answers[a].same ? w->ln_alpha : w->ln_not_alpha;
        double not_same = answers[a].same ? w->ln_not_beta : w->ln_beta;
        sum += weight[a] * (same > not_same ? same : not_same);
    }
    return sum;
}

/* The components' clusters are taken with as much doubt as explains the answers best: k-means knows
 * none. */
static int fit_answers(fits *out, scdc_model *model, const crowd_graph *graph,
                       const scdc_answer *answers, const double *weight, size_t count)
{
    static const double DOUBTS[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
    core *c = model->core;
    size_t C = model->clusters->groups.clusters, M = c->spec.workers;
    double *p;
    uint32_t *cluster;
    two_coin *workers;
    arena memory = {0};
    int status;
    p = arena_new(&memory, graph->nodes, C * sizeof *p, "clusters");
    cluster = arena_new(&memory, graph->nodes, sizeof *cluster, "clusters");
    workers = arena_new(&memory, M, sizeof *workers, "workers");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, c->ops->coins(workers, c));
    clusters_of_nodes(cluster, model, graph);
    *out =
        (fits){.components = -INFINITY, .best = fit_of_knowledge(answers, weight, count, workers)};
    SCDC_TRY_OR(done, status, answers_fit_by_habit(&out->habit, graph, answers, weight, count, M));
    for (size_t i = 0; i < sizeof DOUBTS / sizeof *DOUBTS; i++) {
        doubt_clusters(p, cluster, graph->nodes, C, DOUBTS[i]);
        double here = answers_fit(graph, answers, weight, count, p, C, workers);
        out->components = here > out->components ? here : out->components;
    }
done:
    arena_free(&memory);
    return status;
}

/* What components gain over habits, times the advantage that classes must have. */
static double to_beat(const fits *f)
{
    return f->components > f->habit ? CLEARLY_MORE * (f->components - f->habit) : 0;
}

/* The answers in two parts, those set aside last. Returns how many come first. */
static size_t set_aside(scdc_answer *out, double *weight, const remembered *r)
{
    const placements *tasks = &r->piles.tasks;
    size_t first = 0, last = r->n_answers;
    for (size_t a = 0; a < r->n_answers; a++) {
        size_t place = contest_leaves_out(&r->answers[a], tasks->grouping[a], 0) ? --last : first++;
        out[place] = r->answers[a];
        weight[place] = placements_worth(tasks, a);
    }
    return first;
}

static int compare_starts(bool *better, scdc_model *model, const classes *found,
                          const scdc_answer *unseen, const double *weight, size_t count)
{
    fits f;
    SCDC_TRY(fit_answers(&f, model, &found->graph, unseen, weight, count));
    double gain = answers_fit(&found->graph, unseen, weight, count, found->others,
                              found->classifier.classes, found->coins) -
                  f.habit;
    *better = gain > to_beat(&f) && gain > LEAST_GAIN;
    return SCDC_OK;
}

/* Whether classes found without some of the answers foretell these clearly better than the
 * components do. */
static int classes_foretell(bool *better, scdc_model *model, const scdc_data *data,
                            const scdc_answer *parts, const double *weight, size_t seen)
{
    const core_spec *s = &model->core->spec;
    size_t count = model->clusters->remembered.n_answers;
    classes found = {0};
    fits all;
    SCDC_TRY(fit_answers(&all, model, &model->clusters->graph, parts, weight, count));
    /* Not even the truth would be clearly better: no need to look for classes. */
    if (to_beat(&all) > 0 && to_beat(&all) >= all.best - all.habit) return SCDC_OK;
    int status = SCDC_OK;
    if (seen) {
        status = classes_find(&found, data, &model->input, parts, seen, s->workers, s->known,
                              &s->options, NULL);
    }
    if (status == SCDC_OK && found.classifier.items && found.classifier.classes > 1) {
        status = compare_starts(better, model, &found, parts + seen, weight + seen, count - seen);
    }
    classes_free(&found);
    return status;
}

static int classes_are_better(bool *better, scdc_model *model, const scdc_data *data,
                              candidate_pool *pool)
{
    const remembered *r = &model->clusters->remembered;
    scdc_answer *parts;
    double *weight;
    arena memory = {0};
    int status;
    *better = model->core->spec.options.clusters_from == SCDC_CLUSTERS_FROM_ANSWERS;
    if (*better) return SCDC_OK;
    if (pool) return contest_classes(better, model, data, pool);
    parts = arena_new(&memory, r->n_answers, sizeof *parts, "answers");
    weight = arena_new(&memory, r->n_answers, sizeof *weight, "answers");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    size_t seen = set_aside(parts, weight, r);
    status = classes_foretell(better, model, data, parts, weight, seen);
done:
    arena_free(&memory);
    return status;
}

static int take_classifier(scdc_model *model, const classes *found)
{
    const classifier *from = &found->classifier;
    SCDC_TRY(model_create_classifier(model, from->items, from->classes));
    tensor_ref to[CLASSIFIER_TENSORS], source[CLASSIFIER_TENSORS];
    classifier copy = *from;
    size_t count = classifier_tensors(to, &model->classifier);
    classifier_tensors(source, &copy);
    for (size_t i = 0; i < count; i++) {
        memcpy(to[i].values, source[i].values, tensor_bytes(&to[i]));
    }
    for (size_t i = 0; i < from->items; i++) {
        model->classifier.item[i] = (int64_t)found->graph.item[i];
    }
    memcpy(model->classifier.others, found->others,
           from->items * from->classes * sizeof *found->others);
    classifier_restore(&model->classifier);
    return SCDC_OK;
}

static int ask_classifier(void *context, const chunk *c)
{
    classifier_place(c->z, &((scdc_model *)context)->classifier, c->o, c->rows);
    return SCDC_OK;
}

static int note_verdict(void *context, const chunk *c)
{
    cluster_level *t = ((scdc_model *)context)->clusters;
    size_t C = t->verdict_classes;
    for (size_t row = 0; row < c->rows; row++) {
        float *word = t->verdict + c->item[row] * C;
        for (size_t k = 0; k < C; k++) word[k] = (float)c->z[row * C + k];
    }
    return SCDC_OK;
}

/* Of few items every process knows the word on all; of many on its own ones and the annotated. */
static int classify_own(scdc_model *model, const scdc_data *data)
{
    const cluster_level *t = model->clusters;
    size_t shards = model->core->spec.options.shards, first = 0, last = shards;
    walk own = {.model = model,
                .data = data,
                .count = data->rows,
                .place = ask_classifier,
                .take = note_verdict,
                .context = model};
    ranks_own(&first, &last, shards);
    own.begin = shard_stretch(data->rows, shards, first);
    own.end = shard_stretch(data->rows, shards, last);
    SCDC_TRY(ranks_settle(walk_items(&own)));
    own.begin = own.end = 0;
    own.count = t->graph.nodes;
    own.items = t->graph.item;
    return walk_items(&own);
}

int classify_all(scdc_model *model, const scdc_data *data)
{
    cluster_level *t = model->clusters;
    if (t->verdict || !model_is_judged(model)) return SCDC_OK;
    t->verdict_classes = model->classifier.classes;
    SCDC_TRY(mem_zeroed(&t->verdict, data->rows, t->verdict_classes * sizeof *t->verdict,
                        "the classifier's word"));
    if (data->rows > SEEN_ITEMS && model->core->spec.options.shards > 1)
        return classify_own(model, data);
    return walk_items(&(walk){.model = model,
                              .data = data,
                              .count = data->rows,
                              .place = ask_classifier,
                              .take = note_verdict,
                              .context = model,
                              .result = {{t->verdict, t->verdict_classes * sizeof *t->verdict}}});
}

/* ---- classes of the items seen ---- */

typedef struct naming {
    scdc_model *model;
    uint32_t *class_of; /* [n] */
} naming;

static int ask_for_class(void *context, const chunk *c)
{
    return ask_classifier(((const naming *)context)->model, c);
}

static int note_class(void *context, const chunk *c)
{
    const naming *to = context;
    size_t C = to->model->classifier.classes;
    for (size_t row = 0; row < c->rows; row++) {
        to->class_of[c->first + row] = (uint32_t)argmax(c->z + row * C, C);
    }
    return SCDC_OK;
}

static int name_classes(uint32_t *class_of, scdc_model *model, const scdc_data *data,
                        const seen_items *seen)
{
    const cluster_level *t = model->clusters;
    size_t C = t->verdict_classes;
    for (size_t i = 0; i < seen->n && !seen->item; i++) {
        class_of[i] = (uint32_t)argmax(t->verdict + i * C, C);
    }
    if (!seen->item) return SCDC_OK;
    return walk_items(&(walk){.model = model,
                              .data = data,
                              .count = seen->n,
                              .items = seen->item,
                              .place = ask_for_class,
                              .take = note_class,
                              .context = &(naming){model, class_of},
                              .result = {{class_of, sizeof *class_of}}});
}

/* ---- components inside classes ---- */

typedef struct division {
    size_t classes;
    size_t items;
    uint32_t *class_of; /* [items] */
    size_t members[MOST_CLASSES], components[MOST_CLASSES];
} division;

/* One component each, and the others one by one to where most items share one. A class that no
 * item is in keeps its component, which is then empty. */
static void share_components(division *d, size_t components)
{
    for (size_t c = 0; c < d->classes; c++) d->components[c] = 1;
    for (size_t given = d->classes; given < components; given++) {
        size_t best = 0;
        for (size_t c = 1; c < d->classes; c++) {
            if (d->members[c] * d->components[best] > d->members[best] * d->components[c]) best = c;
        }
        d->components[best]++;
    }
}

/* k-means among the items of one class; components from `first` on. */
static int divide_class(uint32_t *component, const division *d, size_t c, size_t first,
                        const float *mean, const core_spec *s)
{
    size_t n = d->members[c], dims = s->latent, row = 0;
    if (!n) return SCDC_OK;
    kmeans_options how = start_kmeans(d->components[c] < n ? d->components[c] : n, s);
    float *x;
    uint32_t *label;
    arena memory = {0};
    int status;
    x = arena_new(&memory, n, dims * sizeof *x, "latent means");
    label = arena_new(&memory, n, sizeof *label, "components");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    for (size_t i = 0; i < d->items; i++) {
        if (d->class_of[i] == c) memcpy(x + row++ * dims, mean + i * dims, dims * sizeof *x);
    }
    SCDC_TRY_OR(done, status, kmeans_fit(label, NULL, NULL, x, n, dims, &how));
    row = 0;
    for (size_t i = 0; i < d->items; i++) {
        if (d->class_of[i] == c) component[i] = (uint32_t)first + label[row++];
    }
done:
    arena_free(&memory);
    return status;
}

int components_of_classes(uint32_t *component, scdc_model *model, size_t n, const float *mean)
{
    const core_spec *s = &model->core->spec;
    cluster_level *t = model->clusters;
    division d = {.classes = t->verdict_classes, .items = n};
    uint32_t *cluster = NULL;
    size_t first = 0;
    arena memory = {0};
    int status;
    d.class_of = arena_new(&memory, n, sizeof *d.class_of, "classes");
    cluster = arena_new(&memory, s->components, sizeof *cluster, "clusters");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    memcpy(d.class_of, component, n * sizeof *component);
    for (size_t i = 0; i < n; i++) d.members[component[i]]++;
    share_components(&d, s->components);
    for (size_t c = 0; c < d.classes; c++) {
        SCDC_TRY_OR(done, status, divide_class(component, &d, c, first, mean, s));
        for (size_t k = 0; k < d.components[c]; k++) cluster[first++] = (uint32_t)c;
    }
    cluster_level_fix_clusters(t, cluster);
    cluster_level_given_by(t, GIVEN_BY_OTHERS);
done:
    arena_free(&memory);
    return status;
}

/* Whether as many of the classes hold items as clusters are asked for, where components could give
 * these. */
static bool as_many_as_asked(const scdc_model *model, const uint32_t *class_of, size_t n)
{
    const scdc_options *o = &model->core->spec.options;
    bool held[MOST_CLASSES] = {false};
    size_t count = 0;
    if (!o->clusters || o->clusters_from == SCDC_CLUSTERS_FROM_ANSWERS) return true;
    for (size_t i = 0; i < n; i++) {
        count += !held[class_of[i]];
        held[class_of[i]] = true;
    }
    return count == o->clusters;
}

int take_classes(bool *taken, uint32_t *component, scdc_model *model, const scdc_data *data,
                 const seen_items *seen, const float *mean, const class_start *begin)
{
    const core_spec *s = &model->core->spec;
    const remembered *r = &model->clusters->remembered;
    uint32_t *class_of = NULL;
    classes found;
    SCDC_TRY(classes_find(&found, data, &model->input, r->answers, r->n_answers, s->workers,
                          s->known, &s->options, begin));
    *taken = found.classifier.items > 0 && found.classifier.classes > 1;
    int status = *taken ? take_classifier(model, &found) : SCDC_OK;
    if (status == SCDC_OK) status = mem_zeroed(&class_of, seen->n, sizeof *class_of, "classes");
    if (status == SCDC_OK && *taken) status = classify_all(model, data);
    if (status == SCDC_OK && *taken) status = name_classes(class_of, model, data, seen);
    if (status == SCDC_OK && *taken && !as_many_as_asked(model, class_of, seen->n)) {
        model_drop_classifier(model);
        *taken = false;
    }
    if (status == SCDC_OK && *taken) {
        memcpy(component, class_of, seen->n * sizeof *component);
        status = components_of_classes(component, model, seen->n, mean);
    }
    mem_free(class_of);
    classes_free(&found);
    return status;
}

int start_from_classes(bool *taken, uint32_t *component, scdc_model *model, const scdc_data *data,
                       const seen_items *seen, const float *mean, candidate_pool *pool)
{
    scdc_clusters_from from = model->core->spec.options.clusters_from;
    *taken = false;
    if (!model->clusters->has_answers || from == SCDC_CLUSTERS_FROM_COMPONENTS) return SCDC_OK;
    SCDC_TRY(classes_are_better(taken, model, data, pool));
    return *taken ? take_classes(taken, component, model, data, seen, mean, NULL) : SCDC_OK;
}
