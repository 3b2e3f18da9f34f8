/* A batch of pairs where kinds must be learned from the answers, because they are not the groups
 * that the items form by themselves: an item beside one whose kind is known, until its own is.
 * Such answers hang together, where those about any two items say little of either (neighbourhoods:
 * Xiong, Azimi and Fern 2014; as workers slip, a kind is believed, not known).
 *
 * Kinds are those of the answers, not the model's clusters, which may hold several: items are put
 * down one after the other, those with the most answers first, each by
 *
 *     ln votes of its nearest neighbours for a kind + log likelihood ratios of its answers about
 * items of that kind,
 *
 * or as the first of a new kind, and then moved, a few times. */
#include "asking/batch.h"
#include "asking/choose.h"

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KINDS = 200,
    NEAREST = 10, /* neighbours that vote */
    SWEEPS = 3,   /* over all items, after the first */
    KNOWN = 8,    /* items that stand for a kind */
    TRIES = 4     /* draws of one of them until a new pair is found */
};
static const double SURE = .9;      /* of its kind: nothing more is asked about an item */
static const double FADE = .2;      /* of a vote, in nats from one neighbour to the next */
static const double ANY = .1;       /* votes for a kind that no neighbour is of */
static const double NEW = .02;      /* chance that an item is of a new kind, among many */
static const double NEW_OF_FEW = 3; /* as many items more as would be needed to halve it */

static const uint32_t nowhere = UINT32_MAX;

/* An answer as one of its items hears it. */
typedef struct hearsay {
    uint32_t other;
    double ratio; /* ln P(answer | same) / P(answer | different) */
} hearsay;

typedef struct placing {
    batch *m;
    size_t n, clusters; /* items looked at; the model's clusters */
    size_t *start;      /* [n + 2] where each item's answers begin */
    hearsay *told;      /* [2 answers] */
    uint32_t *near;     /* [n][NEAREST] annotated ones, the nearest first; nowhere: there is none */
    uint32_t *kind;     /* [n] nowhere: not annotated, or not put down yet */
    double *sure;       /* [n] of an item's kind */
    size_t *size;       /* [MOST_KINDS] items */
    double *profile;    /* [MOST_KINDS][clusters] sums of what the model takes these items for */
    size_t placed;
    double ln[MOST_KINDS]; /* of the item at hand; the first empty kind is a new one */
    uint32_t *order;       /* [2][n] */
    arena memory;
} placing;

/* ---- answers and neighbours ----------------------------------------------------------------- */

/* Workers are taken for strangers: a model at a loss takes all of them for careless. */
static double ratio_of(const scdc_answer *a, const uint32_t *of_task)
{
    coins c = coins_of_stranger();
    double ratio = a->same ? log(c.sensitivity / (1 - c.specificity))
                           : log((1 - c.sensitivity) / c.specificity);
    return ratio * answer_worth(a, of_task);
}

static int list_answers(placing *s, const scdc_crowd *crowd)
{
    const looked_at *l = s->m->items;
    size_t count = 0;
    uint32_t *of_task;
    const scdc_answer *answers = scdc_crowd_answers(crowd, &count);
    s->told = arena_new(&s->memory, 2 * count, sizeof *s->told, "answers");
    SCDC_TRY(arena_status(&s->memory));
    SCDC_TRY(answers_of_tasks(&of_task, answers, count));
    for (int turn = 0; turn < 2; turn++) { /* first they are counted */
        for (size_t a = 0; a < count; a++) {
            size_t left = looked_at_find(l, answers[a].left);
            size_t right = looked_at_find(l, answers[a].right);
            if (left == SIZE_MAX || right == SIZE_MAX) continue;
            double ratio = ratio_of(&answers[a], of_task);
            if (turn) s->told[s->start[left]] = (hearsay){(uint32_t)right, ratio};
            s->start[left + !turn]++;
            if (turn) s->told[s->start[right]] = (hearsay){(uint32_t)left, ratio};
            s->start[right + !turn]++;
        }
        if (turn) continue;
        for (size_t i = 0; i < s->n; i++) s->start[i + 1] += s->start[i];
    }
    memmove(s->start + 1, s->start, s->n * sizeof *s->start);
    s->start[0] = 0;
    mem_free(of_task);
    return SCDC_OK;
}

static size_t answers_about(const placing *s, size_t item)
{
    return s->start[item + 1] - s->start[item];
}

