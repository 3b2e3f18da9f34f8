/* Networks by words: a list of layers separated by commas, as it stands in options and model files.
 *
 *   dense128     dense, rectified                     conv32    3 x 3 convolution, rectified
 *   conv48/2     the same in steps of 2 pixels        wide64/2  ... of 5 x 5 pixels
 *   norm8        8 groups of channels normalised      res64/2   residual block of two convolutions
 *   max2, mean2  largest value, mean of 2 x 2 pixels  mean      mean of all pixels
 *   up2          pixels doubled                       drop0.3   dropout
 *
 * A linear dense layer with the outputs comes last by itself. */
#ifndef SCDC_NETS_WORDS_H
#define SCDC_NETS_WORDS_H

#include "nets/net.h"

enum { MOST_WORDS = 32 };

/* SCDC_ERR_ARGUMENT names the word that is none or does not fit. */
int net_by_words(net *out, arena *a, shape in, const char *words, size_t outputs, size_t max_rows);

#endif
