/* Grouping components by all answers and by neighbours in latent space. */
#include "model/clusters/cluster_level.h"
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
#include "model/clusters/partition.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 4096, SWEEPS = 4, LINK_ROUNDS = 4 };

/* The state is saved as a tensor: all of it doubles. */
enum { STATES = sizeof(cluster_state) / sizeof(double) };

int cluster_level_create(cluster_level *out, core *c, size_t nodes)
{
    cluster_level t = {.core = c, .has_answers = nodes > 0};
    size_t K = c->spec.components, square = K * K, workers = c->spec.workers;
    int status;
    SCDC_TRY_OR(error, status,
                remembered_create(&t.remembered, nodes, nodes ? c->spec.answers : 0, K));
    SCDC_TRY_OR(error, status, grouping_create(&t.groups, K));
    t.links = arena_new(&t.memory, square, sizeof *t.links, "links");
    t.evidence = arena_new(&t.memory, square, sizeof *t.evidence, "evidence");
    t.from_links = arena_new(&t.memory, square, sizeof *t.from_links, "evidence");
    t.share = arena_new(&t.memory, K, sizeof *t.share, "proportions");
    t.use = arena_new(&t.memory, K, sizeof *t.use, "live components");
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
    arena_free(&t->memory);
}

int cluster_level_link(cluster_level *t, const float *x, const uint32_t *component, uint64_t seed)
{
    const core_spec *s = &t->core->spec;
    size_t n = s->items, most = s->options.neighbours, k = most < n - 1 ? most : n - 1;
    uint32_t *near;
    if (!k || cluster_level_fixed(t)) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&near, n, k * sizeof *near, "neighbours"));
    int status = nearest_items(near, k, x, n, s->latent, component, s->components, seed);
    if (status == SCDC_OK) {
        neighbour_links(t->links, s->components, near, n, k, component);
        t->state.has_links = 1;
    }
    mem_free(near);
    return status;
}

/* ---- grouping ---- */

static void find_live(cluster_level *t)
{
    size_t K = t->core->spec.components;
    t->core->ops->proportions(t->share, t->core);
    for (size_t k = 0; k < K; k++) t->use[k] = t->share[k] >= LIVE_SHARE;
    t->use[argmax(t->share, K)] = true;
}

static void group(cluster_level *t, bool answers)
{
    grouping_options options = {
        .concentration = 1, .clusters = t->core->spec.options.clusters, .sweeps = SWEEPS};
    if (answers && t->state.has_links) {
        options.doubtful = t->from_links;
        options.doubt = LINKS_DOUBT;
    }
    grouping_fit(&t->groups, t->evidence, t->use, &options);
}

/* Log likelihood of all answers when two components are one cluster with the probability that the
 * links give at this strength. Worker parameters as they are. */
static double fit_of_strength(const cluster_level *t, const double *answers_of_pair,
                              double strength)
{
    size_t K = t->core->spec.components;
    double sum = 0;
    for (size_t i = 0; i < K * K; i++) {
        if (answers_of_pair[i] == 0) continue;
        double logit = strength * t->from_links[i];
        /* ln(p e^g + (1 - p)), g the evidence of the pair's answers for being one cluster */
        double p = 1 / (1 + exp(-logit)), g = answers_of_pair[i];
        sum += g > 0 ? g + log(p + (1 - p) * exp(-g)) : log(p * exp(g) + 1 - p);
    }
    return sum;
}

/* Whether the answers say nothing about any two components: nobody is to be believed, or all were
 * about other things. */
static bool answers_are_silent(const cluster_level *t, const double *from_answers)
{
    size_t K = t->core->spec.components;
    for (size_t i = 0; i < K * K; i++) {
        if (i / K != i % K && fabs(from_answers[i]) > LEAST_WORD) return false;
    }
    return true;
}

/* The strength of the links, learned from the answers: a grid over powers of two, with a weak
 * preference for 1 %. Without answers, or where these say nothing, only the sign of the evidence
 * matters. */
static void learn_strength(cluster_level *t, const double *from_answers)
{
    double best = -INFINITY;
    t->state.strength = 1;
    if (answers_are_silent(t, from_answers)) return;
    for (int power = 0; power >= -16; power--) {
        double strength = ldexp(1, power), distance = (power - STRENGTH_USUAL) / STRENGTH_SPREAD;
        double value = fit_of_strength(t, from_answers, strength) - distance * distance / 2;
        if (value > best) {
            best = value;
            t->state.strength = strength;
        }
    }
}

/* Evidence from answers and links. The links' coins depend on the grouping and the grouping on
 * them: a few rounds settle both. */
static void weigh_evidence(cluster_level *t, bool answers)
{
    size_t square = t->core->spec.components * t->core->spec.components;
    if (answers) remembered_evidence(t->evidence, &t->remembered, false);
    else memset(t->evidence, 0, square * sizeof *t->evidence);
    if (!t->state.has_links) return;
    neighbour_evidence(t->from_links, t->state.coins, t->core->spec.components, t->links, t->share);
    if (answers) learn_strength(t, t->evidence);
    for (size_t i = 0; i < square; i++) {
        t->from_links[i] *= t->state.strength;
        t->evidence[i] += t->from_links[i];
    }
}

static int estimate_workers(cluster_level *t)
{
    size_t workers = t->core->spec.workers;
    memset(t->counts, 0, workers * sizeof *t->counts);
    tell_clusters(t);
    remembered_count(t->counts, &t->remembered, t->groups.same);
    if (t->core->spec.options.coins == SCDC_COINS_SHARED) two_coin_share(t->counts, workers);
    return t->core->ops->set_workers(t->core, t->counts);
}

