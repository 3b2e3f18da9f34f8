/* One run of a method: a fit of our models or a method to compare with, scored against the truth.
 */
#ifndef SCDC_REPRODUCE_METHOD_H
#define SCDC_REPRODUCE_METHOD_H

#include "reproduce/session.h"

typedef struct method_input {
    const scdc_data *items;
    const scdc_crowd *crowd; /* may be NULL */
    const scdc_labels *truth;
    const scdc_data *test; /* held-out items, placed one by one; may be NULL */
    const scdc_labels *test_truth;
} method_input;

/* After every complete epoch and once at the end (then progress is NULL); may be NULL. */
typedef int (*fit_watch)(const scdc_progress *progress, const scdc_model *model, void *user);

/* labels_file (may be NULL): where the labels are kept. Threads are the session's. */
int method_fit(run_row *out, session *s, const method_input *in, const scdc_options *options,
               const char *labels_file, fit_watch watch, void *user);
/* The baseline that the job names, with k clusters and the job's seed. */
int method_baseline(run_row *out, session *s, const method_input *in, size_t k);

#endif
