/* A batch of sets to sort: greedy over the blocks of a set. Whoever sorts a set tells about every
 * two of its items; but an item is put down once, and so counts once. */
#include "asking/batch.h"
#include "asking/choose.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* How much more a block adds to a set: its best answers with what is there. */
static double added_gain(const doubt *d, const uint32_t *set, size_t count, size_t block,
                         double overlap, uint64_t *same)
{
    double best = -1;
    for (size_t i = 0; i < count; i++) {
        if (set[i] == block) return -1;
        uint64_t u = same_in(d->p, set[i], block);
        double gain = doubt_gain(d, u, overlap);
        if (gain > best) {
            best = gain;
            *same = u;
        }
    }
    return best;
}

static void first_pair(uint32_t set[2], double *gain, const doubt *d, double overlap)
{
    size_t B = d->p->blocks;
    *gain = -1;
    for (uint32_t i = 0; i < B; i++) {
        for (uint32_t j = i + 1; j < B; j++) {
            double now = doubt_gain(d, same_in(d->p, i, j), overlap);
            if (now <= *gain) continue;
            *gain = now;
            set[0] = i;
            set[1] = j;
        }
    }
}

/* Fills `set` with blocks and takes their doubts away; returns what they gain together. */
static double choose_set(uint32_t *set, doubt *d, size_t size, double overlap)
{
    double total = 0;
    if (size < 2) { /* all items are alike */
        set[0] = 0;
        return 0;
    }
    first_pair(set, &total, d, overlap);
    doubt_asked(d, same_in(d->p, set[0], set[1]), overlap);
    for (size_t count = 2; count < size; count++) {
        double best = -1;
        uint64_t split = 0, same = 0;
        for (size_t j = 0; j < d->p->blocks; j++) {
            double gain = added_gain(d, set, count, j, overlap, &same);
            if (gain <= best) continue;
            best = gain;
            split = same;
            set[count] = (uint32_t)j;
        }
        doubt_asked(d, split, overlap);
        total += fmax(best, 0);
    }
    return total;
}

static bool contains(const uint32_t *list, size_t count, uint32_t value)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == value) return true;
    }
    return false;
}

/* An item of each block, typical ones first. */
static void fill_items(batch *m, const uint32_t *set, size_t size)
{
    uint32_t *items = m->out->items + m->out->count * m->set_size;
    for (size_t i = 0; i < size; i++) {
        uint32_t begin = m->b->start[set[i]], among = (m->b->start[set[i] + 1] - begin + 1) / 2;
        uint32_t at = (uint32_t)rng_below(&m->draw, among);
        items[i] = m->b->member[begin + at];
    }
}

/* The rest of a set that has fewer blocks than places. */
static void fill_rest(batch *m, size_t have, size_t size)
{
    uint32_t *items = m->out->items + m->out->count * m->set_size;
    while (have < size) {
        uint32_t item = (uint32_t)rng_below(&m->draw, m->items->count);
        if (!contains(items, have, item)) items[have++] = item;
    }
}

/* Any items, now and then: doubts are mostly about items of one kind, and when nothing else is
 * sorted few clusters and careless workers explain the piles as well as many and good ones. */
static void ask_at_random(batch *m, size_t size)
{
    fill_rest(m, 0, size);
    batch_note(m, size, 0, "check");
}

int batch_sets(batch *m)
{
    size_t B = m->b->count;
    size_t size = m->set_size < m->items->count ? m->set_size : m->items->count;
    size_t from_blocks = size < B ? size : B;
    double overlap = coins_overlap(&m->who);
    uint32_t set[100];
    doubt *d;
    partitions p;
    SCDC_TRY(mem_zeroed(&d, 1, sizeof *d, "doubts"));
    int status = partitions_draw(&p, m->b, m->seed, 0);
    if (status == SCDC_OK) {
        doubt_start(d, &p);
        double all = doubt_left(d);
        for (uint32_t round = 1; m->out->count < m->want && status == SCDC_OK;) {
            if (m->out->count % (CHECK_EVERY + 1) == CHECK_EVERY) {
                ask_at_random(m, size);
                continue;
            }
            double gain = choose_set(set, d, from_blocks, overlap);
            fill_items(m, set, from_blocks);
            fill_rest(m, from_blocks, size);
            batch_note(m, size, gain, m->cold ? "spread" : gain > 1e-9 ? "groups" : "check");
            if (doubt_left(d) > .2 * all || m->out->count == m->want) continue;
            partitions_free(&p);
            status = partitions_draw(&p, m->b, m->seed, round++);
            if (status == SCDC_OK) doubt_start(d, &p);
        }
        partitions_free(&p);
    }
    mem_free(d);
    return status;
}
