/* Open addressing; grows at two thirds. Keys may come from strangers, so they are mixed with a
 * secret of the process: nobody can aim at one slot. */
#include "idmap.h"

#include "base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static uint64_t process_secret(void)
{
    static uint64_t secret; /* racing threads would only be late by one value */
    uint64_t value = __atomic_load_n(&secret, __ATOMIC_ACQUIRE);
    if (value) return value;
    if (getrandom(&value, sizeof value, GRND_NONBLOCK) != sizeof value)
        value = (uint64_t)clock_wall();
    value |= 1;
    uint64_t expected = 0;
    if (__atomic_compare_exchange_n(&secret, &expected, value, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return value;
    return expected;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static size_t place(const idmap *map, id128 key)
{
    uint64_t h = mix(key.high ^ process_secret());
    return (size_t)mix(h + key.low) & (map->capacity - 1);
}

static bool same(id128 a, id128 b)
{
    return a.high == b.high && a.low == b.low;
}

uint32_t idmap_get(const idmap *map, id128 key)
{
    if (!map->capacity) return 0;
    for (size_t i = place(map, key);; i = (i + 1) & (map->capacity - 1)) {
        const idmap_slot *slot = &map->slots[i];
        if (!slot->value || same(slot->key, key)) return slot->value;
    }
}

static void grow(idmap *map)
{
    idmap larger = {.capacity = map->capacity ? map->capacity * 2 : 64};
    larger.slots = need_zeroed(larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].value) idmap_add(&larger, map->slots[i].key, map->slots[i].value);
    }
    free(map->slots);
    *map = larger;
}

bool idmap_add(idmap *map, id128 key, uint32_t value)
{
    if (map->count * 3 >= map->capacity * 2) grow(map);
    size_t i = place(map, key);
    while (map->slots[i].value) {
        if (same(map->slots[i].key, key)) return false;
        i = (i + 1) & (map->capacity - 1);
    }
    map->slots[i] = (idmap_slot){key, value};
    map->count++;
    return true;
}

void idmap_remove(idmap *map, id128 key)
{
    if (!idmap_get(map, key)) return;
    size_t last = map->capacity - 1, hole = place(map, key);
    while (!same(map->slots[hole].key, key)) hole = (hole + 1) & last;
    /* What was put behind it because it was in the way moves up, so that no search ends too early.
     */
    for (size_t i = (hole + 1) & last; map->slots[i].value; i = (i + 1) & last) {
        size_t home = place(map, map->slots[i].key);
        if (((i - home) & last) < ((i - hole) & last)) continue;
        map->slots[hole] = map->slots[i];
        hole = i;
    }
    map->slots[hole] = (idmap_slot){0};
    map->count--;
}

void idmap_free(idmap *map)
{
    free(map->slots);
    *map = (idmap){0};
}

/* ---- as text -------------------------------------------------------------------------------- */

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool id128_parse(id128 *out, const char *text)
{
    uint64_t part[2] = {0, 0};
    size_t digits = 0;
    for (; *text; text++) {
        if (*text == '-' && digits && digits < 32) continue;
        int d = digit(*text);
        if (d < 0 || digits == 32) return false;
        part[digits / 16] = part[digits / 16] << 4 | (uint64_t)d;
        digits++;
    }
    *out = (id128){part[0], part[1]};
    return digits == 32;
}

void id128_print(char out[33], id128 id)
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)id.high, (unsigned long long)id.low);
}

id128 id128_of_text(const char *first, const char *second)
{
    id128 key = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
    const char *parts[] = {first, "\n", second};
    for (int p = 0; p < 3; p++) {
        for (const unsigned char *c = (const unsigned char *)parts[p]; *c; c++) {
            key.high = (key.high ^ *c) * 0x100000001b3u;
            key.low = (key.low + *c) * 0xd6e8feb86659fd93u;
            key.low ^= key.low >> 29;
        }
    }
    return key;
}
