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

/* One item given its neighbours as they are now. */
static void hear_neighbours(hood *h, size_t item, float weight)
{
    size_t C = h->clusters;
    float *p = h->proba + item * C, top = -INFINITY, sum = 0;
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
}

/* Rounds over all items in turn; an item hears those before it in their new state. */
int hood_settle(hood *h, double share)
{
    memcpy(h->proba, h->own, h->n * h->clusters * sizeof *h->own);
    if (!(share > 0) && !h->apart) return SCDC_OK;
    for (size_t round = 0; round < HOOD_ROUNDS; round++) {
        SCDC_TRY(watch_tick("hearing neighbours", round, HOOD_ROUNDS));
        for (size_t i = 0; i < h->n; i++) {
            double heard = h->apart && !h->annotated[i] ? 1 : share;
            if (heard > 0) hear_neighbours(h, i, (float)(heard * h->weight));
        }
    }
    return SCDC_OK;
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
