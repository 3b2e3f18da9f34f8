/* Open addressing; a table is at most half full. */
#include "asking/pairset.h"

#include "base/memory.h"
#include "base/status.h"

int pairset_make(pairset *out, size_t most)
{
    *out = (pairset){.slots = 16};
    while (out->slots < 2 * most) out->slots *= 2;
    return mem_zeroed(&out->slot, out->slots, sizeof *out->slot, "pairs of items");
}

void pairset_free(pairset *set)
{
    mem_free(set->slot);
    *set = (pairset){0};
}

bool pairset_add(pairset *set, uint32_t left, uint32_t right)
{
    uint64_t low = left < right ? left : right, high = left < right ? right : left;
    uint64_t key = low << 32 | high, hash = key * 0x9e3779b97f4a7c15u;
    for (size_t at = (size_t)(hash >> 20) & (set->slots - 1);; at = (at + 1) & (set->slots - 1)) {
        if (set->slot[at] == key) return false;
        if (set->slot[at]) continue;
        set->slot[at] = key;
        set->count++;
        return true;
    }
}
