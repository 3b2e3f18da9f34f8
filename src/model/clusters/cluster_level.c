/* The cluster level around where clusters come from (cluster_source.h): state, workers, messages.
 */
#include "model/clusters/cluster_level.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/cluster_source.h"
#include "model/tuning.h"

#include <string.h>

enum { SAMPLE = 4096 };

/* The state is saved as a tensor: all of it doubles. */
enum { STATES = sizeof(cluster_state) / sizeof(double) };

int cluster_level_create(cluster_level *out, core *c, size_t nodes)
{
    cluster_level t = {.core = c, .source = &grouped_components, .has_answers = nodes > 0};
    size_t K = c->spec.components, square = K * K, workers = c->spec.workers;
    int status;
    SCDC_TRY_OR(error, status,
                remembered_create(&t.remembered, nodes, nodes ? c->spec.answers : 0, K));
    SCDC_TRY_OR(error, status, grouping_create(&t.groups, K));
    t.links = arena_new(&t.memory, square, sizeof *t.links, "links");
    t.views = arena_new(&t.memory, square, sizeof *t.views, "links");
    t.linked = arena_new(&t.memory, square, sizeof *t.linked, "links");
    t.evidence = arena_new(&t.memory, square, sizeof *t.evidence, "evidence");
    t.from_links = arena_new(&t.memory, square, sizeof *t.from_links, "evidence");
    t.share = arena_new(&t.memory, K, sizeof *t.share, "proportions");
    t.use = arena_new(&t.memory, K, sizeof *t.use, "live components");
    t.first = arena_new(&t.memory, K, sizeof *t.first, "clusters");
    t.workers = arena_new(&t.memory, workers, sizeof *t.workers, "workers");
    t.counts = arena_new(&t.memory, workers, sizeof *t.counts, "workers");
    SCDC_TRY_OR(error, status, arena_status(&t.memory));
    t.field = arena_new(&t.memory, c->spec.max_rows * K, sizeof *t.field, "messages");
    SCDC_TRY_OR(error, status, arena_status(&t.memory));
    t.sampled = c->spec.items < SAMPLE ? c->spec.items : SAMPLE;
    t.sample = arena_new(&t.memory, t.sampled, sizeof *t.sample, "a sample");
    SCDC_TRY_OR(error, status, arena_status(&t.memory));
    for (size_t i = 0; i < t.sampled; i++) t.sample[i] = -2;
    t.state = (cluster_state){.strength = 1, .coins = {0.9, 0.9}};
    *out = t;
    return SCDC_OK;
error:
    cluster_level_free(&t);
    return status;
}

int cluster_level_attach(cluster_level *t, const scdc_answer *answers, size_t n_answers)
{
    if (!t->has_answers && !n_answers) return SCDC_OK;
    if (!n_answers)
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model was fitted with answers, and there are none now");
    crowd_graph_free(&t->graph); /* of a fit that goes on in memory */
    cluster_level_forget_unheard(t);
    SCDC_TRY(crowd_graph_build(&t->graph, answers, n_answers));
    if (t->graph.nodes != t->remembered.nodes || n_answers != t->remembered.n_answers) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "the model remembers %zu answers about %zu items, these are %zu about %zu",
                         t->remembered.n_answers, t->remembered.nodes, n_answers, t->graph.nodes);
    }
    SCDC_TRY(remembered_attach(&t->remembered, answers, &t->graph));
    t->remembered.piles.shared = t->core->spec.options.coins == SCDC_COINS_SHARED;
    return SCDC_OK;
}

size_t cluster_level_tensors(tensor_ref *out, cluster_level *t)
{
    size_t K = t->core->spec.components, nodes = t->remembered.nodes, slots = t->remembered.slots,
           count = 0;
    out[count++] = (tensor_ref){"second.clusters", SCDC_F64, 2, {K, K}, t->groups.q};
    out[count++] = (tensor_ref){"second.links", SCDC_F64, 2, {K, K}, t->links};
    out[count++] = (tensor_ref){"second.views", SCDC_F64, 2, {K, K}, t->views};
    out[count++] = (tensor_ref){"second.state", SCDC_F64, 1, {STATES}, &t->state};
    out[count++] =
        (tensor_ref){"recall.component", SCDC_I32, 2, {nodes, slots}, t->remembered.component};
    out[count++] = (tensor_ref){"recall.share", SCDC_F32, 2, {nodes, slots}, t->remembered.share};
    out[count++] = (tensor_ref){"recall.lost", SCDC_F32, 1, {nodes}, t->remembered.lost};
    out[count++] = (tensor_ref){"second.sample", SCDC_I64, 1, {t->sampled}, t->sample};
    return count;
}

static void tell_clusters(cluster_level *t)
{
    remembered_set_clusters(&t->remembered, t->groups.q, t->core->spec.components,
                            t->groups.clusters);
}

/* Workers and clusters as they are now, for all that is heard from answers. */
static int weigh_answers(cluster_level *t)
{
    if (!t->has_answers || !t->remembered.graph) return SCDC_OK;
    SCDC_TRY(t->core->ops->coins(t->workers, t->core));
    tell_clusters(t);
    remembered_weigh(&t->remembered, t->workers);
    return SCDC_OK;
}

int cluster_level_restore(cluster_level *t)
{
    grouping_restore(&t->groups);
    t->source = t->state.given > 0 ? &given_clusters : &grouped_components;
    return weigh_answers(t);
}

bool cluster_level_valid(const cluster_level *t)
{
    int64_t K = (int64_t)t->core->spec.components;
    bool none = t->sample[0] == -2; /* then all are */
    for (size_t i = 0; i < t->sampled; i++) {
        if (t->sample[i] < -2 || t->sample[i] >= K || (t->sample[i] == -2) != none) return false;
    }
    return remembered_valid(&t->remembered);
}

