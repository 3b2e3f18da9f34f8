/* The public door of the baselines: runs a method by name on handles and keeps
 * what it found. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sized.h"
#include "base/status.h"
#include "baselines/baseline.h"
#include "data/data.h"
#include "io/writer.h"
#include "kernels/blas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct scdc_clustering {
    const baseline_method *method;
    size_t items, columns, workers;
    double seconds;
    baseline_result found;
};

static int no_such_method(const char *name)
{
    char all[400] = "";
    for (size_t i = 0; i < baseline_method_count; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", baseline_methods[i].name);
    }
    return fail_with(SCDC_ERR_ARGUMENT, "no baseline is called '%s'; there are %s", name, all);
}

/* Rows of the data as float: only when the method looks at them. */
static int read_items(float **out, const baseline_method *method, const scdc_data *data)
{
    size_t values;
    if (!data || !method->needs_items) return SCDC_OK;
    if (!size_mul(&values, data->rows, data->cols)) {
        return fail_with(SCDC_ERR_ARGUMENT, "%zu items of %zu values are too many", data->rows,
                         data->cols);
    }
    SCDC_TRY(mem_zeroed(out, values, sizeof **out, "items"));
    return scdc_data_rows(*out, data, 0, data->rows);
}

static int allocate_found(scdc_clustering *c, const baseline_input *in, size_t k)
{
    baseline_result *r = &c->found;
    size_t table;
    SCDC_TRY(mem_zeroed(&r->labels, in->n, sizeof *r->labels, "labels"));
    if (c->method->has_probabilities) {
        if (!size_mul(&table, in->n, k)) {
            return fail_with(SCDC_ERR_ARGUMENT, "%zu items in %zu clusters are too many", in->n, k);
        }
        SCDC_TRY(mem_zeroed(&r->probabilities, table, sizeof(double), "probabilities"));
        c->columns = k;
    }
    if (c->method->has_workers) {
        SCDC_TRY(mem_zeroed(&r->sensitivity, in->n_workers, sizeof(double), "sensitivities"));
        SCDC_TRY(mem_zeroed(&r->specificity, in->n_workers, sizeof(double), "specificities"));
        c->workers = in->n_workers;
    }
    if (c->method->has_views) {
        SCDC_TRY(mem_zeroed(&r->worker_views, in->n_workers, sizeof(int64_t), "views"));
    }
    return SCDC_OK;
}

static int describe_input(baseline_input *in, const baseline_method *method, const scdc_data *data,
                          const scdc_crowd *crowd)
{
    scdc_crowd_info info = {0};
    if (crowd) {
        SCDC_TRY(scdc_crowd_get_info(&info, crowd));
        in->answers = scdc_crowd_answers(crowd, &in->n_answers);
        in->n_workers = info.workers;
    }
    in->n = data ? data->rows : info.max_item;
    in->dims = data ? data->cols : 0;
    if (in->n == 0) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s: there are neither items nor answers",
                         method->name);
    }
    return SCDC_OK;
}

int scdc_baseline(scdc_clustering **out, const char *method_name, const scdc_data *data,
                  const scdc_crowd *crowd, const scdc_baseline_options *options)
{
    if (!out || !method_name || !options) {
        return fail_with(SCDC_ERR_ARGUMENT, "scdc_baseline: out, method and options are needed");
    }
    scdc_baseline_options own;
    SCDC_TRY(baseline_take_options(&own, options));
    const baseline_method *method = baseline_find(method_name);
    if (!method) return no_such_method(method_name);
    baseline_input in = {0};
    SCDC_TRY(describe_input(&in, method, data, crowd));

    scdc_clustering *c = NULL;
    float *x = NULL;
    int status, threads = parallel_threads();
    double begin = seconds_now();
    parallel_set_threads(own.threads);
    SCDC_TRY_OR(done, status, blas_reserve());
    SCDC_TRY_OR(done, status, mem_zeroed(&c, 1, sizeof *c, "clustering"));
    c->method = method;
    c->items = in.n;
    /* k is checked before it sizes anything. */
    SCDC_TRY_OR(done, status, baseline_check_size(method, &in, &own));
    SCDC_TRY_OR(done, status, read_items(&x, method, data));
    in.x = x;
    SCDC_TRY_OR(done, status, allocate_found(c, &in, own.k));
    SCDC_TRY_OR(done, status, baseline_run(&c->found, method, &in, &own));
    c->seconds = seconds_now() - begin;
    *out = c;
    c = NULL;
done:
    parallel_set_threads(threads);
    mem_free(x);
    scdc_clustering_free(c);
    return status;
}

