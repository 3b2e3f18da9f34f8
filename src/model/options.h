/* Options of a fit: what is automatic becomes a number once the data are known. */
#ifndef SCDC_MODEL_OPTIONS_H
#define SCDC_MODEL_OPTIONS_H

#include <scdc/scdc.h>
#include <stdbool.h>

/* What automatic choices depend on: sizes only, never labels. */
typedef struct problem_size {
    size_t items, dims, answers, annotated, workers;
    bool image;
} problem_size;

/* Replaces every automatic value and checks the result against the problem (K <= N and so on). */
int options_resolve(scdc_options *options, const problem_size *problem);

#endif
