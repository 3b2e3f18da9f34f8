/* Known pairs of annotation files (column gold). */
#ifndef SCDC_CROWD_GOLD_H
#define SCDC_CROWD_GOLD_H

#include "crowd/crowd.h"

/* The worker who tells the truth about known pairs. */
#define GOLD_WORKER "(gold)"
/* Answers it is thought to have given rightly before, about pairs of either kind. */
#define GOLD_COUNT 1e6

typedef struct gold_pair {
    uint32_t left, right, same; /* left < right */
    size_t line;
    const char *file;
} gold_pair;

typedef struct gold_list {
    gold_pair *pairs;
    size_t count, capacity;
} gold_list;

/* `file` is borrowed until gold_answers. */
int gold_note(gold_list *g, uint32_t left, uint32_t right, uint32_t same, const char *file,
              size_t line);
/* Appends each known pair once, as an answer of GOLD_WORKER. SCDC_ERR_INPUT names the rows of a
 * contradiction. */
int gold_answers(scdc_crowd *crowd, gold_list *g);
void gold_free(gold_list *g);

#endif
