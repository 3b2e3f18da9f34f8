/* What the owner's page shows, gathered from the board and the last findings. */
#ifndef SCDC_SERVER_OVERVIEW_H
#define SCDC_SERVER_OVERVIEW_H

#include "board.h"
#include "findings.h"
#include "planner.h"
#include "project.h"

#include <jansson.h>

typedef struct overview {
    int64_t made;
    char *json;
} overview;

void overview_free(overview *o);
/* Everything as JSON. Takes the board's lock for as long as one pass over the answers lasts. */
json_t *overview_json(project *p, planner *pl, writer *w);

/* ---- overview_workers.c --------------------------------------------------------------------- */

/* How a worker answers. */
typedef struct habit {
    size_t same, different, unsure; /* answers of pairs, or pairs of piles */
    double seconds;                 /* median of the latest answers; NaN: none */
    double agreed;                  /* sum over comparisons with others, each 0 to 1 */
    size_t compared;
    int64_t last;
} habit;

/* One per worker number. Board locked; freed by the caller. */
habit *habits_of(const board *b);
/* Lists what looks suspicious: "same", "fast", "checks", "chance". */
json_t *suspicions(const board *b, const board_worker *w, const habit *h, const habit *crowd,
                   const found_worker *f, size_t set_size);

#endif
