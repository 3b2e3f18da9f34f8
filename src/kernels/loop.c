/* The parallel loop of the kernels. */
#include "kernels/loop.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };

unsigned denormals_flush(void)
{
    unsigned previous = _mm_getcsr();
    _mm_setcsr(previous | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return previous;
}

void denormals_restore(unsigned previous)
{
    _mm_setcsr(previous);
}
#else
unsigned denormals_flush(void)
{
    return 0;
}

void denormals_restore(unsigned previous)
{
    (void)previous;
}
#endif

struct flushed {
    parallel_body body;
    void *context;
};

static void flushed_piece(void *context, size_t begin, size_t end, size_t piece)
{
    struct flushed *f = context;
    unsigned previous = denormals_flush();
    f->body(f->context, begin, end, piece);
    denormals_restore(previous);
}

void kernel_for(size_t n, size_t piece_size, parallel_body body, void *context)
{
    struct flushed f = {body, context};
    parallel_for(n, piece_size, flushed_piece, &f);
}

size_t rows_per_piece(size_t width, size_t values)
{
    return width < values ? values / (width ? width : 1) : 1;
}

size_t columns_per_piece(size_t rows, size_t block)
{
    size_t columns = rows_per_piece(rows, PIECE_VALUES);
    return (columns + block - 1) / block * block;
}
