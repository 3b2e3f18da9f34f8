/* The outcome of a fit: items per cluster, components, scores. */
#include "run_record.h"

#include "commands.h"
#include "output.h"

#include <scdc/ranks.h>
#include <scdc/update.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int score(fit_outcome *out, const fit_inputs *in)
{
    if (!in->truth) return SCDC_OK;
    const int64_t *truth = scdc_labels_values(in->truth);
    size_t n = in->items.rows;
    int status = scdc_score(&out->scores, out->labels, truth, n);
    if (status == SCDC_OK)
        status = scdc_calibrate(&out->calibration, out->labels, out->probability, truth, n);
    out->scored = status == SCDC_OK;
    return status;
}

int fit_outcome_begin(fit_outcome *out, const scdc_model *model)
{
    size_t epochs;
    *out = (fit_outcome){.bound = NAN};
    const scdc_epoch *history = scdc_model_epochs(model, &epochs);
    if (epochs) out->bound = history[epochs - 1].bound;
    int status = scdc_model_get_info(&out->info, model);
    if (status == SCDC_OK) {
        out->numbers = must_resize(NULL, out->info.clusters, sizeof *out->numbers);
        status = scdc_model_clusters(out->numbers, out->info.clusters, NULL, model);
    }
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

/* A probability with the digits that labels.csv keeps, so that a report from the file is the one
 * written after the fit. */
static double as_written(double p)
{
    double digits = p >= 0.1 ? 1e6 : 1e7;
    return (double)(float)(round(digits * p) / digits);
}

static int label_items(fit_outcome *out, const scdc_model *model, const fit_inputs *in)
{
    size_t n = in->items.rows;
    out->labels = must_resize(NULL, n, sizeof *out->labels);
    out->component = must_resize(NULL, n, sizeof *out->component);
    out->probability = must_resize(NULL, n, sizeof *out->probability);
    scdc_ranks_to_first(1);
    int status = scdc_model_labels(out->labels, out->probability, out->component, NULL, model,
                                   in->data, in->crowd);
    scdc_ranks_to_first(0);
    return status;
}

int fit_outcome_help(const scdc_model *model, const fit_inputs *in)
{
    fit_outcome out = {0};
    int status = label_items(&out, model, in);
    fit_outcome_free(&out);
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

int fit_outcome_place(fit_outcome *out, const scdc_model *model, const fit_inputs *in)
{
    size_t n = in->items.rows, clusters = out->info.clusters;
    int status = label_items(out, model, in);
    if (status == SCDC_OK) {
        out->sizes = must_resize(NULL, clusters, sizeof *out->sizes);
        memset(out->sizes, 0, clusters * sizeof *out->sizes);
        for (size_t i = 0; i < n; i++) {
            size_t c = fit_outcome_cluster(out, out->labels[i]);
            if (c < clusters) out->sizes[c]++;
            out->probability[i] = as_written(out->probability[i]);
        }
        status = score(out, in);
    }
    return status == SCDC_OK ? EXIT_GOOD : report_failure(status);
}

size_t fit_outcome_cluster(const fit_outcome *o, int64_t number)
{
    size_t low = 0, high = o->info.clusters; /* numbers increase */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (o->numbers[middle] < number) low = middle + 1;
        else high = middle;
    }
    return low < o->info.clusters && o->numbers[low] == number ? low : o->info.clusters;
}

void fit_outcome_free(fit_outcome *o)
{
    free(o->labels);
    free(o->component);
    free(o->probability);
    free(o->sizes);
    free(o->numbers);
    *o = (fit_outcome){0};
}

static json_t *components_json(const scdc_model *model, size_t count)
{
    double *proportions = must_resize(NULL, count, sizeof *proportions);
    int64_t *clusters = must_resize(NULL, count, sizeof *clusters);
    json_t *out = json_array();
    if (scdc_model_components(proportions, clusters, count, model) == SCDC_OK) {
        for (size_t k = 0; k < count; k++) {
            json_t *cluster = clusters[k] < 0 ? json_null() : json_integer(clusters[k]);
            json_array_append_new(out, json_pack("{s:o,s:o}", "proportion",
                                                 json_number(proportions[k]), "cluster", cluster));
        }
    }
    free(proportions);
    free(clusters);
    return out;
}

static json_t *sizes_json(const fit_outcome *o)
{
    if (!o->sizes) return json_null();
    json_t *sizes = json_array();
    for (size_t c = 0; c < o->info.clusters; c++)
        json_array_append_new(sizes, json_integer((json_int_t)o->sizes[c]));
    return sizes;
}

static json_t *numbers_json(const fit_outcome *o)
{
    json_t *numbers = json_array();
    for (size_t c = 0; c < o->info.clusters; c++)
        json_array_append_new(numbers, json_integer((json_int_t)o->numbers[c]));
    return numbers;
}

json_t *fit_outcome_json(const fit_outcome *o, const scdc_model *model)
{
    return json_pack("{s:I,s:o,s:I,s:I,s:s,s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "epochs",
                     (json_int_t)o->info.epochs_done, "bound", json_number(o->bound), "items",
                     (json_int_t)o->info.items, "clusters", (json_int_t)o->info.clusters,
                     "clusters_from", o->info.judged ? "answers" : "components", "network",
                     json_number(o->info.network), "cluster_sizes", sizes_json(o),
                     "cluster_numbers", numbers_json(o), "live_components",
                     (json_int_t)o->info.live_components, "workers", (json_int_t)o->info.workers,
                     "components", components_json(model, o->info.components), "scores",
                     o->scored ? scores_json(&o->scores, &o->calibration) : json_null());
}
