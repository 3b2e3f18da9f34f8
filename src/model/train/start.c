/* First components from k-means on latent means. */
#include "model/train/start.h"
#include "base/numeric.h"
#include "base/ranks.h"
#include "base/status.h"
#include "model/clusters/candidates.h"
#include "model/use/walk.h"

#include <math.h>
#include <string.h>

enum { KMEANS_STARTS = 3, KMEANS_ITERATIONS = 50 };

/* Where all items are, as float: latent means, and what a walk asks for beside them. */
typedef struct places {
    scdc_model *model;
    float *mean, *variance; /* [N][d] */
    uint32_t *component;    /* [N] */
} places;

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

static int find_places(places *p, const scdc_data *data, bool warm)
{
    size_t row = p->model->core->spec.latent * sizeof *p->mean;
    return walk_items(&(walk){
        .model = p->model,
        .data = data,
        .count = data->rows,
        .latent = true,
        .place = warm ? place_warm : NULL,
        .take = warm ? note_variances : note_components,
        .context = p,
        .result = {{p->mean, row}, {p->variance, row}, {p->component, sizeof *p->component}}});
}

/* Annotated items begin with most of their mass on the component of k-means. */
static void remember_start(cluster_level *t, const uint32_t *component, double *z)
{
    size_t K = t->core->spec.components;
    for (size_t node = 0; node < t->graph.nodes; node++) {
        for (size_t k = 0; k < K; k++) z[k] = 0.1 / (double)K;
        z[component[t->graph.item[node]]] += 0.9;
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
static int assign_items(uint32_t *component, const float *mean, const core_spec *s)
{
    kmeans_options how = start_kmeans(s->components, s);
    int status = SCDC_OK;
    if (scdc_ranks_rank() == 0)
        status = kmeans_fit(component, NULL, NULL, mean, s->items, s->latent, &how);
    SCDC_TRY(ranks_settle(status));
    return ranks_tell(component, s->items * sizeof *component, 0);
}

/* Components and clusters from items assigned to components. */
static int begin_with(scdc_model *model, const float *mean, const float *variance,
                      const uint32_t *component)
{
    SCDC_TRY(model->core->ops->begin(model->core, mean, variance, component, MIXTURE_FULL));
    remember_start(model->clusters, component, model->proportions);
    SCDC_TRY(cluster_level_link(model->clusters, mean, component, model->core->spec.options.seed));
    SCDC_TRY(cluster_level_begin(model->clusters));
    return cluster_level_regroup(model->clusters, 3);
}

static bool latents_are_fixed(const core_spec *s)
{
    return s->options.net == SCDC_NET_LINEAR;
}

/* Of items in C clusters, a share `steady` is where it was when halves are looked at: so much is
 * left of probabilities of 1 when this is given to all alike. */
static double doubt_of(double steady, size_t C)
{
    return C > 1 ? fmin(1, (1 - steady) * (double)C / ((double)C - 1)) : 0;
}

/* Latents without networks: components are chosen with their clusters, and stay. */
static int begin_with_candidate(candidate_pool **pool, scdc_model *model, const float *mean,
                                const float *variance, uint32_t *component)
{
    const core_spec *s = &model->core->spec;
    cluster_level *t = model->clusters;
    candidate_choice best;
    uint32_t *cluster;
    SCDC_TRY(candidates_open(pool, mean, s->items, s->latent, t->remembered.answers,
                             t->has_answers ? t->remembered.n_answers : 0, s->workers, s->known,
                             &s->options));
    SCDC_TRY(candidates_pick(&best, *pool, NULL));
    int status = candidates_look_again(&best, *pool);
    model->doubt = doubt_of(best.steady, best.clusters);
    if (status == SCDC_OK)
        status = mem_zeroed(&cluster, s->components, sizeof *cluster, "clusters");
    for (size_t k = 0; k < s->components && status == SCDC_OK; k++) {
        cluster[k] = k < best.components ? best.cluster[k] : NO_CLUSTER;
    }
    memcpy(component, best.component, s->items * sizeof *component);
    if (status == SCDC_OK) {
        status = model->core->ops->begin(model->core, mean, variance, component, best.family);
    }
    if (status == SCDC_OK) {
        remember_start(t, component, model->proportions);
        cluster_level_fix_clusters(t, cluster);
        cluster_level_trust(t, best.trusted);
        status = cluster_level_regroup(t, 3);
    }
    mem_free(cluster);
    candidate_choice_free(&best);
    return status;
}

int start_components(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    bool classes = false;
    float *mean, *variance;
    uint32_t *component;
    candidate_pool *pool = NULL;
    arena memory = {0};
    int status;
    mean = arena_new(&memory, data->rows * s->latent, sizeof *mean, "latent means");
    variance = arena_new(&memory, data->rows * s->latent, sizeof *variance, "latent variances");
    component = arena_new(&memory, data->rows, sizeof *component, "components");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, find_places(&(places){model, mean, variance, NULL}, data, true));
    bool varies = mixture_mean_variance(mean, data->rows, s->latent) > 0;
    if (latents_are_fixed(s) && varies && s->components > 1) {
        SCDC_TRY_OR(done, status, begin_with_candidate(&pool, model, mean, variance, component));
    } else {
        SCDC_TRY_OR(done, status, assign_items(component, mean, s));
        SCDC_TRY_OR(done, status, begin_with(model, mean, variance, component));
    }
    SCDC_TRY_OR(done, status, start_from_classes(&classes, component, model, data, mean, pool));
    if (classes) status = begin_with(model, mean, variance, component);
done:
    candidates_close(pool);
    arena_free(&memory);
    return status;
}

int start_components_again(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    arena memory = {0};
    float *mean = arena_new(&memory, data->rows * s->latent, sizeof *mean, "latent means");
    float *variance = arena_new(&memory, data->rows * s->latent, sizeof *variance, "variances");
    uint32_t *component = arena_new(&memory, data->rows, sizeof *component, "components");
    int status;
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, find_places(&(places){model, mean, variance, NULL}, data, true));
    SCDC_TRY_OR(done, status, assign_items(component, mean, s));
    status = begin_with(model, mean, variance, component);
done:
    arena_free(&memory);
    return status;
}

int refresh_links(scdc_model *model, const scdc_data *data)
{
    const core_spec *s = &model->core->spec;
    float *mean;
    uint32_t *component;
    arena memory = {0};
    int status;
    mean = arena_new(&memory, data->rows * s->latent, sizeof *mean, "latent means");
    component = arena_new(&memory, data->rows, sizeof *component, "components");
    SCDC_TRY_OR(done, status, arena_status(&memory));
    SCDC_TRY_OR(done, status, find_places(&(places){model, mean, NULL, component}, data, false));
    status = cluster_level_link(model->clusters, mean, component, s->options.seed);
done:
    arena_free(&memory);
    return status;
}
