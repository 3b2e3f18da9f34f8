/* scdc: files of other annotation tools, in and out. The rules of <scdc/scdc.h> hold here, too. */
#ifndef SCDC_EXCHANGE_H
#define SCDC_EXCHANGE_H

#include <scdc/scdc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- import --------------------------------------------------------------------------------- */

/* Names of the tools whose files are understood ("label-studio", "prodigy", ...) and what each
 * file is; NULL beyond the last. */
SCDC_API const char *scdc_import_tool(size_t index);
SCDC_API const char *scdc_import_about(size_t index);

/* The tool a file seems to come from, as a static string; NULL when it looks like none of them.
 * SCDC_ERR_INPUT when the file cannot be read. */
SCDC_API SCDC_MUST_CHECK int scdc_import_detect(const char **tool, const char *path);

/* What a file does not tell by itself. NULL and 0 mean: find out. */
typedef struct scdc_import_options {
    size_t size;
    const char *from; /* a name of scdc_import_tool; NULL or "auto": told by content */
    const char *item; /* field that holds the item of a question with one item */
    const char *left; /* fields that hold the two items of a question with two */
    const char *right;
    const char *answer;      /* field that holds the answer, where there are several */
    const char *worker;      /* field that holds the worker */
    const char *worker_name; /* the worker, for files that name none */
    const char *same;        /* more words for "same", separated by | */
    const char *different;   /* more words for "different" */
    size_t task_items;       /* class labels: most items of a grouping; 0 = 200 */
    int base_names;          /* 1: of items that are paths or addresses only the last part */
    int rejected;            /* 1: take work that was rejected, too */
} scdc_import_options;
SCDC_API void scdc_import_options_init_sized(scdc_import_options *options, size_t size);
#define scdc_import_options_init(options)                                                          \
    scdc_import_options_init_sized(options, sizeof(scdc_import_options))

typedef struct scdc_import_info {
    const char *tool;      /* static string */
    const char *form;      /* "pairs" or "groupings"; static string */
    size_t rows;           /* written */
    size_t skipped;        /* of these without an answer ("unsure"): skipped questions */
    size_t gold;           /* of these with a known right answer */
    size_t workers, items; /* different ones */
    size_t tasks;          /* groupings */
    size_t rejected;       /* left out: work that the requester rejected or the worker withdrew */
    size_t dropped;        /* left out: an item beside itself, several classes for one item */
} scdc_import_info;

/* Reads a file of another tool and writes it as answers that scdc_crowd_open reads: pairs
 * (worker,task,left,right,label) or groupings (worker,task,item,group), with columns time, seconds
 * and gold where the tool tells them. Classes that a worker gave to items become groupings. `info`
 * and `options` may be NULL; `output` is a path, "-" for standard output. Files that say which of
 * two items is better are refused: SCDC_ERR_INPUT. */
SCDC_API SCDC_MUST_CHECK int scdc_import_sized(scdc_import_info *info, size_t size,
                                               const char *path, const char *output,
                                               const scdc_import_options *options);
#define scdc_import(info, path, output, options)                                                   \
    scdc_import_sized(info, sizeof(scdc_import_info), path, output, options)

/* ---- export --------------------------------------------------------------------------------- */

/* "csv", "jsonl", "label-studio": formats of scdc_export_labels and what they are; NULL beyond the
 * last. */
SCDC_API const char *scdc_export_format(size_t index);
SCDC_API const char *scdc_export_about(size_t index);

/* Labels as scdc_predict gave them; all pointers are borrowed. */
typedef struct scdc_export {
    size_t size;
    const char *format;     /* one of scdc_export_format */
    const scdc_data *names; /* items that have the names; NULL: numbers */
    const int64_t *labels;
    const double *probability;
    const int64_t *component;
    size_t count;
    /* Label Studio: the names of the labelling configuration (defaults: cluster, item, item) and
     * what comes before an item to make it an address. */
    const char *from_name, *to_name, *data_key, *prefix;
} scdc_export;
SCDC_API void scdc_export_init_sized(scdc_export *labels, size_t size);
#define scdc_export_init(labels) scdc_export_init_sized(labels, sizeof(scdc_export))
SCDC_API SCDC_MUST_CHECK int scdc_export_labels(const char *path, const scdc_export *labels);
/* The estimates of workers as "csv" or "jsonl". */
SCDC_API SCDC_MUST_CHECK int scdc_export_workers_sized(const char *path, const char *format,
                                                       const scdc_worker *workers, size_t size,
                                                       size_t count);
#define scdc_export_workers(path, format, workers, count)                                          \
    scdc_export_workers_sized(path, format, workers, sizeof(scdc_worker), count)

#ifdef __cplusplus
}
#endif

#endif
