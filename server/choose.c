/* Strategies: random, grid (every item equally often), and suggest, which asks about items the last
 * fit was unsure of, beside sure ones of the two clusters they may belong to. */
#include "choose.h"

#include "draw.h"

#include <stdlib.h>

enum {
    TRIES = 64,      /* until a new pair is found */
    TIES = 4,        /* before the first fit: tasks per item before further items come in */
    FIRST_ITEMS = 24 /* and so many items to begin with */
};

void chooser_init(chooser *c, collect_strategy strategy, uint64_t seed, size_t items,
                  size_t set_size)
{
    *c = (chooser){.strategy = strategy, .seed = seed, .set_size = set_size, .items = items};
    c->order = need_resize(NULL, items, sizeof *c->order);
    draw d = draw_start(seed, 0);
    for (size_t i = 0; i < items; i++) c->order[i] = (uint32_t)i;
    for (size_t i = items; i-- > 1;) {
        size_t j = draw_below(&d, i + 1);
        uint32_t swap = c->order[i];
        c->order[i] = c->order[j];
        c->order[j] = swap;
    }
}

void chooser_free(chooser *c)
{
    free(c->order);
    idmap_free(&c->chosen);
    *c = (chooser){0};
}

static bool contains(const uint32_t *list, size_t count, uint32_t item)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == item) return true;
    }
    return false;
}

/* ---- the ways ------------------------------------------------------------------------------- */

/* Fills up with distinct random items among the first `among` of the shuffled order. */
static void fill_random(uint32_t *out, size_t have, const chooser *c, size_t among, draw *d)
{
    if (among < c->set_size) among = c->set_size;
    if (among > c->items) among = c->items;
    while (have < c->set_size) {
        uint32_t item = c->order[draw_below(d, among)];
        if (!contains(out, have, item)) out[have++] = item;
    }
}

/* Round after round over the items, each time in another order: with step and start prime to N
 * every item comes once a round. */
static void fill_grid(uint32_t *out, const chooser *c, uint32_t number)
{
    for (size_t i = 0, at = ((size_t)number - 1) * c->set_size; i < c->set_size; at++) {
        draw d = draw_start(c->seed ^ 0x67726964, at / c->items);
        size_t step = 1 + draw_below(&d, c->items - 1), a = step, b = c->items;
        while (b) { /* greatest common divisor */
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a != 1) step = 1;
        uint32_t item = c->order[(draw_below(&d, c->items) + at % c->items * step) % c->items];
        if (!contains(out, i, item)) out[i++] = item;
    }
}

/* An item the fit was unsure of: the most doubtful of a few, so that not all tasks ask the same. */
static uint32_t doubtful(const findings *f, const board *b, draw *d)
{
    uint32_t best = 0;
    double most = -1;
    for (int i = 0; i < 24; i++) {
        uint32_t item = (uint32_t)draw_below(d, f->items);
        double doubt = (1.02 - (double)f->probability[item]) / (1.0 + b->uses[item]);
        if (doubt > most) {
            most = doubt;
            best = item;
        }
    }
    return best;
}

/* A sure item of a cluster, one of its surest quarter. */
static uint32_t sure(const findings *f, uint32_t cluster, draw *d)
{
    size_t among = (f->sizes[cluster] + 3) / 4;
    return f->by_cluster[f->starts[cluster] + draw_below(d, among)];
}

static size_t suggest_start(uint32_t *out, const chooser *c, const board *b, const findings *f,
                            draw *d)
{
    size_t have = 0;
    /* Half of a set are doubtful items, the other half sure ones of where these may belong. */
    for (size_t i = 0; i < c->set_size / 2; i++) {
        uint32_t item = doubtful(f, b, d);
        if (!contains(out, have, item)) out[have++] = item;
        uint32_t cluster = draw_unit(d) < .5 ? f->first[item] : f->second[item];
        if (!f->sizes[cluster]) continue;
        uint32_t anchor = sure(f, cluster, d);
        if (!contains(out, have, anchor)) out[have++] = anchor;
    }
    return have;
}

bool choose_items(uint32_t *out, const char **why, chooser *c, const board *b, const findings *f,
                  uint32_t number)
{
    for (int attempt = 0; attempt < TRIES; attempt++) {
        draw d = draw_start(c->seed, (uint64_t)number << 8 | (uint64_t)attempt);
        if (c->strategy == COLLECT_GRID && attempt == 0) {
            fill_grid(out, c, number);
            *why = "grid";
        } else if (c->strategy == COLLECT_SUGGEST && f && draw_unit(&d) < .9) {
            fill_random(out, suggest_start(out, c, b, f, &d), c, c->items, &d);
            *why = "doubtful";
        } else if (c->strategy == COLLECT_SUGGEST && !f) {
            size_t among = FIRST_ITEMS + (size_t)number * c->set_size / (2 * TIES);
            fill_random(out, 0, c, among + (size_t)attempt * among / 8, &d);
            *why = "spread";
        } else {
            fill_random(out, 0, c, c->items, &d);
            *why = "random";
        }
        if (c->set_size > 2) return true;
        id128 pair = {out[0] < out[1] ? out[0] : out[1], out[0] < out[1] ? out[1] : out[0]};
        if (!board_pair_used(b, out[0], out[1]) && idmap_add(&c->chosen, pair, 1)) return true;
    }
    return false;
}
