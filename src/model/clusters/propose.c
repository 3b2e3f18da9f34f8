/* Candidates: mixtures as they are and with components joined, in the orders that items tell. */
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/again.h"
#include "model/clusters/candidate_pool.h"
#include "model/clusters/islands.h"
#include "model/clusters/overlap.h"
#include "model/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWER = 3 };
/* Halves take most of the time: of the second order they are asked about so many mixtures that the
 * first did not ask about. */
enum { LOOKS_AGAIN = 2 };

typedef candidate_pool pool;

static double score_of(const pool *p, const fitted *f)
{
    return f->score[p->by];
}

/* The same parts of the same mixture in [begin, end) of the candidates; NULL when nobody proposed
 * them. */
static candidate *find(const pool *p, size_t begin, size_t end, size_t from, const uint32_t *part)
{
    size_t k = p->all[from].mixture.k;
    for (size_t i = begin; i < end; i++) {
        candidate *c = &p->candidates[i];
        bool like = c->mixture == from;
        for (size_t j = 0; j < k && like; j++) like = c->part[j] == (part ? part[j] : j);
        if (like) return c;
    }
    return NULL;
}

/* In the order at hand. */
static candidate *proposed(const pool *p, size_t from, const uint32_t *part)
{
    return find(p, p->order_from, p->n_candidates, from, part);
}

/* NULL part: every component is a cluster. What was proposed already counts once, as it stands. */
static int propose(pool *p, size_t from, const uint32_t *part, size_t parts, standing stands)
{
    size_t k = p->all[from].mixture.k, wanted = p->options->clusters;
    if ((wanted && parts < wanted) || proposed(p, from, part)) return SCDC_OK;
    candidate *c = &p->candidates[p->n_candidates];
    *c =
        (candidate){.mixture = from, .parts = parts, .standing = stands, .number = p->n_candidates};
    c->score = score_of(p, &p->all[from]);
    c->shown = stands == ARE_CLUSTERS;
    c->part = arena_new(&p->memory, k, sizeof *c->part, "clusters");
    SCDC_TRY(arena_status(&p->memory));
    for (size_t i = 0; i < k; i++) c->part[i] = part ? part[i] : (uint32_t)i;
    p->n_candidates++;
    return SCDC_OK;
}

/* Sizes that half the items may call for, when all call for k: some smaller, one greater. */
static size_t sizes_near(const size_t **sizes, size_t k)
{
    size_t i = 0;
    while (i + 1 < N_SIZES && mixture_sizes[i] < k) i++;
    size_t first = i > FEWER ? i - FEWER : 0, end = i + 2 < N_SIZES ? i + 2 : N_SIZES;
    *sizes = mixture_sizes + first;
    return end - first;
}

/* Components and parts of the items that mixtures are fitted to. */
static int join_overlapping(pool *p, const mixture *m, const overlap_options *how, size_t *parts)
{
    SCDC_TRY(mixture_shares(p->share, m, p->x_fit, p->fit));
    SCDC_TRY(overlap_join(p->part, parts, p->share, p->fit, m->k, how));
    for (size_t i = 0; i < p->fit; i++) {
        p->own[i] = (uint32_t)argmax(p->share + i * m->k, m->k);
        p->joined[i] = p->part[p->own[i]];
    }
    return SCDC_OK;
}

/* The best mixture of a family is the largest that was tried: the criterion has not said how many
 * components there are, and where there are enough to be grouped by links these groups come first.
 */
static bool still_rises(const pool *p, size_t best)
{
    const mixture *m = &p->all[best].mixture;
    bool grouped = false;
    for (size_t i = 0; i < p->n_mixtures; i++) {
        const mixture *other = &p->all[i].mixture;
        if (other->family == m->family && other->k > m->k) return false;
        grouped = grouped || other->k >= LINKED_LEAST;
    }
    return grouped;
}

static const fitted *best_of_all(const pool *p)
{
    const fitted *best = &p->all[0];
    for (size_t i = 1; i < p->n_mixtures; i++) {
        if (score_of(p, &p->all[i]) > score_of(p, best)) best = &p->all[i];
    }
    return best;
}

/* Items are so much likelier by another mixture that components of this one hold several kinds
 * each: what seems an island may be many. */
static bool far_behind(const pool *p, const fitted *f)
{
    return score_of(p, best_of_all(p)) - score_of(p, f) > ISLAND_BEHIND * (double)p->fit;
}

