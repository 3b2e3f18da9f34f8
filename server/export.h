/* Writing a board's answers as csv. */
#ifndef SCDC_SERVER_EXPORT_H
#define SCDC_SERVER_EXPORT_H

#include "board.h"
#include "collect.h"

typedef const char *(*item_name_fn)(size_t item, const void *user);

/* The csv as text, freed by the caller. The board's lock is held, or nobody else has the board. */
char *export_csv(size_t *size, collect_counts *counts, board *b, item_name_fn name,
                 const void *user, bool everybody);

#endif
