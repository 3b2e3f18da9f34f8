/* Strategies: random, grid (every item equally often), and suggest: before the first fit spread
 * over the items, then what scdc suggest has chosen, and where that does not reach, items the last
 * fit was unsure of beside sure ones. */
#include "choose.h"

#include "draw.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRIES = 64,       /* until a new pair is found */
    TIES = 4,         /* before the first fit: tasks per item before further items come in */
    FIRST_ITEMS = 24, /* and so many items to begin with */
    LOOKS = 24        /* at items, for a doubtful one */
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

void chooser_settle(chooser *c)
{
    idmap_free(&c->chosen);
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
    for (int i = 0; i < LOOKS; i++) {
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

static size_t doubtful_start(uint32_t *out, const chooser *c, const board *b, const findings *f,
                             draw *d)
{
    size_t have = 0;
    /* Half of a set are doubtful items, the other half sure ones of where these may belong. */
    for (size_t i = 0; i < c->set_size / 2; i++) {
        uint32_t item = doubtful(f, b, d);
        if (!contains(out, have, item)) out[have++] = item;
        uint32_t cluster =
            draw_unit(d) < .5 ? f->cluster[item] : (uint32_t)draw_below(d, f->clusters);
        if (!f->sizes[cluster]) continue;
        uint32_t anchor = sure(f, cluster, d);
        if (!contains(out, have, anchor)) out[have++] = anchor;
    }
    return have;
}

/* ---- what scdc suggest chose ---------------------------------------------------------------- */

/* The next of its questions that can still be asked. A pair that was asked before is asked once
 * more, of somebody else. */
static bool take_question(chosen *out, const chooser *c, const board *b, findings *f)
{
    questions *q = &f->questions;
    while (q->next < q->count) {
        const question *one = &q->list[q->next++];
        bool pair = one->count == 2 && c->set_size == 2;
        if (!pair && one->count != c->set_size) continue;
        uint32_t asked = pair ? board_pair_task(b, one->items[0], one->items[1]) : 0;
        if (asked && !board_done(b, asked)) continue; /* somebody will answer it anyway */
        memcpy(out->items, one->items, sizeof out->items);
        out->why = one->reason;
        out->worker = one->worker;
        out->again = asked;
        return true;
    }
    return false;
}

bool choose_items(chosen *out, chooser *c, const board *b, findings *f, uint32_t number)
{
    *out = (chosen){.count = c->set_size, .worker = ""};
    bool suggests = c->strategy == COLLECT_SUGGEST;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        draw d = draw_start(c->seed, (uint64_t)number << 8 | (uint64_t)attempt);
        if (c->strategy == COLLECT_GRID && attempt == 0) {
            fill_grid(out->items, c, number);
            out->why = "grid";
        } else if (suggests && f && take_question(out, c, b, f)) {
            if (out->again) return true;
        } else if (suggests && f && draw_unit(&d) < .9) {
            fill_random(out->items, doubtful_start(out->items, c, b, f, &d), c, c->items, &d);
            out->why = "doubtful";
        } else if (suggests && !f) {
            size_t among = FIRST_ITEMS + (size_t)number * c->set_size / (2 * TIES);
            fill_random(out->items, 0, c, among + (size_t)attempt * among / 8, &d);
            out->why = "spread";
        } else {
            fill_random(out->items, 0, c, c->items, &d);
            out->why = "random";
        }
        if (c->set_size > 2) return true;
        const uint32_t *two = out->items;
        id128 pair = {two[0] < two[1] ? two[0] : two[1], two[0] < two[1] ? two[1] : two[0]};
        if (!board_pair_task(b, two[0], two[1]) && idmap_add(&c->chosen, pair, 1)) return true;
        out->worker = "";
    }
    return false;
}
