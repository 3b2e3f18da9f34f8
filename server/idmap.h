/* A hash table from 128-bit keys to numbers: ids of answers, pairs of items, who did which task. */
#ifndef SCDC_SERVER_IDMAP_H
#define SCDC_SERVER_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct id128 {
    uint64_t high, low;
} id128;

typedef struct idmap_slot {
    id128 key;
    uint32_t value; /* 0: the slot is free */
} idmap_slot;

typedef struct idmap {
    idmap_slot *slots;
    size_t capacity, count;
} idmap;

/* The number of a key; 0 when it is not there. */
uint32_t idmap_get(const idmap *map, id128 key);
/* `value` is not 0. False when the key was there: its number stays. */
bool idmap_add(idmap *map, id128 key, uint32_t value);
/* Nothing happens when the key is not there. */
void idmap_remove(idmap *map, id128 key);
void idmap_free(idmap *map);

/* 32 hexadecimal digits, with or without the dashes of a UUID. */
bool id128_parse(id128 *out, const char *text);
/* A key for two texts (the second may be ""); different texts have different ones but for bad luck.
 */
id128 id128_of_text(const char *first, const char *second);
void id128_print(char out[33], id128 id);

#endif
