/* The processes that work together on the calling thread's fit (<scdc/ranks.h>), and what is made
 * of their two functions. With one process nothing here costs anything. */
#ifndef SCDC_BASE_RANKS_H
#define SCDC_BASE_RANKS_H

#include "base/parallel.h"

#include <scdc/ranks.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether processes were told of, be it one. */
bool ranks_in_use(void);
/* Whether results are process 0's (scdc_ranks_to_first). */
bool ranks_to_first(void);
/* Parts [begin, end) of `parts` that are of a process, or of this one. */
size_t ranks_begin_of(size_t parts, size_t rank);
void ranks_own(size_t *begin, size_t *end, size_t parts);

/* `values` has `count` entries of `bytes` each, cut into parts of `per_part`: each process has
 * filled its own parts and gets all others. */
int ranks_share(void *values, size_t bytes, size_t count, size_t per_part);
/* The same, but only process 0 gets the others' parts. */
int ranks_bring(void *values, size_t bytes, size_t count, size_t per_part);
/* Blocks of any lengths, as gather of <scdc/ranks.h>. */
int ranks_gather(void *all, const size_t *bytes);
int ranks_exchange(void *from, const size_t *from_bytes, const void *to, const size_t *to_bytes);
/* `bytes` of `values` as process `by` has them. */
int ranks_tell(void *values, size_t bytes, size_t by);
/* `own`, bytes[rank] of it, of all processes one after the other in `all` of process 0 (others give
 * NULL). */
int ranks_collect(void *all, const void *own, const size_t *bytes);
/* parallel_sum, each process some of the pieces: the same sum. */
int ranks_sum(double *out, size_t n, size_t piece_size, parallel_term term, void *context);
/* What process by process came to: SCDC_OK when all did, else on all of them the status and the
 * message of the first that failed. */
int ranks_settle(int status);
/* Adds up `n` counts of all processes. */
int ranks_add_counts(size_t *counts, size_t n);
/* Whether any process says so. */
int ranks_any(bool *any, bool own);

#endif
