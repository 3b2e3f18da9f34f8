/* First components from k-means on latent means. */
#include "model/train/start.h"
#include "base/numeric.h"
#include "base/ranks.h"
#include "base/status.h"
#include "model/clusters/candidates.h"
#include "model/train/seen.h"
#include "model/train/steady.h"
#include "model/train/stop.h"
#include "model/train/view_links.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

enum { KMEANS_STARTS = 3, KMEANS_ITERATIONS = 50 };
/* As many columns as a fit without networks keeps all of. */
enum { FEW_VALUES = 16 };

/* Where the items that are looked at are, as float. */
typedef struct places {
    scdc_model *model;
    seen_items seen;
    float *mean, *variance; /* [n][d] */
    uint32_t *component;    /* [n] */
    arena memory;
} places;

static int places_create(places *p, scdc_model *model)
{
    *p = (places){.model = model};
    size_t d = model->core->spec.latent;
    SCDC_TRY(seen_choose(&p->seen, &p->memory, model->core->spec.items, &model->clusters->graph));
    p->mean = arena_new(&p->memory, p->seen.n * d, sizeof *p->mean, "latent means");
    p->variance = arena_new(&p->memory, p->seen.n * d, sizeof *p->variance, "latent variances");
    p->component = arena_new(&p->memory, p->seen.n, sizeof *p->component, "components");
    return arena_status(&p->memory);
}

static void narrow(float *out, const double *in, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = (float)in[i];
}

static int note_components(void *context, const chunk *c)
{
    const places *p = context;
    size_t d = p->model->core->spec.latent, K = p->model->core->spec.components;
    narrow(p->mean + c->first * d, c->x, c->rows * d);
    for (size_t row = 0; row < c->rows; row++) {
        p->component[c->first + row] = (uint32_t)argmax(c->z + row * K, K);
    }
    return SCDC_OK;
}

/* Under the standard normal of the warm-up: means in x, variances in z. */
static int place_warm(void *context, const chunk *c)
{
    const places *p = context;
    return p->model->core->ops->warm_place(c->x, c->z, p->model->core, c->o, c->rows);
}

static int note_variances(void *context, const chunk *c)
{
    const places *p = context;
    size_t d = p->model->core->spec.latent;
    narrow(p->mean + c->first * d, c->x, c->rows * d);
    narrow(p->variance + c->first * d, c->z, c->rows * d);
    return SCDC_OK;
}

/* Means, and under the standard normal of the warm-up variances, else components. */
static int find_places(places *p, const scdc_data *data, bool warm)
{
    size_t row = p->model->core->spec.latent * sizeof *p->mean;
    walk_result other = {p->component, sizeof *p->component};
    if (warm) other = (walk_result){p->variance, row};
    return walk_items(&(walk){.model = p->model,
                              .data = data,
                              .count = p->seen.n,
                              .items = p->seen.item,
                              .latent = true,
                              .place = warm ? place_warm : NULL,
                              .take = warm ? note_variances : note_components,
                              .context = p,
                              .result = {{p->mean, row}, other}});
}

/* Annotated items begin with most of their mass on the component of k-means. */
static void remember_start(const places *p)
{
    cluster_level *t = p->model->clusters;
    double *z = p->model->proportions;
    size_t K = t->core->spec.components;
    for (size_t node = 0; node < t->graph.nodes; node++) {
        for (size_t k = 0; k < K; k++) z[k] = 0.1 / (double)K;
        z[p->component[seen_place(&p->seen, t->graph.item[node])]] += 0.9;
        remembered_store(&t->remembered, node, z);
    }
}

kmeans_options start_kmeans(size_t k, const core_spec *s)
{
    return (kmeans_options){.k = k,
                            .starts = KMEANS_STARTS,
                            .max_iterations = KMEANS_ITERATIONS,
                            .tolerance = 1e-4,
                            .seed = s->options.seed};
}

/* k-means by one process, which tells the others: it has no parts that are worth sending around,
 * and so only one of them needs its room. */
static int assign_items(places *p)
{
    const core_spec *s = &p->model->core->spec;
    kmeans_options how = start_kmeans(s->components, s);
    int status = SCDC_OK;
    if (scdc_ranks_rank() == 0)
        status = kmeans_fit(p->component, NULL, NULL, p->mean, p->seen.n, s->latent, &how);
    SCDC_TRY(ranks_settle(status));
    return ranks_tell(p->component, p->seen.n * sizeof *p->component, 0);
}

/* Components and clusters from items assigned to components. */
static int begin_with(const places *p, const scdc_data *data)
{
    scdc_model *model = p->model;
    core *c = model->core;
    SCDC_TRY(c->ops->begin(c, p->mean, p->variance, p->component, p->seen.n, MIXTURE_FULL));
    remember_start(p);
    SCDC_TRY(cluster_level_link(model->clusters, p->mean, p->component, p->seen.n,
                                c->spec.options.seed));
    SCDC_TRY(link_views(model, data));
    SCDC_TRY(cluster_level_begin(model->clusters));
    return cluster_level_regroup(model->clusters, 3);
}

