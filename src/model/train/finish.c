/* Experts, and a census of the clusters. */
#include "model/train/finish.h"
#include "base/numeric.h"
#include "base/ranks.h"
#include "base/status.h"
#include "model/train/steady.h"
#include "model/use/place_answers.h"

#include <scdc/limits.h>
#include <string.h>

/* ---- counting ---- */

typedef struct census {
    scdc_model *model;
    const scdc_data *data;
    answer_list answers;
    hood hood;       /* n is 0: not looked at since the model changed */
    size_t *held;    /* [K] items of each cluster */
    int64_t *labels; /* [N] */
    placed apart;    /* where labels go without a hood: each process has its own items */
    arena memory;
} census;

static void look_again(census *s)
{
    hood_free(&s->hood);
    s->hood = (hood){0};
}

/* Labels as users get them. */
static int label_items(census *s)
{
    scdc_model *model = s->model;
    experts all = experts_mixture_only(0);
    if (!hood_counts(model, s->data->rows)) {
        return model_place(&s->apart, model, s->data, &s->answers);
    }
    if (!s->hood.n) {
        SCDC_TRY(known_prepare(model, s->data));
        SCDC_TRY(hood_create(&s->hood, model, s->data->rows));
        SCDC_TRY(hood_find(&s->hood, model, s->data, model->known, &s->answers));
    }
    hood *h = &s->hood;
    SCDC_TRY(hood_hear(h, model->weighed ? &model->experts : &all));
    for (size_t i = 0; i < h->n; i++) {
        s->labels[i] = (int64_t)argmax(h->proba + i * h->clusters, h->clusters);
    }
    return SCDC_OK;
}

/* Returns in *live how many clusters hold items. */
static int count_items(size_t *live, census *s)
{
    *live = 0;
    SCDC_TRY(label_items(s));
    memset(s->held, 0, s->model->n_clusters * sizeof *s->held);
    size_t begin = 0, end = s->data->rows;
    bool apart = !hood_counts(s->model, end);
    if (apart) kept_items(&begin, &end, &s->apart, s->model, end);
    for (size_t i = begin; i < end; i++) s->held[s->labels[i]]++;
    if (apart) SCDC_TRY(ranks_add_counts(s->held, s->model->n_clusters));
    for (size_t c = 0; c < s->model->n_clusters; c++) *live += s->held[c] > 0;
    return SCDC_OK;
}

/* ---- clusters without items ---- */

/* Where most items are that would be in this cluster but for their neighbours; NO_CLUSTER: it would
 * have none. */
static size_t heir_of(const census *s, size_t cluster, size_t *went)
{
    const hood *h = &s->hood;
    size_t C = s->model->n_clusters, best;
    memset(went, 0, C * sizeof *went);
    for (size_t i = 0; i < h->n; i++) {
        if (h->labels[i] == (int64_t)cluster) went[s->labels[i]]++;
    }
    best = 0;
    for (size_t c = 1; c < C; c++) best = went[c] > went[best] ? c : best;
    return went[best] ? best : NO_CLUSTER;
}

/* Clusters that hold no item are one with those where their items went. */
static int drop_empty(census *s, size_t kept)
{
    scdc_model *model = s->model;
    size_t C = model->n_clusters, next = 0;
    arena memory = {0};
    uint32_t *number = arena_new(&memory, C, sizeof *number, "clusters");
    size_t *went = arena_new(&memory, C, sizeof *went, "clusters");
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        for (size_t c = 0; c < C; c++) number[c] = s->held[c] ? (uint32_t)next++ : NO_CLUSTER;
        for (size_t c = 0; c < C; c++) {
            size_t heir = s->held[c] ? NO_CLUSTER : heir_of(s, c, went);
            if (heir != NO_CLUSTER) number[c] = number[heir];
        }
        cluster_level_renumber(model->clusters, number);
        classifier_renumber(&model->classifier, number, kept);
        model_regroup(model);
        hood_free(&s->hood);
        s->hood = (hood){0};
        status = cluster_level_judge_workers(model->clusters);
    }
    arena_free(&memory);
    return status;
}

/* ---- as many clusters as are asked for ---- */

/* Who speaks next where the experts leave one of the clusters asked for without items: first
 * neighbours are silent, then the classifier. false: nobody is left. */
static bool silence_next(census *s)
{
    scdc_model *model = s->model;
    experts *e = &model->experts;
    bool judged = model_is_judged(model);
    if (judged || (model->weighed && e->weight[0] == 1 && e->heard[EXPERT_SHARES - 1] == 1)) {
        return false;
    }
    if (!model->weighed || e->heard[EXPERT_SHARES - 1] == 1) {
        model_forget_experts(model);
        *e = experts_mixture_only(0);
        model->weighed = true;
        look_again(s);
    }
    memset(e->heard, 0, sizeof e->heard);
    e->heard[EXPERT_SHARES - 1] = 1;
    return true;
}

