/* The model file: the core's tensors, the record of epochs, the clusters and all options, as
 * safetensors. Loading (model_load.c) gives a model that predicts and that resumes bit for bit what
 * saving (model_save.c) wrote; numbers go into the header as texts (model_meta.c). */
#ifndef SCDC_MODEL_MODEL_FILE_H
#define SCDC_MODEL_MODEL_FILE_H

#include "io/safetensors.h"
#include "model/model.h"

/* Raised when a file of an older version could be misread. */
enum { FORMAT_VERSION = 1 };
#define FORMAT_NAME "scdc-model"

/* An epoch is a row of doubles, without its seconds: the same fit gives the same file. Files of
 * 0.1.0 have them. */
enum { EPOCH_COLUMNS = 14, EPOCH_COLUMNS_0_1 = 15, SECONDS_COLUMN_0_1 = 11 };

#define EXPERT_WEIGHT "experts.weight%zu"
#define EXPERT_HEARD "experts.heard%zu"

/* A model from bytes that are there; takes `file` over, also on failure. */
int model_read(scdc_model **out, file_bytes file);

/* What the file holds of a model as tensors by name. */
size_t file_tensors(tensor_ref out[CORE_MAX_TENSORS], scdc_model *model);

/* Sizes and options, and where training stands. Numbers read back exactly. */
void file_put_spec(json_t *meta, const core_spec *s);
int file_get_spec(core_spec *s, const safetensors_file *st);
void file_put_state(json_t *meta, const scdc_model *m);
int file_get_state(scdc_model *m, const safetensors_file *st);

/* A number of the header; SCDC_ERR_INPUT when it is missing, or outside of [low, high]. */
int file_number(double *out, const safetensors_file *st, const char *key);
int file_size(size_t *out, const safetensors_file *st, const char *key, size_t low, size_t high);

#endif