void scdc_clustering_free(scdc_clustering *c)
{
    if (!c) return;
    mem_free(c->found.labels);
    mem_free(c->found.probabilities);
    mem_free(c->found.sensitivity);
    mem_free(c->found.specificity);
    mem_free(c->found.worker_views);
    mem_free(c);
}

/* How many different labels occur; labels are below the number of items. */
static int count_clusters(size_t *out, const scdc_clustering *c)
{
    unsigned char *seen = NULL;
    SCDC_TRY(mem_zeroed(&seen, c->items, 1, "seen labels"));
    *out = 0;
    for (size_t i = 0; i < c->items; i++) {
        int64_t label = c->found.labels[i];
        if (label < 0 || seen[label]) continue;
        seen[label] = 1;
        ++*out;
    }
    mem_free(seen);
    return SCDC_OK;
}

int scdc_clustering_get_info_sized(scdc_clustering_info *out, size_t size, const scdc_clustering *c)
{
    if (!out || !c) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "scdc_clustering_get_info: out and clustering are needed");
    }
    size_t clusters;
    SCDC_TRY(count_clusters(&clusters, c));
    scdc_clustering_info info = {.method = c->method->name,
                                 .items = c->items,
                                 .clusters = clusters,
                                 .columns = c->columns,
                                 .workers = c->workers,
                                 .iterations = c->found.iterations,
                                 .converged = c->found.converged,
                                 .objective = c->found.objective,
                                 .objective_name = c->method->objective,
                                 .seconds = c->seconds};
    sized_fill(out, size, &info, sizeof info);
    return SCDC_OK;
}

const int64_t *scdc_clustering_labels(const scdc_clustering *c)
{
    return c ? c->found.labels : NULL;
}

const double *scdc_clustering_probabilities(const scdc_clustering *c)
{
    return c ? c->found.probabilities : NULL;
}

const double *scdc_clustering_sensitivity(const scdc_clustering *c)
{
    return c ? c->found.sensitivity : NULL;
}

const double *scdc_clustering_specificity(const scdc_clustering *c)
{
    return c ? c->found.specificity : NULL;
}

const int64_t *scdc_clustering_worker_views(const scdc_clustering *c)
{
    return c ? c->found.worker_views : NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_name(writer *w, const char *name, size_t number)
{
    if (name) {
        writer_csv_field(w, name);
    } else {
        fprintf(w->stream, "%zu", number);
    }
}

int scdc_clustering_write_labels(const scdc_clustering *c, const scdc_data *data,
                                 const scdc_crowd *crowd, const char *path)
{
    if (!c || !path) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "scdc_clustering_write_labels: clustering and path are needed");
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    fputs("item,label\n", w.stream);
    for (size_t i = 0; i < c->items && !writer_failed(&w); i++) {
        write_name(&w, data ? scdc_data_name(data, i) : scdc_crowd_item_name(crowd, i), i);
        fprintf(w.stream, ",%" PRId64 "\n", c->found.labels[i]);
    }
    return writer_commit(&w);
}

int scdc_clustering_write_workers(const scdc_clustering *c, const scdc_crowd *crowd,
                                  const char *path)
{
    if (!c || !path) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "scdc_clustering_write_workers: clustering and path are needed");
    }
    if (!c->workers) {
        return fail_with(SCDC_ERR_ARGUMENT, "%s does not estimate workers", c->method->name);
    }
    writer w;
    const baseline_result *r = &c->found;
    SCDC_TRY(writer_open(&w, path));
    fprintf(w.stream, "worker,sensitivity,specificity%s\n", r->worker_views ? ",view" : "");
    for (size_t m = 0; m < c->workers && !writer_failed(&w); m++) {
        write_name(&w, scdc_crowd_worker_name(crowd, m), m);
        fprintf(w.stream, ",%.6g,%.6g", r->sensitivity[m], r->specificity[m]);
        if (r->worker_views) fprintf(w.stream, ",%" PRId64, r->worker_views[m]);
        putc('\n', w.stream);
    }
    return writer_commit(&w);
}