/* One part holds nearly all items: halves are bound to show that again, and it tells nothing. */
static bool is_heap(const uint32_t *part, size_t n, size_t parts, size_t *held)
{
    size_t most = 0;
    memset(held, 0, parts * sizeof *held);
    for (size_t i = 0; i < n; i++) {
        size_t count = ++held[part[i]];
        most = count > most ? count : most;
    }
    return (double)most > ISLAND_HEAP * (double)n;
}

/* What halves show again of a mixture whose components and parts are p->own and p->joined. */
static int ask_halves(pool *p, fitted *f)
{
    found_again again;
    again_question question = {.x = p->x_fit,
                               .n = p->fit,
                               .d = p->d,
                               .family = f->mixture.family,
                               .component = p->own,
                               .part = p->joined,
                               .how = p->how};
    question.n_sizes = sizes_near(&question.sizes, f->mixture.k);
    SCDC_TRY(found_again_ask(&again, &question));
    f->halved = true;
    f->plain = again.plain;
    f->joined = again.joined;
    found_again_free(&again);
    return SCDC_OK;
}

/* The best mixture of a family: as it is where halves of the items show the same components, or
 * nearly so and parts not much better; with all components joined that overlap where halves show
 * these parts and they are no heap; else as it is, which is what the items themselves call for
 * unless more of them would be called for. look: halves are asked now; not asked, they show
 * nothing. */
static int propose_best(bool *done, pool *p, size_t i, bool look)
{
    fitted *f = &p->all[i];
    const mixture *m = &f->mixture;
    size_t parts;
    overlap_options how = {.least = OVERLAP_LEAST};
    SCDC_TRY(join_overlapping(p, m, &how, &parts));
    if (look) SCDC_TRY(ask_halves(p, f));
    /* Where nothing overlaps, parts are components, and halves may show more of them than there
     * are.
     */
    bool plain = f->plain >= FOUND_AGAIN || (parts == m->k && f->joined >= FOUND_AGAIN);
    bool about = p->n_candidates == p->order_from && f->plain >= ABOUT_AGAIN &&
                 f->plain >= f->joined - (FOUND_AGAIN - ABOUT_AGAIN);
    bool bricks =
        !plain && !about && f->joined >= FOUND_AGAIN && !is_heap(p->joined, p->fit, parts, p->held);
    *done = plain;
    standing alone = still_rises(p, i) ? NOT_SOUGHT : WERE_SOUGHT;
    standing stands = plain ? ARE_CLUSTERS : about || bricks ? ARE_BRICKS : alone;
    int status = bricks ? propose(p, i, p->part, parts, stands) : propose(p, i, NULL, m->k, stands);
    if (status == SCDC_OK) status = mixture_assign(p->component, m, p->x, p->links);
    if (status == SCDC_OK) {
        status = islands_find(p->part, &parts, &p->neighbours, p->component, m->k);
    }
    if (status != SCDC_OK || !parts) return status;
    if (far_behind(p, f)) return propose(p, i, p->part, parts, NOT_SOUGHT);
    SCDC_TRY(propose(p, i, p->part, parts, ARE_BRICKS));
    candidate *islands = proposed(p, i, p->part);
    if (!islands) return SCDC_OK;
    islands->shown = islands->islands = true;
    if (islands->standing > ARE_BRICKS) islands->standing = ARE_BRICKS;
    return SCDC_OK;
}

/* Any mixture, as it is and with overlapping components joined (to as many as are wanted). */
static int propose_plain(pool *p, size_t i)
{
    const fitted *f = &p->all[i];
    size_t k = f->mixture.k, parts;
    overlap_options how = {.least = OVERLAP_LEAST, .wanted = p->options->clusters};
    SCDC_TRY(propose(p, i, NULL, k, NOT_SOUGHT));
    if (how.wanted && how.wanted >= k) return SCDC_OK;
    SCDC_TRY(join_overlapping(p, &f->mixture, &how, &parts));
    return parts < k ? propose(p, i, p->part, parts, NOT_SOUGHT) : SCDC_OK;
}

