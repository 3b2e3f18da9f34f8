/* The items that are looked at where a fit needs to see latents side by side (first components,
 * links between components): all of them, or of many a part, so that neither time nor memory grows
 * with the others. */
#ifndef SCDC_MODEL_SEEN_H
#define SCDC_MODEL_SEEN_H

#include "base/memory.h"
#include "crowd/graph.h"

#include <stddef.h>
#include <stdint.h>

typedef struct seen_items {
    size_t n;
    const uint32_t *item; /* [n] their numbers, increasing; NULL: all items */
} seen_items;

/* Of more than SEEN_ITEMS items so many, evenly chosen, and all that have answers. */
int seen_choose(seen_items *out, arena *memory, size_t items, const crowd_graph *annotated);
/* Where a seen item is among them. */
size_t seen_place(const seen_items *s, uint32_t item);
static inline size_t seen_item(const seen_items *s, size_t place)
{
    return s->item ? s->item[place] : place;
}
/* Answers about items, as answers about their places: the same where all are seen. */
int seen_answers(const scdc_answer **out, arena *memory, const seen_items *s,
                 const scdc_answer *answers, size_t count);

#endif
