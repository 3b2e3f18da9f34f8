/* Components that a mixture cannot tell apart are joined.
 *
 * The overlap of two parts is the share of one that the mixture would take for the other: the sum
 * of its responsibilities over the items assigned to the other, of its own total (the greater of
 * both ways). The two parts that overlap most are joined first, responsibilities add up, and all
 * overlaps are told anew: directly estimated misclassification probabilities (Hennig 2010). */
#ifndef SCDC_MODEL_OVERLAP_H
#define SCDC_MODEL_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

typedef struct overlap_options {
    double least;  /* parts that overlap less stay apart */
    size_t wanted; /* with it down to exactly so many parts, whatever their overlap */
} overlap_options;

/* part [k] in 0 .. *parts - 1, numbered by their smallest component; two parts at least unless
 * one is wanted. share [n][k]: responsibilities. */
int overlap_join(uint32_t *part, size_t *parts, const double *share, size_t n, size_t k,
                 const overlap_options *options);

/* out [n]: for the component of each item the part that most of its items are in. */
int take_for_parts(uint32_t *out, const uint32_t *component, const uint32_t *part, size_t n);

/* Adjusted Rand index of two divisions of n items; 1 where both are of one part. */
int agreement_of(double *out, const uint32_t *a, const uint32_t *b, size_t n);

#endif