static int pick_in(candidate_choice *out, candidate_pool **pool, places *p, const float *x,
                   size_t d)
{
    const core_spec *s = &p->model->core->spec;
    const cluster_level *t = p->model->clusters;
    size_t count = t->has_answers ? t->remembered.n_answers : 0;
    const scdc_answer *answers;
    SCDC_TRY(seen_answers(&answers, &p->memory, &p->seen, t->remembered.answers, count));
    SCDC_TRY(
        candidates_open(pool, x, p->seen.n, d, answers, count, s->workers, s->known, &s->options));
    return candidates_pick(out, *pool, NULL);
}

/* Networks that learned from few answers may have moved kinds together that the values of the items
 * tell apart: of few values the components are chosen that explain the answers better. */
static int pick_by_values(candidate_choice *best, candidate_pool **pool, places *p,
                          const float *values, size_t cols)
{
    candidate_pool *other = NULL;
    candidate_choice found = {0};
    int status = pick_in(&found, &other, p, values, cols);
    if (status == SCDC_OK && found.evidence > best->evidence) {
        candidate_pool *worse = *pool;
        candidate_choice least = *best;
        *pool = other;
        *best = found;
        other = worse;
        found = least;
    }
    candidate_choice_free(&found);
    candidates_close(other);
    return status;
}

/* Components and clusters as they were chosen. */
static int take_candidate(places *p, const candidate_choice *best)
{
    scdc_model *model = p->model;
    core *c = model->core;
    cluster_level *t = model->clusters;
    size_t K = c->spec.components;
    uint32_t *cluster;
    SCDC_TRY(mem_zeroed(&cluster, K, sizeof *cluster, "clusters"));
    for (size_t k = 0; k < K; k++) {
        cluster[k] = k < best->components ? best->cluster[k] : NO_CLUSTER;
    }
    memcpy(p->component, best->component, p->seen.n * sizeof *p->component);
    int status = c->ops->begin(c, p->mean, p->variance, p->component, p->seen.n, best->family);
    if (status == SCDC_OK) {
        remember_start(p);
        cluster_level_fix_clusters(t, cluster);
        cluster_level_given_by(t, best->trusted   ? GIVEN_BY_DENSITIES
                                  : best->islands ? GIVEN_BY_NEIGHBOURS
                                                  : GIVEN_BY_OTHERS);
        status = cluster_level_regroup(t, 3);
    }
    mem_free(cluster);
    return status;
}

/* Whether all clusters of a candidate that was taken hold items. */
static int all_hold_items(bool *out, scdc_model *model, const scdc_data *data)
{
    arena memory = {0};
    int64_t *cluster = arena_new(&memory, data->rows, sizeof *cluster, "clusters");
    bool *held = arena_new(&memory, model->core->spec.components, sizeof *held, "clusters");
    size_t count = 0;
    int status = arena_status(&memory);
    model_regroup(model);
    if (status == SCDC_OK) status = sample_clusters(cluster, data->rows, model, data);
    for (size_t i = 0; i < data->rows && status == SCDC_OK; i++) {
        if (cluster[i] < 0 || held[cluster[i]]) continue;
        held[cluster[i]] = true;
        count++;
    }
    *out = count == model->n_clusters;
    arena_free(&memory);
    return status;
}

/* Latents that stay where they are: components are chosen with their clusters, and stay, too. A
 * component that overlaps others may lose all its items to them when it is one of the model: where
 * so many clusters are asked for, the next candidate is taken then. */
static int begin_with_candidate(candidate_pool **pool, places *p, const scdc_data *data,
                                const float *values)
{
    scdc_model *model = p->model;
    const core_spec *s = &model->core->spec;
    candidate_choice best;
    bool held = true;
    SCDC_TRY(pick_in(&best, pool, p, p->mean, s->latent));
    int status = values ? pick_by_values(&best, pool, p, values, data->cols) : SCDC_OK;
    if (status == SCDC_OK) status = take_candidate(p, &best);
    if (status == SCDC_OK && s->options.clusters) status = all_hold_items(&held, model, data);
    while (status == SCDC_OK && !held) {
        candidates_refuse(*pool);
        candidate_choice_free(&best);
        SCDC_TRY(candidates_pick(&best, *pool, NULL));
        status = take_candidate(p, &best);
        if (status == SCDC_OK) status = all_hold_items(&held, model, data);
    }
    if (status == SCDC_OK) status = candidates_look_again(&best, *pool);
    model->doubt = doubt_of(fmin(best.steady, best.agreed), best.clusters);
    candidate_choice_free(&best);
    return status;
}

