/* Pictures of items that are something else, as embeddings of photographs: files of a folder. Items
 * with names have the file of that name, with or without its ending; the others the files in the
 * order of their names. */
#ifndef SCDC_DATA_SHOWN_H
#define SCDC_DATA_SHOWN_H

#include "data/listing.h"

#include <scdc/scdc.h>
#include <stdint.h>

typedef struct shown {
    const char *folder;
    const scdc_data *items;
    listing files; /* pictures only */
} shown;

/* SCDC_ERR_INPUT when an item has no file. Files are looked at by name only. Both are borrowed. */
int shown_open(shown *out, const char *folder, const scdc_data *items);
void shown_close(shown *s);
/* The picture of an item, scaled to fit a square: out [3][side][side], grey around it. */
int shown_picture(float *out, const shown *s, size_t item, size_t side);

#endif
