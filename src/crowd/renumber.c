/* Ranks by a stable radix sort of positions. */
#include "crowd/renumber.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static uint32_t digit_of(uint32_t value, unsigned shift)
{
    return value >> shift & (DIGITS - 1);
}

/* One stable pass from `from` to `to` by the digit at `shift`. */
static void sort_pass(uint32_t *to, const uint32_t *from, const uint32_t *values, size_t n,
                      unsigned shift)
{
    size_t start[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) start[digit_of(values[i], shift)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t count = start[d];
        start[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) to[start[digit_of(values[from[i]], shift)]++] = from[i];
}

static int sort_positions(renumbering *r, const uint32_t *values, size_t n)
{
    uint32_t *other, largest = 0;
    SCDC_TRY(mem_zeroed(&r->order, n, sizeof *r->order, "an ordering"));
    SCDC_TRY(mem_zeroed(&other, n, sizeof *other, "an ordering"));
    for (size_t i = 0; i < n; i++) {
        r->order[i] = (uint32_t)i;
        if (values[i] > largest) largest = values[i];
    }
    for (unsigned shift = 0; shift < 32 && largest >> shift; shift += DIGIT_BITS) {
        sort_pass(other, r->order, values, n, shift);
        uint32_t *swap = r->order;
        r->order = other;
        other = swap;
    }
    mem_free(other);
    return SCDC_OK;
}

int renumber(renumbering *out, uint32_t *values, size_t n)
{
    renumbering r = {0};
    size_t capacity = 0;
    int status;
    SCDC_TRY_OR(error, status, sort_positions(&r, values, n));
    for (size_t i = 0; i < n; i++) {
        uint32_t *value = values + r.order[i];
        if (r.count == 0 || r.value[r.count - 1] != *value) {
            SCDC_TRY_OR(
                error, status,
                mem_reserve(&r.value, &capacity, r.count + 1, sizeof *r.value, "distinct numbers"));
            r.value[r.count++] = *value;
        }
        *value = (uint32_t)(r.count - 1);
    }
    *out = r;
    return SCDC_OK;
error:
    renumber_free(&r);
    return status;
}

void renumber_free(renumbering *r)
{
    mem_free(r->value);
    mem_free(r->order);
    *r = (renumbering){0};
}
