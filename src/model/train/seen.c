/* Choosing items to look at. */
#include "model/train/seen.h"
#include "base/status.h"
#include "model/tuning.h"

static void merge(seen_items *out, uint32_t *item, size_t items, const crowd_graph *annotated)
{
    size_t even = 0, node = 0, n = 0, count = SEEN_ITEMS;
    while (even < count || node < annotated->nodes) {
        uint64_t next = even < count ? (uint64_t)even * items / count : UINT64_MAX;
        uint64_t other = node < annotated->nodes ? annotated->item[node] : UINT64_MAX;
        item[n++] = (uint32_t)(next < other ? next : other);
        even += next <= other;
        node += other <= next;
    }
    *out = (seen_items){n, item};
}

int seen_choose(seen_items *out, arena *memory, size_t items, const crowd_graph *annotated)
{
    *out = (seen_items){.n = items};
    if (items <= SEEN_ITEMS) return SCDC_OK;
    uint32_t *item = arena_new(memory, SEEN_ITEMS + annotated->nodes, sizeof *item, "items");
    SCDC_TRY(arena_status(memory));
    merge(out, item, items, annotated);
    return SCDC_OK;
}

size_t seen_place(const seen_items *s, uint32_t item)
{
    size_t low = 0, high = s->n;
    if (!s->item) return item;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->item[middle] < item) low = middle + 1;
        else high = middle;
    }
    return low;
}

int seen_answers(const scdc_answer **out, arena *memory, const seen_items *s,
                 const scdc_answer *answers, size_t count)
{
    *out = answers;
    if (!s->item) return SCDC_OK;
    scdc_answer *own = arena_new(memory, count, sizeof *own, "answers");
    SCDC_TRY(arena_status(memory));
    for (size_t a = 0; a < count; a++) {
        own[a] = answers[a];
        own[a].left = (uint32_t)seen_place(s, answers[a].left);
        own[a].right = (uint32_t)seen_place(s, answers[a].right);
    }
    *out = own;
    return SCDC_OK;
}