static int insist_on_clusters(size_t *live, census *s, size_t wanted)
{
    SCDC_TRY(count_items(live, s));
    while (*live != wanted && silence_next(s)) SCDC_TRY(count_items(live, s));
    return SCDC_OK;
}

int clusters_as_asked(const scdc_model *model)
{
    size_t wanted = model->core->spec.options.clusters, live = model->n_clusters;
    if (!model->clusters || !wanted || live == wanted) return SCDC_OK;
    return fail_with(SCDC_ERR_ARGUMENT,
                     "%zu clusters were asked for, but items and answers tell only %zu apart: ask "
                     "for %zu or fewer, or for none in particular (clusters=auto)",
                     wanted, live, live);
}

/* Neighbours are heard less, by the next share. false: they were silent. */
static bool hush_neighbours(scdc_model *model)
{
    experts *e = &model->experts;
    if (!model->weighed) *e = experts_mixture_only(0);
    model->weighed = true;
    size_t next = argmax(e->heard, EXPERT_SHARES) + 1;
    if (next == EXPERT_SHARES) return false;
    memset(e->heard, 0, sizeof e->heard);
    e->heard[next] = 1;
    return true;
}

/* Where the items of a cluster that is no more empty another one, neighbours speak too loud: in the
 * end all items would be one cluster. */
static int drop_all_empty(census *s)
{
    bool dropped = false;
    size_t live, steps = s->model->n_clusters + EXPERT_SHARES; /* more than can be needed */
    SCDC_TRY(count_items(&live, s));
    while (live < s->model->n_clusters && steps--) {
        bool hushed = dropped && s->hood.n && hush_neighbours(s->model);
        if (!hushed) SCDC_TRY(drop_empty(s, live));
        dropped = true;
        SCDC_TRY(count_items(&live, s));
    }
    return SCDC_OK;
}

/* ---- all of it ---- */

/* Without answers nobody tells how far the clusters of a network's latents can be believed but the
 * items themselves. */
static int doubt_clusters(census *s)
{
    scdc_model *model = s->model;
    double steady;
    bool learned = model->core->spec.options.net != SCDC_NET_LINEAR;
    bool many = s->data->rows > SCDC_LIMIT_NEIGHBOURS;
    if (s->answers.count || !learned || model->n_clusters < 2) return SCDC_OK;
    if (!s->hood.n && !many) return SCDC_OK;
    if (many) SCDC_TRY(steady_sample(&steady, model, s->data));
    else SCDC_TRY(steady_clusters(&steady, model, model->known->latent, s->hood.n, s->labels));
    model->doubt = doubt_of(steady, model->n_clusters);
    return SCDC_OK;
}

/* What count_items saw last is what users get. */
static int keep_labels(census *s)
{
    SCDC_TRY(settle_labels(&s->hood, s->model, s->data));
    return settled_keep(s->model, &s->hood, s->data, answers_checksum(&s->answers));
}

int finish_fit(scdc_model *model, const scdc_data *data)
{
    cluster_level *t = model->clusters;
    if (!t || model_is_led(model)) return SCDC_OK; /* the network says what clusters there are */
    size_t K = model->core->spec.components, wanted = model->core->spec.options.clusters;
    size_t live = 0;
    census s = {.model = model, .data = data};
    int status;
    if (t->has_answers) {
        s.answers = (answer_list){t->remembered.answers, t->remembered.n_answers, NULL};
    }
    s.held = arena_new(&s.memory, K, sizeof *s.held, "clusters");
    s.labels = arena_new(&s.memory, data->rows, sizeof *s.labels, "labels");
    s.apart = (placed){.labels = s.labels, .kept_by = KEPT_APART};
    SCDC_TRY_OR(done, status, arena_status(&s.memory));
    SCDC_TRY_OR(done, status, weigh_experts(model, &s.hood, data));
    if (wanted) SCDC_TRY_OR(done, status, insist_on_clusters(&live, &s, wanted));
    status = wanted && live == wanted ? SCDC_OK : drop_all_empty(&s);
    if (status == SCDC_OK) status = doubt_clusters(&s);
    if (status == SCDC_OK && s.hood.n && hood_counts(model, data->rows)) status = keep_labels(&s);
done:
    hood_free(&s.hood);
    arena_free(&s.memory);
    return status;
}
