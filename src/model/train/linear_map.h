/* Latents that need no training: principal components of the inputs. */
#ifndef SCDC_MODEL_LINEAR_MAP_H
#define SCDC_MODEL_LINEAR_MAP_H

#include "model/core.h"
#include "model/train/input.h"

/* The first *latent principal components of the scaled values. *latent 0 becomes as many as hold
 * 90 % of the variance: 2 to 32 (fewer for few items), all of up to 16 columns. Of very many items
 * some are looked at, evenly spaced. Freed by linear_map_free. */
int linear_map_find(linear_map *out, size_t *latent, const scdc_data *data,
                    const input_scale *input);
void linear_map_free(linear_map *map);

#endif
