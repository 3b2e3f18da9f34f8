/* Checked allocation and the arena. */
#include "base/memory.h"
#include "base/status.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#ifdef SCDC_FUZZED
enum { CHUNK_BYTES = 1 << 10 }; /* small: blocks have chunks of their own, and ends that are seen */
#else
enum { CHUNK_BYTES = 1 << 16 };
#endif
enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21, HUGE_FROM = 4 << 20 };

bool size_mul(size_t *out, size_t a, size_t b)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product)) return false;
    *out = product;
    return true;
}

bool size_add(size_t *out, size_t a, size_t b)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum)) return false;
    *out = sum;
    return true;
}

/* Rounded up to the alignment; false on overflow. */
static bool padded_size(size_t *out, size_t count, size_t size)
{
    size_t bytes;
    if (!size_mul(&bytes, count, size) || !size_add(&bytes, bytes, ALIGNMENT)) return false;
    *out = bytes / ALIGNMENT * ALIGNMENT;
    return true;
}

/* ---- failures on demand ---- */

static atomic_size_t asked, doomed;

size_t mem_fail_at(size_t number)
{
    atomic_store(&doomed, number);
    return atomic_exchange(&asked, 0);
}

/* Every allocation of this file asks. */
static bool must_fail(void)
{
    return atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) + 1 ==
           atomic_load_explicit(&doomed, memory_order_relaxed);
}

/* Large blocks lie on huge pages where the system has them: far fewer page faults, and fewer misses
 * of the address cache in large matrix products. */
static void wish_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(block, bytes, MADV_HUGEPAGE); /* a wish: small pages do as well */
#else
    (void)block;
    (void)bytes;
#endif
}

static bool is_large(size_t bytes)
{
    return bytes >= HUGE_FROM && bytes <= SIZE_MAX - 2 * (size_t)HUGE_PAGE;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static void *allocate_zeroed(size_t bytes)
{
    if (must_fail()) return NULL;
    if (is_large(bytes)) {
        void *large = aligned_alloc(HUGE_PAGE, whole_pages(bytes));
        if (!large) return NULL;
        wish_huge_pages(large, whole_pages(bytes));
        return memset(large, 0, bytes);
    }
    void *block = aligned_alloc(ALIGNMENT, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

int mem_zeroed(void *out, size_t count, size_t size, const char *what)
{
    size_t bytes;
    if (!padded_size(&bytes, count, size)) return fail_memory(SIZE_MAX, what);
    void *block = allocate_zeroed(bytes);
    if (!block) return fail_memory(bytes, what);
    memcpy(out, &block, sizeof block);
    return SCDC_OK;
}

int mem_reserve(void *array, size_t *capacity, size_t need, size_t size, const char *what)
{
    if (need <= *capacity) return SCDC_OK;
    size_t grown = *capacity < 16 ? 16 : *capacity, bytes;
    while (grown < need) {
        if (!size_mul(&grown, grown, 2)) return fail_memory(SIZE_MAX, what);
    }
    if (!size_mul(&bytes, grown, size)) return fail_memory(SIZE_MAX, what);
    void *old, *block;
    memcpy(&old, array, sizeof old);
    block = must_fail() ? NULL : realloc(old, bytes);
    if (!block) return fail_memory(bytes, what);
    memcpy(array, &block, sizeof block);
    *capacity = grown;
    return SCDC_OK;
}

void mem_free(void *block)
{
    free(block);
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size;
    char *bytes;
    void *memory; /* what is freed: bytes, or where they were aligned from */
};

/* Pages of a large block that are zero anyway are left to whoever touches them first: often several
 * threads, where zeroing them here would be the work of one. */
static bool chunk_allocate(struct arena_chunk *chunk)
{
    if (!is_large(chunk->size)) {
        chunk->memory = chunk->bytes = allocate_zeroed(chunk->size);
        return chunk->bytes;
    }
    size_t whole = whole_pages(chunk->size);
    chunk->memory = must_fail() ? NULL : calloc(1, whole + HUGE_PAGE);
    if (!chunk->memory) return false;
    size_t astray = (uintptr_t)chunk->memory % HUGE_PAGE;
    chunk->bytes = (char *)chunk->memory + (astray ? HUGE_PAGE - astray : 0);
    wish_huge_pages(chunk->bytes, whole);
    return true;
}

static int arena_grow(arena *a, size_t bytes, const char *what)
{
    struct arena_chunk *chunk = must_fail() ? NULL : malloc(sizeof *chunk);
    if (!chunk) return fail_memory(sizeof *chunk, what);
    chunk->size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    chunk->used = 0;
    if (!chunk_allocate(chunk)) {
        free(chunk);
        return fail_memory(bytes, what);
    }
    chunk->next = a->chunks;
    a->chunks = chunk;
    return SCDC_OK;
}

/* Room for a block in the first chunk. */
static int arena_reserve(arena *a, size_t bytes, const char *what)
{
    if (a->chunks && a->chunks->size - a->chunks->used >= bytes) return SCDC_OK;
    return arena_grow(a, bytes, what);
}

void *arena_new(arena *a, size_t count, size_t size, const char *what)
{
    size_t bytes = 0;
    if (a->status != SCDC_OK) return NULL;
    if (padded_size(&bytes, count, size)) a->status = arena_reserve(a, bytes, what);
    else a->status = fail_memory(SIZE_MAX, what);
    if (a->status != SCDC_OK) return NULL;
    void *block = a->chunks->bytes + a->chunks->used;
    a->chunks->used += bytes;
    return block;
}

char *arena_string(arena *a, const char *text, size_t length)
{
    char *copy = arena_new(a, length + 1, 1, "a name");
    if (copy) memcpy(copy, text, length);
    return copy;
}

int arena_status(const arena *a)
{
    return a->status;
}

void arena_free(arena *a)
{
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks->memory);
        free(a->chunks);
        a->chunks = next;
    }
    a->status = SCDC_OK;
}
