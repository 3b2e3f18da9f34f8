/* Rounds of hearing neighbours. */
#include "model/use/hood.h"
#include "base/numeric.h"
#include "base/status.h"
#include "base/watch.h"
#include "model/clusters/neighbours.h"
#include "model/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

int hood_create(hood *out, const scdc_model *model, size_t n)
{
    const core_spec *s = &model->core->spec;
    size_t C = model->n_clusters, most = s->options.neighbours;
    hood h = {.n = n, .k = n - 1 < most ? n - 1 : most, .clusters = C};
    /* Networks learned from the answers that neighbours are weighed by: what these tell about
     * annotated items does not hold for the others, of which networks know less. */
    h.apart = s->options.net != SCDC_NET_LINEAR;
    arena *m = &h.memory;
    int status;
    h.label = arena_new(m, n, sizeof *h.label, "labels");
    h.annotated = arena_new(m, n, sizeof *h.annotated, "items");
    h.own = arena_new(m, n, C * sizeof *h.own, "probabilities");
    h.proba = arena_new(m, n, C * sizeof *h.proba, "probabilities");
    h.labels = arena_new(m, n, sizeof *h.labels, "labels");
    h.component = arena_new(m, n, sizeof *h.component, "components");
    h.links = arena_new(m, C * C, sizeof *h.links, "links");
    h.share = arena_new(m, C, sizeof *h.share, "links");
    h.changed = arena_new(m, n, sizeof *h.changed, "items");
    h.heard = arena_new(m, C, sizeof *h.heard, "probabilities");
    h.same = arena_new(m, C * C, sizeof *h.same, "links");
    SCDC_TRY_OR(error, status, arena_status(m));
    *out = h;
    return SCDC_OK;
error:
    arena_free(m);
    return status;
}

void hood_free(hood *h)
{
    arena_free(&h->memory);
}

bool hood_counts(const scdc_model *model, size_t items)
{
    /* Clusters that need a classifier are not those of neighbours, a network knows better, and
     * where the mixture's own densities hold neighbours would only blur them. */
    bool trusted = model->clusters && cluster_level_trusted(model->clusters);
    bool apart = model_is_judged(model) || model->pupil || trusted;
    return items > 1 && model->core->spec.options.neighbours && !apart;
}

static void mark_annotated(hood *h, const answer_list *answers)
{
    for (size_t a = 0; answers && a < answers->count; a++) {
        h->annotated[answers->answer[a].left] = true;
        h->annotated[answers->answer[a].right] = true;
    }
}

/* Nats that one link is worth: from how many links stay inside a cluster. */
static double weight_of_links(hood *h)
{
    double coins[2];
    memset(h->share, 0, h->clusters * sizeof *h->share);
    for (size_t i = 0; i < h->n; i++) {
        h->label[i] = (uint32_t)h->labels[i];
        h->share[h->labels[i]] += 1 / (double)h->n;
    }
    for (size_t a = 0; a < h->clusters; a++) h->same[a * h->clusters + a] = 1;
    neighbour_links(h->links, h->clusters, h->near, h->n, h->k, h->label);
    neighbour_coins(coins, h->clusters, h->links, h->share, h->same);
    return neighbour_weight(coins);
}

int hood_find(hood *h, const scdc_model *model, const scdc_data *data, const known_items *known,
              const answer_list *answers)
{
    h->near = known->near;
    SCDC_TRY(hood_place(h, model, data, known, answers));
    mark_annotated(h, answers);
    h->weight = weight_of_links(h);
    return SCDC_OK;
}

int hood_by_network(hood *h, const scdc_model *model, const scdc_data *data,
                    const known_items *known, const answer_list *answers)
{
    h->near = known->near;
    SCDC_TRY(hood_place(h, model, data, known, answers));
    memcpy(h->proba, h->own, h->n * h->clusters * sizeof *h->own);
    return SCDC_OK;
}

