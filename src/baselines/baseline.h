/* What every method of this folder looks like from outside: the same input, the same result, one
 * table of names. Each method is one file that knows its publication; none knows another's.
 *
 * A method is called with checked input (see baseline_run) and single-threaded BLAS; it is parallel
 * by parallel_for only and gives the same bits for any number of threads. */
#ifndef SCDC_BASELINES_BASELINE_H
#define SCDC_BASELINES_BASELINE_H

#include <scdc/baselines.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct baseline_input {
    const float *x; /* n x dims, finite; NULL when the method needs no items */
    size_t n, dims;
    const scdc_answer *answers; /* items below n, workers below n_workers, left != right */
    size_t n_answers, n_workers;
} baseline_input;

typedef struct baseline_result {
    int64_t *labels;                   /* n */
    double *probabilities;             /* n x k, zeroed; NULL when the table says it has none */
    double *sensitivity, *specificity; /* n_workers; NULL when the table says it has none */
    int64_t *worker_views;             /* n_workers: rank of the view a worker holds; as above */
    size_t iterations;
    int converged;
    double objective;
} baseline_result;

typedef int baseline_function(baseline_result *out, const baseline_input *in,
                              const scdc_baseline_options *options);

typedef struct baseline_method {
    const char *name, *summary, *objective;
    bool needs_items, needs_answers;
    bool has_probabilities, has_workers, has_views;
    baseline_function *run;
} baseline_method;

baseline_function baseline_kmeans, baseline_gmm, baseline_itml, baseline_mpckmeans,
    baseline_semicrowd, baseline_cspa, baseline_mcvc, baseline_deep_mcvc, baseline_crowdclustering;

extern const baseline_method baseline_methods[];
extern const size_t baseline_method_count;
/* NULL when there is no such method. */
const baseline_method *baseline_find(const char *name);

/* Checks input and options for the method, then runs it. out's arrays are the caller's. */
int baseline_run(baseline_result *out, const baseline_method *method, const baseline_input *in,
                 const scdc_baseline_options *options);

/* Options in their domains and k fitting the number of items: before k sizes anything. */
int baseline_check_size(const baseline_method *method, const baseline_input *in,
                        const scdc_baseline_options *options);
/* The caller's options as the library's. */
int baseline_take_options(scdc_baseline_options *out, const scdc_baseline_options *theirs);
/* Every number in its domain. */
int baseline_check_options(const scdc_baseline_options *options);

/* The value the user gave, or the method's own default for 0 (a negative tolerance). */
static inline size_t chosen_count(size_t given, size_t usual)
{
    return given ? given : usual;
}
static inline double chosen_tolerance(double given, double usual)
{
    return given >= 0 ? given : usual;
}

/* Seed of part `index` of a method, so that parts and methods do not share draws. */
uint64_t baseline_seed(uint64_t seed, uint32_t part, uint64_t index);

#endif
