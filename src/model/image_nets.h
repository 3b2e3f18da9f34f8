/* Networks of images: layers by words (nets/words.h) between items and latents, in both models. */
#ifndef SCDC_MODEL_IMAGE_NETS_H
#define SCDC_MODEL_IMAGE_NETS_H

#include "model/core.h"
#include "nets/decoder.h"

/* Do the options ask for them? */
bool image_nets_asked(const scdc_options *o);

/* Parameters, and values of all activations for one row. */
typedef struct image_nets_size {
    size_t params, activations;
} image_nets_size;
/* SCDC_ERR_ARGUMENT when items are no images or a word does not fit them. */
int image_nets_measure(image_nets_size *out, const core_spec *spec);
/* Rows whose activations stay within a budget: at most `most`, at least one. */
size_t image_nets_rows(const image_nets_size *size, size_t most);

/* The decoder of a core with the hidden layers of its options in reverse, with words or without. */
int core_decoder(decoder *out, arena *a, const core_spec *spec, size_t max_rows);

#endif
