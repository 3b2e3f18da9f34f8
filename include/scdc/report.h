/* The report of a run: one HTML page, or its charts. Rules as in <scdc/scdc.h>. */
#ifndef SCDC_REPORT_H
#define SCDC_REPORT_H

#include <scdc/asking.h>
#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of several starts of a fit. */
typedef struct scdc_report_start {
    uint64_t seed;
    double bound;
    double foretold; /* as in scdc_epoch; 0 = not known */
    size_t clusters;
    int kept;
} scdc_report_start;

/* What a report is made of. Only the model is needed; what else is there is shown. All pointers are
 * borrowed. */
typedef struct scdc_report {
    size_t size;
    const scdc_model *model;
    const int64_t *labels;     /* per item, as scdc_predict gave them: all three or none */
    const double *probability; /* of the label */
    const int64_t *component;
    const scdc_data *data;    /* the items: pictures or profiles, and the latent space */
    const scdc_data *names;   /* items that have the names; NULL: data's */
    const scdc_crowd *crowd;  /* the answers: which of them the clusters contradict */
    const scdc_labels *truth; /* scores and the confusion table */
    const char *source;       /* what was clustered: "items.npy" */
    const char *command;      /* repeats the run */
    const char *const *facts; /* name, value, name, value, ...: how it was made */
    size_t n_facts;           /* pairs of them */
    const char *const *notes; /* what is left out, and why */
    size_t n_notes;
    const scdc_report_start *starts;
    size_t n_starts;
    double stability;      /* of the starts, as scdc_model_stability tells; NaN = not known */
    const double *seconds; /* of each epoch, NaN = not known; NULL: as scdc_model_epochs tells */
    size_t updates;        /* of the run since its fit */
    const char *const *changes; /* by the last one: item, from, to, because, item, from, ... */
    size_t n_changes;           /* rows of them */
    const char
        *show; /* folder with pictures of the items, where these are something else; or NULL */
    const scdc_outlook *outlook; /* how good the labels are, and what more answers would give */
} scdc_report;
SCDC_API void scdc_report_init_sized(scdc_report *report, size_t size);
#define scdc_report_init(report) scdc_report_init_sized(report, sizeof(scdc_report))
/* Whether a folder has a picture (PNG, JPEG, PGM) of each item: the file of its name, with or
 * without ending, or, of items without names, as many files as items, in the order of their names.
 */
SCDC_API SCDC_MUST_CHECK int scdc_pictures_check(const char *folder, const scdc_data *items);
/* One HTML file that needs nothing else; below 5 MB however many items there are. */
SCDC_API SCDC_MUST_CHECK int scdc_report_write(const char *path, const scdc_report *report);
/* Its charts as SVG files in a folder, which must exist: bound.svg, terms.svg, clusters.svg,
 * seconds.svg, and latent.svg (with data and labels), workers.svg and weights.svg (with workers),
 * outlook.svg (with an outlook). */
SCDC_API SCDC_MUST_CHECK int scdc_report_figures(const char *folder, const scdc_report *report);

#ifdef __cplusplus
}
#endif

#endif
