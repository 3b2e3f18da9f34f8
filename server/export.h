/* Writing a board's answers as csv. */
#ifndef SCDC_SERVER_EXPORT_H
#define SCDC_SERVER_EXPORT_H

#include "board.h"
#include "collect.h"

typedef const char *(*item_name_fn)(size_t item, const void *user);

/* The csv as text, freed by the caller: answers from number `first` on. The board's lock is held,
 * or nobody else has the board. */
char *export_csv(size_t *size, collect_counts *counts, board *b, item_name_fn name,
                 const void *user, size_t first, bool everybody);

/* Which answers somebody has: the first `seen` of the store, of which those that counted are told
 * by `digest`. */
typedef struct export_mark {
    size_t seen;
    uint64_t digest;
    bool whole; /* out: all answers were written, not only further ones */
} export_mark;

/* The answers of the store at `place` that came since `mark`; all of them when there is none ({0}),
 * or when some that it knows count no longer or again. `mark` then stands for all. */
int export_since(collect_counts *counts, export_mark *mark, const char *place, const char *output);

#endif
