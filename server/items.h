/* What workers see of an item: a picture made from its values, a file or a text given for it, or
 * its values as a profile. */
#ifndef SCDC_SERVER_ITEMS_H
#define SCDC_SERVER_ITEMS_H

#include "base.h"

typedef enum item_kind { ITEM_PICTURE, ITEM_TEXT, ITEM_FILE, ITEM_PROFILE } item_kind;

typedef struct item_set item_set;

/* `show` may be NULL, a folder with a picture for each item, or a csv with a column `text`. */
int items_open(item_set **out, const char *data, const char *show);
void items_free(item_set *it);

size_t items_count(const item_set *it);
item_kind items_kind(const item_set *it);
uint32_t items_checksum(const item_set *it);
const scdc_data *items_data(const item_set *it);
/* Name of an item, else its number; lives until the calling thread asks again. */
const char *items_name(const item_set *it, size_t item);
/* The item of a name or number; false when there is none. */
bool items_find(size_t *out, const item_set *it, const char *name);
/* Sides of the pictures as they are; 0 for other kinds. */
void items_size(size_t *width, size_t *height, const item_set *it);

/* What a browser gets for an item, freed by the caller: PNG or JPEG bytes, or JSON for texts and
 * profiles. `large` asks for the whole picture instead of a handy one. */
int items_body(char **out, size_t *size, const char **type, const item_set *it, size_t item,
               bool large);

#endif
