/* The table of methods and the checks they share. */
#include "baselines/baseline.h"

#include "base/numeric.h"
#include "base/rng.h"
#include "base/status.h"
#include "kernels/blas.h"

#include <string.h>

const baseline_method baseline_methods[] = {
    {.name = "kmeans",
     .summary = "k-means (Lloyd 1982) from k-means++ starts; ignores the answers",
     .objective = "inertia",
     .needs_items = true,
     .run = baseline_kmeans},
    {.name = "gmm",
     .summary = "Gaussian mixture by EM, started by k-means; ignores the answers",
     .objective = "log likelihood",
     .needs_items = true,
     .has_probabilities = true,
     .run = baseline_gmm},
    {.name = "itml",
     .summary = "information-theoretic metric learning (Davis et al. 2007), then k-means",
     .objective = "inertia in the learned metric",
     .needs_items = true,
     .needs_answers = true,
     .run = baseline_itml},
    {.name = "mpckmeans",
     .summary = "metric pairwise constrained k-means (Bilenko, Basu, Mooney 2004)",
     .objective = "distortion with penalties",
     .needs_items = true,
     .needs_answers = true,
     .run = baseline_mpckmeans},
    {.name = "semicrowd",
     .summary =
         "semi-crowdsourced clustering (Yi et al. 2012): similarity completed, metric, spectral",
     .objective = "trace norm with errors",
     .needs_items = true,
     .needs_answers = true,
     .run = baseline_semicrowd},
    {.name = "cspa",
     .summary = "consensus (Strehl and Ghosh 2002) of one mpckmeans clustering per worker",
     .objective = "edge cut",
     .needs_items = true,
     .needs_answers = true,
     .run = baseline_cspa},
    {.name = "mcvc",
     .summary = "multiple clustering views from uncertain experts (Chang et al. 2017)",
     .objective = "bound",
     .needs_items = true,
     .needs_answers = true,
     .has_probabilities = true,
     .has_workers = true,
     .has_views = true,
     .run = baseline_mcvc},
    {.name = "deep-mcvc",
     .summary = "mcvc with a network of two hidden layers in place of the linear softmax",
     .objective = "bound",
     .needs_items = true,
     .needs_answers = true,
     .has_probabilities = true,
     .has_workers = true,
     .has_views = true,
     .run = baseline_deep_mcvc},
    {.name = "crowdclustering",
     .summary =
         "answers alone (Gomes et al. 2011): item vectors, logistic workers, Dirichlet process",
     .objective = "bound",
     .needs_answers = true,
     .has_probabilities = true,
     .has_workers = true,
     .run = baseline_crowdclustering},
};
const size_t baseline_method_count = sizeof baseline_methods / sizeof *baseline_methods;

const baseline_method *baseline_find(const char *name)
{
    for (size_t i = 0; i < baseline_method_count; i++) {
        if (strcmp(name, baseline_methods[i].name) == 0) return &baseline_methods[i];
    }
    return NULL;
}

uint64_t baseline_seed(uint64_t seed, uint32_t part, uint64_t index)
{
    rng r;
    rng_init(&r, seed, RNG_BASELINE, part, index);
    return rng_u64(&r);
}

static int check_items(const baseline_method *method, const baseline_input *in)
{
    if (!in->x) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s works on the items' features: give it data",
                         method->name);
    }
    if (in->dims < 1) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s: the items have no values", method->name);
    }
    for (size_t i = 0; i < in->n; i++) {
        if (all_finite_f32(in->x + i * in->dims, in->dims)) continue;
        return fail_with(SCDC_ERR_INPUT, "%s: item %zu holds a value that is not finite",
                         method->name, i);
    }
    return SCDC_OK;
}

static int check_answers(const baseline_method *method, const baseline_input *in)
{
    if (in->n_answers < 1) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s works on answers of workers, and there are none",
                         method->name);
    }
    for (size_t t = 0; t < in->n_answers; t++) {
        const scdc_answer *a = &in->answers[t];
        uint32_t item = a->left > a->right ? a->left : a->right;
        if (item >= in->n) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: answer %zu is about item %u, but there are %zu items",
                             method->name, t, item, in->n);
        }
        if (a->left == a->right) {
            return fail_with(SCDC_ERR_INPUT, "%s: answer %zu compares item %u with itself",
                             method->name, t, item);
        }
        if (a->worker >= in->n_workers) {
            return fail_with(SCDC_ERR_INPUT,
                             "%s: answer %zu is of worker %u, but there are %zu workers",
                             method->name, t, a->worker, in->n_workers);
        }
    }
    return SCDC_OK;
}

int baseline_check_size(const baseline_method *method, const baseline_input *in,
                        const scdc_baseline_options *options)
{
    SCDC_TRY(baseline_check_options(options));
    if (options->k < 1) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s: k must be 1 or more, not 0", method->name);
    }
    if (in->n < options->k) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "%s: %zu items cannot make %zu clusters; choose a k of %zu or less",
                         method->name, in->n, options->k, in->n);
    }
    if (in->n >= UINT32_MAX || in->dims > INT32_MAX || options->k > INT32_MAX) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s: %zu items of %zu values are too many",
                         method->name, in->n, in->dims);
    }
    return SCDC_OK;
}

int baseline_run(baseline_result *out, const baseline_method *method, const baseline_input *in,
                 const scdc_baseline_options *options)
{
    SCDC_TRY(baseline_check_size(method, in, options));
    if (method->needs_items) SCDC_TRY(check_items(method, in));
    if (method->needs_answers) SCDC_TRY(check_answers(method, in));
    blas_serial_begin();
    int status = method->run(out, in, options);
    blas_serial_end();
    return status == SCDC_OK ? SCDC_OK : fail_prefix(status, "%s", method->name);
}