/* ---- joining by answers ---- */

/* Answers about items whose components are in clusters. Returns how many. */
static size_t ask_clusters(asked *out, const cluster_level *t, const uint32_t *cluster,
                           const double *worth)
{
    size_t count = 0;
    for (size_t a = 0; a < t->remembered.n_answers; a++) {
        const scdc_answer *q = &t->remembered.answers[a];
        uint32_t left = cluster[t->graph.left[a]], right = cluster[t->graph.right[a]];
        if (left == NO_CLUSTER || right == NO_CLUSTER) continue;
        out[count++] = (asked){left, right, q->worker, q->same, worth[a]};
    }
    return count;
}

static void clusters_of_nodes(uint32_t *cluster, cluster_level *t)
{
    size_t K = t->core->spec.components;
    double *z = t->field; /* the messages of a minibatch are long heard */
    for (size_t n = 0; n < t->graph.nodes; n++) {
        remembered_read(z, &t->remembered, n);
        int64_t of = t->groups.cluster[argmax(z, K)];
        cluster[n] = of >= 0 ? (uint32_t)of : NO_CLUSTER;
    }
}

/* Clusters that the answers say are one, by evidence that adds up over joins and pays for naming
 * each of them (partition.h): under noise no single pair of components shows it. */
static int join_by_answers(cluster_level *t)
{
    size_t C = t->groups.clusters, wanted = t->core->spec.options.clusters, parts = C;
    if (C < 3 || (wanted && C <= wanted)) return SCDC_OK;
    arena memory = {0};
    answer_set answers = {0};
    uint32_t *cluster = arena_new(&memory, t->graph.nodes, sizeof *cluster, "clusters");
    uint32_t *same = arena_new(&memory, C, sizeof *same, "clusters");
    uint32_t *part = arena_new(&memory, C, sizeof *part, "clusters");
    asked *all = arena_new(&memory, t->remembered.n_answers, sizeof *all, "answers");
    double *worth = arena_new(&memory, t->remembered.n_answers, sizeof *worth, "answers");
    partition_work work = {arena_new(&memory, C, C * sizeof(double), "evidence"),
                           arena_new(&memory, C, sizeof(uint32_t), "clusters")};
    int status = arena_status(&memory);
    if (status == SCDC_OK) {
        status = answers_worth(worth, t->remembered.answers, t->remembered.n_answers);
    }
    if (status != SCDC_OK) goto done;
    clusters_of_nodes(cluster, t);
    for (size_t c = 0; c < C; c++) same[c] = part[c] = (uint32_t)c;
    size_t count = ask_clusters(all, t, cluster, worth);
    SCDC_TRY_OR(
        done, status,
        answer_set_create(&answers, all, count, t->core->spec.workers, &t->core->spec.options));
    partition_join(part, &parts, &answers, same, C, wanted, &work);
    if (parts < C) grouping_merge(&t->groups, part, parts);
done:
    answer_set_free(&answers);
    arena_free(&memory);
    return status;
}

static int group_by_evidence(cluster_level *t, bool answers)
{
    size_t rounds = answers ? 1 : LINK_ROUNDS;
    for (size_t i = 0; i < rounds; i++) {
        weigh_evidence(t, answers);
        group(t, answers);
        if (answers) SCDC_TRY(join_by_answers(t));
        if (t->state.has_links) {
            neighbour_coins(t->state.coins, t->core->spec.components, t->links, t->share,
                            t->groups.same);
        }
    }
    return SCDC_OK;
}

void cluster_level_fix_clusters(cluster_level *t, const uint32_t *cluster)
{
    size_t K = t->core->spec.components;
    memset(t->groups.q, 0, K * K * sizeof *t->groups.q);
    for (size_t k = 0; k < K; k++) {
        if (cluster[k] != NO_CLUSTER) t->groups.q[k * K + cluster[k]] = 1;
    }
    t->groups.kl = 0;
    /* Links have nothing to say any more. */
    memset(t->links, 0, K * K * sizeof *t->links);
    t->state.has_links = 0;
    t->state.given = 1;
    grouping_restore(&t->groups);
}

bool cluster_level_fixed(const cluster_level *t)
{
    return t->state.given > 0;
}

int cluster_level_begin(cluster_level *t)
{
    find_live(t);
    if (!t->has_answers || !t->state.has_links || cluster_level_fixed(t)) return SCDC_OK;
    t->state.strength = 1;
    SCDC_TRY(group_by_evidence(t, false));
    return estimate_workers(t);
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
        if (!cluster_level_fixed(t)) SCDC_TRY(group_by_evidence(t, t->has_answers));
        if (t->has_answers) SCDC_TRY(estimate_workers(t));
        SCDC_TRY(weigh_answers(t));
    }
    return SCDC_OK;
}

/* ---- messages ---- */

/* The classifier's word on every row, so strong that the mixture only chooses inside a cluster. */
static void add_verdict(cluster_level *t, const minibatch *b)
{
    size_t K = t->core->spec.components, C = t->verdict_classes;
    for (size_t row = 0; row < b->rows; row++) {
        const float *p = t->verdict + b->item[row] * C;
        for (size_t k = 0; k < K; k++) {
            int64_t cluster = t->groups.cluster[k];
            double own = cluster >= 0 && cluster < (int64_t)C ? (double)p[cluster] : 0;
            t->field[row * K + k] += VERDICT_WEIGHT * log(own > 1e-6 ? own : 1e-6);
        }
    }
}

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
    if (t->verdict) add_verdict(t, b);
    b->field = t->field;
    b->field_from = t->verdict ? 0 : b->plain;
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
