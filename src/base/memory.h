/* Checked allocation and an arena. Every block is 64-byte aligned so that kernels may assume it. */
#ifndef SCDC_BASE_MEMORY_H
#define SCDC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* count * size bytes, zeroed, 64-byte aligned; SCDC_ERR_MEMORY naming `what` when that overflows
 * or cannot be had. count 0 gives a valid pointer. Freed by mem_free. */
int mem_zeroed(void *out /* address of a pointer */, size_t count, size_t size, const char *what);
/* Grows an array by doubling so that it holds at least `need` elements. */
int mem_reserve(void *array /* address of a pointer */, size_t *capacity, size_t need, size_t size,
                const char *what);
void mem_free(void *block);

/* For tests: allocation number `number` of the process from now on (counted from 1) fails as if
 * memory were out; 0 = none. Tells how many were asked for since the last call. */
size_t mem_fail_at(size_t number);

/* a * b and a + b with a check: false on overflow, *out untouched then. */
bool size_mul(size_t *out, size_t a, size_t b);
bool size_add(size_t *out, size_t a, size_t b);

/* Arena: many blocks, one free. Used for objects built once (models, workspaces). A failure stays:
 * whoever builds an object asks for all its blocks and then once whether they are there. */
typedef struct arena {
    struct arena_chunk *chunks;
    int status; /* SCDC_OK until a block could not be had */
} arena;
/* count * size bytes, zeroed, 64-byte aligned; NULL, naming `what` in the message, when they cannot
 * be had or a block before could not. */
void *arena_new(arena *a, size_t count, size_t size, const char *what);
char *arena_string(arena *a, const char *text, size_t length); /* a copy; NULL as above */
int arena_status(const arena *a);
void arena_free(arena *a);

#endif
