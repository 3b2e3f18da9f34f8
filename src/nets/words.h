/* Networks by words: a list of layers separated by commas, as it stands in options and model files.
 *
 *   dense128     dense, rectified                     conv32    3 x 3 convolution, rectified
 *   conv48/2     the same in steps of 2 pixels        wide64/2  ... of 5 x 5 pixels
 *   norm8        8 groups of channels normalised      res64/2   residual block of two convolutions
 *   max2, mean2  largest value, mean of 2 x 2 pixels  mean      mean of all pixels
 *   up2          pixels doubled                       drop0.3   dropout
 *   batch32      conv32 with its channels normalised over the minibatch
 *   batchres64/2 res64/2 with both convolutions so (both words: classifiers only)
 *
 * A linear dense layer with the outputs comes last by itself. Words that make images out of vectors
 * begin with `map64`: a dense rectified layer whose outputs are an image of 64 channels, so large
 * that the up2 behind it make it as large as the images that are wanted. */
#ifndef SCDC_NETS_WORDS_H
#define SCDC_NETS_WORDS_H

#include "nets/net.h"

enum { MOST_WORDS = 32 };

/* SCDC_ERR_ARGUMENT names the word that is none or does not fit. */
int net_by_words(net *out, arena *a, shape in, const char *words, size_t outputs, size_t max_rows);

/* From images as items are stored to what the last of the words gives. */
int net_from_images(net *out, arena *a, shape in, const char *words, size_t max_rows);
/* The same with dense layers behind it, rectified ones and a linear one. */
int net_of_images(net *out, arena *a, shape in, const char *words, const size_t *hidden,
                  size_t n_hidden, size_t outputs, size_t max_rows);
/* From vectors, by dense layers and words, to images as items are stored: `parts` images one after
 * the other. *last is the layer that makes their values: a convolution with parts x channels
 * filters. */
int net_to_images(net *out, layer **last, arena *a, size_t latent, const size_t *hidden,
                  size_t n_hidden, const char *words, shape images, size_t parts, size_t max_rows);

#endif
