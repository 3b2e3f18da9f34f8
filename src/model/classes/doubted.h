/* How far labels are to be doubted, by how well answers that were kept out are foretold. */
#ifndef SCDC_MODEL_DOUBTED_H
#define SCDC_MODEL_DOUBTED_H

#include <stddef.h>

/* Log likelihoods fit [doubts][slips] of answers when the word on items is doubted by doubt
 * [doubts], increasing, and a share slip [slips] of the answers is told by habit alone.
 *
 * Returns the posterior mean of 1 - (1 - d) sqrt(1 - e): a slip is a pair of which one item is not
 * where it seems. (The likeliest doubt would be none wherever answers are few: likelihoods are flat
 * then.) prior [doubts]: nats of each, of a word that was doubted before; that it is right as it is
 * now, with the first doubt and slip, is then as likely as one slip with any of the doubts alike.
 * NULL: nothing is known of the word. */
double doubt_expected(const double *doubt, const double *prior, size_t doubts, const double *slip,
                      size_t slips, const double *fit);

#endif
