/* Gaussian mixture by expectation maximisation: features only, answers are not looked at.
 *
 * Dempster, Laird and Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.
 * Open choices: each start is one run of k-means (hard assignments give the first M step); the best
 * log likelihood wins; `ridge` times the mean variance of a column is added to every variance, so
 * that a component can neither collapse nor become singular; it stops when the log likelihood per
 * item rises by less than `tolerance`.
 *
 * Time O(starts * iterations * n * k * D^2) with full, O(... D) with diagonal covariance; memory
 * O(n k + k D^2). */
#include "baselines/baseline.h"

#include "base/memory.h"
#include "base/numeric.h"
#include "base/status.h"
#include "mixture/mixture.h"

#include <math.h>
#include <string.h>

enum { STARTS = 5, ITERATIONS = 200 };
static const double TOLERANCE = 1e-5;

static void keep(baseline_result *out, const mixture_report *run, const double *share, size_t n,
                 size_t k)
{
    out->objective = run->log_likelihood;
    out->iterations = run->iterations;
    out->converged = run->converged;
    for (size_t i = 0; i < n; i++) {
        out->labels[i] = (int64_t)argmax(share + i * k, k);
    }
    if (out->probabilities) memcpy(out->probabilities, share, n * k * sizeof *share);
}

int baseline_gmm(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    bool full = o->covariance == SCDC_COVARIANCE_FULL;
    mixture_options how = {.iterations = chosen_count(o->max_iterations, ITERATIONS),
                           .tolerance = chosen_tolerance(o->tolerance, TOLERANCE),
                           .floor = o->ridge * mixture_mean_variance(in->x, in->n, in->dims)};
    if (!(how.floor > 0)) how.floor = 1e-6;
    size_t starts = chosen_count(o->starts, STARTS);
    mixture m = {0};
    double *share = NULL;
    int status;
    SCDC_TRY_OR(done, status,
                mixture_create(&m, full ? MIXTURE_FULL : MIXTURE_DIAGONAL, o->k, in->dims));
    SCDC_TRY_OR(done, status, mem_zeroed(&share, in->n, o->k * sizeof *share, "responsibilities"));
    for (size_t start = 0; start < starts; start++) {
        mixture_report run;
        how.seed = baseline_seed(o->seed, 1, start);
        SCDC_TRY_OR(done, status, mixture_fit(&m, share, &run, in->x, in->n, &how));
        if (start == 0 || run.log_likelihood > out->objective) keep(out, &run, share, in->n, o->k);
    }
done:
    mem_free(share);
    mixture_free(&m);
    return status;
}
