/* The public doors that need items only: k-means of a data handle, and the list of methods. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"
#include "baselines/kmeans_method.h"
#include "data/data.h"
#include "kernels/blas.h"

#include <scdc/baselines.h>

static scdc_kmeans_options default_options(void)
{
    return (scdc_kmeans_options){.size = sizeof(scdc_kmeans_options),
                                 .k = KMEANS_DEFAULTS.k,
                                 .starts = KMEANS_DEFAULTS.starts,
                                 .max_iterations = KMEANS_DEFAULTS.max_iterations,
                                 .seed = SCDC_DEFAULT_SEED};
}

void scdc_kmeans_options_init_sized(scdc_kmeans_options *options, size_t size)
{
    scdc_kmeans_options defaults = default_options();
    sized_init(options, size, &defaults, sizeof defaults);
}

int scdc_kmeans(int64_t *labels, double *inertia, const scdc_data *data,
                const scdc_kmeans_options *options)
{
    if (!labels || !data || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_kmeans: labels, data and options are needed");
    }
    scdc_kmeans_options own = default_options();
    SCDC_TRY(sized_take(&own, sizeof own, options, "scdc_kmeans_options_init"));
    kmeans_options method = KMEANS_DEFAULTS;
    method.k = own.k;
    method.starts = own.starts;
    method.max_iterations = own.max_iterations;
    method.seed = own.seed;

    baseline_result result = {.labels = labels};
    float *x = NULL;
    size_t values;
    int status, threads = parallel_threads();
    if (!size_mul(&values, data->rows, data->cols)) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_kmeans: %zu items of %zu values are too many",
                         data->rows, data->cols);
    }
    parallel_set_threads(own.threads);
    SCDC_TRY_OR(done, status, blas_reserve());
    SCDC_TRY_OR(done, status, mem_zeroed(&x, values, sizeof *x, "items"));
    SCDC_TRY_OR(done, status, scdc_data_rows(x, data, 0, data->rows));
    SCDC_TRY_OR(done, status, kmeans_result(&result, x, data->rows, data->cols, &method));
    if (inertia) *inertia = result.objective;
done:
    parallel_set_threads(threads);
    mem_free(x);
    return status == SCDC_OK ? SCDC_OK : fail_prefix(status, "k-means");
}

size_t scdc_baseline_count(void)
{
    return baseline_method_count;
}

const char *scdc_baseline_name(size_t index)
{
    return index < baseline_method_count ? baseline_methods[index].name : NULL;
}

const char *scdc_baseline_summary(size_t index)
{
    return index < baseline_method_count ? baseline_methods[index].summary : NULL;
}

int scdc_baseline_needs_items(size_t index)
{
    return index < baseline_method_count && baseline_methods[index].needs_items;
}

int scdc_baseline_needs_answers(size_t index)
{
    return index < baseline_method_count && baseline_methods[index].needs_answers;
}

int scdc_baseline_gives_probabilities(size_t index)
{
    return index < baseline_method_count && baseline_methods[index].has_probabilities;
}

int scdc_baseline_gives_workers(size_t index)
{
    return index < baseline_method_count && baseline_methods[index].has_workers;
}
