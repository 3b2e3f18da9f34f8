/* See kmeans_method.h. */
#include "baselines/kmeans_method.h"

#include "base/memory.h"
#include "base/status.h"

kmeans_options kmeans_last_step(const scdc_baseline_options *o)
{
    kmeans_options method = KMEANS_DEFAULTS;
    method.k = o->k;
    method.starts = chosen_count(o->starts, method.starts);
    method.seed = o->seed;
    return method;
}

int baseline_kmeans(baseline_result *out, const baseline_input *in, const scdc_baseline_options *o)
{
    kmeans_options method = kmeans_last_step(o);
    method.max_iterations = chosen_count(o->max_iterations, method.max_iterations);
    method.tolerance = chosen_tolerance(o->tolerance, method.tolerance);
    return kmeans_result(out, in->x, in->n, in->dims, &method);
}

int kmeans_result(baseline_result *out, const float *x, size_t n, size_t dims,
                  const kmeans_options *options)
{
    uint32_t *labels = NULL;
    kmeans_report report;
    SCDC_TRY(mem_zeroed(&labels, n, sizeof *labels, "labels"));
    int status = kmeans_fit(labels, NULL, &report, x, n, dims, options);
    for (size_t i = 0; i < n && status == SCDC_OK; i++) out->labels[i] = labels[i];
    mem_free(labels);
    if (status != SCDC_OK) return status;
    out->iterations = report.iterations;
    out->converged = report.converged;
    out->objective = report.inertia;
    return SCDC_OK;
}
