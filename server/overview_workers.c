/* How workers answer: speed, agreement with others, and what looks suspicious. */
#include "overview.h"
#include "piles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LATEST = 31, FEWEST = 20 };

/* ---- agreement ------------------------------------------------------------------------------ */

static void compare_pairs(habit *h, const board *b, const board_answer **list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char mine = *board_text(b, list[i]->value);
        for (size_t j = 0; j < count && mine != '?'; j++) {
            char other = *board_text(b, list[j]->value);
            if (i == j || other == '?') continue;
            h[list[i]->worker].compared++;
            h[list[i]->worker].agreed += mine == other;
        }
    }
}

static void compare_piles(habit *h, const board *b, const board_answer **list, size_t count)
{
    unsigned char piles[MOST_COMPARED][LARGEST_SET];
    uint32_t items = b->tasks[list[0]->task].count;
    for (size_t i = 0; i < count; i++) piles_read(piles[i], items, board_text(b, list[i]->value));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            double share = i == j ? -1 : piles_alike(piles[i], piles[j], items);
            if (share < 0) continue;
            h[list[i]->worker].compared++;
            h[list[i]->worker].agreed += share;
        }
    }
}

/* ---- counting ------------------------------------------------------------------------------- */

static void count_value(habit *h, const board *b, const board_answer *a)
{
    const char *value = board_text(b, a->value);
    if (!b->rules.sets) {
        h->same += *value == '1';
        h->different += *value == '0';
        h->unsure += *value == '?';
        return;
    }
    unsigned char piles[LARGEST_SET];
    uint32_t count = b->tasks[a->task].count;
    piles_read(piles, count, value);
    for (uint32_t i = 0; i < count; i++) {
        h->unsure += piles[i] == PILE_UNSURE;
        for (uint32_t j = i + 1; j < count; j++) {
            if (piles[i] == PILE_UNSURE || piles[j] == PILE_UNSURE) continue;
            h->same += piles[i] == piles[j];
            h->different += piles[i] != piles[j];
        }
    }
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void measure_speed(habit *h, const board *b)
{
    uint32_t *latest = need_zeroed(b->n_workers * LATEST, sizeof *latest);
    size_t *count = need_zeroed(b->n_workers, sizeof *count);
    for (size_t i = b->n_answers; i-- > 0;) {
        const board_answer *a = &b->answers[i];
        if (count[a->worker] < LATEST) latest[a->worker * LATEST + count[a->worker]++] = a->took;
    }
    for (size_t w = 0; w < b->n_workers; w++) {
        uint32_t *mine = latest + w * LATEST;
        qsort(mine, count[w], sizeof *mine, by_size);
        h[w].seconds = count[w] ? mine[count[w] / 2] / 1000.0 : NAN;
    }
    free(latest);
    free(count);
}

habit *habits_of(const board *b)
{
    habit *h = need_zeroed(b->n_workers, sizeof *h);
    for (size_t i = 0; i < b->n_answers; i++) {
        const board_answer *a = &b->answers[i];
        if (a->replaced) continue;
        count_value(&h[a->worker], b, a);
        if (a->time > h[a->worker].last) h[a->worker].last = a->time;
    }
    measure_speed(h, b);
    const board_answer *list[MOST_COMPARED];
    for (size_t t = 1; t < b->n_tasks; t++) {
        if (b->tasks[t].answered < 2) continue;
        size_t count = board_live_answers(list, b, &b->tasks[t]);
        if (count > 1) (b->rules.sets ? compare_piles : compare_pairs)(h, b, list, count);
    }
    return h;
}

/* ---- suspicion ------------------------------------------------------------------------------ */

/* All answers alike is suspicious only where the crowd's answers are not. */
static bool always_same(const habit *h, const habit *crowd)
{
    size_t n = h->same + h->different, all = crowd->same + crowd->different;
    if (n < FEWEST || all == 0) return n == 0 && h->unsure >= FEWEST;
    if (h->same && h->different) return false;
    double share = (double)(h->same ? crowd->same : crowd->different) / (double)all;
    return pow(share, (double)n) < 1e-3;
}

json_t *suspicions(const board *b, const board_worker *w, const habit *h, const habit *crowd,
                   const found_worker *f, size_t set_size)
{
    json_t *list = json_array();
    double too_fast = b->rules.sets ? .3 * (double)set_size : .4;
    if (w->standing == STANDING_FORGIVEN) return list;
    if (always_same(h, crowd)) json_array_append_new(list, json_string("same"));
    if (w->answers >= 10 && h->seconds < too_fast) json_array_append_new(list, json_string("fast"));
    if (w->checks >= 4 && w->checks_right * 5 < w->checks * 3)
        json_array_append_new(list, json_string("checks"));
    bool below = f && w->answers >= FEWEST && f->sensitivity + f->specificity < 1;
    if (below || (h->compared >= FEWEST && h->agreed < .5 * (double)h->compared))
        json_array_append_new(list, json_string("chance"));
    return list;
}