/* The finer spherical mixtures, grouped by links. */
static int link_all(pool *p)
{
    for (size_t i = 0; i < p->n_mixtures && p->n_linked < LINKED_MOST; i++) {
        const mixture *m = &p->all[i].mixture;
        if (m->family != MIXTURE_SPHERICAL || m->k < LINKED_LEAST) continue;
        linked *l = &p->linked[p->n_linked];
        SCDC_TRY(mixture_assign(p->component, m, p->x, p->links));
        SCDC_TRY(
            linked_group(l, &p->memory, &p->neighbours, p->component, m->k, p->options->clusters));
        if (l->parts > 1) p->linked_mixture[p->n_linked++] = i;
    }
    return linked_compare(p->linked, p->n_linked, p->links);
}

static int propose_linked(pool *p)
{
    size_t fine = LINKED_FINER * best_of_all(p)->mixture.k;
    for (size_t l = 0; l < p->n_linked; l++) {
        const linked *g = &p->linked[l];
        /* items kept out do not count too few */
        standing alone = p->by == BY_INFORMATION && g->parts >= fine ? ARE_FINER : WERE_SOUGHT;
        SCDC_TRY(propose(p, p->linked_mixture[l], g->part, g->parts,
                         g->agrees >= FOUND_AGAIN ? ARE_BRICKS : alone));
    }
    return SCDC_OK;
}

static int by_standing(const void *first, const void *second)
{
    const candidate *a = first, *b = second;
    if (a->standing != b->standing) return a->standing < b->standing ? -1 : 1;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The best mixture of the families that were not asked about yet; false when there is none. */
static bool next_best(size_t *out, const pool *p, const bool *asked_about)
{
    bool found = false;
    for (size_t i = 0; i < p->n_mixtures; i++) {
        const fitted *f = &p->all[i];
        if (asked_about[f->mixture.family]) continue;
        if (!found || score_of(p, f) > score_of(p, &p->all[*out])) *out = i;
        found = true;
    }
    return found;
}

/* What names the rank-th in order, and more where the items show the first clearly but not this
 * one; all of an order weigh one. */
static void weigh_order(candidate *first, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool behind = first->shown && !first[i].shown;
        first[i].prior = -log((double)(i + 1)) - (behind ? NOT_SHOWN_AGAIN : 0);
        sum += exp(first[i].prior);
    }
    for (size_t i = 0; i < count; i++) first[i].prior -= log(sum);
}

/* All candidates by one criterion, those first that the items themselves speak for. Families are
 * asked about in the order of their best mixtures, until one is found again: the others could only
 * come after it. */
static int put_in_order(pool *p, criterion by)
{
    bool asked_about[MIXTURE_FAMILIES] = {false}, done = false;
    size_t i = 0, looks = by == BY_INFORMATION ? MIXTURE_FAMILIES : LOOKS_AGAIN;
    p->by = by;
    p->order_from = p->n_candidates;
    while (!done && next_best(&i, p, asked_about)) {
        asked_about[p->all[i].mixture.family] = true;
        bool look = !p->all[i].halved && looks > 0;
        looks -= look;
        SCDC_TRY(propose_best(&done, p, i, look));
    }
    for (i = 0; i < p->n_mixtures; i++) SCDC_TRY(propose_plain(p, i));
    SCDC_TRY(propose_linked(p));
    candidate *first = p->candidates + p->order_from;
    size_t count = p->n_candidates - p->order_from;
    if (count) qsort(first, count, sizeof *first, by_standing);
    if (count) weigh_order(first, count);
    return SCDC_OK;
}

/* What is in both orders counts once, with the weights of both. */
static void merge_orders(pool *p)
{
    size_t first = p->order_from, end = p->n_candidates;
    p->n_candidates = first;
    for (size_t i = first; i < end; i++) {
        candidate other = p->candidates[i];
        candidate *same = find(p, 0, first, other.mixture, other.part);
        if (!same) {
            p->candidates[p->n_candidates++] = other;
            continue;
        }
        same->prior = log(exp(same->prior) + exp(other.prior));
        same->islands = same->islands || other.islands;
        if (other.standing < same->standing) same->standing = other.standing;
    }
    for (size_t i = 0; i < p->n_candidates; i++) p->candidates[i].prior -= log(CRITERIA);
}

/* Where clear islands come first components are bricks of some other shape, and which criterion
 * counts them does not matter. */
int candidates_order(candidate_pool *p)
{
    SCDC_TRY(link_all(p));
    SCDC_TRY(put_in_order(p, BY_INFORMATION));
    if (p->n_candidates && p->candidates[0].islands) return SCDC_OK;
    SCDC_TRY(put_in_order(p, BY_ITEMS_KEPT));
    merge_orders(p);
    return SCDC_OK;
}