static void find_near(placing *s, size_t item)
{
    const looked_at *l = s->m->items;
    const float *x = l->x + item * l->width;
    double distance[NEAREST];
    uint32_t *near = s->near + item * NEAREST;
    size_t have = 0;
    for (size_t j = 0; j < s->n; j++) {
        double d = 0;
        if (j == item || !answers_about(s, j)) continue;
        for (size_t c = 0; c < l->width; c++) {
            double e = (double)x[c] - (double)l->x[j * l->width + c];
            d += e * e;
        }
        if (have == NEAREST && !(d < distance[have - 1])) continue;
        size_t at = have < NEAREST ? have++ : have - 1;
        for (; at > 0 && d < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            near[at] = near[at - 1];
        }
        distance[at] = d;
        near[at] = (uint32_t)j;
    }
    while (have < NEAREST) near[have++] = nowhere;
}

static void find_all_near(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    for (size_t i = begin; i < end; i++) find_near(context, i);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

/* vote [MOST_KINDS]: what neighbours and the model's clusters say together, 1 in all. */
static void hear_votes(double *vote, const placing *s, size_t item)
{
    const float *p = s->m->items->proba + item * s->clusters;
    double total = 0;
    memset(vote, 0, MOST_KINDS * sizeof *vote);
    for (size_t v = 0; v < NEAREST; v++) {
        uint32_t j = s->near[item * NEAREST + v];
        if (j != nowhere && s->kind[j] != nowhere) vote[s->kind[j]] += exp(-FADE * (double)v);
    }
    for (size_t k = 0; k < MOST_KINDS; k++) {
        double alike = 0;
        if (!s->size[k]) continue;
        for (size_t c = 0; c < s->clusters; c++)
            alike += (double)p[c] * s->profile[k * s->clusters + c] / (double)s->size[k];
        vote[k] = (vote[k] + ANY) * (alike + ANY);
        total += vote[k];
    }
    for (size_t k = 0; k < MOST_KINDS; k++) vote[k] = total > 0 ? vote[k] / total : 0;
}

/* s->ln: of each kind, and of a new one; returns the probability of the best, which is in *best. */
static double weigh_kinds(size_t *best, placing *s, size_t item)
{
    double vote[MOST_KINDS], sum = 0;
    double few = NEW_OF_FEW / (NEW_OF_FEW + (double)s->placed), fresh = NEW + (1 - NEW) * few;
    size_t first = MOST_KINDS; /* that is empty */
    hear_votes(vote, s, item);
    for (size_t k = 0; k < MOST_KINDS; k++) {
        if (!s->size[k] && first == MOST_KINDS) first = k;
        s->ln[k] = s->size[k] ? log((1 - fresh) * vote[k]) : -INFINITY;
    }
    if (first < MOST_KINDS) s->ln[first] = log(fresh);
    for (size_t e = s->start[item]; e < s->start[item + 1]; e++) {
        uint32_t k = s->kind[s->told[e].other];
        if (k != nowhere) s->ln[k] += s->told[e].ratio;
    }
    *best = argmax(s->ln, MOST_KINDS);
    for (size_t k = 0; k < MOST_KINDS; k++) sum += exp(s->ln[k] - s->ln[*best]);
    return 1 / sum;
}

static void count_in(placing *s, size_t item, int times)
{
    const float *p = s->m->items->proba + item * s->clusters;
    double *profile = s->profile + s->kind[item] * s->clusters;
    for (size_t c = 0; c < s->clusters; c++) profile[c] += times * (double)p[c];
    if (times > 0) s->size[s->kind[item]]++, s->placed++;
    else s->size[s->kind[item]]--, s->placed--;
}

static void put_down(placing *s, size_t item)
{
    size_t best;
    if (s->kind[item] != nowhere) count_in(s, item, -1);
    s->kind[item] = nowhere;
    s->sure[item] = weigh_kinds(&best, s, item);
    s->kind[item] = (uint32_t)best;
    count_in(s, item, 1);
}

typedef struct busy {
    size_t answers;
    uint32_t item;
} busy;

static int by_answers(const void *a, const void *b)
{
    const busy *x = a, *y = b;
    if (x->answers != y->answers) return x->answers < y->answers ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

static int find_kinds(placing *s)
{
    size_t count = 0;
    busy *list;
    SCDC_TRY(mem_zeroed(&list, s->n, sizeof *list, "items"));
    parallel_for(s->n, 64, find_all_near, s);
    for (size_t i = 0; i < s->n; i++) {
        s->kind[i] = nowhere;
        if (answers_about(s, i)) list[count++] = (busy){answers_about(s, i), (uint32_t)i};
    }
    qsort(list, count, sizeof *list, by_answers);
    for (size_t sweep = 0; sweep <= SWEEPS; sweep++) {
        for (size_t i = 0; i < count; i++) put_down(s, list[i].item);
    }
    mem_free(list);
    return SCDC_OK;
}

/* ---- questions ------------------------------------------------------------------------------ */

/* One of the items that stand for a kind: the surest of those with most answers. */
static uint32_t draw_known(placing *s, size_t kind)
{
    uint32_t known[KNOWN];
    double standing[KNOWN];
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->kind[i] != kind) continue;
        double here = s->sure[i] * (1 + fmin((double)answers_about(s, i), KNOWN));
        if (n == KNOWN && !(here > standing[n - 1])) continue;
        size_t at = n < KNOWN ? n++ : n - 1;
        for (; at > 0 && here > standing[at - 1]; at--) {
            standing[at] = standing[at - 1];
            known[at] = known[at - 1];
        }
        standing[at] = here;
        known[at] = i;
    }
    return known[rng_below(&s->m->draw, n)];
}

