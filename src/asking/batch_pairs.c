/* A batch of pairs: greedy over pairs of blocks, lazily, as gains only fall; then two items of the
 * blocks. */
#include "asking/batch.h"
#include "asking/choose.h"

#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

enum {
    TRIES = 48,      /* draws of two items until a new pair is found */
    PER_ROUND = 256, /* questions until partitions are drawn again */
    MOST_OF_ITEM = 3 /* questions of a batch that one doubt may ask about one item */
};
static const double nothing = 1e-9; /* a gain that is none */

typedef struct candidate {
    double gain;
    uint32_t left, right;
} candidate;

typedef struct queue {
    candidate *heap; /* the greatest gain first */
    size_t count;
} queue;

/* Ties by number, so that the order is the same everywhere. */
static bool before(const candidate *a, const candidate *b)
{
    if (a->gain != b->gain) return a->gain > b->gain;
    return a->left != b->left ? a->left < b->left : a->right < b->right;
}

static void sink(queue *q, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= q->count) return;
        if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child])) child++;
        if (!before(&q->heap[child], &q->heap[at])) return;
        candidate swap = q->heap[at];
        q->heap[at] = q->heap[child];
        q->heap[child] = swap;
        at = child;
    }
}

static void drop_first(queue *q)
{
    q->heap[0] = q->heap[--q->count];
    sink(q, 0);
}

/* ---- candidates ----------------------------------------------------------------------------- */

typedef struct weighing {
    const doubt *d;
    candidate *all;
    double overlap;
} weighing;

static void weigh(void *context, size_t begin, size_t end, size_t piece)
{
    (void)piece;
    const weighing *w = context;
    for (size_t i = begin; i < end; i++) {
        candidate *c = &w->all[i];
        c->gain = doubt_gain(w->d, same_in(w->d->p, c->left, c->right), w->overlap);
    }
}

static void fill_queue(queue *q, const doubt *d, double overlap)
{
    size_t B = d->p->blocks;
    q->count = 0;
    for (uint32_t i = 0; i < B; i++) {
        for (uint32_t j = i + 1; j < B; j++) q->heap[q->count++] = (candidate){0, i, j};
    }
    weighing w = {d, q->heap, overlap};
    parallel_for(q->count, 256, weigh, &w);
    for (size_t i = q->count / 2; i-- > 0;) sink(q, i);
}

/* The best pair of blocks: what was foretold before others were chosen is looked at again. */
static candidate best_of(queue *q, const doubt *d, double overlap)
{
    for (;;) {
        candidate *top = &q->heap[0];
        double gain = doubt_gain(d, same_in(d->p, top->left, top->right), overlap);
        if (gain == top->gain) return *top;
        top->gain = gain;
        sink(q, 0);
    }
}

/* ---- items ---------------------------------------------------------------------------------- */

/* One of the more typical half of a block. */
static uint32_t draw_member(batch *m, size_t block)
{
    const blocks *b = m->b;
    size_t among = (b->start[block + 1] - b->start[block] + 1) / 2;
    return b->member[b->start[block] + rng_below(&m->draw, among)];
}

void batch_note(batch *m, size_t count, double gain, const char *reason)
{
    scdc_suggestions *s = m->out;
    scdc_question *q = &s->questions[s->count];
    uint32_t *items = s->items + s->count * m->set_size;
    for (size_t i = 0; i < count; i++) items[i] = m->items->item[items[i]];
    *q = (scdc_question){.kind = count > 2 ? SCDC_QUESTION_SET : SCDC_QUESTION_PAIR,
                         .count = count,
                         .items = items,
                         .worker = s->worker,
                         .gain = gain,
                         .reason = reason};
    s->count++;
}

static void note_pair(batch *m, uint32_t left, uint32_t right, double gain, const char *reason)
{
    uint32_t *items = m->out->items + m->out->count * m->set_size;
    items[0] = left;
    items[1] = right;
    if (m->times) {
        m->times[left] += m->times[left] < MOST_OF_ITEM;
        m->times[right] += m->times[right] < MOST_OF_ITEM;
    }
    batch_note(m, 2, gain, reason);
}

static bool new_pair(batch *m, uint32_t left, uint32_t right)
{
    if (left == right) return false;
    uint32_t a = m->items->item[left], b = m->items->item[right];
    return pairset_add(&m->asked, a, b) && pairset_add(&m->fresh, a, b);
}

bool batch_ask_pair(batch *m, uint32_t left, uint32_t right, double gain, const char *reason)
{
    if (!new_pair(m, left, right)) return false;
    note_pair(m, left, right, gain, reason);
    return true;
}

/* A small block has few items to speak for it, and one that the model has wrong misleads with every
 * answer about it. */