/* Scaled values of the items [n][D] where networks stay and values are few; else NULL. */
static int few_values(float **out, places *p, const scdc_data *data)
{
    const scdc_model *model = p->model;
    size_t D = data->cols;
    real row[FEW_VALUES];
    *out = NULL;
    if (model->core->spec.options.net == SCDC_NET_LINEAR || D > FEW_VALUES) return SCDC_OK;
    *out = arena_new(&p->memory, p->seen.n, D * sizeof **out, "scaled items");
    SCDC_TRY(arena_status(&p->memory));
    for (size_t i = 0; i < p->seen.n; i++) {
        uint32_t item = (uint32_t)seen_item(&p->seen, i);
        input_gather(row, data, &model->input, &item, 1);
        for (size_t c = 0; c < D; c++) (*out)[i * D + c] = (float)row[c];
    }
    return SCDC_OK;
}

static int start(scdc_model *model, const scdc_data *data, bool latents_stay)
{
    const core_spec *s = &model->core->spec;
    bool in_classes = false;
    float *values;
    candidate_pool *pool = NULL;
    places p;
    int status;
    SCDC_TRY_OR(done, status, places_create(&p, model));
    SCDC_TRY_OR(done, status, find_places(&p, data, true));
    bool varies = mixture_mean_variance(p.mean, p.seen.n, s->latent) > 0;
    if (latents_stay && varies && s->components > 1) {
        SCDC_TRY_OR(done, status, few_values(&values, &p, data));
        SCDC_TRY_OR(done, status, begin_with_candidate(&pool, &p, data, values));
    } else {
        SCDC_TRY_OR(done, status, assign_items(&p));
        SCDC_TRY_OR(done, status, begin_with(&p, data));
    }
    SCDC_TRY_OR(done, status,
                start_from_classes(&in_classes, p.component, model, data, &p.seen, p.mean, pool));
    if (in_classes) status = begin_with(&p, data);
done:
    candidates_close(pool);
    arena_free(&p.memory);
    return status;
}

/* The likeliest class of items of which a word [N][C] is known. */
static void classes_by_words(uint32_t *class_of, const seen_items *seen, const float *word,
                             size_t C)
{
    for (size_t i = 0; i < seen->n; i++) {
        class_of[i] = (uint32_t)argmax(word + seen_item(seen, i) * C, C);
    }
}

int start_from_words(scdc_model *model, const scdc_data *data, const float *word, size_t C)
{
    cluster_level *t = model->clusters;
    places p;
    int status;
    SCDC_TRY_OR(done, status, places_create(&p, model));
    model_forget_experts(model);
    model_drop_classifier(model);
    SCDC_TRY_OR(done, status, find_places(&p, data, true));
    SCDC_TRY_OR(done, status, mem_zeroed(&t->verdict, data->rows, C * sizeof *word, "words"));
    memcpy(t->verdict, word, data->rows * C * sizeof *word);
    t->verdict_classes = C;
    classes_by_words(p.component, &p.seen, word, C);
    SCDC_TRY_OR(done, status, components_of_classes(p.component, model, p.seen.n, p.mean));
    status = begin_with(&p, data);
    model_regroup(model);
    model->doubt = 0;
done:
    model_drop_classifier(model); /* the table is for training */
    arena_free(&p.memory);
    return status;
}

int start_in_classes(bool *taken, scdc_model *model, const scdc_data *data,
                     const class_start *begin)
{
    places p;
    int status;
    SCDC_TRY_OR(done, status, places_create(&p, model));
    SCDC_TRY_OR(done, status, find_places(&p, data, true));
    SCDC_TRY_OR(done, status,
                take_classes(taken, p.component, model, data, &p.seen, p.mean, begin));
    if (*taken) status = begin_with(&p, data);
done:
    arena_free(&p.memory);
    return status;
}

int start_components(scdc_model *model, const scdc_data *data)
{
    return start(model, data, model->core->spec.options.net == SCDC_NET_LINEAR);
}

int start_components_again(scdc_model *model, const scdc_data *data)
{
    SCDC_TRY(start(model, data, true));
    model->doubt = 0; /* of a fit without networks; here experts are weighed by answers kept out */
    return SCDC_OK;
}

int refresh_links(scdc_model *model, const scdc_data *data)
{
    places p;
    int status;
    SCDC_TRY_OR(done, status, places_create(&p, model));
    SCDC_TRY_OR(done, status, find_places(&p, data, false));
    status = cluster_level_link(model->clusters, p.mean, p.component, p.seen.n,
                                model->core->spec.options.seed);
    if (status == SCDC_OK) status = link_views(model, data);
    if (status == SCDC_OK) status = cluster_level_weigh_views(model->clusters);
done:
    arena_free(&p.memory);
    return status;
}
