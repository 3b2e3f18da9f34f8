/* Candidates: mixtures as they are and with components joined, in the order that items tell. */
#include "base/numeric.h"
#include "base/status.h"
#include "model/clusters/again.h"
#include "model/clusters/candidate_pool.h"
#include "model/clusters/islands.h"
#include "model/clusters/overlap.h"
#include "model/tuning.h"

#include <stdlib.h>
#include <string.h>

enum { FEWER = 3 };

typedef candidate_pool pool;

/* The same parts of the same mixture; NULL when nobody proposed them. */
static candidate *proposed(const pool *p, size_t from, const uint32_t *part)
{
    size_t k = p->all[from].mixture.k;
    for (size_t i = 0; i < p->n_candidates; i++) {
        candidate *c = &p->candidates[i];
        bool like = c->mixture == from;
        for (size_t j = 0; j < k && like; j++) like = c->part[j] == (part ? part[j] : j);
        if (like) return c;
    }
    return NULL;
}

/* NULL part: every component is a cluster. What was proposed already counts once, as it stands. */
static int propose(pool *p, size_t from, const uint32_t *part, size_t parts, standing stands)
{
    size_t k = p->all[from].mixture.k, wanted = p->options->clusters;
    if ((wanted && parts < wanted) || proposed(p, from, part)) return SCDC_OK;
    candidate *c = &p->candidates[p->n_candidates];
    *c =
        (candidate){.mixture = from, .parts = parts, .standing = stands, .number = p->n_candidates};
    c->score = p->all[from].score;
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
        if (p->all[i].score > best->score) best = &p->all[i];
    }
    return best;
}

/* Items are so much likelier by another mixture that components of this one hold several kinds
 * each: what seems an island may be many. */
static bool far_behind(const pool *p, const fitted *f)
{
    return best_of_all(p)->score - f->score > ISLAND_BEHIND * (double)p->fit;
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

/* The best mixture of a family: as it is where halves of the items show the same components, or
 * nearly so and parts not much better; with all components joined that overlap where halves show
 * these parts and they are no heap; else as it is, which is what the items themselves call for
 * unless more of them would be called for. */
static int propose_best(bool *done, pool *p, size_t i)
{
    const fitted *f = &p->all[i];
    const mixture *m = &f->mixture;
    size_t parts;
    found_again again;
    overlap_options how = {.least = OVERLAP_LEAST};
    SCDC_TRY(join_overlapping(p, m, &how, &parts));
    again_question question = {.x = p->x_fit,
                               .n = p->fit,
                               .d = p->d,
                               .family = m->family,
                               .component = p->own,
                               .part = p->joined,
                               .how = p->how};
    question.n_sizes = sizes_near(&question.sizes, m->k);
    SCDC_TRY(found_again_ask(&again, &question));
    /* Where nothing overlaps, parts are components, and halves may show more of them than there
     * are.
     */
    bool plain = again.plain >= FOUND_AGAIN || (parts == m->k && again.joined >= FOUND_AGAIN);
    bool about = p->n_candidates == 0 && again.plain >= ABOUT_AGAIN &&
                 again.plain >= again.joined - (FOUND_AGAIN - ABOUT_AGAIN);
    bool bricks = !plain && !about && again.joined >= FOUND_AGAIN &&
                  !is_heap(p->joined, p->fit, parts, p->held);
    found_again_free(&again);
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
static int propose_linked(pool *p)
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
    SCDC_TRY(linked_compare(p->linked, p->n_linked, p->links));
    size_t fine = LINKED_FINER * best_of_all(p)->mixture.k;
    for (size_t l = 0; l < p->n_linked; l++) {
        const linked *g = &p->linked[l];
        standing alone = g->parts >= fine ? ARE_FINER : WERE_SOUGHT;
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

/* The best mixture of a family that was not asked about yet; false when there is none. */
static bool next_best(size_t *out, const pool *p, const bool *asked_about)
{
    bool found = false;
    for (size_t i = 0; i < p->n_mixtures; i++) {
        if (!p->all[i].best || asked_about[i]) continue;
        if (!found || p->all[i].score > p->all[*out].score) *out = i;
        found = true;
    }
    return found;
}

/* All candidates, those first that the items themselves speak for. Families are asked about in the
 * order of their best mixtures, until one is found again: the others could only come after it. */
int candidates_order(pool *p)
{
    bool asked_about[MOST_MIXTURES] = {false}, done = false;
    size_t i = 0;
    while (!done && next_best(&i, p, asked_about)) {
        asked_about[i] = true;
        SCDC_TRY(propose_best(&done, p, i));
    }
    for (i = 0; i < p->n_mixtures; i++) SCDC_TRY(propose_plain(p, i));
    SCDC_TRY(propose_linked(p));
    qsort(p->candidates, p->n_candidates, sizeof *p->candidates, by_standing);
    return SCDC_OK;
}
