/* A parallel loop over fixed pieces.
 *
 * The pieces depend on n and piece_size only; threads decide who runs which piece, never what a
 * piece is. A sum is stored per piece and added up in piece order, so results are bitwise the same
 * for any number of threads. */
#ifndef SCDC_BASE_PARALLEL_H
#define SCDC_BASE_PARALLEL_H

#include <stddef.h>

typedef void (*parallel_body)(void *context, size_t begin, size_t end, size_t piece);

/* Runs body over [0, n) cut into pieces of piece_size (the last may be shorter). */
void parallel_for(size_t n, size_t piece_size, parallel_body body, void *context);
size_t parallel_pieces(size_t n, size_t piece_size);

/* Threads used by this thread's parallel_for calls; 0 = all cores. */
void parallel_set_threads(int threads);
int parallel_threads(void);

/* Scratch per thread: allocate parallel_slots() of them before the loop; inside a body
 * parallel_slot() says which one is the caller's. What a body leaves there must not matter. */
size_t parallel_slots(void);
size_t parallel_slot(void);

/* sum of body's values over the pieces, in piece order. */
typedef double (*parallel_term)(void *context, size_t begin, size_t end);
double parallel_sum(size_t n, size_t piece_size, parallel_term term, void *context);

#endif
