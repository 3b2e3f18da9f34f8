/* Counts heap allocations of the whole process while `counting` is set, by standing in front of
 * malloc and its relatives. Include from one file of a test only. Under sanitizers, which have
 * allocators of their own, and with other C libraries it counts nothing. */
#ifndef SCDC_TESTS_COUNTING_H
#define SCDC_TESTS_COUNTING_H

#include "support/sanitizers.h"

#include <errno.h>
#include <stdlib.h>

static _Atomic int counting, allocations;

#if defined(__GLIBC__) && !SANITIZED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    if (counting) allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    if (counting) allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size)
{
    if (counting) allocations++;
    return __libc_realloc(block, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    if (counting) allocations++;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (counting) allocations++;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}
enum { COUNTING_WORKS = 1 };
#else
enum { COUNTING_WORKS = 0 };
#endif

#endif
