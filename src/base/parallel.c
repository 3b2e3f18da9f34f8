/* The fixed-piece parallel loop over OpenMP. */
#include "base/parallel.h"

#include <omp.h>

static _Thread_local int wanted_threads;

void parallel_set_threads(int threads)
{
    wanted_threads = threads > 0 ? threads : 0;
}

int parallel_threads(void)
{
    return wanted_threads ? wanted_threads : omp_get_num_procs();
}

size_t parallel_slots(void)
{
    return (size_t)(omp_in_parallel() ? omp_get_num_threads() : parallel_threads());
}

size_t parallel_slot(void)
{
    return (size_t)omp_get_thread_num();
}

size_t parallel_pieces(size_t n, size_t piece_size)
{
    return (n + piece_size - 1) / piece_size;
}

void parallel_for(size_t n, size_t piece_size, parallel_body body, void *context)
{
    size_t pieces = parallel_pieces(n, piece_size);
    int threads = parallel_threads();
    /* Nested calls run their pieces in order on the calling thread. */
    if (pieces < 2 || threads < 2 || omp_in_parallel()) {
        for (size_t piece = 0; piece < pieces; piece++) {
            size_t begin = piece * piece_size, end = begin + piece_size;
            body(context, begin, end < n ? end : n, piece);
        }
        return;
    }
    if ((size_t)threads > pieces) threads = (int)pieces;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (size_t piece = 0; piece < pieces; piece++) {
        size_t begin = piece * piece_size, end = begin + piece_size;
        body(context, begin, end < n ? end : n, piece);
    }
}

enum { SUM_ROUND = 256 };
struct sum_context {
    parallel_term term;
    void *context;
    size_t offset;
    double partial[SUM_ROUND];
};

static void sum_piece(void *context, size_t begin, size_t end, size_t piece)
{
    struct sum_context *s = context;
    s->partial[piece] = s->term(s->context, s->offset + begin, s->offset + end);
}

double parallel_sum(size_t n, size_t piece_size, parallel_term term, void *context)
{
    /* Rounds of a fixed number of pieces keep the partial sums on the stack. */
    struct sum_context s = {.term = term, .context = context};
    double sum = 0;
    size_t round = piece_size * SUM_ROUND;
    for (s.offset = 0; s.offset < n; s.offset += round) {
        size_t count = n - s.offset < round ? n - s.offset : round;
        parallel_for(count, piece_size, sum_piece, &s);
        size_t pieces = parallel_pieces(count, piece_size);
        for (size_t piece = 0; piece < pieces; piece++) sum += s.partial[piece];
    }
    return sum;
}
