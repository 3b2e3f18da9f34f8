/* Grouping components by all answers and by neighbours in latent space. */
#include "model/twolevel.h"
#include "base/status.h"
#include "model/neighbours.h"

#include <math.h>
#include <string.h>

enum { QUERIES = 10000, NEIGHBOURS = 10, SWEEPS = 4, LINK_ROUNDS = 4 };

int twolevel_create(twolevel *out, core *c, const scdc_answer *answers, size_t n_answers)
{
    twolevel t = {.core = c, .has_answers = n_answers > 0, .strength = 1, .coins = {0.9, 0.9}};
    size_t K = c->spec.components, square = K * K, workers = c->spec.workers;
    int status;
    if (n_answers) {
        SCDC_TRY_OR(error, status, crowd_graph_build(&t.graph, answers, n_answers));
        /* The graph moves with the struct; recall keeps its final address, set below. */
        SCDC_TRY_OR(error, status, recall_create(&t.recall, answers, &t.graph, K, workers));
    }
    SCDC_TRY_OR(error, status, grouping_create(&t.groups, K));
    SCDC_TRY_OR(error, status, arena_zeroed(&t.links, &t.memory, square, sizeof *t.links, "links"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.evidence, &t.memory, square, sizeof *t.evidence, "evidence"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.from_links, &t.memory, square, sizeof *t.from_links, "evidence"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.share, &t.memory, K, sizeof *t.share, "proportions"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.use, &t.memory, K, sizeof *t.use, "live components"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.workers, &t.memory, workers, sizeof *t.workers, "workers"));
    SCDC_TRY_OR(error, status,
                arena_zeroed(&t.counts, &t.memory, workers, sizeof *t.counts, "workers"));
    SCDC_TRY_OR(
        error, status,
        arena_zeroed(&t.field, &t.memory, c->spec.max_rows * K, sizeof *t.field, "messages"));
    *out = t;
    if (n_answers) out->recall.graph = &out->graph;
    return SCDC_OK;
error:
    twolevel_free(&t);
    return status;
}

void twolevel_free(twolevel *t)
{
    crowd_graph_free(&t->graph);
    recall_free(&t->recall);
    grouping_free(&t->groups);
    arena_free(&t->memory);
}

int twolevel_link(twolevel *t, const float *x, const uint32_t *component, uint64_t seed)
{
    const core_spec *s = &t->core->spec;
    neighbour_options options = {.queries = QUERIES, .neighbours = NEIGHBOURS, .seed = seed};
    SCDC_TRY(neighbour_links(t->links, s->components, x, s->items, s->latent, component, &options));
    t->has_links = true;
    return SCDC_OK;
}

/* ---- grouping ---- */

static void find_live(twolevel *t)
{
    size_t K = t->core->spec.components, best = 0;
    t->core->ops->proportions(t->share, t->core);
    for (size_t k = 0; k < K; k++) {
        t->use[k] = t->share[k] >= LIVE_SHARE;
        if (t->share[k] > t->share[best]) best = k;
    }
    t->use[best] = true;
}

static void group(twolevel *t)
{
    grouping_options options = {
        .concentration = 1, .clusters = t->core->spec.options.clusters, .sweeps = SWEEPS};
    grouping_fit(&t->groups, t->evidence, t->use, &options);
}

/* Log likelihood of all answers when two components are one cluster with the probability that the
 * links give at this strength. Worker parameters as they are. */
static double fit_of_strength(const twolevel *t, const double *answers_of_pair, double strength)
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

/* The strength of the links, learned from the answers: a grid over powers of two, with a weak
 * preference for 1 %. Without answers only the sign of the evidence matters. */
static void learn_strength(twolevel *t, const double *from_answers)
{
    double best = -INFINITY;
    t->strength = 1;
    for (int power = 0; power >= -16; power--) {
        double strength = ldexp(1, power), distance = (power + 6.6) / 3;
        double value = fit_of_strength(t, from_answers, strength) - distance * distance / 2;
        if (value > best) {
            best = value;
            t->strength = strength;
        }
    }
}

/* Evidence from answers and links. The links' coins depend on the grouping and the grouping on
 * them: a few rounds settle both. */
static void weigh_evidence(twolevel *t)
{
    size_t square = t->core->spec.components * t->core->spec.components;
    if (t->has_answers) recall_evidence(t->evidence, &t->recall);
    else memset(t->evidence, 0, square * sizeof *t->evidence);
    if (!t->has_links) return;
    neighbour_evidence(t->from_links, t->coins, t->core->spec.components, t->links, t->share);
    if (t->has_answers) learn_strength(t, t->evidence);
    for (size_t i = 0; i < square; i++) t->evidence[i] += t->strength * t->from_links[i];
}

static int estimate_workers(twolevel *t)
{
    size_t workers = t->core->spec.workers;
    memset(t->counts, 0, workers * sizeof *t->counts);
    recall_count(t->counts, &t->recall, t->groups.same);
    return t->core->ops->set_workers(t->core, t->counts);
}

int twolevel_regroup(twolevel *t, size_t rounds)
{
    find_live(t);
    for (size_t round = 0; round < rounds; round++) {
        if (t->has_answers) {
            t->core->ops->coins(t->workers, t->core);
            recall_weigh(&t->recall, t->workers);
        }
        size_t settle = t->has_answers ? 1 : LINK_ROUNDS;
        for (size_t i = 0; i < settle; i++) {
            weigh_evidence(t);
            group(t);
            if (t->has_links) {
                neighbour_coins(t->coins, t->core->spec.components, t->links, t->share,
                                t->groups.same);
            }
        }
        if (t->has_answers) SCDC_TRY(estimate_workers(t));
    }
    if (t->has_answers) {
        t->core->ops->coins(t->workers, t->core);
        recall_weigh(&t->recall, t->workers);
    }
    return SCDC_OK;
}

/* ---- messages ---- */

void twolevel_send(twolevel *t, minibatch *b)
{
    size_t K = t->core->spec.components;
    if (!t->has_answers) return;
    memset(t->field, 0, b->plain * K * sizeof *t->field);
    for (size_t row = b->plain; row < b->rows; row++) {
        uint32_t node;
        if (crowd_graph_find(&node, &t->graph, b->item[row])) {
            recall_field(t->field + row * K, &t->recall, node, t->groups.same);
        }
    }
    b->field = t->field;
}

void twolevel_remember(twolevel *t, const minibatch *b, const double *z)
{
    for (size_t row = b->plain; row < b->rows; row++) {
        uint32_t node;
        if (crowd_graph_find(&node, &t->graph, b->item[row])) {
            recall_store(&t->recall, node, z + row * t->core->spec.components);
        }
    }
}

double twolevel_answer_term(const twolevel *t)
{
    if (!t->has_answers) return 0;
    return recall_answer_term(&t->recall, t->groups.same, t->workers) - t->groups.kl;
}