void cluster_level_free(cluster_level *t)
{
    crowd_graph_free(&t->graph);
    remembered_free(&t->remembered);
    grouping_free(&t->groups);
    mem_free(t->verdict);
    cluster_level_forget_unheard(t);
    arena_free(&t->memory);
}

int cluster_level_link(cluster_level *t, const float *x, const uint32_t *component, size_t n,
                       uint64_t seed)
{
    return t->source->link(t, x, component, n, seed);
}

void cluster_level_link_views(cluster_level *t, const double *links)
{
    size_t square = t->core->spec.components * t->core->spec.components;
    double own = 0, other = 0;
    for (size_t i = 0; i < square; i++) own += t->links[i], other += links[i];
    for (size_t i = 0; i < square; i++) t->views[i] = other > 0 ? links[i] * own / other : 0;
}

void cluster_level_link_look_alikes(cluster_level *t, const double *links)
{
    cluster_level_link_views(t, links);
    t->state.has_links = LOOK_ALIKES;
}

/* ---- grouping ---- */

static void find_live(cluster_level *t)
{
    size_t K = t->core->spec.components;
    t->core->ops->proportions(t->share, t->core);
    for (size_t k = 0; k < K; k++) t->use[k] = t->share[k] >= LIVE_SHARE;
    t->use[argmax(t->share, K)] = true;
}

static int estimate_workers(cluster_level *t)
{
    size_t workers = t->core->spec.workers;
    two_coin_begin(t->counts, t->core->spec.known, workers);
    tell_clusters(t);
    remembered_count(t->counts, &t->remembered, t->groups.same);
    if (t->core->spec.options.coins == SCDC_COINS_SHARED) two_coin_share(t->counts, workers);
    return t->core->ops->set_workers(t->core, t->counts);
}

int cluster_level_begin(cluster_level *t)
{
    find_live(t);
    if (!t->has_answers || !t->state.has_links) return SCDC_OK; /* given clusters have no links */
    double strength = t->state.strength;
    t->state.strength = 1;
    SCDC_TRY(t->source->group(t, false));
    if (links_are_held(&t->state)) t->state.strength = strength;
    return estimate_workers(t);
}

void cluster_level_renumber(cluster_level *t, const uint32_t *number)
{
    size_t K = t->core->spec.components, C = t->groups.clusters;
    double *row = t->share; /* found anew before it is used */
    for (size_t k = 0; k < K; k++) {
        double *q = t->groups.q + k * K, sum = 0;
        memset(row, 0, C * sizeof *row);
        for (size_t c = 0; c < C; c++) {
            if (number[c] == NO_CLUSTER) continue;
            row[number[c]] += q[c];
            sum += q[c];
        }
        /* A component most of which is of a cluster that is no more is of none. */
        for (size_t c = 0; c < C; c++) q[c] = sum > 0.5 ? row[c] / sum : 0;
    }
    grouping_restore(&t->groups);
}

int cluster_level_judge_workers(cluster_level *t)
{
    if (!t->has_answers) return SCDC_OK;
    SCDC_TRY(estimate_workers(t));
    return weigh_answers(t);
}

int cluster_level_regroup(cluster_level *t, size_t rounds)
{
    find_live(t);
    SCDC_TRY(weigh_answers(t));
    for (size_t round = 0; round < rounds; round++) {
        SCDC_TRY(t->source->group(t, t->has_answers));
        if (t->has_answers) SCDC_TRY(estimate_workers(t));
        SCDC_TRY(weigh_answers(t));
    }
    return SCDC_OK;
}

/* ---- answers kept back ---- */

int cluster_level_keep_back(cluster_level *t, const bool *unheard)
{
    size_t nodes = t->remembered.nodes;
    cluster_level_forget_unheard(t);
    SCDC_TRY(mem_zeroed(&t->unheard, nodes, sizeof *t->unheard, "answers"));
    memcpy(t->unheard, unheard, nodes * sizeof *unheard);
    remembered_hear(&t->remembered, unheard);
    return weigh_answers(t);
}

int cluster_level_hear_all(cluster_level *t)
{
    if (!t->unheard) return SCDC_OK;
    remembered_hear(&t->remembered, NULL);
    return cluster_level_regroup(t, 2);
}

void cluster_level_forget_unheard(cluster_level *t)
{
    mem_free(t->unheard);
    t->unheard = NULL;
}

/* ---- messages ---- */

void cluster_level_send(cluster_level *t, minibatch *b)
{
    size_t K = t->core->spec.components;
    if (!t->has_answers) return;
    memset(t->field, 0, b->plain * K * sizeof *t->field);
    for (size_t row = b->plain; row < b->rows; row++) {
        uint32_t node;
        if (crowd_graph_find(&node, &t->graph, b->item[row])) {
            remembered_field(t->field + row * K, &t->remembered, node, t->groups.same);
        }
    }
    b->field = t->field;
    b->field_from = t->source->add_to_field(t, b);
}

void cluster_level_remember(cluster_level *t, const minibatch *b, const double *z)
{
    for (size_t row = b->plain; row < b->rows; row++) {
        uint32_t node;
        if (crowd_graph_find(&node, &t->graph, b->item[row])) {
            remembered_store(&t->remembered, node, z + row * t->core->spec.components);
        }
    }
}

double cluster_level_held_out(const cluster_level *t)
{
    return t->has_answers ? remembered_held_out(&t->remembered, t->groups.same, t->workers) : 0;
}

double cluster_level_answer_term(const cluster_level *t)
{
    if (!t->has_answers) return 0;
    return remembered_answer_term(&t->remembered, t->groups.same, t->workers) - t->groups.kl;
}