/* Beside an item of the kind whose answer is most open. */
static void ask_about(placing *s, uint32_t item)
{
    batch *m = s->m;
    size_t best, kind = MOST_KINDS;
    double most = 0, top = weigh_kinds(&best, s, item), ln_best = s->ln[best];
    for (size_t k = 0; k < MOST_KINDS; k++) {
        double p = s->size[k] ? top * exp(s->ln[k] - ln_best) : 0;
        if (!(p * (1 - p) > most)) continue;
        most = p * (1 - p);
        kind = k;
    }
    double gain = 2 * most * (1 - coins_overlap(&m->who)) / (double)s->n;
    for (int i = 0; i < TRIES && kind < MOST_KINDS; i++) {
        uint32_t known = draw_known(s, kind);
        if (known != item && batch_ask_pair(m, item, known, gain, "place")) return;
    }
}

/* Items that were begun with come first, then new ones. */
static size_t list_items(placing *s)
{
    size_t count = 0;
    uint32_t *all = s->order + s->n;
    rng_permutation(&s->m->draw, all, s->n);
    for (int begun = 1; begun >= 0; begun--) {
        for (size_t i = 0; i < s->n; i++) {
            bool annotated = answers_about(s, all[i]) > 0;
            if (annotated != (begun == 1) || (annotated && s->sure[all[i]] > SURE)) continue;
            s->order[count++] = all[i];
        }
    }
    return count;
}

int batch_items(batch *m, const scdc_crowd *crowd)
{
    placing s = {.m = m, .n = m->items->count, .clusters = m->items->clusters};
    arena *a = &s.memory;
    s.start = arena_new(a, s.n + 2, sizeof *s.start, "answers");
    s.near = arena_new(a, s.n * NEAREST, sizeof *s.near, "neighbours");
    s.kind = arena_new(a, s.n, sizeof *s.kind, "kinds of items");
    s.sure = arena_new(a, s.n, sizeof *s.sure, "kinds of items");
    s.size = arena_new(a, MOST_KINDS, sizeof *s.size, "kinds of items");
    s.profile = arena_new(a, MOST_KINDS * s.clusters, sizeof *s.profile, "kinds of items");
    s.order = arena_new(a, 2 * s.n, sizeof *s.order, "items");
    int status = arena_status(a);
    if (status == SCDC_OK) status = list_answers(&s, crowd);
    if (status == SCDC_OK) status = find_kinds(&s);
    if (status == SCDC_OK) {
        size_t count = list_items(&s);
        for (size_t i = 0; i < count && m->out->count < m->want; i++) ask_about(&s, s.order[i]);
    }
    arena_free(a);
    return status;
}

bool batch_places_items(const batch *m, const scdc_model *model, const scdc_crowd *crowd)
{
    scdc_model_info info;
    if (!model || !crowd || m->set_size > 2) return false;
    return scdc_model_get_info(&info, model) == SCDC_OK && info.judged;
}
