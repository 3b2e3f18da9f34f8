/* Clusters as groups of components, by all answers and by neighbours in latent space. */
#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"
#include "model/clusters/cluster_source.h"
#include "model/clusters/likely_groupings.h"
#include "model/clusters/nearest.h"
#include "model/clusters/neighbours.h"
#include "model/clusters/partition.h"
#include "model/tuning.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 4, LINK_ROUNDS = 4, CONCENTRATION = 1 };

static int link_neighbours(cluster_level *t, const float *x, const uint32_t *component, size_t n,
                           uint64_t seed)
{
    const core_spec *s = &t->core->spec;
    size_t most = s->options.neighbours, k = most < n - 1 ? most : n - 1;
    uint32_t *near;
    if (!k) return SCDC_OK;
    SCDC_TRY(mem_zeroed(&near, n, k * sizeof *near, "neighbours"));
    int status = nearest_items(near, k, x, n, s->latent, component, s->components, seed);
    if (status == SCDC_OK) {
        neighbour_links(t->links, s->components, near, n, k, component);
        if (!t->state.has_links || look_alikes_count(&t->state)) t->state.has_links = LINKS;
    }
    mem_free(near);
    return status;
}

static void group(cluster_level *t)
{
    const grouping_options options = {.concentration = CONCENTRATION,
                                      .clusters = t->core->spec.options.clusters,
                                      .sweeps = SWEEPS};
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

/* Strengths that are tried: 2^0, 2^-1, ... */
enum { POWERS = 17 };

typedef struct trying {
    const cluster_level *t;
    const double *from_answers;
    double value[POWERS];
} trying;

static void try_strengths(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    trying *s = context;
    for (size_t i = begin; i < end; i++) {
        double power = -(double)i, distance = (power - STRENGTH_USUAL) / STRENGTH_SPREAD;
        s->value[i] =
            fit_of_strength(s->t, s->from_answers, ldexp(1, (int)power)) - distance * distance / 2;
    }
}

/* The strength of the links, learned from the answers: a grid over powers of two, with a weak
 * preference for 1 %. Without answers, or where these say nothing, only the sign of the evidence
 * matters. */
static void learn_strength(cluster_level *t, const double *from_answers)
{
    trying s = {.t = t, .from_answers = from_answers};
    t->state.strength = 1;
    if (answers_are_silent(t, from_answers)) return;
    parallel_for(POWERS, 1, try_strengths, &s);
    t->state.strength = ldexp(1, -(int)argmax(s.value, POWERS));
}

/* Links of neighbours, and of views or not, or of look-alikes, as evidence. */
static void believe_links(cluster_level *t, bool views)
{
    size_t K = t->core->spec.components;
    bool neighbours = !look_alikes_count(&t->state);
    for (size_t i = 0; i < K * K; i++)
        t->linked[i] = (neighbours ? t->links[i] : 0) + (views ? t->views[i] : 0);
    neighbour_evidence(t->from_links, t->state.coins, K, t->linked, t->share);
}

/* Evidence from answers and links. The links' coins depend on the grouping and the grouping on
 * them: a few rounds settle both. */
static void weigh_evidence(cluster_level *t, bool answers)
{
    size_t square = t->core->spec.components * t->core->spec.components;
    if (answers) remembered_evidence(t->evidence, &t->remembered, false);
    else memset(t->evidence, 0, square * sizeof *t->evidence);
    if (!t->state.has_links) return;
    /* Shirts and coats lead into one another, and are two kinds: where answers tell, they mostly do
     * so better than views (weigh_views.c). */
    bool told = answers ? !answers_are_silent(t, t->evidence) : t->has_answers && !t->unasked;
    believe_links(t, !told || views_count(&t->state) || look_alikes_count(&t->state));
    if (answers && !links_are_held(&t->state)) learn_strength(t, t->evidence);
    for (size_t i = 0; i < square; i++) {
        t->from_links[i] *= t->state.strength;
        t->evidence[i] += t->from_links[i];
    }
}

/* ---- joining by answers ---- */

/* Answers that are heard, about items whose components are in clusters. Returns how many. */
static size_t ask_items(asked *out, const cluster_level *t, const whereabouts *item,
                        const double *worth)
{
    size_t count = 0;
    const bool *unheard = t->remembered.unheard;
    for (size_t a = 0; a < t->remembered.n_answers; a++) {
        const scdc_answer *q = &t->remembered.answers[a];
        uint32_t left = t->graph.left[a], right = t->graph.right[a];
        if (unheard[left] || unheard[right]) continue;
        if (item[left].share == 0 || item[right].share == 0) continue;
        out[count++] = (asked){left, right, q->worker, q->same, worth[a]};
    }
    return count;
}

/* The two likeliest clusters of an item by its components z, in a fit that of the likeliest
 * component; no share: it is in none. mass [C] is scratch. */
static whereabouts whereabouts_of(const double *z, double *mass, const cluster_level *t)
{
    size_t K = t->core->spec.components, C = t->groups.clusters;
    if (!t->updated) {
        int64_t of = t->groups.cluster[argmax(z, K)];
        uint32_t only = of < 0 ? 0 : (uint32_t)of;
        return (whereabouts){only, only, of < 0 ? 0 : 1};
    }
    memset(mass, 0, C * sizeof *mass);
    for (size_t k = 0; k < K; k++) {
        if (t->groups.cluster[k] >= 0) mass[t->groups.cluster[k]] += z[k];
    }
    uint32_t first = (uint32_t)argmax(mass, C), second = first;
    double top = mass[first], next = 0;
    for (size_t c = 0; c < C; c++) {
        if (c != first && mass[c] > next) next = mass[second = (uint32_t)c];
    }
    return (whereabouts){first, second, top > 0 ? (float)(top / (top + next)) : 0};
}

static void find_items(whereabouts *item, double *mass, cluster_level *t)
{
    double *z = t->field; /* the messages of a minibatch are long heard */
    for (size_t n = 0; n < t->graph.nodes; n++) {
        remembered_read(z, &t->remembered, n);
        item[n] = whereabouts_of(z, mass, t);
    }
}

/* The clusters by links alone that those found since lie in, by most of their items: group [C],
 * votes [C][K]. */
static void first_clusters(uint32_t *group, double *votes, const cluster_level *t)
{
    size_t K = t->core->spec.components, C = t->groups.clusters;
    memset(votes, 0, C * K * sizeof *votes);
    for (size_t k = 0; k < K; k++) {
        if (t->groups.cluster[k] >= 0 && t->first[k] != NO_CLUSTER)
            votes[(size_t)t->groups.cluster[k] * K + t->first[k]] += t->share[k];
    }
    for (size_t c = 0; c < C; c++) group[c] = (uint32_t)argmax(votes + c * K, K);
}

/* Clusters that the answers say are one, by evidence that adds up over joins and pays for naming
 * each of them (partition.h): under noise no single pair of components shows it. In an update an
 * item may stray: new questions are often about items that are not where their values put them, and
 * what is said of these says nothing of the clusters. */
static int join_by_answers(cluster_level *t)
{
    size_t C = t->groups.clusters, wanted = t->core->spec.options.clusters, parts = C;
    size_t nodes = t->graph.nodes, count;
    if (C < 3 || (wanted && C <= wanted)) return SCDC_OK;
    arena memory = {0};
    answer_set answers = {0};
    whereabouts *item = arena_new(&memory, nodes, sizeof *item, "clusters");
    uint32_t *part = arena_new(&memory, C, sizeof *part, "clusters");
    asked *all = arena_new(&memory, t->remembered.n_answers, sizeof *all, "answers");
    double *worth = arena_new(&memory, t->remembered.n_answers, sizeof *worth, "answers");
    uint32_t *group = arena_new(&memory, C, sizeof *group, "clusters");
    double *votes = arena_new(&memory, C, t->core->spec.components * sizeof *votes, "clusters");
    partition_work work = {arena_new(&memory, C, C * sizeof(double), "evidence"),
                           arena_new(&memory, C, sizeof(uint32_t), "clusters")};
    int status = arena_status(&memory);
    if (status == SCDC_OK)
        status = answers_worth(worth, t->remembered.answers, t->remembered.n_answers);
    if (status != SCDC_OK) goto done;
    find_items(item, work.nats, t);
    for (size_t c = 0; c < C; c++) part[c] = (uint32_t)c;
    count = ask_items(all, t, item, worth);
    SCDC_TRY_OR(done, status,
                answer_set_create(&answers, all, count, nodes, t->core->spec.workers,
                                  &t->core->spec.options));
    answers.known = t->core->spec.known;
    if (t->updated) SCDC_TRY_OR(done, status, answer_set_let_stray(&answers, C));
    partition_join(part, &parts, &answers, item, C, wanted, 0, &work);
    if (t->unasked && !wanted) {
        first_clusters(group, votes, t);
        partition_join_groups(part, &parts, &answers, item, C, group, LEAST_WORD, &work);
    }
    if (parts < C) grouping_merge(&t->groups, part, parts);
done:
    answer_set_free(&answers);
    arena_free(&memory);
    return status;
}

/* What likely groupings have in common, in place of the best one, where links are too weak to say
 * it alone. Not in training: items go where their answers ask for, and groupings that follow these
 * would be followed by items in turn. */
static int draw_groupings(cluster_level *t)
{
    const scdc_options *o = &t->core->spec.options;
    if (o->clusters || !links_are_held(&t->state)) return SCDC_OK;
    return grouping_draw(&t->groups, t->evidence, t->use, t->share, CONCENTRATION, o->seed);
}

static void note_first(cluster_level *t)
{
    for (size_t k = 0; k < t->core->spec.components; k++)
        t->first[k] = t->groups.cluster[k] < 0 ? NO_CLUSTER : (uint32_t)t->groups.cluster[k];
}

static int group_components(cluster_level *t, bool answers)
{
    size_t rounds = answers ? 1 : LINK_ROUNDS;
    for (size_t i = 0; i < rounds; i++) {
        weigh_evidence(t, answers);
        group(t);
        if (answers) SCDC_TRY(join_by_answers(t));
        if (answers) SCDC_TRY(draw_groupings(t));
        if (t->state.has_links && !links_are_held(&t->state)) {
            neighbour_coins(t->state.coins, t->core->spec.components, t->linked, t->share,
                            t->groups.same);
        }
    }
    if (!answers) note_first(t);
    return SCDC_OK;
}

static size_t add_nothing(cluster_level *t, const minibatch *b)
{
    (void)t;
    return b->plain;
}

const cluster_source grouped_components = {link_neighbours, group_components, add_nothing};
