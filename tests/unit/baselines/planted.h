/* Data with a known outcome: groups of items and workers of known quality. */
#ifndef SCDC_TESTS_PLANTED_H
#define SCDC_TESTS_PLANTED_H

#include "base/memory.h"
#include "base/rng.h"
#include "baselines/baseline.h"
#include "support/check.h"

/* Item i belongs to group i % groups. Centre of group g: `apart` times bit d of g. */
static inline float *planted_items(size_t n, size_t dims, size_t groups, double apart,
                                   double spread)
{
    float *x = NULL;
    assert_ok(mem_zeroed(&x, n * dims, sizeof *x, "planted items"));
    for (size_t i = 0; i < n; i++) {
        rng r;
        rng_init(&r, 7, RNG_TEST, 1, i);
        for (size_t d = 0; d < dims; d++) {
            double bit = d < 32 ? (double)((i % groups) >> d & 1) : 0;
            x[i * dims + d] = (float)(apart * bit + spread * rng_normal(&r));
        }
    }
    return x;
}

/* `each` answers per worker; half the pairs truly same. sensitivity = specificity = quality[w]. */
static inline scdc_answer *planted_answers(size_t n, size_t groups, const double *quality,
                                           size_t workers, size_t each, uint64_t seed)
{
    scdc_answer *answers = NULL;
    assert_ok(mem_zeroed(&answers, workers * each, sizeof *answers, "planted answers"));
    for (size_t t = 0; t < workers * each; t++) {
        rng r;
        rng_init(&r, seed, RNG_TEST, 2, t);
        uint32_t left, right;
        do {
            left = (uint32_t)rng_below(&r, n);
            right = (uint32_t)rng_below(&r, n);
        } while (left == right || (left % groups == right % groups) != (t % 2 == 0));
        uint32_t worker = (uint32_t)(t / each), truth = left % groups == right % groups;
        answers[t] = (scdc_answer){.left = left,
                                   .right = right,
                                   .worker = worker,
                                   .task = SCDC_NO_TASK,
                                   .same = rng_uniform(&r) < quality[worker] ? truth : !truth};
    }
    return answers;
}

/* NMI of labels with the planted groups. */
static inline double planted_nmi(const int64_t *labels, size_t n, size_t groups)
{
    int64_t *truth = NULL;
    scdc_scores scores;
    assert_ok(mem_zeroed(&truth, n, sizeof *truth, "truth"));
    for (size_t i = 0; i < n; i++) truth[i] = (int64_t)(i % groups);
    assert_ok(scdc_score(&scores, labels, truth, n));
    mem_free(truth);
    return scores.nmi;
}

static inline scdc_baseline_options options_with_k(size_t k)
{
    scdc_baseline_options o;
    scdc_baseline_options_init(&o);
    o.k = k;
    return o;
}

/* A result with all arrays, from the heap; freed by result_free. */
static inline baseline_result result_for(const baseline_input *in, size_t k)
{
    baseline_result r = {0};
    assert_ok(mem_zeroed(&r.labels, in->n, sizeof *r.labels, "labels"));
    assert_ok(mem_zeroed(&r.probabilities, in->n * k, sizeof *r.probabilities, "probabilities"));
    assert_ok(mem_zeroed(&r.sensitivity, in->n_workers, sizeof *r.sensitivity, "sensitivity"));
    assert_ok(mem_zeroed(&r.specificity, in->n_workers, sizeof *r.specificity, "specificity"));
    assert_ok(mem_zeroed(&r.worker_views, in->n_workers, sizeof *r.worker_views, "views"));
    return r;
}
static inline void result_free(baseline_result *r)
{
    mem_free(r->labels);
    mem_free(r->probabilities);
    mem_free(r->sensitivity);
    mem_free(r->specificity);
    mem_free(r->worker_views);
}

#endif
