/* How far the probabilities of labels can be believed. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_CALIBRATION_H
#define SCDC_CALIBRATION_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCDC_CALIBRATION_BINS = 10 };

typedef struct scdc_calibration {
    double probability; /* mean over items */
    double right;       /* share of items whose label is right: ACC */
    double ece; /* expected calibration error: by how much the two differ in a bin, mean over
                   the items */
    /* Items whose probability is from b / 10 to (b + 1) / 10, 1 in the last; means are 0 where
     * there are none. */
    size_t bin_items[SCDC_CALIBRATION_BINS];
    double bin_probability[SCDC_CALIBRATION_BINS], bin_right[SCDC_CALIBRATION_BINS];
} scdc_calibration;

/* A label is right when its cluster's class, by the best one-to-one matching (as ACC), is the true
 * one. probability: of each label, 0 to 1. */
SCDC_API SCDC_MUST_CHECK int scdc_calibrate_sized(scdc_calibration *out, size_t size,
                                                  const int64_t *labels, const double *probability,
                                                  const int64_t *truth, size_t n);
#define scdc_calibrate(out, labels, probability, truth, n)                                         \
    scdc_calibrate_sized(out, sizeof(scdc_calibration), labels, probability, truth, n)

#ifdef __cplusplus
}
#endif

#endif
