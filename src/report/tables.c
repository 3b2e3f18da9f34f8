/* Results as csv files: where items belong, and what workers are worth. */
#include "base/sized.h"
#include "base/status.h"
#include "io/writer.h"

#include <inttypes.h>
#include <scdc/scdc.h>

int scdc_write_predictions(const char *path, const scdc_data *items, const int64_t *labels,
                           const double *probability, const int64_t *component, size_t count)
{
    if (!path || !labels || !probability || !component) {
        return fail_with(SCDC_ERR_ARGUMENT,
                         "path, labels, probability and component must not be NULL");
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    fputs("item,cluster,probability,component\n", w.stream);
    for (size_t i = 0; i < count && !writer_failed(&w); i++) {
        const char *name = items ? scdc_data_name(items, i) : NULL;
        if (name) {
            writer_csv_field(&w, name);
        } else {
            fprintf(w.stream, "%zu", i);
        }
        fprintf(w.stream, ",%" PRId64 ",%.6g,%" PRId64 "\n", labels[i], probability[i],
                component[i]);
    }
    return writer_commit(&w);
}

int scdc_write_workers_sized(const char *path, const scdc_worker *workers, size_t size,
                             size_t count)
{
    if (!path || (!workers && count)) {
        return fail_with(SCDC_ERR_ARGUMENT, "path and workers must not be NULL");
    }
    writer w;
    SCDC_TRY(writer_open(&w, path));
    fputs("worker,answers,sensitivity,sensitivity_low,sensitivity_high,"
          "specificity,specificity_low,specificity_high,weight\n",
          w.stream);
    for (size_t m = 0; m < count && !writer_failed(&w); m++) {
        scdc_worker a = {0};
        sized_fill(&a, sizeof a, (const char *)workers + m * size, size);
        writer_csv_field(&w, a.name);
        fprintf(w.stream, ",%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", a.answers, a.sensitivity,
                a.sensitivity_low, a.sensitivity_high, a.specificity, a.specificity_low,
                a.specificity_high, a.weight);
    }
    return writer_commit(&w);
}
