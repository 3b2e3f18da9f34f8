/* Texts in one block, found by an open-addressing hash of their numbers. */
#include "base/names.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

static uint64_t hash(const char *text, size_t length)
{
    /* FNV-1a, then mixed, because the low bits choose the slot. */
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* The slot that holds the text, or the free slot where it would go. n_slots > 0. */
static size_t slot_of(const names *t, const char *text, size_t length)
{
    size_t mask = t->n_slots - 1, slot = (size_t)hash(text, length) & mask;
    for (; t->slots[slot]; slot = (slot + 1) & mask) {
        const char *other = t->text + t->start[t->slots[slot] - 1];
        if (strncmp(other, text, length) == 0 && other[length] == '\0') break;
    }
    return slot;
}

static int grow_slots(names *t)
{
    names bigger = *t;
    bigger.n_slots = t->n_slots ? t->n_slots * 2 : FIRST_SLOTS;
    SCDC_TRY(mem_zeroed(&bigger.slots, bigger.n_slots, sizeof *t->slots, "a table of names"));
    for (size_t i = 0; i < t->count; i++) {
        const char *text = t->text + t->start[i];
        bigger.slots[slot_of(&bigger, text, strlen(text))] = (uint32_t)(i + 1);
    }
    mem_free(t->slots);
    *t = bigger;
    return SCDC_OK;
}

int names_add(size_t *number, bool *added, names *t, const char *text, size_t length)
{
    if (t->count * 2 >= t->n_slots) SCDC_TRY(grow_slots(t));
    size_t slot = slot_of(t, text, length);
    bool is_new = t->slots[slot] == 0;
    if (is_new) {
        if (t->count == UINT32_MAX - 1) {
            return fail_with(SCDC_ERR_INPUT, "more than %u different names", UINT32_MAX - 1);
        }
        SCDC_TRY(mem_reserve(&t->text, &t->text_capacity, t->text_size + length + 1, 1, "names"));
        SCDC_TRY(mem_reserve(&t->start, &t->start_capacity, t->count + 1, sizeof *t->start,
                             "a table of names"));
        t->start[t->count] = t->text_size;
        memcpy(t->text + t->text_size, text, length);
        t->text[t->text_size + length] = '\0';
        t->text_size += length + 1;
        t->slots[slot] = (uint32_t)++t->count;
    }
    *number = t->slots[slot] - 1;
    if (added) *added = is_new;
    return SCDC_OK;
}

bool names_find(size_t *number, const names *t, const char *text, size_t length)
{
    if (!t->n_slots) return false;
    uint32_t found = t->slots[slot_of(t, text, length)];
    if (!found) return false;
    *number = found - 1;
    return true;
}

const char *names_at(const names *t, size_t number)
{
    return number < t->count ? t->text + t->start[number] : NULL;
}

void names_free(names *t)
{
    mem_free(t->text);
    mem_free(t->start);
    mem_free(t->slots);
    *t = (names){0};
}