static bool asked_enough(const batch *m, uint32_t left, uint32_t right)
{
    return m->times[left] >= MOST_OF_ITEM || m->times[right] >= MOST_OF_ITEM;
}

/* Answered before, and still in doubt: whoever answered may have been wrong. */
static bool ask_again(batch *m, const candidate *c)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t left = draw_member(m, c->left), right = draw_member(m, c->right);
        if (asked_enough(m, left, right)) continue;
        if (!pairset_add(&m->fresh, m->items->item[left], m->items->item[right])) continue;
        note_pair(m, left, right, c->gain, "again");
        return true;
    }
    return false;
}

/* Two items of the two blocks that were not asked about. */
static bool ask_between(batch *m, const candidate *c)
{
    const blocks *b = m->b;
    bool large = fmin(b->mass[c->left], b->mass[c->right]) * (double)b->count > .5;
    const char *reason = m->cold ? "spread" : large ? "groups" : "doubtful";
    for (int i = 0; i < TRIES; i++) {
        uint32_t left = draw_member(m, c->left), right = draw_member(m, c->right);
        if (asked_enough(m, left, right) || !new_pair(m, left, right)) continue;
        note_pair(m, left, right, c->gain, reason);
        return true;
    }
    return ask_again(m, c);
}

/* Two items at random, now and then: what the blocks hide shows, and the answers tell how good the
 * workers are with items of two kinds, too, when all doubts are about one. */
static void ask_at_random(batch *m)
{
    size_t n = m->items->count;
    for (int i = 0; i < TRIES && m->out->count < m->want; i++) {
        uint32_t left = (uint32_t)rng_below(&m->draw, n), right = (uint32_t)rng_below(&m->draw, n);
        if (!new_pair(m, left, right)) continue;
        note_pair(m, left, right, 0, "check");
        return;
    }
}

/* Nothing is in doubt: any two items, to find out what the blocks hide. */
static void ask_any(batch *m)
{
    size_t n = m->items->count;
    for (size_t tries = 0; tries < 4 * m->want + TRIES && m->out->count < m->want; tries++) {
        uint32_t left = (uint32_t)rng_below(&m->draw, n), right = (uint32_t)rng_below(&m->draw, n);
        if (new_pair(m, left, right)) note_pair(m, left, right, 0, "check");
    }
    for (uint32_t i = 0; i < n && m->out->count < m->want; i++) {
        for (uint32_t j = i + 1; j < n && m->out->count < m->want; j++) {
            if (new_pair(m, i, j)) note_pair(m, i, j, 0, "check");
        }
    }
}

/* Questions by one set of sampled partitions; `pending` are those before, as pairs of blocks. */
static int ask_round(batch *m, queue *q, candidate *pending, size_t *n_pending, uint32_t round)
{
    partitions p;
    doubt *d;
    double overlap = coins_overlap(&m->who);
    SCDC_TRY(mem_zeroed(&d, 1, sizeof *d, "doubts"));
    int status = partitions_draw(&p, m->b, m->seed, round);
    if (status == SCDC_OK) {
        doubt_start(d, &p);
        for (size_t i = 0; i < *n_pending; i++)
            doubt_asked(d, same_in(&p, pending[i].left, pending[i].right), overlap);
        fill_queue(q, d, overlap);
        for (size_t asked = 0; asked < PER_ROUND && m->out->count < m->want && q->count;) {
            candidate best = best_of(q, d, overlap);
            if (best.gain < nothing) break;
            if (!ask_between(m, &best)) {
                drop_first(q);
                continue;
            }
            doubt_asked(d, same_in(&p, best.left, best.right), overlap);
            pending[(*n_pending)++] = best;
            if (++asked % CHECK_EVERY == 0) ask_at_random(m);
        }
        partitions_free(&p);
    }
    mem_free(d);
    return status;
}

int batch_pairs(batch *m)
{
    size_t B = m->b->count, n_pending = 0;
    arena scratch = {0};
    queue q = {arena_new(&scratch, B * (B - 1) / 2 + 1, sizeof *q.heap, "questions"), 0};
    candidate *pending = arena_new(&scratch, m->want, sizeof *pending, "questions");
    m->times = arena_new(&scratch, m->items->count, sizeof *m->times, "questions");
    int status = arena_status(&scratch);
    for (uint32_t round = 0; status == SCDC_OK && m->out->count < m->want; round++) {
        size_t had = m->out->count;
        status = ask_round(m, &q, pending, &n_pending, round);
        if (m->out->count == had) break;
    }
    if (status == SCDC_OK) ask_any(m);
    arena_free(&scratch);
    return status;
}
