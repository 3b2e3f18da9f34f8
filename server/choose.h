/* Which items to ask about next. One function, so that a better chooser can take its place. */
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
    idmap chosen; /* pairs on their way to the board */
} chooser;

void chooser_init(chooser *c, collect_strategy strategy, uint64_t seed, size_t items,
                  size_t set_size);
void chooser_free(chooser *c);
/* Items for task `number` into out[set_size]; `why` is set to a static text. False when nothing new
 * was found. `findings` may be NULL: no fit yet. Called with the board's lock held. */
bool choose_items(uint32_t *out, const char **why, chooser *c, const board *b, const findings *f,
                  uint32_t number);

#endif
