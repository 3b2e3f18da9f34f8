/* What workers are worth, as a csv file. Where items belong: predictions.c. */
#include "base/sized.h"
#include "base/status.h"
#include "io/writer.h"

#include <scdc/scdc.h>

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
