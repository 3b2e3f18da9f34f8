/* Texts of items from a csv file: what people and language models are shown in place of a picture.
 */
#ifndef SCDC_ASKING_TEXTS_H
#define SCDC_ASKING_TEXTS_H

#include "base/memory.h"

#include <scdc/scdc.h>

/* texts [rows of data], copies in memory: column text of the rows whose column id (or item, name,
 * file) names an item; without such a column there is a row for each item, in their order. Items
 * without a text have NULL. */
int texts_read(const char *const **texts, arena *memory, const char *path, const scdc_data *data);

#endif
