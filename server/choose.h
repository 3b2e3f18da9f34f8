/* Which items to ask about next. */
#ifndef SCDC_SERVER_CHOOSE_H
#define SCDC_SERVER_CHOOSE_H

#include "board.h"
#include "collect.h"
#include "findings.h"

typedef struct chooser {
    collect_strategy strategy;
    uint64_t seed;
    size_t set_size;
    uint32_t *order; /* the items, shuffled */
    size_t items;
    idmap chosen; /* pairs on their way to the board, see chooser_settle */
} chooser;

typedef struct chosen {
    uint32_t items[LARGEST_SET];
    size_t count;
    const char *why;    /* static text */
    const char *worker; /* who should get it first; "": anybody. Lent by the findings */
    uint32_t again;     /* not 0: the task that asks this already, to be asked once more */
} chosen;

void chooser_init(chooser *c, collect_strategy strategy, uint64_t seed, size_t items,
                  size_t set_size);
void chooser_free(chooser *c);
/* All that was chosen is on the board by now, or will never be. */
void chooser_settle(chooser *c);
/* What task `number` is to ask. False when nothing new was found. `findings` may be NULL: no fit
 * yet; else questions are taken from them. Called with the board's lock held. */
bool choose_items(chosen *out, chooser *c, const board *b, findings *f, uint32_t number);

#endif