/* One item given its neighbours as they are now. Returns whether it changed. */
static bool hear_neighbours(hood *h, size_t item, float weight)
{
    size_t C = h->clusters;
    float *p = h->heard, *kept = h->proba + item * C, top = -INFINITY, sum = 0;
    /* What answers say may be as sure as it likes. */
    float least = h->annotated[item] ? FLT_MIN : (float)EXPERT_LEAST;
    const float *own = h->own + item * C;
    for (size_t a = 0; a < C; a++) p[a] = 0;
    for (size_t s = 0; s < h->k; s++) {
        const float *other = h->proba + h->near[item * h->k + s] * C;
        for (size_t a = 0; a < C; a++) p[a] += other[a];
    }
    for (size_t a = 0; a < C; a++) {
        p[a] = logf(own[a] > least ? own[a] : least) + weight * p[a];
        if (p[a] > top) top = p[a];
    }
    for (size_t a = 0; a < C; a++) sum += p[a] = expf(p[a] - top);
    for (size_t a = 0; a < C; a++) p[a] /= sum;
    float most = 0;
    for (size_t a = 0; a < C; a++) {
        most = fmaxf(most, fabsf(p[a] - kept[a]));
        kept[a] = p[a];
    }
    return most > (float)HOOD_NEWS;
}

/* Whether a neighbour changed since the item heard it last, in the round before. */
static bool has_news(const hood *h, size_t item, size_t round)
{
    const uint32_t *near = h->near + item * h->k;
    bool news = false;
    for (size_t s = 0; s < h->k; s++) {
        news |= h->changed[near[s]] == (near[s] < item ? round : round - 1);
    }
    return news;
}

/* Rounds over all items in turn; an item hears those before it in their new state. Most are settled
 * after a few: whoever has no news is not asked again. In the first round all are asked, or those
 * whose `changed` says so and whoever hears them. */
static int run_rounds(hood *h, double share, bool all)
{
    for (size_t round = 1; round <= HOOD_ROUNDS; round++) {
        SCDC_TRY(watch_tick("hearing neighbours", round - 1, HOOD_ROUNDS));
        bool ask_all = all && round == 1;
        for (size_t i = 0; i < h->n; i++) {
            double heard = h->apart && !h->annotated[i] ? 1 : share;
            if (!(heard > 0)) continue;
            bool own = round == 1 && h->changed[i];
            if (!ask_all && !own && !has_news(h, i, round)) continue;
            if (hear_neighbours(h, i, (float)(heard * h->weight))) h->changed[i] = (uint8_t)round;
        }
    }
    return SCDC_OK;
}

int hood_settle(hood *h, double share)
{
    memcpy(h->proba, h->own, h->n * h->clusters * sizeof *h->own);
    if (!(share > 0) && !h->apart) return SCDC_OK;
    memset(h->changed, 0, h->n * sizeof *h->changed);
    return run_rounds(h, share, true);
}

int hood_settle_on(hood *h, double share)
{
    size_t C = h->clusters;
    if (!h->apart) return hood_settle(h, share);
    for (size_t i = 0; i < h->n; i++) {
        h->changed[i] = h->annotated[i]; /* as if in round 1 */
        if (h->annotated[i]) memcpy(h->proba + i * C, h->own + i * C, C * sizeof *h->own);
    }
    return run_rounds(h, share, false);
}

int hood_hear(hood *h, const experts *e)
{
    size_t values = h->n * h->clusters, asked = 0, only = 0;
    float *sum;
    for (size_t i = 0; i < EXPERT_SHARES; i++) {
        if (e->heard[i] <= EXPERT_LEAST_WEIGHT) continue;
        asked++;
        only = i;
    }
    if (asked < 2) return hood_settle(h, expert_shares[only]);
    SCDC_TRY(mem_zeroed(&sum, values, sizeof *sum, "probabilities"));
    double total = 0;
    int status = SCDC_OK;
    for (size_t s = 0; s < EXPERT_SHARES && status == SCDC_OK; s++) {
        if (e->heard[s] <= EXPERT_LEAST_WEIGHT) continue;
        status = hood_settle(h, expert_shares[s]);
        total += e->heard[s];
        for (size_t i = 0; i < values; i++) sum[i] += (float)e->heard[s] * h->proba[i];
    }
    for (size_t i = 0; i < values; i++) h->proba[i] = sum[i] / (float)total;
    mem_free(sum);
    return status;
}
