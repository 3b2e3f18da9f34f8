/* Rounds of hearing neighbours. */
#include "model/use/hood.h"
#include "base/numeric.h"
#include "base/status.h"
#include "base/watch.h"
#include "model/clusters/neighbours.h"
#include "model/tuning.h"

#include <float.h>
#include <math.h>
#include <scdc/limits.h>
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
    h.hearers = arena_new(m, n * h.k, sizeof *h.hearers, "neighbours");
    h.hearers_of = arena_new(m, n + 1, sizeof *h.hearers_of, "neighbours");
    h.due = arena_new(m, n, sizeof *h.due, "items");
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
    bool trusted =
        model->clusters && cluster_level_is_given_by(model->clusters, GIVEN_BY_DENSITIES);
    bool apart = model_is_judged(model) || model->pupil || trusted;
    bool few = items > 1 && items <= SCDC_LIMIT_NEIGHBOURS;
    return few && model->core->spec.options.neighbours && !apart;
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

void hood_among(hood *h, const uint32_t *near)
{
    h->near = near;
    size_t links = h->n * h->k, *of = h->hearers_of;
    memset(of, 0, (h->n + 1) * sizeof *of);
    for (size_t i = 0; i < links; i++) of[h->near[i] + 1]++;
    for (size_t i = 0; i < h->n; i++) of[i + 1] += of[i];
    for (size_t i = 0; i < links; i++) h->hearers[of[h->near[i]]++] = (uint32_t)(i / h->k);
    memmove(of + 1, of, h->n * sizeof *of); /* each was moved to where the next one begins */
    of[0] = 0;
}

int hood_find(hood *h, const scdc_model *model, const scdc_data *data, const known_items *known,
              const answer_list *answers)
{
    hood_among(h, known->near);
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

/* Whoever hears this item has news: those after it now, in this round, those before it in the next.
 */
static void spread_news(hood *h, size_t item, size_t now, size_t next)
{
    for (size_t s = h->hearers_of[item]; s < h->hearers_of[item + 1]; s++) {
        h->due[h->hearers[s]] = (uint8_t)(h->hearers[s] > item ? now : next);
    }
}

/* The next item from `from` on that is due in this round; h->n: none. */
static size_t next_due(const hood *h, size_t from, size_t round)
{
    const uint8_t *at = memchr(h->due + from, (int)round, h->n - from);
    return at ? (size_t)(at - h->due) : h->n;
}

/* Rounds over all items in turn; an item hears those before it in their new state. Most are settled
 * after a few: whoever has no news is not asked again. In round 1 those are asked who are due. */
static int run_rounds(hood *h, double share)
{
    bool any = true; /* is due in this round */
    for (size_t round = 1; round <= HOOD_ROUNDS && any; round++) {
        SCDC_TRY(watch_tick("hearing neighbours", round - 1, HOOD_ROUNDS));
        any = false;
        for (size_t i = next_due(h, 0, round); i < h->n; i = next_due(h, i + 1, round)) {
            double heard = h->apart && !h->annotated[i] ? 1 : share;
            if (!(heard > 0) || !hear_neighbours(h, i, (float)(heard * h->weight))) continue;
            spread_news(h, i, round, round + 1);
            any = true;
        }
    }
    return SCDC_OK;
}

int hood_settle(hood *h, double share)
{
    memcpy(h->proba, h->own, h->n * h->clusters * sizeof *h->own);
    if (!(share > 0) && !h->apart) return SCDC_OK;
    memset(h->due, 1, h->n * sizeof *h->due);
    return run_rounds(h, share);
}

/* An item that hears nobody. */
static void take_own(hood *h, size_t item)
{
    size_t C = h->clusters;
    float *kept = h->proba + item * C, most = 0;
    for (size_t c = 0; c < C; c++) {
        most = fmaxf(most, fabsf(h->own[item * C + c] - kept[c]));
        kept[c] = h->own[item * C + c];
    }
    if (most > (float)HOOD_NEWS) spread_news(h, item, 1, 1);
}

int hood_settle_on(hood *h, double share)
{
    if (!h->apart) return hood_settle(h, share);
    for (size_t i = 0; i < h->n; i++) h->due[i] = h->annotated[i];
    for (size_t i = 0; i < h->n && !(share > 0); i++) {
        if (h->annotated[i]) take_own(h, i);
    }
    return run_rounds(h, share);
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
